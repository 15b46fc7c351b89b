"""Tracks: a chronicle arranged for a timeline, with a track for each machine.

All timelines share two more things: blocks, which are slices laid out on a line so that none is
too small to see, and the texts for visits, events and errors.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final, Self, TypeAlias, TypeVar

from attrs import define, frozen

from fsmkit import FAILED, FINISHED
from fsmkit.core.words.parameters import shown
from fsmkit.recording.chronicle import (
    Chronicle,
    RaisedError,
    SentEvent,
    StateVisit,
    checked_chronicle,
)
from fsmkit.svg.axis import digits_for, seconds_text
from fsmkit.terminal.console import cut, printable

MAX_DATA_COLUMNS: Final = 200


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
        return self.end - self.start

    def has(self, time: float) -> bool:
        return self.start <= time <= self.end


@frozen
class Slice:
    """A visit, and the part of it that is shown: from `start` to `end`, in seconds."""

    visit: StateVisit
    start: float
    end: float


@frozen
class Track:
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
        for name, title, depth, outermost in _family_tree(chronicle)
    ]  # fmt: skip


def busiest(tracks: Sequence[Track], limit: int) -> list[Track]:
    """Return the tracks of the busiest machines, in their order, `limit` or slightly fewer.

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


def _family_tree(chronicle: Chronicle) -> Iterator[tuple[str, str, int, str]]:
    inside: dict[str, list[str]] = {}
    for name in dict.fromkeys(chronicle.machines):
        inside.setdefault(chronicle.outer(name), []).append(name)

    def branch(outer: str, depth: int, outermost: str) -> Iterator[tuple[str, str, int, str]]:
        for name in inside.get(outer, ()):
            yield name, name.removeprefix(f"{outer}/"), depth, outermost or name
            yield from branch(name, depth + 1, outermost or name)

    yield from branch("", 0, "")


_Occurrence = TypeVar("_Occurrence", StateVisit, SentEvent, RaisedError)


def _by_machine(occurrences: Iterable[_Occurrence]) -> dict[str, list[_Occurrence]]:
    found: dict[str, list[_Occurrence]] = {}
    for occurrence in occurrences:
        found.setdefault(occurrence.machine, []).append(occurrence)
    return found


def data_text(data: object) -> str:
    try:
        return cut(printable(shown(data)), MAX_DATA_COLUMNS)
    except Exception:  # a user's class may have a failing __repr__
        return f"<{type(data).__name__}>"


def error_type(raised: RaisedError) -> str:
    return raised.error.partition("\n")[0].partition(":")[0]


KINDS: Final = ("error", "unhandled", "refused", "ignored", "consumed", "changed")
"""The kinds of occurrences: earlier ones win where there is no room for all."""


def occurrences_of(track: Track) -> Iterator[tuple[str, str, SentEvent | RaisedError]]:
    for sent in track.events:
        if sent.outcome in KINDS:  # a queued one is sent again
            yield sent.outcome, event_title(sent), sent
    for raised in track.errors:
        yield "error", error_type(raised), raised


def event_title(sent: SentEvent) -> str:
    """Return what an event is called: by its name, and `FAILED` by its reason as well."""
    if sent.event != FAILED or sent.data is None:
        return sent.event
    return f"{sent.event}: {data_text(sent.data)}"


def precedence(kind: str, name: str) -> tuple[int, bool]:
    return KINDS.index(kind), name == FINISHED


@frozen
class Wording:
    """Describes what happened; times have as many digits as `span` seconds need."""

    span: float

    def time(self, seconds: float) -> str:
        return seconds_text(seconds, digits_for(self.span))

    def visit(self, visit: StateVisit, now: float) -> str:
        end = now if visit.end is None else visit.end
        until = "now" if visit.end is None else self.time(visit.end)
        lasted = self.time(end - visit.start)
        lines = [visit.state, f"{self.time(visit.start)} to {until}: {lasted}"]
        if visit.event is not None:
            how = "resumed after" if visit.resumed else "after"
            lines.append(f"{how} {visit.event}{_by(visit.sender)}")
        if visit.suspended:
            lines.append(f"{', '.join(visit.suspended)} suspended meanwhile")
        return "\n".join(map(printable, lines))

    def event(self, sent: SentEvent) -> str:
        data = f" with {data_text(sent.data)}" if sent.data is not None else ""
        place = f" in {sent.state}" if sent.state else ""
        lines = [
            f"{sent.event}: {sent.outcome}{place}",
            f"{self.time(sent.time)}{_by(sent.sender)}{data}",
        ]
        return "\n".join(map(printable, lines))

    def error(self, raised: RaisedError) -> str:
        lines = [*raised.error.splitlines(), f"{self.time(raised.time)} in {raised.state}"]
        return "\n".join(map(printable, lines))


def _by(sender: str) -> str:
    return f" from {sender}" if sender else ""


MIN_SHARE: Final = 0.15
"""The least share of a block that a state in it gets."""


@define
class Block:
    slices: list[Slice]
    start: float
    end: float

    @property
    def is_crowded(self) -> bool:
        return len(self.slices) > 1

    def shares(self) -> dict[str, float]:
        """Return state -> its share of the block, from 0 to 1; a state of no duration gets some."""
        seconds: dict[str, float] = {}
        for piece in self.slices:
            spent = seconds.get(piece.visit.state, 0.0)
            seconds[piece.visit.state] = spent + piece.end - piece.start
        least = sum(seconds.values()) * MIN_SHARE or 1.0
        total = sum(max(least, spent) for spent in seconds.values())
        return {state: max(least, spent) / total for state, spent in seconds.items()}


def blocks_of(
    slices: Iterable[Slice], place: Callable[[float], float], least: float
) -> list[Block]:
    """Return blocks in the order of `slices`, which do not overlap; each is at least `least` long.

    `place` maps a time to its place on the line. A slice that is too short takes room from the next
    one. Slices that begin within it join it, so that none is more than `least` away from its place.
    """
    blocks: list[Block] = []
    for piece in slices:
        start, end = place(piece.start), place(piece.end)
        reached = blocks[-1].end if blocks else start
        if end - max(start, reached) >= least:
            blocks.append(Block([piece], max(start, reached), end))
        elif start < reached:
            blocks[-1].slices.append(piece)
            blocks[-1].end = max(end, reached)
        else:
            blocks.append(Block([piece], start, start + least))
    return blocks
