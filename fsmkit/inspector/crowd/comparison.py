"""Comparison: finds the agents of a crowd of which something is true."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any, Final

from attrs import frozen

from fsmkit.crowd import Crowd
from fsmkit.inspector.loop.requests import RequestError
from fsmkit.inspector.reading.values import text_of

OPERATORS: Final[Mapping[str, Callable[[Any, Any], Any]]] = {
    "<": operator.lt,
    "<=": operator.le,
    "==": operator.eq,
    "!=": operator.ne,
    ">=": operator.ge,
    ">": operator.gt,
}

LARGEST: Final = 2.0**53
"""Up to there, every whole number is a float."""


@frozen
class Comparison:
    """A field of the agents, `state` or `time_in_state`, compared with a value."""

    field: str
    sign: str
    value: Any

    def mask(self, crowd: Crowd) -> Any:
        """Return the mask of the agents of which it is true. Raises RequestError."""
        if self.sign not in OPERATORS:
            raise RequestError(f"A comparison is one of {' '.join(OPERATORS)}, got {self.sign!r}.")
        kinds = crowd.layout.machine.agent_record.kinds
        compare = OPERATORS[self.sign]
        if self.field in kinds:
            return compare(crowd[self.field], self._number(kinds[self.field] is bool))
        if self.field == "time_in_state":
            return compare(crowd.time_in_state, self._number(is_bool=False))
        if self.field == "state":
            return self._of_state(crowd)
        known = ", ".join((*kinds, "state", "time_in_state"))
        raise RequestError(f"The agents have no field {self.field!r}. Choose one of: {known}.")

    def _of_state(self, crowd: Crowd) -> Any:
        names = [*crowd.layout.machine.states]
        if self.value not in names:
            raise RequestError(
                f"There is no state {self.value!r}. Choose one of: {', '.join(names)}."
            )
        if self.sign not in ("==", "!="):
            raise RequestError(f"A state is compared by == or !=, not by {self.sign}.")
        mask = crowd.where(self.value)
        return mask if self.sign == "==" else ~mask

    def _number(self, is_bool: bool) -> float:
        if is_bool:
            if isinstance(self.value, bool) and self.sign in ("==", "!="):
                return self.value
            raise RequestError(
                f"{self.field!r} is true or false: write {self.field} == true, or != true."
            )
        is_number = isinstance(self.value, (int, float)) and not isinstance(self.value, bool)
        if not is_number or not abs(self.value) <= LARGEST:  # such as nan
            raise RequestError(f"{self.field!r} is a number, and {text_of(self.value)} is none.")
        return float(self.value)
