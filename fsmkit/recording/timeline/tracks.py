"""Tracks: a chronicle arranged for a timeline, with a track for each machine."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from typing import Self, TypeAlias, TypeVar

from attrs import frozen

from fsmkit.recording.chronicle import (
    Chronicle,
    RaisedError,
    SentEvent,
    StateVisit,
    checked_chronicle,
)


@frozen
class Window:
    """The part of time that a timeline shows, in seconds."""

    start: float
    end: float

    @classmethod
    def of(cls, chronicle: Chronicle, start: float | None, end: float | None) -> Self:
        """Return the window from `start` to `end`; None means as far as the chronicle goes.

        Raises ValueError if it would end before it begins.
        """
        chronicle = checked_chronicle(chronicle)
        first = chronicle.start if start is None else start
        last = max(chronicle.start, chronicle.end) if end is None else end
        if not first <= last:
            raise ValueError(
                f"end must be >= start, got a timeline from {first!r} to {last!r} seconds. The "
                f"chronicle goes from {chronicle.start!r} to {chronicle.end!r}."
            )
        return cls(first, last)

    @property
    def seconds(self) -> float:
        """The length in seconds."""
        return self.end - self.start

    def has(self, time: float) -> bool:
        """Return True if `time` is in it."""
        return self.start <= time <= self.end


@frozen
class Slice:
    """A visit, and the part of it that is shown: from `start` to `end`, in seconds."""

    visit: StateVisit
    start: float
    end: float


@frozen
class Track:
    """The visits, events and errors of one machine."""

    machine: str
    title: str
    """Its name, without those of the machines around it."""
    depth: int
    """The number of machines around it."""
    outermost: str
    """The outermost of these; itself if there is none."""
    visits: Sequence[StateVisit]
    """All of them, shown or not."""
    slices: Sequence[Slice]
    events: Sequence[SentEvent]
    errors: Sequence[RaisedError]


StateNumbers: TypeAlias = Mapping[tuple[str, str], int]
"""Machine, state -> number."""


def tracks_of(chronicle: Chronicle, window: Window) -> list[Track]:
    """Return a track for each machine, with those of nested machines right below."""
    chronicle = checked_chronicle(chronicle)
    visits = _by_machine(chronicle.visits)
    events = _by_machine(event for event in chronicle.events if window.has(event.time))
    errors = _by_machine(error for error in chronicle.errors if window.has(error.time))
    return [
        Track(
            name, title, depth, outermost,
            visits.get(name, []), list(_slices(visits.get(name, []), window, chronicle.end)),
            events.get(name, []), errors.get(name, []),
        )
        for name, title, depth, outermost in _family_tree(chronicle.machines)
    ]  # fmt: skip


def busiest(tracks: Sequence[Track], limit: int) -> list[Track]:
    """Return the tracks of the busiest machines, in their order, `limit` or somewhat fewer.

    An outermost machine is included with all its nested ones or not at all; at least one is.
    """
    families: dict[str, list[Track]] = {}
    for track in tracks:
        families.setdefault(track.outermost, []).append(track)
    chosen: list[Track] = []
    for family in sorted(families.values(), key=_activity, reverse=True):
        if not chosen or len(chosen) + len(family) <= limit:
            chosen += family
    names = {track.machine for track in chosen}
    return [track for track in tracks if track.machine in names]


def state_numbers(chronicle: Chronicle, count: int) -> StateNumbers:
    """Return a number below `count` for each visited state, to choose a colour by.

    States of the same name have the same number, and those of one machine different ones, as far as
    `count` permits.
    """
    by_name: dict[str, int] = {}
    by_machine: dict[str, dict[str, int]] = {}
    seen = ((v.machine, name) for v in chronicle.visits for name in (*v.suspended, v.state))
    for machine, state in seen:
        taken = by_machine.setdefault(machine, {})
        if state not in taken:
            wanted = by_name.setdefault(state, len(by_name))
            choice = [(wanted + more) % count for more in range(count)]
            free = (number for number in choice if number not in taken.values())
            taken[state] = next(free, choice[0])
    return {
        (machine, state): number
        for machine, numbers in by_machine.items()
        for state, number in numbers.items()
    }


def _activity(tracks: Sequence[Track]) -> int:
    return sum(len(track.slices) + len(track.events) + len(track.errors) for track in tracks)


def _slices(visits: Sequence[StateVisit], window: Window, now: float) -> Iterator[Slice]:
    for visit in visits:
        end = max(visit.start, now if visit.end is None else visit.end)
        if visit.start <= window.end and (end > window.start or visit.start >= window.start):
            yield Slice(visit, max(visit.start, window.start), min(end, window.end))


def _family_tree(machines: Iterable[str]) -> Iterator[tuple[str, str, int, str]]:
    """Yield name, title, depth and outermost machine of each."""
    known = dict.fromkeys(machines)
    inside: dict[str, list[str]] = {}
    for name in known:
        inside.setdefault(_owner(name, known), []).append(name)

    def branch(owner: str, depth: int, outermost: str) -> Iterator[tuple[str, str, int, str]]:
        for name in inside.get(owner, ()):
            yield name, name.removeprefix(f"{owner}/"), depth, outermost or name
            yield from branch(name, depth + 1, outermost or name)

    yield from branch("", 0, "")


def _owner(name: str, machines: Container[str]) -> str:
    """Return the machine around it, or an empty string. Names may contain slashes themselves."""
    owner = name.rpartition("/")[0]
    while owner and owner not in machines:
        owner = owner.rpartition("/")[0]
    return owner


_Occurrence = TypeVar("_Occurrence", StateVisit, SentEvent, RaisedError)


def _by_machine(occurrences: Iterable[_Occurrence]) -> dict[str, list[_Occurrence]]:
    found: dict[str, list[_Occurrence]] = {}
    for occurrence in occurrences:
        found.setdefault(occurrence.machine, []).append(occurrence)
    return found
