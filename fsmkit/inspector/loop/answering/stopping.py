"""Stopping: the requests about breakpoints, and the run to the next change."""

from __future__ import annotations

from collections.abc import Callable

from attrs import frozen

from fsmkit.inspector.loop.clock import Clock
from fsmkit.inspector.loop.requests import Answer, RequestError
from fsmkit.inspector.loop.stops.breakpoint import NAMED, Breakpoint
from fsmkit.inspector.loop.stops.checks import BreakpointChecks, checked_kind
from fsmkit.inspector.loop.stops.condition import parse_condition
from fsmkit.inspector.loop.stops.halt import Halt
from fsmkit.inspector.loop.stops.stops import Stops


@frozen
class Stopping:
    """Sets, edits and removes breakpoints; lets the machines run to the next change."""

    stops: Stops
    checks: BreakpointChecks
    clock: Clock
    held: Callable[[], Halt | None]
    """Returns where a machine is held."""
    release: Callable[[], None]
    """Lets that machine go on."""

    def break_(self, machine: str, kind: str, name: str, on: bool) -> None:
        """Set a plain breakpoint, or remove all those of this kind and name."""
        if kind not in NAMED:
            raise RequestError(f"A breakpoint must be on a state or an event, got {kind!r}.")
        point = Breakpoint(0, checked_kind(kind), machine, name)
        self.checks.check_name(point, self.checks.machines(machine))
        points = self.stops.breakpoints.on(machine, kind, name)
        if not on:
            self.stops.breakpoints.remove(*points)
        elif not points:
            self.stops.breakpoints.add(point)
        elif not any(each.is_on for each in points):
            self.stops.breakpoints.switch(points[0], on=True)
        self.stops.refresh()

    def set_breakpoint(
        self,
        *,
        kind: str,
        machine: str | None = None,
        number: int | None = None,
        name: str = "",
        condition: object = None,
        count: int = 1,
        every: bool = True,
        text: str = "",
        on: bool = True,
    ) -> Answer:
        """Set a breakpoint, or edit that of this number; answer with its number."""
        old = self.stops.breakpoints.find(number) if number is not None else None
        parsed = parse_condition(condition)
        if kind == "value" and parsed is not None:
            name = name or parsed.name
        point = Breakpoint(
            number or 0, checked_kind(kind), machine, name, parsed, count, every, text, on,
            stays=old is not None and old.stays,
        )  # fmt: skip
        self.checks.check(point, old)
        if old is None:
            point = self.stops.breakpoints.add(point)
        else:
            self.stops.breakpoints.put(point)
        self.stops.refresh()
        return {"number": point.number}

    def switch_breakpoint(self, number: int, on: bool) -> None:
        """Switch a breakpoint on or off without removing it."""
        self.stops.breakpoints.switch(self.stops.breakpoints.find(number), on)
        self.stops.refresh()

    def remove_breakpoint(self, number: int) -> None:
        """Remove a breakpoint."""
        self.stops.breakpoints.remove(self.stops.breakpoints.find(number))
        self.stops.refresh()

    def clear_breakpoints(self) -> None:
        """Remove all breakpoints."""
        self.stops.breakpoints.remove(*self.stops.breakpoints)
        self.stops.refresh()

    def names(self, machine: str | None = None) -> Answer:
        """Answer with the values that a condition may name, each with its present text."""
        machines = self.checks.machines(machine)
        return {"names": list(self.checks.named(machines[0])) if machines else []}

    def run_to_change(self, machine: str | None = None) -> None:
        """Let the machines run until that one, or any, changes state; then pause."""
        self.checks.machines(machine)
        self.stops.begin_next_change(machine, self.held())
        self.clock.resume()
        self.release()
