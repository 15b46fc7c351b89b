"""TimedEvent: an event to send at a time, as `--event` gives it."""

from __future__ import annotations

import json
import re
from argparse import ArgumentTypeError
from math import inf
from typing import Final

from attrs import frozen

from fsmkit.terminal.console import cut

TIME: Final = re.compile(r"@([^@=]*)(=|$)")
"""A place where the name may end: `@`, something that may be a time, and the data or the end."""

EXAMPLES: Final = """SPOTTED@2.5, or NOISE@2={"at": [3, 3]} with data"""

DATA_COLUMNS: Final = 40


@frozen
class TimedEvent:
    """An event with its data, and the seconds after which it is sent.

    >>> print(TimedEvent("NOISE", 2.0, {"at": [3, 3]}))
    NOISE@2={"at": [3, 3]}
    """

    name: str
    due: float
    data: object = None

    @property
    def shown(self) -> str:
        """Its name with the data, as far as a column has room for it."""
        return self.name if self.data is None else f"{self.name} {cut(self._json, DATA_COLUMNS)}"

    def __str__(self) -> str:
        data = "" if self.data is None else f"={self._json}"
        return f"{self.name}@{self.due:g}{data}"

    @property
    def _json(self) -> str:
        return json.dumps(self.data, ensure_ascii=False)


def timed_event(text: str) -> TimedEvent:
    """Return the event that `NAME@T` or `NAME@T=JSON` means, for argparse.

    A name may contain `@` and `=` itself: it ends at the first `@` that a time follows, and data
    that is JSON.

    >>> timed_event('MAIL@1={"to": "ann@home"}')
    TimedEvent(name='MAIL', due=1.0, data={'to': 'ann@home'})
    >>> timed_event("ann@home=1@2").name
    'ann@home=1'
    """
    faults: list[str] = []
    for place in TIME.finditer(text):
        name, due, given = text[: place.start()], _seconds(place[1]), text[place.end() :]
        if not name or due is None:
            continue
        try:
            return TimedEvent(name, due, _data(given) if place[2] else None)
        except ValueError as error:
            faults.append(
                f"the data after = must be JSON, such as {EXAMPLES}, got {given!r}: {error}"
            )
    faults.append(f"must be an event with a time in seconds, such as {EXAMPLES}, got {text!r}")
    raise ArgumentTypeError(faults[0])


def _data(text: str) -> object:
    def refuse(constant: str) -> None:
        raise ValueError(f"{constant} is not JSON")

    return json.loads(text, parse_constant=refuse)


def _seconds(text: str) -> float | None:
    try:
        seconds = float(text)
    except ValueError:
        return None
    return seconds if 0.0 <= seconds < inf else None
