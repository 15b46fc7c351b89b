"""Logs of machines, and rings of the latest news of all, from which the past is read."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice, pairwise
from operator import itemgetter
from typing import Any, Final, Generic, NamedTuple, TypeAlias, TypeVar

from attrs import Factory, define, field, frozen

LogEntry: TypeAlias = dict[str, Any]

LIMIT: Final = 5_000

CHANGES: Final = frozenset({"enter", "leave", "suspend", "resume"})
"""Kinds of entries about changes of state."""

REPEATING: Final = frozenset({"event", "error", "note", "log point"})
"""Kinds of entries whose repetitions are counted, as opposed to changes of state."""

NEIGHBOURS: Final = 16
"""Latest entries searched for a repeated one: several may alternate."""

OWN: Final = frozenset({"seq", "change", "time", "times", "last"})
"""The parts in which two entries about the same thing differ."""


class MachineLog:
    """A ring of entries; the oldest ones are dropped.

    An entry that repeats a recent one, while its machine has stayed in its state, is not added: the
    earlier one gets the number of `times` and the time of the `last`. So an error in every update
    does not push its cause out of the ring. An entry keeps its number, `seq`; each addition and
    repetition has a number of its own, `change`.
    """

    def __init__(self, limit: int = LIMIT) -> None:
        self._entries: deque[LogEntry] = deque(maxlen=limit)
        self._seq = 0
        self.next = 0
        """The number of the next change."""

    def add(self, time: float, machine: str, kind: str, **more: object) -> None:
        """Add an entry without its empty parts, or count it as a repetition."""
        self.add_entry({
            "time": time, "machine": machine, "kind": kind,
            **{name: value for name, value in more.items() if value},
        })  # fmt: skip

    def add_entry(self, entry: LogEntry) -> None:
        """Do the same with a new entry that has its time, machine and kind, and no empty parts."""
        index = self._index_of_same(entry) if entry["kind"] in REPEATING else None
        if index is None:
            self._append(entry)
            return
        same = self._entries[index]  # replaced, not changed: it may be pending for a page
        times = same.get("times", 1) + 1
        self._entries[index] = {**same, "times": times, "last": entry["time"], "change": self.next}
        self.next += 1

    def take_over(self, entry: LogEntry, machine: str) -> None:
        """Add an entry that was kept elsewhere, under a number of this log."""
        self._append({"machine": machine, **entry})

    def since(self, number: int) -> Iterator[LogEntry]:
        """Yield the entries changed from that number on, in the order of their last changes."""
        last = max(0, self.next - number + NEIGHBOURS)
        recent = islice(reversed(self._entries), last)
        found = (entry for entry in recent if entry["change"] >= number)
        yield from sorted(found, key=itemgetter("change"))

    def change_beside(self, time: float, *, forward: bool) -> float | None:
        """Return the time of the nearest change of state after `time`, or before; None without."""
        times = (each["time"] for each in self._entries if each["kind"] in CHANGES)
        if forward:
            return next((each for each in times if each > time), None)
        return max((each for each in times if each < time), default=None)

    def _append(self, entry: LogEntry) -> None:
        entry["seq"], entry["change"] = self._seq, self.next
        self._entries.append(entry)
        self._seq += 1
        self.next += 1

    def _index_of_same(self, entry: LogEntry) -> int | None:
        said: LogEntry | None = None
        first = max(0, len(self._entries) - NEIGHBOURS)
        for index in range(len(self._entries) - 1, first - 1, -1):
            other = self._entries[index]
            if other["machine"] == entry["machine"]:
                if other["kind"] not in REPEATING:
                    return None
                if said is None:
                    said = _content(entry)
                if _content(other) == said:
                    return index
        return None


def _content(entry: LogEntry) -> LogEntry:
    return {name: text for name, text in entry.items() if name not in OWN}


TroubleMark: TypeAlias = tuple[int, int] | tuple[int, int, str]
"""How many errors and unhandled events there were, and the first line of the last error, if any."""

MOST_CHANGES: Final = 100_000
"""Changes of state that are kept of all machines together: about 20 MB."""

MOST_ENTRIES: Final = 5_000
"""Entries about errors, unhandled events and notes that are kept of all machines together."""

MOST_TROUBLES: Final = 50
"""Entries about errors and unhandled events that are kept of each machine."""

_NO_TROUBLES: Final[deque[LogEntry]] = deque(maxlen=0)
"""Shared by the machines that have left: there may be many, each with a few changes."""


ItemT = TypeVar("ItemT")


class Ring(Generic[ItemT]):
    """The latest items, numbered from 0 on; the oldest ones are dropped.

    >>> ring = Ring[str](2)
    >>> for letter in "abc":
    ...     ring.add(letter)
    >>> (list(ring), ring.first, ring.next)
    (['b', 'c'], 1, 3)
    >>> list(ring.since(2, 10))
    ['c']
    """

    def __init__(self, limit: int) -> None:
        self._items: deque[ItemT] = deque(maxlen=limit)
        self.next = 0
        """The number of the next item."""

    def __iter__(self) -> Iterator[ItemT]:
        return iter(self._items)

    def __reversed__(self) -> Iterator[ItemT]:
        return reversed(self._items)

    @property
    def first(self) -> int:
        return self.next - len(self._items)

    def add(self, item: ItemT) -> None:
        self._items.append(item)
        self.next += 1

    def since(self, number: int, most: int) -> Iterator[ItemT]:
        """Yield at most that many of the items that are still kept, from a number on."""
        begin = max(0, number - self.first)
        return islice(self._items, begin, begin + most)


@define(eq=False)
class MachineSummary:
    """Counts, times and the latest troubles of one machine and of those nested in it.

    It does not hold the machine, which may leave the group.
    """

    name: str
    state: str | None
    """The state in the latest change; None while it is not running."""
    changed_at: float
    """The time of the latest change, or when the machine was added."""
    errors: int = 0
    unhandled: int = 0
    added_at: float = 0.0
    left_at: float | None = None
    """When the machine has left; None while it is there."""
    troubles: deque[LogEntry] = field(factory=lambda: deque(maxlen=MOST_TROUBLES))
    event: str | None = None
    """The event that last decided a change."""
    error: str = ""
    """The first line of the last error."""

    def leave(self, time: float) -> None:
        """Note that the machine has left; its changes, kept elsewhere, still need this."""
        self.left_at = time
        self.troubles = _NO_TROUBLES

    @property
    def mark(self) -> TroubleMark:
        known = (self.errors, self.unhandled)
        return (*known, self.error) if self.errors else known

    def same_trouble(self, machine: str, state: str, kind: str, about: str) -> LogEntry | None:
        """Return the entry of a recent trouble that says the same; None if there is none.

        Several may take turns, so the latest few are compared.
        """
        for entry in islice(reversed(self.troubles), NEIGHBOURS):
            if about == entry.get("event", entry.get("text")):
                there = entry["machine"], entry.get("state", ""), entry["kind"]
                if there == (machine, state, kind):
                    return entry
        return None


class StateChange(NamedTuple):
    seq: int
    """Changes and troubles are numbered together, in the order in which they happened."""
    time: float
    record: MachineSummary
    kind: str
    """`"enter"`, `"resume"`, or `"leave"` when the machine was stopped."""
    state: str | None
    """None after `"leave"`."""
    event: str | None


@define(eq=False)
class NewsRings:
    changes: Ring[StateChange] = field(factory=lambda: Ring(MOST_CHANGES), init=False)
    entries: Ring[LogEntry] = field(factory=lambda: Ring(MOST_ENTRIES), init=False)
    """Their errors and unhandled events, and the notes of the inspector."""


@frozen
class KnownPast:
    entries: Sequence[LogEntry] = ()
    state: str | None = None
    """The state in the last entry about a state."""
    since: float = 0.0
    """When that was entered."""
    seconds: Mapping[str, float] = {}
    """State -> the time spent there before that."""


def past_of(changes: Sequence[StateChange], troubles: Iterable[LogEntry], now: float) -> KnownPast:
    if not changes:
        return KnownPast([dict(entry) for entry in troubles])
    seconds: defaultdict[str, float] = defaultdict(float)
    for change, following in pairwise(changes):
        if change.state is not None:
            seconds[change.state] += following.time - change.time
    entries = [*map(_entry, changes), *map(dict, troubles)]
    last = changes[-1]
    return KnownPast(
        sorted(entries, key=itemgetter("seq")), last.state, min(last.time, now), seconds
    )


@define
class StatesThen:
    running: dict[str, list[str]] = Factory(dict)
    """State -> the names of the machines in it."""
    stopped: list[str] = Factory(list)
    absent: list[str] = Factory(list)
    """Machines that joined later."""
    unknown: list[str] = Factory(list)
    """Machines whose changes up to then are no longer kept."""
    left: list[str] = Factory(list)
    """Machines that have left since."""

    def add(self, name: str, state: str | None) -> None:
        names = self.stopped if state is None else self.running.setdefault(state, [])
        names.append(name)


def states_then(
    changes: Ring[StateChange], records: Iterable[MachineSummary], time: float
) -> StatesThen:
    """Return the states of the machines of `records` at `time`.

    Machines that have left are found in `changes` alone, all of them.
    """
    # Those of one machine are in order, though a stop may be noted after later ones of others.
    last = {change.record: change for change in changes if change.time <= time}
    then = StatesThen()
    for record in records:
        if time < record.added_at:
            then.absent.append(record.name)
        elif (change := last.get(record)) is not None:
            then.add(record.name, change.state)
        elif time >= record.changed_at:
            then.add(record.name, record.state)
        elif changes.first == 0:
            then.add(record.name, None)  # its first start is kept, and came later
        else:
            then.unknown.append(record.name)
    then.left = [each.name for each in last if each.left_at is not None and time < each.left_at]
    return then


def _entry(change: StateChange) -> LogEntry:
    more = {"state": change.state, "event": change.event}
    known = {name: text for name, text in more.items() if text}
    return {"seq": change.seq, "time": change.time, "kind": change.kind, **known}
