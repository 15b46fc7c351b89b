"""ValueChanges: breakpoints on values, looked at after each update."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from attrs import frozen

from fsmkit import Fsm
from fsmkit.inspector.loop.stops.breakpoint import Breakpoint
from fsmkit.inspector.loop.stops.breakpoints import Breakpoints
from fsmkit.inspector.loop.stops.condition import CHANGES, Condition, mark_of
from fsmkit.inspector.loop.stops.halt import Reason
from fsmkit.inspector.reading.named_values import NamedValues, Occasion
from fsmkit.inspector.reading.values import PLAIN, error_text, text_of


class ValueChanges:
    """Finds the values that meet a condition now and did not before, or that have changed."""

    def __init__(self, breakpoints: Breakpoints, values: NamedValues) -> None:
        self._breakpoints = breakpoints
        self._values = values
        self._before: dict[tuple[Breakpoint, Fsm[Any]], _Reading] = {}

    def keep_to(self, wanted: Mapping[Breakpoint, Iterable[Fsm[Any]]]) -> None:
        """Look at these machines for these breakpoints; what holds already is no news."""
        pairs = [(point, machine) for point, machines in wanted.items() for machine in machines]
        before, self._before = self._before, {}
        for pair in pairs:
            reading = before.get(pair) or self._read(*pair)
            if reading is not None:
                self._before[pair] = reading

    def check(self) -> Reason | None:
        """Count the hits since the last check; return why to stop, None to go on."""
        found = [self._check(*pair) for pair in tuple(self._before)]
        return next(filter(None, found), None)

    def _check(self, point: Breakpoint, machine: Fsm[Any]) -> Reason | None:
        now = self._read(point, machine) if point.is_on else None
        if now is None:
            return None
        before, self._before[point, machine] = self._before[point, machine], now
        if now.mark == before.mark or not now.holds:
            return None
        change = f"{point.condition}: {before.text} → {now.text}"
        return self._breakpoints.reason(point, Occasion(machine), change)

    def _read(self, point: Breakpoint, machine: Fsm[Any]) -> _Reading | None:
        """Read the value; None, and the breakpoint is switched off, if that is not possible."""
        condition = point.condition
        assert condition is not None
        try:
            return _reading(condition, self._values.read(condition.name, Occasion(machine)))
        except Exception as error:  # from the program's own values
            note = f"switched off: {error_text(error)}"
            self._breakpoints.switch(point, on=False, note=note)
            return None


@frozen
class _Reading:
    """What a value was."""

    kept: object
    """The value, or if it is not a plain one, its text: it may change in itself."""
    holds: bool
    mark: object
    """Equal to that of another reading if nothing has happened between them."""

    @property
    def text(self) -> str:
        return text_of(self.kept) if isinstance(self.kept, PLAIN) else str(self.kept)


def _reading(condition: Condition, value: object) -> _Reading:
    kept = value if isinstance(value, PLAIN) else _Text(text_of(value))
    if condition.operator == CHANGES:
        return _Reading(kept, holds=True, mark=mark_of(value))
    holds = condition.holds(value)
    return _Reading(kept, holds, mark=holds)


class _Text:
    """The text of a value."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __str__(self) -> str:
        return self._text
