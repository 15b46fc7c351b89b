"""The journal: the one observer of every inspected machine, shown on a page or not.

It keeps the latest changes, errors and events of all machines, and passes each report on: to the
logs of the machines that a page shows, then to the breakpoints. The order is fixed, since a
breakpoint holds the loop in the middle of a report: by then, everything else has been written.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Container, Iterator
from itertools import islice, takewhile
from typing import Any, Final

from fsmkit import Fsm, FsmState
from fsmkit.inspector.live.senders import NotedCalls, Sends
from fsmkit.inspector.reading.candidates import prospect, state_name
from fsmkit.inspector.reading.code import Code
from fsmkit.inspector.reading.entries import called_by, place_of_error
from fsmkit.inspector.reading.machine_log import (
    MOST_ENTRIES,
    KnownPast,
    LogEntry,
    MachineSummary,
    NewsRings,
    StateChange,
    StatesThen,
    TroubleMark,
    past_of,
    states_then,
)
from fsmkit.inspector.reading.page_values import error_text, shortened, text_of
from fsmkit.introspection.described_error import described_error
from fsmkit.introspection.nesting import MachineNames
from fsmkit.observer import Observer

LONGEST_SHOWN: Final = 200
"""Letters of a machine's name on the page; of a longer one its beginning and its end."""

FEW: Final = 16
"""Errors remembered until the update is over, since they pass through several machines."""

MOST_INTERCEPTED: Final = 200
"""Machines whose calls are noted while a page shows who sends; that costs each 3 us an update."""


