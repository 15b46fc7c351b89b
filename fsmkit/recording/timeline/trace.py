"""trace_events: a chronicle for the trace viewers of Chrome and Perfetto."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import count, takewhile
from math import inf
from typing import Any, Final, TypeAlias

from attrs import define, field

from fsmkit.recording.chronicle import ActionRun, Chronicle, SentEvent
from fsmkit.recording.timeline.tracks import Track, Window, data_text, error_type, tracks_of
from fsmkit.terminal.console import printable

MICROSECONDS: Final = 1_000_000

PROCESS: Final = 1

RED: Final = {"cname": "terrible"}
"""The colour of errors and failures in chrome://tracing; Perfetto chooses its own."""

TraceEvent: TypeAlias = dict[str, Any]


def trace_events(chronicle: Chronicle) -> dict[str, Any]:
    """Return a trace, to be saved with `json.dump` and opened at ui.perfetto.dev or chrome://tracing.

    The machines are the threads of one process, nested ones below the machine they run in. Visits
    to states are slices; events, with outcome, data and sender, and errors are instants. Of a
    `History` with `actions=True` there are further threads below a machine: what its actions did,
    as slices, those of children within those of their parents; and arrows lead from a machine to
    another one to which one of its actions has sent an event.

    Times are in whole microseconds. A slice takes at least one, which may delay the next one by as
    much. What goes on at the end of the chronicle is marked as `unfinished`.

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
    >>> slice["name"], slice["ts"], slice["dur"], slice["args"]
    ('On', 0, 500000, {'unfinished': 'yes'})
    """
    tracks = tracks_of(chronicle, Window(-inf, inf))
    runs: dict[str, list[ActionRun]] = {}
    for run in chronicle.action_runs:
        runs.setdefault(run.machine, []).append(run)
    outermost = [track.machine for track in tracks if not track.depth]
    title = outermost[0] if len(outermost) == 1 else f"{len(outermost)} machines"
    names = [_metadata("process_name", PROCESS, name=printable(title))] if tracks else []
    events: list[TraceEvent] = []
    visits: dict[str, list[TraceEvent]] = {}
    """Machine -> the slices of its states."""
    threads = count(PROCESS)
    for track in tracks:
        thread = next(threads)
        names += _thread_names(thread, printable(track.machine))
        visits[track.machine] = [*_slices(track, thread)]
        events += visits[track.machine]
        events += _instants(track, thread)
        for number, lane in enumerate(_lanes(runs.get(track.machine, ()), chronicle.end), start=1):
            thread = next(threads)
            more = f" {number}" if number > 1 else ""
            names += _thread_names(thread, printable(f"{track.machine}: actions{more}"))
            events += (each.to_event(thread) for each in lane.slices)
    events += _flows(chronicle.events, visits)
    events.sort(key=lambda event: (event["ts"], -event.get("dur", 0)))  # an outer slice comes first
    return {"traceEvents": [*names, *events], "displayTimeUnit": "ms"}


def _thread_names(thread: int, name: str) -> list[TraceEvent]:
    return [
        _metadata("thread_name", thread, name=name),
        _metadata("thread_sort_index", thread, sort_index=thread),
    ]


def _metadata(about: str, thread: int, **arguments: str | int) -> TraceEvent:
    return {"name": about, "ph": "M", "ts": 0, "args": arguments, **_place(thread)}


def _place(thread: int) -> dict[str, int]:
    return {"pid": PROCESS, "tid": thread}


# States, events and errors


def _slices(track: Track, thread: int) -> Iterator[TraceEvent]:
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
            unfinished="yes" if visit.end is None else "",
        )
        yield {
            "name": printable(visit.state), "cat": "state", "ph": "X",
            "ts": start, "dur": reached - start, "args": arguments, **_place(thread),
        }  # fmt: skip


def _instants(track: Track, thread: int) -> Iterator[TraceEvent]:
    for sent in track.events:
        data = data_text(sent.data) if sent.data is not None else ""
        yield _instant(
            sent.event, "event", sent.time, thread,
            outcome=sent.outcome, state=sent.state, sender=sent.sender, data=data,
        )  # fmt: skip
    for raised in track.errors:
        error = _instant(
            error_type(raised), "error", raised.time, thread, state=raised.state, error=raised.error
        )
        yield {**error, **RED}


