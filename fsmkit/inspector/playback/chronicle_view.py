"""ChronicleView: a recording's chronicle, step by step: what each machine did up to any time."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from operator import attrgetter, itemgetter
from typing import Final, TypeAlias

from attrs import define, evolve, field

from fsmkit.inspector.reading.machine_log import LogEntry
from fsmkit.inspector.reading.page_values import text_of
from fsmkit.recording import RaisedError, Recording, SentEvent, StateVisit, Step
from fsmkit.recording.replay.steps import UNKNOWN, JournalEntry
from fsmkit.timing import TIME_TOLERANCE

MOST_ENTRIES: Final = 100_000
"""The log entries of a machine that are shown: the last ones."""

DEEPEST: Final = 20
"""Levels of nesting in a recording, which a damaged file may exceed."""

NAMELESS: Final = "(no name)"
"""Stands for an empty name, which only a damaged file has."""

LogPlace: TypeAlias = tuple[int, int, SentEvent | RaisedError | None]
"""The index of a step, that of an entry in its journal, and its record in the chronicle."""


@define(eq=False)
class MachineVisits:
    name: str
    outer: str | None
    """The machine that it is nested in."""
    depth: int = 0
    visits: list[StateVisit] = field(factory=list)
    orders: list[int] = field(factory=list)
    """The place of each visit among those of all machines."""
    errors: list[RaisedError] = field(factory=list)
    changes: list[float] = field(factory=list)
    """The times at which visits of it, or of a machine nested in it, began."""
    log: list[LogPlace] = field(factory=list)
    """Nested machines included."""
    _spent: dict[str, tuple[list[float], list[float]]] = field(init=False, factory=dict)
    """State -> the end of each visit, and the seconds spent there up to then."""

    @property
    def title(self) -> str:
        """Its name without those of the machines around it."""
        return self.name if self.outer is None else self.name[len(self.outer) + 1 :]

    def add(self, visit: StateVisit, order: int) -> None:
        self.visits.append(visit)
        self.orders.append(order)
        if visit.end is not None:
            ends, totals = self._spent.setdefault(visit.state, ([], []))
            ends.append(visit.end)
            totals.append(visit.end - visit.start + (totals[-1] if totals else 0.0))

    def index(self, time: float) -> int:
        """Return the index of the last visit that began by then; -1 if none did."""
        return bisect_right(self.visits, time, key=attrgetter("start")) - 1

    def at(self, time: float) -> StateVisit | None:
        """Return the visit of that time; None if the machine was not running."""
        visit = self.visits[index] if (index := self.index(time)) >= 0 else None
        return None if visit is None or (visit.end is not None and visit.end <= time) else visit

    def state(self, time: float) -> str | None:
        visit = self.at(time)
        return None if visit is None else visit.state

    def previous_state(self, index: int) -> str | None:
        return self.visits[index - 1].state if index > 0 else None

    def errors_of_visit(self, time: float) -> list[str]:
        """Return the errors that the visit of that time has raised by then."""
        if (visit := self.at(time)) is None:
            return []
        first = bisect_left(self.errors, visit.start, key=attrgetter("time"))
        last = bisect_right(self.errors, time, key=attrgetter("time"))
        return [each.error for each in self.errors[first:last] if each.state == visit.state]

    def seconds(self, time: float) -> dict[str, float]:
        sums = {
            state: totals[count - 1]
            for state, (ends, totals) in self._spent.items()
            if (count := bisect_right(ends, time))
        }
        if (visit := self.at(time)) is not None:
            sums[visit.state] = sums.get(visit.state, 0.0) + time - visit.start
        return sums


class ChronicleView:
    """The machines of a recording over time.

    A *position* is the number of steps that have been carried out. A *frame* is all steps of the
    same time, such as the updates of all machines of a group.
    """

    def __init__(self, recording: Recording) -> None:
        self.header = recording.header
        self.steps: Sequence[Step] = recording.steps
        self.chronicle = recording.chronicle()
        self.start = self.chronicle.start
        """Seconds at the beginning."""
        self.end = self.chronicle.end
        """Seconds after the last step."""
        self.machines: dict[str, MachineVisits] = {}
        journals = (step.journal for step in self.steps)
        named = (entry[1] for entry in chain.from_iterable(journals))
        for name in dict.fromkeys(chain(self.header.machines, self.header.states, named)):
            self._add_machine(name)
        self._read_visits()
        self._read_log()

    @property
    def outermost(self) -> list[str]:
        return [name for name, machine in self.machines.items() if machine.outer is None]

    def around(self, name: str) -> Iterator[MachineVisits]:
        """Yield a machine, and those around it up to the outermost one."""
        around: str | None = name
        while around is not None:
            yield (machine := self.machines[around])
            around = machine.outer

    def outermost_of(self, name: str) -> str:
        *_, outermost = self.around(name)
        return outermost.name

    def states_of(self, name: str) -> Sequence[str]:
        """Return the states that a machine has been in, in the order of their first visits."""
        return [*dict.fromkeys(visit.state for visit in self.machines[name].visits)]

    # Time

    def time_at(self, position: int) -> float:
        return self.steps[position - 1].time if position else self.start

    def position_at(self, time: float) -> int:
        """Return the position after the last step up to that time."""
        return bisect_right(self.steps, time + TIME_TOLERANCE, key=attrgetter("time"))

    def step_before(self, time: float) -> float:
        """Return the time of the last step up to a time."""
        return self.time_at(self.position_at(time))

    def next_frame(self, time: float) -> float:
        position = self.position_at(time)
        is_last = position == len(self.steps)
        return self.end if is_last else self.step_before(self.steps[position].time)

    def last_frame(self, time: float) -> float:
        """Return the time of the update before the last one."""
        end = self.step_before(time) - TIME_TOLERANCE
        return self.time_at(bisect_right(self.steps, end, key=attrgetter("time")))

    def next_change(self, name: str, time: float) -> float | None:
        """Return the time of the next change of a machine, or of one nested in it."""
        changes = self.machines[name].changes
        index = bisect_right(changes, time + TIME_TOLERANCE)
        return self.step_before(changes[index]) if index < len(changes) else None

    def last_change(self, name: str, time: float) -> float | None:
        """Return the time of the change before, or of the last one where a state just began."""
        changes = self.machines[name].changes
        index = bisect_right(changes, self.step_before(time) - TIME_TOLERANCE) - 1
        return self.step_before(changes[index]) if index >= 0 else None

    def changed_between(self, one: float, other: float) -> set[str]:
        first, last = sorted((one, other))
        begin = bisect_right(self._changes, first, key=itemgetter(0))
        end = bisect_right(self._changes, last, key=itemgetter(0))
        return {name for _, name in self._changes[begin:end]}

    def counts(self) -> dict[str, tuple[int, int]]:
        unhandled = [each for each in self.chronicle.events if each.outcome == "unhandled"]
        errors, events = (
            Counter(self.outermost_of(each.machine) for each in found)
            for found in (self.chronicle.errors, unhandled)
        )
        return {name: (errors[name], events[name]) for name in {**errors, **events}}

    # The log

    def first_entry(self, name: str) -> int:
        return max(0, len(self.machines[name].log) - MOST_ENTRIES)

    def log_times(self, name: str) -> list[float]:
        return [self.steps[index].time for index, _, _ in self.machines[name].log]

    def decided_before(
        self, name: str, position: int, count: int
    ) -> list[tuple[SentEvent, JournalEntry | None]]:
        """Return the events that were refused or have changed the state, among the latest entries.

        Those of a machine and the machines nested in it, each with the entry of the new state.
        """
        log = self.machines[name].log
        end = bisect_left(log, position, key=itemgetter(0))
        found: list[tuple[SentEvent, JournalEntry | None]] = []
        entered: dict[str, JournalEntry] = {}
        for index, place, happened in reversed(log[max(0, end - count) : end]):
            entry = self.steps[index].journal[place]
            if entry[0] in ("enter", "resume"):
                entered[entry[1]] = entry
            elif isinstance(happened, SentEvent):
                led = entered.pop(entry[1], None) if happened.outcome == "changed" else None
                if led is not None or happened.outcome == "refused":
                    found.append((happened, led))
        return found[::-1]

    def entries(self, name: str, begin: int, count: int) -> list[LogEntry]:
        places = self.machines[name].log[begin : begin + count]
        return [self._entry(number, *place) for number, place in enumerate(places, start=begin)]

    def _entry(
        self, number: int, index: int, place: int, happened: SentEvent | RaisedError | None
    ) -> LogEntry:
        step = self.steps[index]
        kind, name, *rest = step.journal[place]
        more = _details(kind, rest, happened)
        details = {key: text for key, text in more.items() if text}
        return {"kind": kind, **details, "seq": number, "time": step.time, "machine": name}

    # Reading

    def _add_machine(self, name: str) -> None:
        """Add a machine, nested in a known one if its name begins with that one's and a slash."""
        outer: MachineVisits | None = None
        end = len(name)
        for _ in range(DEEPEST):
            end = name.rfind("/", 0, end)
            if end <= 0 or (outer := self.machines.get(name[:end])) is not None:
                break
        if outer is None or outer.depth >= DEEPEST:
            self.machines[name] = MachineVisits(name, None)
        else:
            self.machines[name] = MachineVisits(name, outer.name, outer.depth + 1)

    def _read_visits(self) -> None:
        begun_before = sum(state != UNKNOWN for state in self.header.states.values())
        for order, visit in enumerate(self.chronicle.visits):
            self.machines[visit.machine].add(_named(visit), order)
            if order >= begun_before:
                for machine in self.around(visit.machine):
                    machine.changes.append(visit.start)
        for error in self.chronicle.errors:
            self.machines[error.machine].errors.append(error)
        self._changes = sorted(
            (time, name)
            for name in self.outermost
            for visit in self.machines[name].visits
            for time in (visit.start, visit.end)
            if time is not None
        )

    def _read_log(self) -> None:
        """Note the entries of all journals: the chronicle alone does not hold their order."""
        events, errors = iter(self.chronicle.events), iter(self.chronicle.errors)
        for index, step in enumerate(self.steps):
            for place, (kind, name, *_) in enumerate(step.journal):
                happened = (
                    next(events) if kind == "event" else next(errors) if kind == "error" else None
                )
                for machine in self.around(name):
                    machine.log.append((index, place, happened))


def _named(visit: StateVisit) -> StateVisit:
    if visit.state and all(visit.suspended):
        return visit
    suspended = tuple(name or NAMELESS for name in visit.suspended)
    return evolve(visit, state=visit.state or NAMELESS, suspended=suspended)


def _details(
    kind: str, rest: Sequence[str], happened: SentEvent | RaisedError | None
) -> Mapping[str, str]:
    if isinstance(happened, SentEvent):
        _, _, _, *described = rest
        return {
            "state": happened.state, "event": happened.event, "outcome": happened.outcome,
            "sender": happened.sender,
            "data": text_of(happened.data) if happened.data is not None else "".join(described),
        }  # fmt: skip
    if happened is not None:
        return {"state": happened.state, "text": happened.error}
    if kind == "restored":
        return {"kind": "note", "text": "a snapshot was loaded"}
    return {
        "kind": "enter" if kind == "in" else kind, "state": rest[0] or NAMELESS,
        "event": rest[1] if kind == "enter" else "",
    }  # fmt: skip
