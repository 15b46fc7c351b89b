"""The list below a timeline: changes of state, events without effect, errors."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Final

from attrs import frozen

from fsmkit.recording.chronicle import StateVisit
from fsmkit.recording.timeline.tracks import Track, Window

LISTED_OUTCOMES: Final = ("refused", "ignored", "unhandled")
"""The outcomes of events that are listed; others lead to a change or concern only an action."""


@frozen
class Entry:
    """Something that happened to a machine: a change, an event without one, or an error."""

    time: float
    machine: str
    source: str
    """The state the machine was in; empty if it was not running."""
    event: str
    """An event, or in brackets `(start)`, `(stop)`, `(error)`."""
    target: str = ""
    """The state it went to, or in brackets the outcome of the event."""
    sender: str = ""
    error: str = ""
    waits: bool = False
    """True if the change suspends the state the machine was in."""


def entries(tracks: Iterable[Track], window: Window) -> list[Entry]:
    """Return what happened in `window`, in order."""
    changes: list[Entry] = []
    others: list[Entry] = []
    for track in tracks:
        changes += (change for change in _changes(track) if window.has(change.time))
        others += _others(track)
    changes.sort(key=lambda entry: entry.time)
    others.sort(key=lambda entry: entry.time)
    return list(_merged(changes, others))


def _changes(track: Track) -> Iterator[Entry]:
    for before, visit in pairwise((None, *track.visits)):
        if visit is None:
            continue
        source = ""
        if before is not None and visit.event is not None:
            source = before.state
        elif before is not None and before.end is not None:
            yield _stop(before, before.end)
        event = "(start)" if visit.event is None else visit.event
        target = f"{visit.state} (resumed)" if visit.resumed else visit.state
        waits = bool(source) and visit.suspended[-1:] == (source,)
        yield Entry(visit.start, track.machine, source, event, target, visit.sender, waits=waits)
    for last in track.visits[-1:]:
        if last.end is not None:
            yield _stop(last, last.end)


def _stop(visit: StateVisit, time: float) -> Entry:
    return Entry(time, visit.machine, visit.state, "(stop)")


def _others(track: Track) -> Iterator[Entry]:
    for sent in track.events:
        if sent.outcome in LISTED_OUTCOMES:
            outcome = f"({sent.outcome})"
            yield Entry(sent.time, track.machine, sent.state, sent.event, outcome, sent.sender)
    for raised in track.errors:
        yield Entry(raised.time, track.machine, raised.state, "(error)", error=raised.error)


def _merged(changes: Iterable[Entry], others: Iterable[Entry]) -> Iterator[Entry]:
    """Merge both by time; at equal times, what happened in a state comes before its exit."""
    waiting = list(others)[::-1]
    for change in changes:
        while waiting and _is_before(waiting[-1], change):
            yield waiting.pop()
        yield change
    yield from reversed(waiting)


def _is_before(other: Entry, change: Entry) -> bool:
    if other.time == change.time:
        return (other.machine, other.source) == (change.machine, change.source)
    return other.time < change.time