def _instant(name: str, category: str, time: float, thread: int, **arguments: str) -> TraceEvent:
    return {
        "name": printable(name), "cat": category, "ph": "i", "s": "t",
        "ts": _microseconds(time), "args": _arguments(**arguments), **_place(thread),
    }  # fmt: skip


# Actions


@define(eq=False)
class ActionSlice:
    """What an action did, as a slice. Times are in microseconds."""

    run: ActionRun
    start: int
    end: int

    def holds(self, run: ActionRun) -> bool:
        """Tell whether the action of another run is a child of this one, directly or not."""
        parent = self.run.title.rpartition(" (")[0]
        return self.run.state == run.state and run.title.startswith(f"{parent}.children[")

    def to_event(self, thread: int) -> TraceEvent:
        place, _, kind = self.run.title.rpartition(" (")
        arguments = _arguments(
            state=self.run.state,
            action=place,
            how=self.run.how,
            unfinished="yes" if self.run.end is None else "",
        )
        return {
            "name": printable(kind.removesuffix(")")), "cat": "action", "ph": "X",
            "ts": self.start, "dur": self.end - self.start, "args": arguments, **_place(thread),
            **(RED if self.run.how == "failed" else {}),
        }  # fmt: skip


@define(eq=False)
class ActionLane:
    """Slices of a thread: each follows the ones before, or lies within that of its parent."""

    slices: list[ActionSlice] = field(factory=list)
    _open: list[ActionSlice] = field(factory=list)
    """The last slice, after those it lies within."""

    def add(self, run: ActionRun, now: float) -> bool:
        """Add a slice if there is room for it; return whether there was."""
        start, end = _microseconds(run.start), _microseconds(now if run.end is None else run.end)
        around = [*self._open]
        while around and not around[-1].holds(run):
            last = around.pop()
            if last.end > start and last.end - last.start > 1:
                return False
            start = max(start, last.end)  # it took no time, and was given a microsecond
        if around:
            start = max(start, around[-1].start)
        new = ActionSlice(run, start, max(end, start + 1))
        if around and new.end > around[-1].end:
            return False
        self._open = [*around, new]
        self.slices.append(new)
        return True


def _lanes(runs: Iterable[ActionRun], now: float) -> list[ActionLane]:
    """Distribute runs to as few lanes as they need."""
    lanes: list[ActionLane] = []
    for run in sorted(runs, key=lambda each: (each.start, each.title.count(".children"))):
        if not any(lane.add(run, now) for lane in lanes):
            lanes.append(ActionLane())
            lanes[-1].add(run, now)
    return lanes


# Arrows


def _flows(
    events: Sequence[SentEvent], visits: Mapping[str, Sequence[TraceEvent]]
) -> Iterator[TraceEvent]:
    """Yield the two ends of an arrow for each event that one machine has sent to another one.

    Each end lies in a slice of a state. One without such a slice is left out, with the other end.
    """
    numbers = count(1)
    for sent in events:
        time = _microseconds(sent.time)
        sender = printable(sent.sender).removeprefix(f"{printable(sent.sent_by)}: ")
        begin = _within(visits.get(sent.sent_by, ()), time, sender)
        end = _within(visits.get(sent.machine, ()), time)
        if begin is None or end is None or begin["ts"] > end["ts"]:
            continue
        arrow = {"name": printable(sent.event), "cat": "sent", "id": next(numbers)}
        yield {**arrow, "ph": "s", **begin}
        yield {**arrow, "ph": "f", "bp": "e", **end}


def _within(slices: Sequence[TraceEvent], time: int, sender: str = "") -> dict[str, int] | None:
    """Return a moment of the slice at `time`; where one follows another, of the sender's state."""
    last = bisect_right(slices, time, key=lambda each: int(each["ts"]))
    before = (slices[index] for index in range(last - 1, -1, -1))
    touching = [*takewhile(lambda each: time <= each["ts"] + each["dur"], before)]
    of_sender = [each for each in touching if sender.startswith(f"{each['name']}.")]
    if not touching:
        return None
    found = (of_sender or touching)[0]
    moment = min(time, found["ts"] + found["dur"] - 1)
    return {"ts": moment, "pid": found["pid"], "tid": found["tid"]}


def _microseconds(seconds: float) -> int:
    return round(seconds * MICROSECONDS)


def _arguments(**values: str) -> dict[str, str]:
    """Return the values that are not empty; lines stay lines."""
    return {
        name: "\n".join(map(printable, value.split("\n")))
        for name, value in values.items()
        if value
    }
