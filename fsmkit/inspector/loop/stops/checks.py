"""BreakpointChecks: whether a breakpoint makes sense for the machines that are there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any, Final

from attrs import frozen

from fsmkit import Fsm
from fsmkit.core.words.notes import message_of
from fsmkit.core.words.suggestions import did_you_mean
from fsmkit.inspector.loop.inspected import Inspected
from fsmkit.inspector.loop.requests import RequestError
from fsmkit.inspector.loop.stops.breakpoint import KINDS, MOST_COUNTED, Breakpoint, Kind, names_in
from fsmkit.inspector.loop.stops.condition import CHANGES
from fsmkit.inspector.reading.named_values import DATA, OF_EVENTS, NamedValues, Occasion
from fsmkit.inspector.reading.values import text_of
from fsmkit.inspector.reading.watches import ABSENT

MOST_NAMES: Final = 20
"""Values in the text of a log point."""

ANY: Final = {"error": "error", "unhandled": "unhandled event"}
WITHOUT_EVENT: Final = ("error", "value")
"""Kinds that are hit without an event."""


def checked_kind(kind: str) -> Kind:
    """Return a kind of breakpoint. Raises RequestError."""
    if kind not in KINDS:
        raise RequestError(
            f"A breakpoint must be on one of {', '.join(KINDS)}, got {text_of(kind)}."
        )
    return kind


@frozen
class BreakpointChecks:
    """Finds what cannot be meant: unknown names, values that are never so. Raises RequestError."""

    inspected: Inspected
    values: NamedValues

    def check(self, point: Breakpoint, old: Breakpoint | None) -> None:
        """Check a breakpoint that takes the place of `old`, whose machine may have left."""
        stays = old is not None and old.machine == point.machine
        machines = self._called(point.machine) if stays else self.machines(point.machine)
        self.check_name(point, machines)
        if not 1 <= point.count <= MOST_COUNTED:
            raise RequestError(
                f"The count must be from 1 to {MOST_COUNTED:,}, got {text_of(point.count)}."
            )
        self._check_condition(point, machines)
        self._check_text(point, machines)

    def machines(self, name: str | None) -> list[Fsm[Any]]:
        """Return the machine of that name; for None all of them."""
        return self._called(None) if name is None else [self.inspected.machine(name)]

    def check_name(self, point: Breakpoint, machines: Sequence[Fsm[Any]]) -> None:
        """Check the name of a state or an event."""
        kind, name = point.kind, point.name
        if kind == "state" and machines and not any(name in each.states for each in machines):
            states = chain.from_iterable(each.states for each in machines)
            raise RequestError(f"{_lacks(point)} state {name!r}. {did_you_mean(name, states)}"[:-1])
        if kind == "event" and not name:
            raise RequestError("The name of the event must not be empty.")
        if kind == "value" and (point.condition is None or point.condition.name != name):
            raise RequestError(
                "A breakpoint on a value needs a condition on that value, such as distance < 3."
            )
        if kind in ANY and name:
            raise RequestError(f"A breakpoint on any {ANY[kind]} has no name, got {name!r}.")

    def named(self, machine: Fsm[Any]) -> Iterator[tuple[str, str]]:
        """Yield the names that can be used for a machine, each with its present text."""
        for name in self.values.names(machine, of_events=True):
            try:
                is_known = name not in OF_EVENTS
                yield name, text_of(self.values.read(name, Occasion(machine))) if is_known else ""
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
        known = {each: list(self.values.names(each, of_events=of_events)) for each in machines}
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
            return self.values.read(name, Occasion(machine))
        except Exception as error:  # from the program's own values
            raise RequestError(f"{name!r} cannot be read: {message_of(error)}") from None

    def _called(self, name: str | None) -> list[Fsm[Any]]:
        names = self.inspected.naming.names
        return [machine for machine, other in names.items() if name in (None, other)]


def _lacks(point: Breakpoint) -> str:
    return "No machine has a" if point.machine is None else f"{point.machine!r} has no"
