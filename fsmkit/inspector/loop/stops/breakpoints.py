"""Breakpoints: the list of them, and what happens when one is hit."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import count
from typing import Any, Final, TypeAlias

from attrs import evolve

from fsmkit import Fsm
from fsmkit.core.words.notes import shown_error
from fsmkit.inspector.loop.requests import RequestError
from fsmkit.inspector.loop.stops.breakpoint import IN_BRACES, Breakpoint, Kind
from fsmkit.inspector.loop.stops.halt import Reason
from fsmkit.inspector.reading.named_values import NamedValues, Occasion, UnreadableValueError
from fsmkit.inspector.reading.values import LONGEST, text_of

Place: TypeAlias = tuple[Kind, str]
"""The kind and the name of a breakpoint that is hit there."""

MOST: Final = 200


class Breakpoints:
    """Breakpoints by the names of machines: a machine that takes the place of another has them too.

    `names` are those of all machines, `log` writes a line about a machine into the log.
    """

    def __init__(
        self,
        names: Mapping[Fsm[Any], str],
        values: NamedValues,
        log: Callable[[Fsm[Any], str], object],
    ) -> None:
        self._names = names
        self._values = values
        self._log = log
        self._points: dict[int, Breakpoint] = {}
        self._at: dict[tuple[str | None, Kind, str], list[Breakpoint]] = {}
        self._numbers = count(1)
        self.version = 0
        """Another number after each change."""

    def __iter__(self) -> Iterator[Breakpoint]:
        return iter(self._points.values())

    def __len__(self) -> int:
        return len(self._points)

    # The list

    def add(self, point: Breakpoint) -> Breakpoint:
        """Add one under a number of its own. Raises RequestError if there are too many."""
        if len(self) >= MOST:
            raise RequestError(f"There can be {MOST} breakpoints. Remove one first.")
        return self.put(evolve(point, number=next(self._numbers)))

    def put(self, point: Breakpoint) -> Breakpoint:
        """Put one in the place of that with its number; its hits are counted anew."""
        self._points[point.number] = point
        self._index()
        return point

    def find(self, number: int) -> Breakpoint:
        """Return the one of that number. Raises RequestError."""
        if number not in self._points:
            raise RequestError("That breakpoint has been removed.")
        return self._points[number]

    def on(self, machine: str | None, kind: str, name: str) -> list[Breakpoint]:
        """Return those of this kind and name on a machine, also those that are switched off."""
        wanted = machine, kind, name
        return [each for each in self if (each.machine, each.kind, each.name) == wanted]

    def remove(self, *points: Breakpoint) -> None:
        """Remove these."""
        for point in points:
            self._points.pop(point.number, None)
        self._index()

    def switch(self, point: Breakpoint, on: bool, note: str = "") -> None:
        """Switch one on or off; `note` says why."""
        point.switch(on, note)
        self._index()

    def _index(self) -> None:
        self.version += 1
        self._at = {}
        for point in self:
            if point.is_on:
                place = point.machine, point.kind, point.name
                self._at.setdefault(place, []).append(point)

    # Hits

    def hit(self, occasion: Occasion, *places: Place) -> Reason | None:
        """Count the hits, write what log points say; return why to stop, None to go on."""
        found = [point for point in self._found(occasion.machine, places) if point.is_on]
        reasons = [self.reason(point, occasion) for point in found]
        return next(filter(None, reasons), None)

    def reason(self, point: Breakpoint, occasion: Occasion, change: str = "") -> Reason | None:
        """Count a hit of `point` if its condition holds; return why to stop, None to go on.

        `change` says which change of a value it is hit by; then its condition holds. What reading
        or comparing a value raises switches the breakpoint off.
        """
        try:
            shown = change or self._shown_condition(point, occasion)
            if shown is None or not self._is_new(point, occasion):
                return None
        except Exception as error:  # from the program's own values
            self.switch(point, on=False, note=f"switched off: {shown_error(error)}")
            return None
        if not point.is_hit():
            return None
        if point.text:
            self._log(occasion.machine, self._filled(point.text, occasion))
            return None
        return self._reason(point, occasion, shown)

    def forget_errors(self) -> None:
        """Hold on to no error."""
        for point in self:
            point.forget_error()

    def _found(self, machine: Fsm[Any], places: tuple[Place, ...]) -> list[Breakpoint]:
        own = self._names.get(machine)
        owners = (None,) if own is None else (own, None)
        found = [
            each
            for kind, name in places
            for owner in owners
            for each in self._at.get((owner, kind, name), ())
        ]
        return sorted(found, key=lambda point: point.number) if len(found) > 1 else found

    def _is_new(self, point: Breakpoint, occasion: Occasion) -> bool:
        return occasion.error is None or point.is_new(occasion.error)

    def _shown_condition(self, point: Breakpoint, occasion: Occasion) -> str | None:
        """Return the condition with the value that meets it; None if it does not hold."""
        condition = point.condition
        if condition is None:
            return ""
        found = self._values.read(condition.name, occasion)
        if not condition.holds(found):
            return None
        return str(condition) if condition.operator == "==" else f"{condition} ({text_of(found)})"

    def _reason(self, point: Breakpoint, occasion: Occasion, shown: str) -> Reason:
        parts = [shown] if shown else []
        if occasion.error is not None:
            parts.insert(0, shown_error(occasion.error))
        if point.count > 1:
            parts.append(f"hit {point.hits}")
        machine = self._names.get(occasion.machine, occasion.machine.name)
        return Reason(
            point.kind, machine, point.title, ", ".join(parts), point.number, stays=point.stays
        )

    def _filled(self, text: str, occasion: Occasion) -> str:
        def value(match: Any) -> str:
            try:
                found = self._values.read(match[1].strip(), occasion)
            except Exception as error:  # from the program's own values
                return (
                    error.args[0] if isinstance(error, UnreadableValueError) else shown_error(error)
                )
            return found[:LONGEST] if isinstance(found, str) else text_of(found)

        return IN_BRACES.sub(value, text)
