"""Requests about breakpoints, and whether a breakpoint makes sense for the machines present."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any, Final, cast

from attrs import frozen

from fsmkit import Fsm
from fsmkit.core.checks import arguments
from fsmkit.core.words.notes import message_of
from fsmkit.core.words.suggestions import did_you_mean
from fsmkit.inspector.live.breakpoints.breakpoint import (
    ANY,
    CHANGES,
    KINDS,
    MOST_COUNTED,
    NAMED,
    Breakpoint,
    BreakpointKind,
    names_in,
    parse_condition,
    parse_way,
    way_of,
)
from fsmkit.inspector.live.breakpoints.stops import Stops
from fsmkit.inspector.live.pausing import Holding, UpdateClock
from fsmkit.inspector.live.requests.page_request import PageAnswer, RequestError
from fsmkit.inspector.live.subscribers import Inspected
from fsmkit.inspector.reading.page_values import text_of
from fsmkit.inspector.reading.watches import ABSENT, DATA, OF_EVENTS, Occasion
from fsmkit.introspection import walk

MOST_NAMES: Final = 20
"""Values in the text of a log point."""

WITHOUT_EVENT: Final = ("error", "value")
"""Kinds that are hit without an event."""


@frozen
class BreakpointRequests:
    """Sets, edits and removes breakpoints; lets the machines run to the next change.

    Breakpoints that make no sense for the machines present are refused.
    """

    inspected: Inspected
    stops: Stops
    clock: UpdateClock
    holding: Holding

    def break_(self, machine: str, kind: str, name: str, on: bool) -> None:
        """Set a plain breakpoint, or remove all those of this kind and name."""
        arguments.choice(kind, "The kind of a breakpoint", NAMED, RequestError)
        point = Breakpoint(0, _checked_kind(kind), machine, name)
        self._check_name(point, self._machines(machine))
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
        way: object = None,
        condition: object = None,
        count: int = 1,
        every: bool = True,
        text: str = "",
        on: bool = True,
    ) -> PageAnswer:
        old = self.stops.breakpoints.find(number) if number is not None else None
        parsed = parse_condition(condition)
        if kind == "value" and parsed is not None:
            name = name or parsed.name
        point = Breakpoint(
            number or 0, _checked_kind(kind), machine, name, parsed, count, every, text, on,
            stays=old is not None and old.stays, way=parse_way(way),
        )  # fmt: skip
        self._check(point, old)
        if old is None:
            point = self.stops.breakpoints.add(point)
        else:
            self.stops.breakpoints.put(point)
        self.stops.refresh()
        return {"number": point.number}

    def switch_breakpoint(self, number: int, on: bool) -> None:
        self.stops.breakpoints.switch(self.stops.breakpoints.find(number), on)
        self.stops.refresh()

    def remove_breakpoint(self, number: int) -> None:
        self.stops.breakpoints.remove(self.stops.breakpoints.find(number))
        self.stops.refresh()

    def clear_breakpoints(self) -> None:
        self.stops.breakpoints.remove(*self.stops.breakpoints)
        self.stops.refresh()

    def names(self, machine: str | None = None) -> PageAnswer:
        machines = self._machines(machine)
        return {"names": list(self._named(machines[0])) if machines else []}

    def run_to_change(self, machine: str | None = None) -> None:
        """Let the machines run until that one, or any, changes state; then pause."""
        self._machines(machine)
        self.stops.begin_next_change(machine, self.holding.halt)
        self.clock.resume()
        self.holding.release()

    # Checks: they refuse unknown names, and conditions that are never met

    def _check(self, point: Breakpoint, old: Breakpoint | None) -> None:
        """Check a breakpoint that replaces `old`, whose machine may have left."""
        stays = old is not None and old.machine == point.machine
        machines = self._called(point.machine) if stays else self._machines(point.machine)
        self._check_name(point, machines)
        arguments.integer(point.count, "The count", least=1, most=MOST_COUNTED, error=RequestError)
        self._check_condition(point, machines)
        self._check_text(point, machines)

    def _machines(self, name: str | None) -> list[Fsm[Any]]:
        """Return the machine of that name, all machines without a name."""
        return self._called(None) if name is None else [self.inspected.machine(name)]

    def _check_name(self, point: Breakpoint, machines: Sequence[Fsm[Any]]) -> None:
        kind, name = point.kind, point.name
        if kind == "state" and machines and not any(name in each.states for each in machines):
            states = chain.from_iterable(each.states for each in machines)
            raise RequestError(f"{_lacks(point)} state {name!r}. {did_you_mean(name, states)}"[:-1])
        if kind in ("event", "transition") and not name:
            raise RequestError("The name of the event must not be empty.")
        if (kind == "transition") != (point.way is not None):
            raise RequestError("A breakpoint on a transition needs its way, and no other has one.")
        if kind == "transition" and machines:
            self._check_way(point, machines)
        if kind == "value" and (point.condition is None or point.condition.name != name):
            raise RequestError(
                "A breakpoint on a value needs a condition on that value, such as distance < 3."
            )
        if kind in ANY and name:
            raise RequestError(f"A breakpoint on any {ANY[kind]} has no name, got {name!r}.")

    def _check_way(self, point: Breakpoint, machines: Sequence[Fsm[Any]]) -> None:
        every = chain.from_iterable(map(walk.transitions, machines))
        ways = [way_of(each) for each in every if each.event == point.name]
        if point.way not in ways:
            known = "; ".join(dict.fromkeys(map(str, ways)))
            raise RequestError(
                f"{_lacks(point)} transition for {point.name!r} {point.way}."
                + (f" It has those {known}." if known else "")
            )

    def _named(self, machine: Fsm[Any]) -> Iterator[tuple[str, str]]:
        values = self.stops.values
        for name in values.names(machine, of_events=True):
            try:
                is_of_event = name in OF_EVENTS
                value = "" if is_of_event else text_of(values.read(name, Occasion(machine)))
                yield name, value
            except Exception as error:  # from the program's own values
                yield name, message_of(error)

    def _check_condition(self, point: Breakpoint, machines: Sequence[Fsm[Any]]) -> None:
        condition = point.condition
        if condition is None:
            return
        if condition.operator == CHANGES and point.kind != "value":
            raise RequestError("Only a breakpoint on a value can stop when it changes.")
        knowing = self._knowing(point, machines, condition.name)
        values = (self._read(machine, condition.name) for machine in knowing)
        condition.check(next((value for value in values if value is not ABSENT), None))

    def _check_text(self, point: Breakpoint, machines: Sequence[Fsm[Any]]) -> None:
        names = names_in(point.text)
        if len(names) > MOST_NAMES:
            raise RequestError(
                f"A log point can show {MOST_NAMES} values at most, got {len(names)}."
            )
        for name in names:
            self._knowing(point, machines, name)

    def _knowing(
        self, point: Breakpoint, machines: Sequence[Fsm[Any]], name: str
    ) -> Sequence[Fsm[Any]]:
        """Return the machines that have a value of that name now; raise if none ever has."""
        of_events = point.kind not in WITHOUT_EVENT
        if of_events and (name in OF_EVENTS or name.startswith(DATA)):
            return ()
        names_of = self.stops.values.names
        known = {each: list(names_of(each, of_events=of_events)) for each in machines}
        knowing = [machine for machine, names in known.items() if name in names]
        if knowing or not machines:
            return knowing
        names = dict.fromkeys(chain.from_iterable(known.values()))
        raise RequestError(
            f"{_lacks(point)} value {name!r}. {did_you_mean(name, names)}"
            f"It can be one of: {', '.join(names)}."
        )

    def _read(self, machine: Fsm[Any], name: str) -> object:
        try:
            return self.stops.values.read(name, Occasion(machine))
        except Exception as error:  # from the program's own values
            raise RequestError(f"{name!r} cannot be read: {message_of(error)}") from None

    def _called(self, name: str | None) -> list[Fsm[Any]]:
        names = self.inspected.naming.names
        return [machine for machine, other in names.items() if name in (None, other)]


def _checked_kind(kind: str) -> BreakpointKind:
    arguments.choice(kind, "The kind of a breakpoint", KINDS, RequestError)
    return cast("BreakpointKind", kind)


def _lacks(point: Breakpoint) -> str:
    return "No machine has a" if point.machine is None else f"{point.machine!r} has no"
