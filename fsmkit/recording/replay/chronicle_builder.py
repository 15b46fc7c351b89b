"""Builds the chronicle of a recording: visits, events and errors with their times."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from attrs import evolve

from fsmkit.recording.chronicle import Chronicle, RaisedError, SentEvent, StateVisit
from fsmkit.recording.replay.steps import UNKNOWN, Header, Step


def chronicle_of(header: Header, steps: Sequence[Step]) -> Chronicle:
    """Return the chronicle of `steps`."""
    builder = _ChronicleBuilder(header)
    for step in steps:
        for kind, machine, *rest in step.journal:
            getattr(builder, METHODS.get(kind, kind))(step, machine, *rest)
    machines = dict.fromkeys([*header.machines, *(visit.machine for visit in builder.visits)])
    start = header.time
    end = steps[-1].time if steps else start
    return Chronicle(tuple(machines), builder.visits, builder.events, builder.errors, start, end)


METHODS: Final[Mapping[str, str]] = {"in": "in_state"}
"""Kind of entry -> the method for it, where the names differ."""


class _ChronicleBuilder:
    """Collects the entries of journals, with a method for each kind of entry."""

    def __init__(self, header: Header) -> None:
        self.visits: list[StateVisit] = []
        self.events: list[SentEvent] = []
        self.errors: list[RaisedError] = []
        self._present: dict[str, int] = {}
        """Machine -> the index of its current visit."""
        self._senders: dict[str, str] = {}
        self._changed: dict[str, str] = {}
        """Machine -> the last event that changed its state."""
        self._suspended: dict[str, tuple[str, ...]] = {}
        for machine, state in header.states.items():
            if state != UNKNOWN:
                self._begin(StateVisit(machine, state, header.time, None, None))

    def event(
        self, step: Step, machine: str, event: str, outcome: str, sender: str, _data: str = ""
    ) -> None:
        data = step.arguments.get("data") if step.arguments.get("event") == event else None
        self.events.append(
            SentEvent(machine, step.time, self._state(machine), event, data, outcome, sender)
        )
        self._senders[machine] = sender
        if outcome == "changed":
            self._changed[machine] = event

    def leave(self, step: Step, machine: str, state: str) -> None:
        if state in self._waiting(machine):
            self._remove(machine, state)
        else:
            self._end(step, machine)

    def enter(self, step: Step, machine: str, state: str, event: str) -> None:
        sender = self._senders.get(machine, "") if event else ""
        waiting = self._waiting(machine)
        self._begin(StateVisit(machine, state, step.time, None, event or None, sender, waiting))

    def suspend(self, step: Step, machine: str, state: str) -> None:
        self._end(step, machine)
        self._suspended[machine] = (*self._waiting(machine), state)

    def resume(self, step: Step, machine: str, state: str) -> None:
        self._remove(machine, state)
        event, sender = self._changed.get(machine), self._senders.get(machine, "")
        waiting = self._waiting(machine)
        self._begin(StateVisit(machine, state, step.time, None, event, sender, waiting, True))

    def restored(self, step: Step, machine: str) -> None:
        self._end(step, machine)
        self._suspended.pop(machine, None)

    def in_state(self, step: Step, machine: str, state: str) -> None:
        waiting = self._waiting(machine)
        self._begin(StateVisit(machine, state, step.time, None, None, "", waiting))

    def error(self, step: Step, machine: str, error: str) -> None:
        self.errors.append(RaisedError(machine, step.time, self._state(machine), error))

    def _waiting(self, machine: str) -> tuple[str, ...]:
        return self._suspended.get(machine, ())

    def _remove(self, machine: str, state: str) -> None:
        """The state is suspended no more."""
        waiting = self._waiting(machine)
        self._suspended[machine] = tuple(name for name in waiting if name != state)

    def _end(self, step: Step, machine: str) -> None:
        index = self._present.pop(machine, None)
        if index is not None:
            self.visits[index] = evolve(self.visits[index], end=step.time)

    def _begin(self, visit: StateVisit) -> None:
        self._present[visit.machine] = len(self.visits)
        self.visits.append(visit)

    def _state(self, machine: str) -> str:
        index = self._present.get(machine)
        return self.visits[index].state if index is not None else ""
