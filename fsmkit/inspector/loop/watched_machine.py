"""Focus: all that is kept of a machine that somebody looks at."""

from __future__ import annotations

from collections.abc import Callable
from traceback import format_exception_only
from typing import Any

from fsmkit import Fsm, FsmState
from fsmkit.diagram.graph import Graph
from fsmkit.inspector.reading.chart import Chart, machines_of
from fsmkit.inspector.reading.details import Detail, detail_of
from fsmkit.inspector.reading.log import Log
from fsmkit.inspector.reading.rewind import Moments
from fsmkit.inspector.reading.values import text_of
from fsmkit.recording import why
from fsmkit.recording.chronicle import sender_title
from fsmkit.tooling.nesting import MachineNames


class Focus:
    """Watches a machine and those inside it: the log, the time spent in each state, the moments.

    `clock` tells the seconds that the inspector goes by.
    """

    def __init__(self, machine: Fsm[Any], roster: MachineNames, clock: Callable[[], float]) -> None:
        self.machine = machine
        self.clock = clock
        self.log = Log()
        self.moments = Moments(machine)
        self.chart = Chart(machine, roster.names)
        self._roster = roster
        self._watched: dict[Fsm[Any], _Stay] = {}
        self._seconds: dict[str, float] = {}
        self._edge: str | None = None
        self._has_changed = True
        self._watch_all()

    def close(self) -> None:
        """Watch no more."""
        for stay in self._watched.values():
            stay.undo()

    def before_update(self) -> None:
        """Keep what has become of it since the last one, at the time that the log gives for it."""
        if self._has_changed:
            self._keep()

    def after_update(self) -> None:
        """Keep this moment, if it is worth it."""
        self._look()
        if self.moments.are_due(self.clock(), has_changed=self._has_changed):
            self._keep()

    def detail(self) -> Detail:
        """The condition of the machine now."""
        self._look()
        self.chart.update()
        return {
            **detail_of(self.machine, self._roster.names),
            "lit": self.chart.lit(),
            "edge": self._edge,
            "shade": self._shade(),
            "graph": self.chart.version,
        }

    def drawing(self) -> tuple[Graph, dict[str, Any]]:
        """The model to draw, and what its parts are."""
        self._look()
        self.chart.update()
        return self.chart.read()

    def note(self, text: str) -> None:
        """Write a remark of the inspector's own into the log."""
        self.log.add(self.clock(), self._name(self.machine), "note", text=text)

    def moved(self, text: str) -> None:
        """The machine has been brought somewhere else without being told: see where it is now."""
        self.note(text)
        self._edge = None
        self._has_changed = True
        for machine, stay in self._watched.items():
            self._leave(stay)
            state = machine.current_state
            if state is not None:
                self._enter(machine, state, None)
            else:
                self.log.add(self.clock(), self._name(machine), "leave")

    # What the machines tell

    def event_sent(self, fsm: Fsm[Any], event: str, data: object, outcome: str) -> None:
        """Write it into the log."""
        reason = str(why(fsm, event)) if outcome in ("ignored", "unhandled") else ""
        state = fsm.current_state
        self.log.add(
            self.clock(), self._name(fsm), "event",
            state=state.name if state is not None else "",
            event=event,
            outcome=outcome,
            sender=sender_title(fsm.acting),
            data="" if data is None else text_of(data),
            why=reason,
        )  # fmt: skip

    def state_left(self, fsm: Fsm[Any], state: FsmState[Any]) -> None:
        """Write it into the log."""
        self._leave(self._watched[fsm])
        self._has_changed = True
        self.log.add(self.clock(), self._name(fsm), "leave", state=state.name)

    def state_entered(self, fsm: Fsm[Any], state: FsmState[Any], event: str | None) -> None:
        """Write it into the log, and trace the way."""
        source = self._watched[fsm].state
        self._edge = (
            self.chart.transition(fsm, source, state.name, event) if event and source else None
        )
        self._has_changed = True
        self._enter(fsm, state, event)

    def error_raised(self, fsm: Fsm[Any], error: BaseException) -> None:
        """Write it into the log."""
        text = "".join(format_exception_only(error)).strip()
        state = fsm.current_state
        self.log.add(
            self.clock(), self._name(fsm), "error",
            state=state.name if state is not None else "", text=text,
        )  # fmt: skip

    # Who is where, and for how long

    def _look(self) -> None:
        """See who has come into the machine, and who is in it no more."""
        if set(machines_of(self.machine)) != self._watched.keys():
            self._watch_all()

    def _watch_all(self) -> None:
        self.chart.update()
        list(self._roster.add([self.machine]))
        list(self._roster.add_inside(self.machine))
        for machine in self._watched.keys() - self.chart.machines:
            stay = self._watched.pop(machine)
            self._leave(stay)
            stay.undo()
        for machine in self.chart.machines:
            if machine not in self._watched:
                self._watched[machine] = _Stay(machine.observe(self))
                if machine.current_state is not None:
                    self._enter(machine, machine.current_state, machine.last_event)

    def _keep(self) -> None:
        self.moments.keep(self.clock(), self.detail())
        self._has_changed = False

    def _enter(self, machine: Fsm[Any], state: FsmState[Any], event: str | None) -> None:
        stay = self._watched[machine]
        stay.id = self.chart.state(machine, state.name)
        stay.state, stay.since = state.name, self.clock()
        self.log.add(
            self.clock(), self._name(machine), "enter", state=state.name, event=event or ""
        )

    def _leave(self, stay: _Stay) -> None:
        if stay.id:
            spent = self.clock() - stay.since
            self._seconds[stay.id] = self._seconds.get(stay.id, 0.0) + spent
        stay.id = ""

    def _shade(self) -> dict[str, float]:
        """The id of each visited state -> the share of its machine's time that was spent there."""
        now = self.clock()
        seconds = dict(self._seconds)
        for stay in self._watched.values():
            if stay.id:
                seconds[stay.id] = seconds.get(stay.id, 0.0) + now - stay.since
        longest = max(seconds.values(), default=0.0)
        return {each: spent / longest for each, spent in seconds.items()} if longest else {}

    def _name(self, machine: Fsm[Any]) -> str:
        return self._roster.names[machine]


class _Stay:
    """Where a machine is, or was last, and since when."""

    def __init__(self, undo: Callable[[], None]) -> None:
        self.undo = undo
        """Ends the watching."""
        self.id = ""
        """The id of the state in the picture; empty if it has been left."""
        self.state = ""
        self.since = 0.0
