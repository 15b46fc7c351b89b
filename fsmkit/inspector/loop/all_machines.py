"""AllMachines: what all machines have done lately, whether anybody looks at them or not."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Container, Iterator
from itertools import islice
from typing import Any, Final

from fsmkit import Fsm, FsmState
from fsmkit.inspector.reading.log import Entry
from fsmkit.inspector.reading.machine_record import Change, MachineRecord
from fsmkit.inspector.reading.past import Past, past_of
from fsmkit.inspector.reading.ring import Ring
from fsmkit.inspector.reading.states_then import StatesThen, states_then
from fsmkit.inspector.reading.values import error_text, text_of
from fsmkit.inspector.reading.ways import prospect
from fsmkit.tooling.described_error import described_error

MOST_CHANGES: Final = 100_000
"""Changes of state that are kept of all machines together: about 20 MB."""

MOST_ENTRIES: Final = 5_000
"""Entries about errors, unhandled events and notes that are kept of all machines together."""

FEW: Final = 16
"""Errors remembered until the update is over, since they pass through several machines."""


class AllMachines:
    """Counts the errors and unhandled events of every machine, and keeps the latest changes.

    There is one ring for the changes of all machines, `changes`, and one for their errors, their
    unhandled events and the notes of the inspector, `entries`: a machine takes no room of its own
    but for its record and its own latest troubles. What a nested machine does wrong counts for the
    outermost one.

    It is the one observer of each machine. `now` returns the seconds of the inspector's clock.
    """

    def __init__(self, now: Callable[[], float]) -> None:
        self.changes: Ring[Change] = Ring(MOST_CHANGES)
        self.entries: Ring[Entry] = Ring(MOST_ENTRIES)
        self._now = now
        self.called_by: Callable[[Fsm[Any], str, object], Entry] = lambda *_: {}
        """Returns what there is to say of who has sent an event that is being reported."""
        self.listener: Callable[[Fsm[Any], str, object, str], object] = lambda *_: None
        """Called with every event, as an observer's `event_sent`."""
        self.place_of: Callable[[BaseException], Entry] = lambda _: {}
        """Returns the line that an error came from, if it is known."""
        self._names: dict[Fsm[Any], str] = {}
        self._records: dict[Fsm[Any], MachineRecord] = {}
        self._nested_observer = _NestedObserver(self)
        self._nested: set[Fsm[Any]] = set()
        self._undo: dict[Fsm[Any], Callable[[], None]] = {}
        self._next = 0
        self._changed: dict[Fsm[Any], None] = {}
        self._marked: dict[Fsm[Any], None] = {}
        self._repeated: dict[int, Entry] = {}
        self._raised: deque[tuple[BaseException, Fsm[Any], MachineRecord]] = deque(maxlen=FEW)

    @property
    def count(self) -> int:
        """The number of machines, nested ones included."""
        return len(self._records)

    def outermost_name(self, machine: Fsm[Any]) -> str:
        """Return the name of a machine that is there, or of the outermost one around it."""
        return self._records[machine].name

    def now(self) -> float:
        """Return the seconds of the inspector's clock."""
        return self._now()

    def __contains__(self, machine: object) -> bool:
        return machine in self._records

    def add(self, machine: Fsm[Any], name: str) -> None:
        """Observe an outermost machine from now on."""
        self.remove(machine)  # it may have been a nested one
        record = MachineRecord(name, None, self._now(), added_at=self._now())
        self._records[machine], self._names[machine] = record, name
        if machine.current_state is not None:
            self._change(record, "enter", machine.current_state.name, machine.last_event)
        self._undo[machine] = machine.observe(self)

    def add_nested(self, machine: Fsm[Any], name: str, outermost: Fsm[Any]) -> None:
        """Observe a nested machine from now on, for the record of the outermost one."""
        self.remove(machine)  # it may have been an outermost one
        self._nested.add(machine)
        self._records[machine], self._names[machine] = self._records[outermost], name
        self._undo[machine] = machine.observe(self._nested_observer)

    def remove(self, machine: Fsm[Any]) -> None:
        """Forget a machine; only its entries stay, since they tell what has gone wrong."""
        record = self._records.pop(machine, None)
        if record is None:
            return
        self._undo.pop(machine)()
        del self._names[machine]
        if machine in self._nested:
            self._nested.remove(machine)
        else:
            record.leave(self._now())
        for marks in (self._changed, self._marked):
            marks.pop(machine, None)
        self._raised.clear()

    def close(self) -> None:
        """Stop observing."""
        for undo in self._undo.values():
            undo()
        self._undo = {}

    # What has happened

    def record(self, machine: Fsm[Any]) -> MachineRecord:
        """Return the record of a machine; that of the outermost one for a nested machine."""
        self._note_stops()
        return self._records[machine]

    def marks(self) -> dict[str, tuple[int, int]]:
        """Return the errors and unhandled events of the machines that have any.

        May be called from any thread.
        """
        records = tuple(self._records.values())
        return {each.name: each.mark for each in records if each.errors or each.unhandled}

    def times(self) -> dict[str, float]:
        """Return when each machine last changed its state. May be called from any thread."""
        return {each.name: each.changed_at for each in tuple(self._records.values())}

    def past(self, machine: Fsm[Any]) -> Past:
        """Return what is known of an outermost machine from before now."""
        if machine not in self._undo or machine in self._nested:
            return Past()
        record = self.record(machine)
        changes = [each for each in self.changes if each.record is record]
        return past_of(changes, record.troubles, self._now())

    def state_at(self, machine: Fsm[Any], time: float) -> Change | None:
        """Return the change by which an outermost machine got into its state of then.

        None if that is not known (any more).
        """
        if machine not in self._undo or machine in self._nested:
            return None
        record = self.record(machine)
        known = (each for each in reversed(self.changes) if each.record is record)
        return next((each for each in known if each.time <= time), None)

    def states_at(self, time: float, names: Container[str], most: int) -> StatesThen:
        """Return the states of the outermost machines at a time: of at most so many of `names`."""
        self._note_stops()
        outermost = (each for each in self._undo if each not in self._nested)
        records = (self._records[machine] for machine in outermost)
        wanted = (record for record in records if record.name in names)
        return states_then(self.changes, islice(wanted, most), time)

    def note(self, text: str) -> None:
        """Write a note of the inspector among the entries."""
        self._add_entry({"machine": None, "kind": "note", "text": text})

    # News for the pages

    def take_changed(self) -> Iterator[Fsm[Any]]:
        """Yield the machines whose state has changed since the last call."""
        self._note_stops()
        changed, self._changed = self._changed, {}
        return iter(changed)

    def take_marks(self) -> dict[str, tuple[int, int]]:
        """Return the marks that have changed since the last call."""
        marked, self._marked = self._marked, {}
        records = [self._records[machine] for machine in marked]
        return {record.name: record.mark for record in records}

    def take_repeats(self) -> dict[int, tuple[int, float]]:
        """Return the entries that were repeated: number -> how many times, and the last time."""
        repeated, self._repeated = self._repeated, {}
        return {seq: (entry["times"], entry["last"]) for seq, entry in repeated.items()}

    def settle(self) -> None:
        """Forget the errors that were on their way through the machines. Called by the session."""
        self._raised.clear()

    # What the machines report

    def state_exited(self, fsm: Fsm[Any], _state: FsmState[Any]) -> None:
        """Note the time; if no other state is entered, the machine was stopped."""
        self._records[fsm].changed_at = self._now()
        self._changed[fsm] = None

    state_suspended = state_exited

    def state_entered(self, fsm: Fsm[Any], state: FsmState[Any], event: str | None) -> None:
        """Keep the change."""
        record = self._records[fsm]
        if record.changed_at != self._now():  # it was left then, so it was stopped meanwhile
            self._note_stop(record)
        self._changed[fsm] = None
        self._change(record, "enter", state.name, event)

    def state_resumed(self, fsm: Fsm[Any], state: FsmState[Any]) -> None:
        """Keep the change."""
        record = self._records[fsm]
        self._changed[fsm] = None
        self._change(record, "resume", state.name, record.event)

    def restored(self, fsm: Fsm[Any], _time: float) -> None:
        """Keep the state that a snapshot has put the machine into."""
        state, record = fsm.current_state, self._records[fsm]
        self._changed[fsm] = None
        if state is not None:
            self._change(record, "enter", state.name, None)
        elif record.state is not None:
            record.changed_at = self._now()

    def event_sent(self, fsm: Fsm[Any], event: str, data: object, outcome: str) -> None:
        """Count the event if it is unhandled."""
        self.listener(fsm, event, data, outcome)
        if outcome == "changed":
            self._records[fsm].event = event
        elif outcome == "unhandled":
            self.count_unhandled(fsm, event, data)

    def count_unhandled(self, fsm: Fsm[Any], event: str, data: object) -> None:
        """Count an event that nobody has handled."""
        record = self._records[fsm]
        record.unhandled += 1
        self._marked[fsm] = None
        state = fsm.current_state
        name = state.name if state is not None else ""
        if not self._repeats(record, self._names[fsm], name, "event", event):
            called_by = self.called_by(fsm, event, data)
            self._trouble(record, {
                "machine": self._names[fsm], "kind": "event", "state": name, "event": event,
                "outcome": "unhandled", **called_by,
                "data": "" if data is None else text_of(data), "why": _why(fsm, event),
            })  # fmt: skip

    def error_raised(self, fsm: Fsm[Any], error: BaseException) -> None:
        """Count the error, once if it passes through several machines of one record."""
        record = self._records[fsm]
        if any(e is error and r is record and f is not fsm for e, f, r in self._raised):
            return
        self._raised.append((error, fsm, record))
        record.errors += 1
        self._marked[fsm] = None
        state = fsm.current_state
        name = state.name if state is not None else ""
        text = described_error(error)
        if not self._repeats(record, self._names[fsm], name, "error", text):
            self._trouble(
                record,
                {
                    "machine": self._names[fsm], "kind": "error", "state": name, "text": text,
                    **self.place_of(error),
                },
            )  # fmt: skip

    # Keeping

    def _change(self, record: MachineRecord, kind: str, state: str, event: str | None) -> None:
        record.state, record.changed_at = state, self._now()
        self.changes.add(Change(self._number(), record.changed_at, record, kind, state, event))

    def _note_stops(self) -> None:
        """Keep the changes of machines that were stopped: they have entered no other state."""
        for machine in self._changed:
            if machine.current_state is None:
                self._note_stop(self._records[machine])

    def _note_stop(self, record: MachineRecord) -> None:
        if record.state is not None:
            record.state = None
            change = Change(self._number(), record.changed_at, record, "leave", None, None)
            self.changes.add(change)

    def _repeats(self, record: MachineRecord, *trouble: str) -> bool:
        """Count an entry of the machine once more if it says the same."""
        entry = record.same_trouble(*trouble)
        if entry is None:
            return False
        entry["times"] += 1
        entry["last"] = self._now()
        self._repeated[entry["seq"]] = entry
        if len(self._repeated) > MOST_ENTRIES:  # no page is open, and the oldest has been dropped
            del self._repeated[next(iter(self._repeated))]
        return True

    def _trouble(self, record: MachineRecord, parts: dict[str, Any]) -> None:
        within = record.name if parts["machine"] != record.name else ""
        more = {"times": 1, "last": self._now(), "within": within}
        record.troubles.append(self._add_entry({**parts, **more}))

    def _add_entry(self, parts: dict[str, Any]) -> Entry:
        kept = {name: value for name, value in parts.items() if value != ""}
        entry: Entry = {"seq": self._number(), "time": self._now(), **kept}
        self.entries.add(entry)
        return entry

    def _number(self) -> int:
        self._next += 1
        return self._next - 1


def _why(fsm: Fsm[Any], event: str) -> str:
    try:
        return prospect(fsm, event)
    except Exception as error:  # from a property of an action, which it asks
        return f"Why cannot be said: {error_text(error)}."


class _NestedObserver:
    """Reports what goes wrong in nested machines; their states are theirs."""

    def __init__(self, machines: AllMachines) -> None:
        self._machines = machines
        self.error_raised = machines.error_raised

    def event_sent(self, fsm: Fsm[Any], event: str, data: object, outcome: str) -> None:
        """Count the event if it is unhandled."""
        self._machines.listener(fsm, event, data, outcome)
        if outcome == "unhandled":
            self._machines.count_unhandled(fsm, event, data)
