"""WatchedMachine: a machine on display, with its log, its past and the time spent in each state."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final

from fsmkit import Fsm, FsmState
from fsmkit.diagram.graph import Graph
from fsmkit.inspector.loop.all_machines import AllMachines
from fsmkit.inspector.loop.failures import Failures
from fsmkit.inspector.loop.time_spent import TimeSpent
from fsmkit.inspector.reading.callers import NOBODY
from fsmkit.inspector.reading.chart import Chart, Extent, machines_of
from fsmkit.inspector.reading.details import Detail, bare_detail, detail_of, watched_texts
from fsmkit.inspector.reading.entries import called_by, error_entry, event_entry, reason
from fsmkit.inspector.reading.explanations import Explanations
from fsmkit.inspector.reading.fields import find_field
from fsmkit.inspector.reading.log import Entry, Log
from fsmkit.inspector.reading.machine_record import Change
from fsmkit.inspector.reading.noted_calls import NotedCalls
from fsmkit.inspector.reading.part_reader import PartReader
from fsmkit.inspector.reading.past import Past, unwatched_detail
from fsmkit.inspector.reading.plots import Path, Plots
from fsmkit.inspector.reading.rewind import INTERVAL, Rewind, RewindFrame
from fsmkit.inspector.reading.watches import Unreadable, Watches
from fsmkit.tooling.nesting import MachineNames


class WatchedMachine:
    """Watches a machine and those nested in it: log, time spent in each state, rewind.

    `now` returns the seconds of the inspector's clock; `known` knows the past of the machine.
    """

    def __init__(
        self,
        machine: Fsm[Any],
        naming: MachineNames,
        now: Callable[[], float],
        *,
        watches: Watches,
        known: AllMachines,
        calls: NotedCalls,
    ) -> None:
        self.machine = machine
        self.now = now
        self._watches = watches
        self.log = Log()
        self.rewind = Rewind(machine)
        self.chart = Chart(machine, naming.names)
        self._naming = naming
        self._calls = calls
        self._code = calls.code
        always = [("watch", name) for name in watches.names]
        self.plots = Plots(self._value, self._kept_values, always)
        self._stays: dict[Fsm[Any], _Stay] = {}
        self._time_spent = TimeSpent(now)
        self._failures = Failures()
        self._explanations = Explanations(lambda: self._stays, naming.names)
        self._edge: str | None = None
        self._has_changed = True
        self._reader = PartReader(lambda: self._name(self.machine), self.note)
        self._known = known
        self._past = known.past(machine)
        self._take_over(self._past)
        self._watch_all()

    def close(self) -> None:
        """Stop watching."""
        for stay in self._stays.values():
            stay.close()

    def before_update(self) -> None:
        """Keep the changes since the last update, at the time that the log gives for them."""
        if self._has_changed:
            self._reader.attempt("past", self._keep, None)

    def after_update(self) -> None:
        """Keep this moment if one is due."""
        self._reader.attempt("structure", self._update, None)
        self._explanations.read_if_due()
        self._reader.attempt("plotted values", lambda: self.plots.sample(self.now()), None)
        if self.rewind.is_due(self.now(), has_changed=self._has_changed):
            self._reader.attempt("past", self._keep, None)

    def detail(self) -> Detail:
        """Return the details of the machine as it is now, for a page that shows it."""
        self._explanations.want()
        return self._detail()

    def _detail(self) -> Detail:
        names, attempt = self._naming.names, self._reader.attempt
        attempt("structure", self._update_chart, None)
        read = attempt("machine", lambda: detail_of(self.machine, names, self._reader), None)
        detail = read or bare_detail(self.machine, names)
        self._mark_failed_actions(detail)
        return {
            **detail,
            "failed": [self.chart.state(each.machine, each.state) for each in self._failures],
            "failures": self._failures_in_words(),
            "watched": attempt("watched values", self._read_watches, []),
            "why": self._explanations.rows(),
            "lit": attempt("current state", self.chart.lit, []),
            "dashed": attempt("suspended states", self.chart.dashed, []),
            "resumed_by": self._stays[self.machine].resumed_by,
            "origin": self._stays[self.machine].origin,
            "edge": self._edge,
            "shade": self._time_spent.shades(),
            "share": self._time_spent.shares(),
            "graph": self.chart.version,
            "size": self.chart.size,
        }

    def _read_watches(self) -> list[list[str]]:
        return watched_texts(self._watches.read(self.machine))

    def moment(self, time: float) -> dict[str, Any] | None:
        """Return the details of the machine as it was then; None if no moment is kept yet."""
        frame = self.rewind.at(time)
        if frame is not None and frame.time <= time + INTERVAL:
            return frame.to_json()
        change = self._known.state_at(self.machine, time)
        return None if change is None else self._unwatched_moment(change, time)

    def go_back(self, seq: int) -> RewindFrame | None:
        """Go back to a moment and return it; None if it is not kept or has no snapshot."""
        return self.rewind.go_back(seq)

    def drawing(self, extent: Extent | None = None) -> tuple[Graph, dict[str, Any]]:
        """Return the graph to draw and the meaning of its parts."""
        self._update_chart()
        return self.chart.read(extent)

    def _unwatched_moment(self, change: Change, time: float) -> dict[str, Any]:
        """Return the machine as it was at a time when it was not watched: its state alone."""
        lit = [self.chart.state(self.machine, change.state)] if change.state is not None else []
        detail = {**unwatched_detail(self._detail(), change, time), "lit": lit}
        return {"seq": None, "time": time, "detail": detail, "can_go_on": False}

    def note(self, text: str) -> None:
        """Write a note of the inspector into the log."""
        self.log.add(self.now(), self._name(self.machine), "note", text=text)

    def note_jump(self, text: str) -> None:
        """Note that machines are in other states without having changed to them."""
        self.note(text)
        self._explanations.forget()
        self._edge = None
        self._has_changed = True
        for machine in self._stays:
            self._failures.forget(machine)
            self._time_spent.leave(machine)
            state = machine.current_state
            if state is not None:
                self._enter(machine, state, None)
            else:
                self.log.add(self.now(), self._name(machine), "leave")

    # What the machines report

    def event_sent(self, fsm: Fsm[Any], event: str, data: object, outcome: str) -> None:
        """Write it into the log."""
        caller = self._calls.sender(fsm, event)
        why = self._reader.attempt("reason", lambda: reason(fsm, event, outcome), "")
        entry = event_entry(fsm, event, data, outcome, why=why, caller=caller, code=self._code)
        if outcome == "changed":
            self._stays[fsm].decided = entry
        self.log.add(self.now(), self._name(fsm), "event", **entry)

    def state_exited(self, fsm: Fsm[Any], state: FsmState[Any]) -> None:
        """Write it into the log."""
        self._time_spent.leave(fsm)
        self._failures.begin(fsm, state.name)
        self._has_changed = True
        stopped = self._command(fsm, "stop")
        self.log.add(self.now(), self._name(fsm), "leave", state=state.name, **stopped)

    def state_entered(self, fsm: Fsm[Any], state: FsmState[Any], event: str | None) -> None:
        """Write it into the log and trace the edge taken."""
        self._trace(fsm, state.name, event)
        self._failures.begin(fsm, state.name)
        self._enter(fsm, state, event, self._command(fsm, "start") if event is None else None)

    def state_suspended(self, fsm: Fsm[Any], state: FsmState[Any]) -> None:
        """Write it into the log."""
        self._time_spent.leave(fsm)
        self._has_changed = True
        self.log.add(self.now(), self._name(fsm), "suspend", state=state.name)

    def state_resumed(self, fsm: Fsm[Any], state: FsmState[Any]) -> None:
        """Write it into the log and trace the edge taken."""
        event = self._stays[fsm].decided.get("event")
        self._trace(fsm, None, event)
        self._enter(fsm, state, event, kind="resume")
        self._stays[fsm].resumed_by = event

    def error_raised(self, fsm: Fsm[Any], error: BaseException) -> None:
        """Write it into the log."""
        self._failures.add(fsm, error)
        self._has_changed = True
        entry = error_entry(fsm, error, self._code)
        self.log.add(self.now(), self._name(fsm), "error", **entry)

    def _mark_failed_actions(self, detail: Detail) -> None:
        """Add its error to each action that has raised one in the current state."""
        errors = {
            (self._name(each.machine), place): each.text if place == each.places[-1] else ""
            for each in self._failures
            for place in each.places
            if each.state == current_name(each.machine)
        }
        for row in detail["actions"]:
            if "name" in row and (row["machine"], row["place"]) in errors:
                row["error"] = errors[row["machine"], row["place"]]

    def _failures_in_words(self) -> list[str]:
        """Return the errors that are on none of the actions shown."""
        return [
            f"{each.text} ({each.state}, {each.where})"
            for each in self._failures
            if not each.places or each.state != current_name(each.machine)
        ]

    # States and the time spent in them

    def _update(self) -> None:
        """Follow the machines that were nested in it or taken out of it."""
        if set(machines_of(self.machine)) != self._stays.keys():
            self._watch_all()

    def _update_chart(self) -> None:
        self._update()
        self.chart.update()

    def _take_over(self, past: Past) -> None:
        """Begin the log, and the times spent in each state, with the past."""
        for entry in past.entries:
            self.log.take_over(entry, self._name(self.machine))
        seconds = {
            self.chart.state(self.machine, state): spent
            for state, spent in past.seconds.items()
            if state in self.machine.states
        }
        self._time_spent.take_over(self.machine, seconds)

    def _begin(self, machine: Fsm[Any], state: FsmState[Any]) -> None:
        """Begin in the state that a machine is in, which the past may have told already."""
        if machine is self.machine and state.name == self._past.state:
            self._stays[machine].state = state.name
            self._time_spent.enter(machine, self.chart.state(machine, state.name), self._past.since)
        else:
            self._enter(machine, state, machine.last_event)
        self._past = Past()

    def _watch_all(self) -> None:
        self.chart.update()
        list(self._naming.add([self.machine]))
        list(self._naming.add_inside(self.machine))
        for machine in self._stays.keys() - self.chart.machines:
            self._stays.pop(machine).close()
            self._time_spent.forget(machine)
            self._failures.forget(machine)
        for machine in self.chart.machines:
            if machine not in self._stays:
                noted = self._calls.attach(machine)  # before, since it is asked by this one
                self._stays[machine] = _Stay((noted, machine.observe(self)))
                if machine.current_state is not None:
                    self._begin(machine, machine.current_state)

    def _value(self, path: Path) -> object:
        """Return the value to plot at a path. Raises KeyError and FieldError."""
        if path[0] != "watch":
            return find_field(self.machine, path, self._naming.names).value
        value = self._watches.read(self.machine)[path[1]]
        return None if isinstance(value, Unreadable) else value

    def _kept_values(self, path: Path) -> Iterable[tuple[float, object]]:
        return self.rewind.past(path[1:]) if path[0] == "context" and path[1:] else ()

    def _keep(self) -> None:
        self._has_changed = False
        self.rewind.keep(self.now(), self._detail())

    def _trace(self, fsm: Fsm[Any], target: str | None, event: str | None) -> None:
        source = self._stays[fsm].state
        is_global = bool(self._stays[fsm].decided.get("global"))
        self._edge = (
            self.chart.transition(fsm, source, target, event, is_global=is_global)
            if event and source
            else None
        )
        self._has_changed = True

    def _enter(
        self,
        machine: Fsm[Any],
        state: FsmState[Any],
        event: str | None,
        started: Entry | None = None,
        kind: str = "enter",
    ) -> None:
        stay = self._stays[machine]
        stay.state, stay.resumed_by = state.name, None
        self._time_spent.enter(machine, self.chart.state(machine, state.name), self.now())
        decided = stay.decided if event is not None and kind == "enter" else {}
        stay.origin = started or {key: decided[key] for key in _OF_ORIGIN if key in decided}
        self.log.add(
            self.now(), self._name(machine), kind,
            state=state.name, event=event or "", **(started or {}),
        )  # fmt: skip

    def _command(self, machine: Fsm[Any], call: str) -> Entry:
        """Return what there is to say of the call that has started or stopped the machine."""
        caller = self._calls.take_command(machine, call)
        return {} if caller is NOBODY else {"call": f"{call}()", **called_by(caller, self._code)}

    def _name(self, machine: Fsm[Any]) -> str:
        return self._naming.names[machine]


_OF_ORIGIN: Final = ("event", "sender", "how", "place", "global", "guard", "effect", "lines")
"""What the card of a state shows of the event that led there."""


class _Stay:
    """The state of a machine, or its last one, and how it got there."""

    def __init__(self, undo: Iterable[Callable[[], None]]) -> None:
        self._undo = undo
        self.state = ""
        self.decided: Entry = {}
        """The entry of the event that last decided a change."""
        self.origin: Entry = {}
        """Who has sent the event that led to the state, and by which transition."""
        self.resumed_by: str | None = None
        """The event that led back to the state; None if it was entered."""

    def close(self) -> None:
        """End the observation."""
        for undo in self._undo:
            undo()


def current_name(machine: Fsm[Any]) -> str | None:
    """Return the name of the current state."""
    return machine.current_state.name if machine.current_state is not None else None
