"""Measure: a number about all agents of a crowd, with a name such as `mean(speed, Ill)`."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from math import nan
from typing import Any, Final

from attrs import frozen

from fsmkit.crowd.errors import CrowdError

COUNT: Final = "count"
QUANTILE: Final = "quantile"

STATISTICS: Final[Mapping[str, Callable[[Any], float]]] = {
    "sum": lambda values: float(values.sum()),
    "mean": lambda values: float(values.mean()) if values.size else nan,
    "std": lambda values: float(values.std()) if values.size else nan,
    "min": lambda values: float(values.min()) if values.size else nan,
    "max": lambda values: float(values.max()) if values.size else nan,
}
"""Name -> what it makes of an array of floats. Only the sum of no values is a number, 0."""

CALL: Final = re.compile(r"(\w+)\((.*)\)", re.DOTALL)

FORMS: Final = (
    '"count()", "count(STATE)", "mean(field)", "mean(field, STATE)", "quantile(field, p)"'
)


@frozen
class Measure:
    """A statistic of a field, or the number of agents; of all of them, or of those in a state."""

    statistic: str
    """A name of `STATISTICS`, or `quantile` or `count`."""
    field: str = ""
    """The field; empty for `count`."""
    state: str | None = None
    p: float = nan
    """The share of the values below a quantile, 0 to 1."""

    @property
    def name(self) -> str:
        """The name of its column.

        >>> Measure("quantile", "x", "Ill", 0.9).name, Measure("count").name
        ('quantile(x, 0.9, Ill)', 'count()')
        """
        share = repr(self.p) if self.statistic == QUANTILE else ""
        return f"{self.statistic}({', '.join(filter(None, [self.field, share, self.state]))})"


def checked_share(p: Any) -> float:
    """Return the p of a quantile as a float. Raises CrowdError unless it is from 0 to 1."""
    try:
        share = float(p)
    except (TypeError, ValueError):
        share = nan
    if not 0.0 <= share <= 1.0:
        raise CrowdError(f"The p of a quantile must be a number from 0 to 1, got {p!r}.")
    return share


def measure_of(text: str, fields: Collection[str], states: Collection[str]) -> Measure:
    """Return the measure with that name. Raises CrowdError if there is none.

    >>> measure_of("quantile(x, 0.9, Ill)", ["x"], ["Ill"])
    Measure(statistic='quantile', field='x', state='Ill', p=0.9)
    >>> measure_of("count(Ill)", ["x"], ["Ill"]).state
    'Ill'
    """
    call = CALL.fullmatch(text.strip()) if isinstance(text, str) else None
    if call is None or call[1] not in (*STATISTICS, QUANTILE, COUNT):
        known = ", ".join([COUNT, *STATISTICS, QUANTILE])
        raise CrowdError(f"A measure must be written like {FORMS}, got {text!r}. Known: {known}.")
    statistic, inside = call[1], call[2].strip()
    if statistic == COUNT:
        return Measure(COUNT, state=_state(text, inside, states))
    field, inside = _first(inside)
    if field not in fields:
        raise CrowdError(f"{text!r}: there is no field {field!r}. Fields: {', '.join(fields)}.")
    p = nan
    if statistic == QUANTILE:
        share, inside = _first(inside)
        p = checked_share(share)
    return Measure(statistic, field, _state(text, inside, states), p)


def _first(arguments: str) -> tuple[str, str]:
    """Return the first argument and the others; the last, a state, may have commas in its name."""
    first, _, others = arguments.partition(",")
    return first.strip(), others.strip()


def _state(text: str, name: str, states: Collection[str]) -> str | None:
    if name and name not in states:
        raise CrowdError(
            f"{text!r}: there is no state {name!r}. States: {', '.join(map(repr, states))}."
        )
    return name or None
