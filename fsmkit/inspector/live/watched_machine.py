"""WatchedMachine: a machine on display, with its log and its past.

Each visit of a state has its origin, its time, and the errors raised meanwhile.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final, NamedTuple

from attrs import define, field, frozen

from fsmkit import Fsm, FsmState
from fsmkit.core.words.notes import members_of, notes_of
from fsmkit.diagram.graph import Graph
from fsmkit.inspector.live.journal import LiveJournal
from fsmkit.inspector.reading.candidates import state_name
from fsmkit.inspector.reading.chart import DrawnExtent, StateChart
from fsmkit.inspector.reading.details import Detail, bare_detail, detail_of
from fsmkit.inspector.reading.entries import (
    NOBODY,
    UNCHANGING,
    called_by,
    error_entry,
    event_entry,
    reason,
)
from fsmkit.inspector.reading.explanations import Explanations
from fsmkit.inspector.reading.guard_answers import GuardAnswers
from fsmkit.inspector.reading.machine_log import KnownPast, LogEntry, MachineLog, StateChange
from fsmkit.inspector.reading.page_values import (
    PartReader,
    error_text,
    find_field,
    kind_of,
    text_of,
    typed_text,
)
from fsmkit.inspector.reading.plots import Plots, ValuePath
from fsmkit.inspector.reading.rewind import INTERVAL, Rewind, RewindFrame
from fsmkit.inspector.reading.watches import Unreadable, Watches
from fsmkit.introspection import walk
from fsmkit.introspection.known_events import decided_transitions
from fsmkit.observer import Observer

ACTION: Final = re.compile(r"actions\[(\d+)\] \(")
CHILD: Final = re.compile(r"\w+\.children\[(\d+)\] \(")
"""The beginnings of the notes that the machine adds to an error, to say where it was raised."""


@define(eq=False)
class TimeInStates:
    """The seconds that one machine has spent in each of its states."""

    state: str | None = None
    """The current state, if the machine is running."""
    since: float = 0.0
    """When that was entered."""
    ended: dict[str, float] = field(factory=dict)
    """State -> the seconds of the visits that are over."""

    def enter(self, state: str, time: float) -> None:
        self.state, self.since = state, time

    def leave(self, time: float) -> None:
        if self.state is not None:
            self.ended[self.state] = self.ended.get(self.state, 0.0) + time - self.since
            self.state = None

    def so_far(self, time: float) -> dict[str, float]:
        seconds = self.ended.copy()
        if self.state is not None:
            seconds[self.state] = seconds.get(self.state, 0.0) + time - self.since
        return seconds


@frozen
class CallbackFailure:
    machine: Fsm[Any]
    state: str
    places: Sequence[str]
    """The action that raised it and those around it, from the outside in, like `"0"`, `"0/1"`;
    none for an error of a guard or an effect."""
    text: str
    where: str
    """The callback, in words."""
    is_over: bool
    """True if the state was exited already."""


@define(eq=False)
class StateStay:
    """The current or last state of a machine, with its origin, its times and its failures."""

    undo: Callable[[], None]
    """Ends reading the journal of the machine."""
    state: str = ""
    times: TimeInStates = field(factory=TimeInStates)
    decided: LogEntry = field(factory=dict)
    """The entry of the event that last decided a change."""
    started: LogEntry = field(factory=dict)
    """The call of `start()` that led to the state; empty if it was an event."""
    led_by: LogEntry = field(factory=dict)
    """The entry of the event that led to the state, if any."""
    last_data: dict[str, str] = field(factory=dict)
    """Event -> what it was sent with last, as it is typed on the page."""
    resumed_by: str | None = None
    """The event that led back to the state; None if it was entered."""
    failures: dict[object, CallbackFailure] = field(factory=dict)
    """State and action -> its latest failure. It counts for the visit in which it was raised."""

    @property
    def origin(self) -> LogEntry:
        """The sender of the event that led to the state, and its transition."""
        return self.started or {key: self.led_by[key] for key in _OF_ORIGIN if key in self.led_by}

    def add_failures(self, machine: Fsm[Any], error: BaseException) -> None:
        for each in failures_of(machine, error):
            self.failures[each.state, tuple(each.places)] = each

    def forget_failures(self, state: str) -> None:
        """Forget those of earlier visits to a state that is entered or exited now."""
        if not self.failures:
            return
        self.failures = {
            place: each
            for place, each in self.failures.items()
            if each.state != state and not each.is_over
        }


def failures_of(machine: Fsm[Any], error: BaseException) -> Iterator[CallbackFailure]:
    """Yield the failures in states of `machine`; a group of errors may contain several."""
    notes = notes_of(error)
    for state in walk.states(machine):
        beginning = f"{state}, "
        found = [index for index, note in enumerate(notes) if note.startswith(beginning)]
        if not found:
            continue
        where = notes[found[-1]].removeprefix(beginning)
        action = ACTION.match(where)
        is_there = state is machine.current_state or state in machine.suspended
        yield CallbackFailure(
            machine=machine,
            state=state.name,
            places=list(_places(action[1], notes[: found[-1]])) if action else [],
            text=error_text(error),
            where=where,
            is_over=not is_there,
        )
    for each in members_of(error):
        yield from failures_of(machine, each)


def _places(place: str, notes: Sequence[str]) -> Iterator[str]:
    """Yield the place of an action, then of the children that the notes before it name."""
    yield place
    for note in reversed(notes):
        child = CHILD.match(note)
        if child is None:
            return
        place = f"{place}/{child[1]}"
        yield place


_UNCHANGING: Final = ("machine", "states", "graph")
"""Details that are the same at all times."""


def _unwatched_detail(detail: Detail, change: StateChange, time: float) -> Detail:
    """Return the details of a machine at a time for which only its state is known."""
    unknown: Detail = {
        key: [] if isinstance(value, (list, tuple)) else None for key, value in detail.items()
    }
    return {
        **unknown,
        **{key: detail[key] for key in _UNCHANGING},
        "running": change.state is not None,
        "state": change.state,
        "previous": None,
        "time": time,
        "time_in_state": time - change.time,
        "last_event": change.event,
        "resumed_by": None,
        "edge": None,
        "shade": {},
        "is_unwatched": True,
    }


class TakenTransition(NamedTuple):
    machine: Fsm[Any]
    source: str
    target: str | None
    """None for `BACK`."""
    event: str
    is_global: bool


class WatchedMachine(Observer):
    """Reads the journal of a machine and those nested in it: log, time in each state, rewind."""

    def __init__(
        self,
        machine: Fsm[Any],
        journal: LiveJournal,
        watches: Watches,
        before: WatchedMachine | None = None,
    ) -> None:
        """Watch a machine; it goes on with the past of the one `before` it, if it replaces one."""
        self.machine = machine
        self.now = journal.now
        self.log: MachineLog = MachineLog() if before is None else before.log
        self.rewind: Rewind = Rewind() if before is None else before.rewind
        self.chart = StateChart(machine, journal.names)
        self.plots = Plots(
            self._value, self._kept_values, [("watch", name) for name in watches.names]
        )
        if before is not None:
            self.plots.take_over(before.plots)
        self._watches = watches
        self._journal = journal
        self._names = journal.names
        self._code = journal.calls.code
        self._stays: dict[Fsm[Any], StateStay] = {}
        self._explanations = Explanations(lambda: self._stays, self._names)
        self._answers = GuardAnswers()
        self._taken: TakenTransition | None = None
        """The transition that led to the latest change, if any."""
        self._has_changed = True
        self._reader = PartReader(lambda: self._names[machine], self.note)
        self._past = journal.past(machine)
        for entry in self._past.entries if before is None else ():
            self.log.take_over(entry, self._names[machine])
        self._watch_all()

    def close(self) -> None:
        for stay in self._stays.values():
            stay.undo()

    def before_update(self) -> None:
        """Keep the changes since the last update, at the time that the log gives for them."""
        if self._has_changed:
            self._reader.attempt("past", self._keep, None)

    def after_update(self) -> None:
        self._reader.attempt("structure", self._update, None)
        self._explanations.read_if_due()
        self._reader.attempt("plotted values", lambda: self.plots.sample(self.now()), None)
        if self._has_changed or self.rewind.is_due(self.now()):
            self._reader.attempt("past", self._keep, None)

    def detail(self) -> Detail:
        self._explanations.want()
        return self._detail()

    def _detail(self) -> Detail:
        names, reader, answers = self._names, self._reader, self._answers
        attempt = reader.attempt
        attempt("structure", self._update_chart, None)
        read = attempt("machine", lambda: detail_of(self.machine, names, reader, answers), None)
        detail = read or bare_detail(self.machine, names)
        self._mark_failed_actions(detail)
        self._add_last_data(detail)
        seconds = {each: stay.times.so_far(self.now()) for each, stay in self._stays.items()}
        after_errors = [self.chart.state(each.machine, each.state) for each in self._failures]
        return {
            **detail,
            "failed": [*after_errors, *attempt("failed actions", self.chart.failed, [])],
            "failures": self._failures_in_words(),
            "watched": attempt("watched values", self._read_watches, []),
            "why": self._explanations.rows(),
            "lit": attempt("current state", self.chart.lit, []),
            "dashed": attempt("suspended states", self.chart.dashed, []),
            "resumed_by": self._stays[self.machine].resumed_by,
            "origin": self._stays[self.machine].origin,
            "edge": self._edge_taken(),
            "answers": attempt("answers of guards", lambda: list(answers.rows(self.chart)), []),
            **self.chart.shading(seconds),
            "graph": self.chart.version,
            "size": self.chart.size,
        }

    def _add_last_data(self, detail: Detail) -> None:
        sent = {self._names[fsm]: stay.last_data for fsm, stay in self._stays.items()}
        for row in detail["events"]:
            if row.get("takes_data"):
                row["last"] = sent.get(row["machine"], {}).get(row["name"], "")

    def _read_watches(self) -> list[list[str]]:
        values = self._watches.read(self.machine)
        return [[name, text_of(value), kind_of(value)] for name, value in values.items()]

    def moment(self, time: float) -> dict[str, Any] | None:
        frame = self.rewind.at_or_first(time)
        if frame is not None and frame.time <= time + INTERVAL:
            return frame.to_json()
        change = self._journal.state_at(self.machine, time)
        return None if change is None else self._unwatched_moment(change, time)

    def go_back(self, seq: int) -> RewindFrame | None:
        frame = self.rewind.frame(seq)
        if frame is None or self.machine not in frame.machines:
            return None
        frame.put_back(frame.machines)
        return frame

    def drawing(self, extent: DrawnExtent | None = None) -> tuple[Graph, dict[str, Any]]:
        self._update_chart()
        return self.chart.read(extent)

    def _unwatched_moment(self, change: StateChange, time: float) -> dict[str, Any]:
        lit = [self.chart.state(self.machine, change.state)] if change.state is not None else []
        detail = {**_unwatched_detail(self._detail(), change, time), "lit": lit}
        return {"seq": None, "time": time, "detail": detail, "can_go_on": False}

    def note(self, text: str) -> None:
        self.log.add(self.now(), self._names[self.machine], "note", text=text)

    def note_jump(self, text: str) -> None:
        self.note(text)
        self._explanations.forget()
        self._taken = None
        self._has_changed = True
        for machine, stay in self._stays.items():
            stay.failures.clear()
            stay.times.leave(self.now())
            state = machine.current_state
            if state is not None:
                self._enter(machine, state, None)
            else:
                self.log.add(self.now(), self._names[machine], "leave")

    # What the machines report

    def event_sent(self, fsm: Fsm[Any], event: str, data: object, outcome: str) -> None:
        caller = self._journal.calls.sender(fsm, event)
        why = ""
        if outcome in UNCHANGING:
            why = self._reader.attempt("reason", lambda: reason(fsm, event, outcome), "")
        decided = decided_transitions(fsm, event) if outcome == "changed" else []
        self._answers.note_event(fsm, event, outcome, self.now(), decided)
        entry = event_entry(
            fsm, event, data, outcome, why=why, caller=caller, code=self._code, decided=decided
        )
        if outcome == "changed":
            self._stays[fsm].decided = entry
        if data is not None and outcome in ("changed", "refused"):
            self._stays[fsm].last_data[event] = typed_text(data)
        heading = {"time": self.now(), "machine": self._names[fsm], "kind": "event"}
        self.log.add_entry({**heading, **entry})

    def state_exited(self, fsm: Fsm[Any], state: FsmState[Any]) -> None:
        self._stays[fsm].times.leave(self.now())
        self._stays[fsm].forget_failures(state.name)
        self._has_changed = True
        stopped = self._command(fsm, "stop")
        self.log.add(self.now(), self._names[fsm], "leave", state=state.name, **stopped)

    def state_entered(self, fsm: Fsm[Any], state: FsmState[Any], event: str | None) -> None:
        self._trace(fsm, state.name, event)
        self._stays[fsm].forget_failures(state.name)
        self._enter(fsm, state, event, self._command(fsm, "start") if event is None else None)

    def state_suspended(self, fsm: Fsm[Any], state: FsmState[Any]) -> None:
        self._stays[fsm].times.leave(self.now())
        self._has_changed = True
        self.log.add(self.now(), self._names[fsm], "suspend", state=state.name)

    def state_resumed(self, fsm: Fsm[Any], state: FsmState[Any]) -> None:
        event = self._stays[fsm].decided.get("event")
        self._trace(fsm, None, event)
        self._enter(fsm, state, event, kind="resume")
        self._stays[fsm].resumed_by = event

    def error_raised(self, fsm: Fsm[Any], error: BaseException) -> None:
        self._stays[fsm].add_failures(fsm, error)
        self._has_changed = True
        entry = error_entry(fsm, error, self._code)
        self.log.add(self.now(), self._names[fsm], "error", **entry)

    @property
    def _failures(self) -> list[CallbackFailure]:
        return [each for stay in self._stays.values() for each in stay.failures.values()]

    def _mark_failed_actions(self, detail: Detail) -> None:
        errors = {
            (self._names[each.machine], place): each.text if place == each.places[-1] else ""
            for each in self._failures
            for place in each.places
            if each.state == state_name(each.machine)
        }
        for row in detail["actions"]:
            if "name" in row and (row["machine"], row["place"]) in errors:
                row["error"] = errors[row["machine"], row["place"]]

    def _failures_in_words(self) -> list[str]:
        """Return the errors that are on none of the actions shown."""
        return [
            f"{each.text} ({each.state}, {each.where})"
            for each in self._failures
            if not each.places or each.state != state_name(each.machine)
        ]

    # States and the time spent in them

    def _update(self) -> None:
        """Follow the machines that were nested in it or taken out of it."""
        if set(walk.machines(self.machine)) != self._stays.keys():
            self._watch_all()

    def _update_chart(self) -> None:
        self._update()
        self.chart.update()

    def _begin(self, machine: Fsm[Any], state: FsmState[Any]) -> None:
        """Begin in the state that a machine is in, which the known past may include already."""
        if machine is self.machine and state.name == self._past.state:
            self._stays[machine].state = state.name
            self._stays[machine].times.enter(state.name, self._past.since)
        else:
            self._enter(machine, state, machine.last_event)
        self._past = KnownPast()

    def _watch_all(self) -> None:
        self.chart.update()
        self._journal.add_inside(self.machine)
        for machine in self._stays.keys() - self.chart.machines:
            self._stays.pop(machine).undo()
        for machine in self.chart.machines:
            if machine not in self._stays:
                stay = self._stays[machine] = StateStay(self._journal.read_by(self, machine))
                if machine is self.machine:
                    stay.times.ended.update(self._past.seconds)
                if machine.current_state is not None:
                    self._begin(machine, machine.current_state)

    def _value(self, path: ValuePath) -> object:
        """Return the value to plot at a path. Raises KeyError and FieldError."""
        if path[0] != "watch":
            return find_field(self.machine, path, self._names).value
        value = self._watches.read(self.machine)[path[1]]
        return None if isinstance(value, Unreadable) else value

    def _kept_values(self, path: ValuePath) -> Iterable[tuple[float, object]]:
        is_inside = path[0] == "context" and path[1:]
        return self.rewind.past(self.machine, path[1:]) if is_inside else ()

    def _keep(self) -> None:
        self._has_changed = False
        self.rewind.keep(self.now(), [self.machine], self._detail())

    def _trace(self, fsm: Fsm[Any], target: str | None, event: str | None) -> None:
        stay = self._stays[fsm]
        self._taken = None
        if event and stay.state:
            is_global = bool(stay.decided.get("global"))
            self._taken = TakenTransition(fsm, stay.state, target, event, is_global)
        self._has_changed = True

    def _edge_taken(self) -> str | None:
        """Return the id of the edge of the latest change; None if that is not drawn."""
        taken = self._taken
        if taken is None or taken.machine not in self.chart.machines:
            return None
        return self.chart.transition(
            taken.machine, taken.source, taken.target, taken.event, is_global=taken.is_global
        )

    def _enter(
        self,
        machine: Fsm[Any],
        state: FsmState[Any],
        event: str | None,
        started: LogEntry | None = None,
        kind: str = "enter",
    ) -> None:
        stay = self._stays[machine]
        stay.state, stay.resumed_by = state.name, None
        stay.times.enter(state.name, self.now())
        stay.started = started or {}
        stay.led_by = stay.decided if event is not None and kind == "enter" else {}
        self.log.add(
            self.now(), self._names[machine], kind,
            state=state.name, event=event or "", **(started or {}),
        )  # fmt: skip

    def _command(self, machine: Fsm[Any], call: str) -> LogEntry:
        caller = self._journal.calls.take_command(machine, call)
        return {} if caller is NOBODY else {"call": f"{call}()", **called_by(caller, self._code)}


_OF_ORIGIN: Final = ("event", "sender", "how", "place", "global", "guard", "effect", "lines")
"""The parts of the event's entry that the card of a state shows."""