class LiveJournal(NewsRings):
    """Keeps what all machines have done lately, and notifies its readers.

    A machine takes no memory beyond its record and its latest troubles. The errors
    and unhandled events of a nested machine count for the outermost one; its states are not kept.
    `sends` are the events that machines send each other, `calls` knows the senders.

    `now` returns the seconds of the inspector's clock.
    """

    def __init__(self, now: Callable[[], float], code: Code | None = None) -> None:
        super().__init__()
        self.now = now
        self.naming = MachineNames(longest=LONGEST_SHOWN)
        self.names = self.naming.names
        """The names of all machines, nested ones included."""
        self.calls = NotedCalls(self.names, code or Code())
        self.sends = Sends(self.calls, self.names, self.outermost_name, now)
        self.last_reader: Observer | None = None
        """Notified of all machines, after everything else: the breakpoints."""
        self._readers: dict[Fsm[Any], tuple[Observer, ...]] = {}
        self._records: dict[Fsm[Any], MachineSummary] = {}
        self._nested: set[Fsm[Any]] = set()
        self._undo: dict[Fsm[Any], Callable[[], None]] = {}
        self._undo_calls: dict[Fsm[Any], Callable[[], None]] = {}
        """The machines whose calls are noted, and what ends that."""
        self._next = 0
        self._changed: dict[Fsm[Any], None] = {}
        self._marked: dict[Fsm[Any], None] = {}
        self._repeated: dict[int, LogEntry] = {}
        self._raised: deque[tuple[BaseException, Fsm[Any], MachineSummary]] = deque(maxlen=FEW)

        self._successors: dict[Fsm[Any], Fsm[Any]] = {}

    def __contains__(self, machine: object) -> bool:
        return machine in self._records

    # Machines and readers

    def add(self, machine: Fsm[Any]) -> str:
        nested = [inner for _, inner, _ in self.naming.add([machine]) if inner is not machine]
        self._drop(machine)  # it may have been a nested one
        name = self.names[machine]
        record = MachineSummary(name, None, self.now(), added_at=self.now())
        if machine.current_state is not None:
            self._change(record, "enter", machine.current_state.name, machine.last_event)
        self._observe(record, machine)
        self._observe_nested(record, *nested)
        return name

    def add_inside(self, machine: Fsm[Any]) -> None:
        if machine in self:
            nested = [inner for _, inner, _ in self.naming.add_inside(machine)]
            self._observe_nested(self._records[machine], *nested)

    def remove(self, machine: Fsm[Any]) -> list[Fsm[Any]]:
        """Drop a machine and those nested in it, and return them; their entries stay."""
        removed = self.naming.remove(machine)
        for each in removed:
            self._drop(each)
        return removed

    def take_successors(self) -> dict[Fsm[Any], Fsm[Any]]:
        """Return the machines that a hot reload has put in the place of others."""
        successors, self._successors = self._successors, {}
        return successors

    def replace(self, machine: Fsm[Any], successor: Fsm[Any]) -> list[Fsm[Any]]:
        """Go on with the record of a machine for another one.

        Return the machine and those nested in it.
        """
        record = self.record(machine)
        removed = [each for each, other in self._records.items() if other is record]
        nested = [inner for _, inner, _ in self.naming.replace(machine, successor)]
        for each in removed:
            self._nested.add(each)  # so that its record is not closed
            self._drop(each)
        state = successor.current_state
        if state is None:
            self._note_stop(record)
        elif state.name != record.state:
            self._change(record, "enter", state.name, None)
        self._observe(record, successor)
        self._observe_nested(record, *(each for each in nested if each is not successor))
        return removed

    def _observe_nested(self, record: MachineSummary, *machines: Fsm[Any]) -> None:
        self._nested.update(machines)
        self._observe(record, *machines)

    def _observe(self, record: MachineSummary, *machines: Fsm[Any]) -> None:
        for machine in machines:
            self._records[machine] = record
            self._undo[machine] = machine.observe(self)

    def _drop(self, machine: Fsm[Any]) -> None:
        record = self._records.pop(machine, None)
        if record is None:
            return
        for undos in (self._undo, self._undo_calls):
            if undo := undos.pop(machine, None):
                undo()
        if machine in self._nested:
            self._nested.remove(machine)
        else:
            record.leave(self.now())
        for marks in (self._changed, self._marked):
            marks.pop(machine, None)
        self._raised.clear()

    def close(self) -> None:
        for undo in (*self._undo.values(), *self._undo_calls.values()):
            undo()
        self._undo, self._undo_calls = {}, {}

    def read_by(self, reader: Observer, machine: Fsm[Any]) -> Callable[[], None]:
        """Notify `reader` of a machine and note its callers, until the result is called."""
        undo_calls = self.calls.attach(machine)
        self._readers[machine] = (*self._readers.get(machine, ()), reader)

        def undo() -> None:
            undo_calls()
            others = tuple(each for each in self._readers.pop(machine) if each is not reader)
            if others:
                self._readers[machine] = others

        return undo

    def note_calls_while_wanted(self) -> None:
        """Note who calls while a page shows who sends: so who has delayed or posted is known.

        Called in the loop's thread.
        """
        wanted = islice(self._undo, MOST_INTERCEPTED) if self.sends.is_wanted else ()
        for machine in wanted:
            if machine not in self._undo_calls:
                self._undo_calls[machine] = self.calls.attach(machine)
        if not self.sends.is_wanted:
            for undo in self._undo_calls.values():
                undo()
            self._undo_calls.clear()

    # What has happened

    def outermost_name(self, machine: Fsm[Any]) -> str:
        record = self._records.get(machine)
        return self.names.get(machine, machine.name) if record is None else record.name

    def record(self, machine: Fsm[Any]) -> MachineSummary:
        """Return the record of a machine; that of the outermost one for a nested machine."""
        self._note_stops()
        return self._records[machine]

    def marks(self) -> dict[str, TroubleMark]:
        """Return the errors and unhandled events of the machines that have any.

        May be called from any thread.
        """
        records = tuple(self._records.values())
        return {each.name: each.mark for each in records if each.errors or each.unhandled}

    def times(self) -> dict[str, float]:
        """Return when each machine last changed its state. May be called from any thread."""
        return {each.name: each.changed_at for each in tuple(self._records.values())}

    def past(self, machine: Fsm[Any]) -> KnownPast:
        if not self._is_outermost(machine):
            return KnownPast()
        record = self.record(machine)
        changes = [each for each in self.changes if each.record is record]
        return past_of(changes, record.troubles, self.now())

    def state_at(self, machine: Fsm[Any], time: float) -> StateChange | None:
        """Return the change by which an outermost machine got into its state at `time`.

        None if it is unknown, or no longer kept.
        """
        if not self._is_outermost(machine):
            return None
        record = self.record(machine)
        known = (each for each in reversed(self.changes) if each.record is record)
        return next((each for each in known if each.time <= time), None)

    def change_beside(self, time: float, *, forward: bool) -> StateChange | None:
        """Return the nearest change of an outermost machine after `time`, or before, if any."""
        self._note_stops()
        there = (each for each in reversed(self.changes) if each.record.left_at is None)
        if not forward:
            return next((each for each in there if each.time < time), None)
        later = deque(takewhile(lambda each: each.time > time, there), maxlen=1)
        return later[0] if later else None

    def states_at(self, time: float, names: Container[str], most: int) -> StatesThen:
        self._note_stops()
        outermost = (each for each in self._undo if each not in self._nested)
        records = (self._records[machine] for machine in outermost)
        wanted = (record for record in records if record.name in names)
        return states_then(self.changes, islice(wanted, most), time)

    def note(self, text: str) -> None:
        self._add_entry({"machine": None, "kind": "note", "text": text})

    def _is_outermost(self, machine: Fsm[Any]) -> bool:
        return machine in self._undo and machine not in self._nested

    # News for the pages

    def take_changed(self) -> Iterator[Fsm[Any]]:
        self._note_stops()
        changed, self._changed = self._changed, {}
        return iter(changed)

    def take_marks(self) -> dict[str, TroubleMark]:
        marked, self._marked = self._marked, {}
        records = [self._records[machine] for machine in marked]
        return {record.name: record.mark for record in records}

    def take_repeats(self) -> dict[int, tuple[int, float]]:
        """Return the entries that were repeated: number -> how many times, and the last time."""
        repeated, self._repeated = self._repeated, {}
        return {seq: (entry["times"], entry["last"]) for seq, entry in repeated.items()}

    def settle(self) -> None:
        """Forget the errors that were passing through the machines: the update is over."""
        self._raised.clear()

    # The reports of the machines

    def state_exited(self, fsm: Fsm[Any], state: FsmState[Any]) -> None:
        """Note the time; if no other state is entered, the machine was stopped."""
        self._note_exit(fsm)
        self._pass_on("state_exited", fsm, state)

    def state_suspended(self, fsm: Fsm[Any], state: FsmState[Any]) -> None:
        self._note_exit(fsm)
        self._pass_on("state_suspended", fsm, state)

    def state_entered(self, fsm: Fsm[Any], state: FsmState[Any], event: str | None) -> None:
        if fsm not in self._nested:
            record = self._records[fsm]
            if record.changed_at != self.now():  # exited earlier, so it was stopped meanwhile
                self._note_stop(record)
            self._changed[fsm] = None
            self._change(record, "enter", state.name, event)
        self._pass_on("state_entered", fsm, state, event)

    def state_resumed(self, fsm: Fsm[Any], state: FsmState[Any]) -> None:
        if fsm not in self._nested:
            record = self._records[fsm]
            self._changed[fsm] = None
            self._change(record, "resume", state.name, record.event)
        self._pass_on("state_resumed", fsm, state)

    def replaced(self, fsm: Fsm[Any], successor: Fsm[Any]) -> None:
        if fsm not in self._nested:
            self._successors[fsm] = successor

    def restored(self, fsm: Fsm[Any], _time: float) -> None:
        if fsm in self._nested:
            return
        state, record = fsm.current_state, self._records[fsm]
        self._changed[fsm] = None
        if state is not None:
            self._change(record, "enter", state.name, None)
        elif record.state is not None:
            record.changed_at = self.now()

    def event_sent(self, fsm: Fsm[Any], event: str, data: object, outcome: str) -> None:
        self.calls.event_reported(fsm, event, data, outcome)
        self.sends.event_sent(fsm, event, data, outcome)
        if outcome == "unhandled":
            self._count_unhandled(fsm, event, data)
        elif outcome == "changed" and fsm not in self._nested:
            self._records[fsm].event = event
        self._pass_on("event_sent", fsm, event, data, outcome)

    def error_raised(self, fsm: Fsm[Any], error: BaseException) -> None:
        """Count the error, once if it passes through several machines of one record."""
        record = self._records[fsm]
        if not any(e is error and r is record and f is not fsm for e, f, r in self._raised):
            self._raised.append((error, fsm, record))
            record.errors += 1
            text = described_error(error)
            record.error = shortened(text.partition("\n")[0])
            if not self._repeats(fsm, "error", text):
                place = place_of_error(error, self.calls.code)
                self._trouble(fsm, "error", text=text, place=place or "")
        self._pass_on("error_raised", fsm, error)

    def _pass_on(self, report: str, fsm: Fsm[Any], *about: object) -> None:
        for reader in self._readers.get(fsm, ()):
            getattr(reader, report)(fsm, *about)
        if self.last_reader is not None:
            getattr(self.last_reader, report)(fsm, *about)

    # Keeping

    def _note_exit(self, fsm: Fsm[Any]) -> None:
        if fsm not in self._nested:
            self._records[fsm].changed_at = self.now()
            self._changed[fsm] = None

    def _change(self, record: MachineSummary, kind: str, state: str, event: str | None) -> None:
        record.state, record.changed_at = state, self.now()
        self.changes.add(StateChange(self._number(), record.changed_at, record, kind, state, event))

    def _note_stops(self) -> None:
        """Keep the changes of machines that were stopped: they have entered no other state."""
        for machine in self._changed:
            if machine.current_state is None:
                self._note_stop(self._records[machine])

    def _note_stop(self, record: MachineSummary) -> None:
        if record.state is not None:
            record.state = None
            change = StateChange(self._number(), record.changed_at, record, "leave", None, None)
            self.changes.add(change)

    def _count_unhandled(self, fsm: Fsm[Any], event: str, data: object) -> None:
        self._records[fsm].unhandled += 1
        if not self._repeats(fsm, "event", event):
            self._trouble(
                fsm, "event", event=event, outcome="unhandled",
                **called_by(self.calls.sender(fsm, event), self.calls.code),
                data="" if data is None else text_of(data), why=_why(fsm, event),
            )  # fmt: skip

    def _repeats(self, fsm: Fsm[Any], kind: str, about: str) -> bool:
        """Mark the machine; return True if a late entry says the same, which is counted again."""
        self._marked[fsm] = None
        state = state_name(fsm) or ""
        entry = self._records[fsm].same_trouble(self.names[fsm], state, kind, about)
        if entry is None:
            return False
        entry["times"] += 1
        entry["last"] = self.now()
        self._repeated[entry["seq"]] = entry
        if len(self._repeated) > MOST_ENTRIES:  # no page is open, and the oldest has been dropped
            del self._repeated[next(iter(self._repeated))]
        return True

    def _trouble(self, fsm: Fsm[Any], kind: str, **more: object) -> None:
        record, name = self._records[fsm], self.names[fsm]
        within = record.name if name != record.name else ""
        record.troubles.append(self._add_entry({
            "machine": name, "kind": kind, "state": state_name(fsm) or "", **more,
            "times": 1, "last": self.now(), "within": within,
        }))  # fmt: skip

    def _add_entry(self, parts: LogEntry) -> LogEntry:
        kept = {name: value for name, value in parts.items() if value != ""}
        entry: LogEntry = {"seq": self._number(), "time": self.now(), **kept}
        self.entries.add(entry)
        return entry

    def _number(self) -> int:
        self._next += 1
        return self._next - 1


def _why(fsm: Fsm[Any], event: str) -> str:
    try:
        return prospect(fsm, event)
    except Exception as error:  # from a property of an action, which it asks
        return f"The reason is unknown: {error_text(error)}."
