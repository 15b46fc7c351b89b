"""trace_events: a chronicle for the trace viewers of Chrome and Perfetto."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf
from typing import Any, Final

from fsmkit.recording.chronicle import Chronicle
from fsmkit.recording.timeline.tracks import Track, Window, data_text, error_type, tracks_of
from fsmkit.terminal.console import printable

MICROSECONDS: Final = 1_000_000


def trace_events(chronicle: Chronicle) -> dict[str, Any]:
    """Return a trace, to be saved with `json.dump` and opened at ui.perfetto.dev or chrome://tracing.

    Each outermost machine is a process, each machine a thread of it. Visits to states are slices;
    events, with their outcomes, and errors are instants. Times are in whole microseconds. A visit
    takes at least one, which may delay the next visit by as much.

    The format is the Trace Event Format of Chrome
    (https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU).

    >>> from fsmkit import Fsm
    >>> from fsmkit.recording import History
    >>> lamp = Fsm("Lamp")
    >>> _ = lamp.add_state("On")
    >>> history = History(lamp)
    >>> lamp.start()
    >>> lamp.update(0.5)
    >>> slice = trace_events(history.chronicle())["traceEvents"][-1]
    >>> slice["name"], slice["ts"], slice["dur"]
    ('On', 0, 500000)
    """
    tracks = tracks_of(chronicle, Window(-inf, inf))
    events: list[dict[str, Any]] = []
    process = 0
    for thread, track in enumerate(tracks, start=1):
        if not track.depth:
            process = thread  # the thread with the number of its process comes first in it
        place = {"pid": process, "tid": thread}
        events += ({**event, **place} for event in (*_names(track, thread), *_occurrences(track)))
    return {"traceEvents": events, "displayTimeUnit": "ms"}


def _names(track: Track, position: int) -> Iterator[dict[str, Any]]:
    if not track.depth:
        yield _metadata("process_name", {"name": printable(track.machine)})
        yield _metadata("process_sort_index", {"sort_index": position})
    yield _metadata("thread_name", {"name": printable(track.machine)})
    yield _metadata("thread_sort_index", {"sort_index": position})


def _metadata(name: str, arguments: dict[str, str | int]) -> dict[str, Any]:
    return {"name": name, "ph": "M", "ts": 0, "args": arguments}


def _occurrences(track: Track) -> Iterator[dict[str, Any]]:
    yield from _slices(track)
    for sent in track.events:
        data = data_text(sent.data) if sent.data is not None else ""
        yield _instant(
            sent.event, "event", sent.time,
            outcome=sent.outcome, state=sent.state, sender=sent.sender, data=data,
        )  # fmt: skip
    for raised in track.errors:
        yield _instant(
            error_type(raised), "error", raised.time, state=raised.state, error=raised.error
        )


def _slices(track: Track) -> Iterator[dict[str, Any]]:
    """Yield slices; those of one thread must not overlap, or viewers show them as nested calls."""
    reached: int | None = None
    for piece in track.slices:
        start, end = _microseconds(piece.start), _microseconds(piece.end)
        start = start if reached is None else max(start, reached)
        reached = max(end, start + 1)
        visit = piece.visit
        arguments = _arguments(
            event=visit.event or "",
            sender=visit.sender,
            suspended=", ".join(visit.suspended),
            resumed="yes" if visit.resumed else "",
        )
        yield {
            "name": printable(piece.visit.state), "cat": "state", "ph": "X",
            "ts": start, "dur": reached - start, "args": arguments,
        }  # fmt: skip


def _instant(name: str, category: str, time: float, **arguments: str) -> dict[str, Any]:
    return {
        "name": printable(name), "cat": category, "ph": "i", "s": "t",
        "ts": _microseconds(time), "args": _arguments(**arguments),
    }  # fmt: skip


def _microseconds(seconds: float) -> int:
    return round(seconds * MICROSECONDS)


def _arguments(**values: str) -> dict[str, str]:
    """Return the values that are not empty; lines stay lines."""
    return {
        name: "\n".join(map(printable, value.split("\n")))
        for name, value in values.items()
        if value
    }
