"""Properties of the timeline of any chronicle."""

from itertools import pairwise
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st
from trace_rules import broken_rules

from fsmkit.recording import (
    ActionRun,
    Chronicle,
    RaisedError,
    SentEvent,
    StateVisit,
    timeline_svg,
    timeline_text,
    trace_events,
)
from fsmkit.recording.timeline.tracks import Window, blocks_of, tracks_of
from fsmkit.terminal.console import width

pytestmark = pytest.mark.slow

OUTCOMES = ["changed", "queued", "consumed", "ignored", "unhandled"]

names = st.text(min_size=1, max_size=8) | st.sampled_from(["A", "A/B", "<b>", "巡逻", "\x1b[1m"])
durations = st.sampled_from([0.0, 0.0, 1e-6, 0.016, 0.5, 7.0]) | st.floats(0.0, 1e4)
data = st.none() | st.text(max_size=5) | st.integers()


@st.composite
def chronicles(draw: st.DrawFn) -> Chronicle:
    """Machines whose visits follow each other, with or without a pause, from any time on."""
    machines = draw(st.lists(names, max_size=4, unique=True))
    begin = draw(durations)
    visits: list[StateVisit] = []
    events: list[SentEvent] = []
    errors: list[RaisedError] = []
    actions: list[ActionRun] = []
    times = [begin]
    for machine in machines:
        time = begin
        for state, stay, pause in draw(
            st.lists(st.tuples(names, durations, durations), max_size=8)
        ):
            event = draw(st.none() | names)
            visits.append(StateVisit(machine, state, time, time + stay, event, draw(names)))
            outcome = draw(st.sampled_from(OUTCOMES))
            sender = draw(st.sampled_from(["", *machines]))
            sent = SentEvent(machine, time, state, draw(names), draw(data), outcome, "", sender)
            events.append(sent)
            actions += draw(action_runs(machine, state, time, time + stay))
            time += stay
            if event is None:
                errors.append(RaisedError(machine, time, state, draw(st.text())))
                time += pause
        times.append(time)
    return Chronicle(machines, visits, events, errors, begin, max(times), actions)


@st.composite
def action_runs(
    draw: st.DrawFn, machine: str, state: str, start: float, end: float
) -> list[ActionRun]:
    """Actions in a visit, some within others, in any order."""
    paths = ["actions[0]", "actions[0].children[0]", "actions[0].children[1]", "actions[1]"]
    found: list[ActionRun] = []
    for path in draw(st.lists(st.sampled_from(paths), max_size=6)):
        one, other = sorted(draw(st.tuples(st.floats(0.0, 1.0), st.floats(0.0, 1.0))))
        span = start + one * (end - start), start + other * (end - start)
        how = draw(st.sampled_from(["finished", "failed", "exited"]))
        found.append(ActionRun(machine, state, f"{path} (Do)", *span, how))
    return found


@st.composite
def windows(draw: st.DrawFn) -> tuple[Chronicle, float | None, float | None]:
    """A chronicle and a part of it."""
    chronicle = draw(chronicles())
    shares = sorted(draw(st.tuples(st.floats(0.0, 1.0), st.floats(0.0, 1.0))))
    seconds = chronicle.end - chronicle.start
    start, end = (chronicle.start + share * seconds for share in shares)
    return draw(st.sampled_from([(chronicle, None, None), (chronicle, start, end)]))


@given(windows(), st.integers(0, 150))
def test_no_line_of_the_text_is_too_long_or_has_controls(
    case: tuple[Chronicle, float | None, float | None], columns: int
) -> None:
    chronicle, start, end = case
    lines = timeline_text(chronicle, width=columns, start=start, end=end).split("\n")
    assert all(width(line) <= max(40, columns) for line in lines)
    assert all(line.isprintable() for line in lines)


@given(windows(), st.integers(0, 2000), st.booleans())
def test_the_picture_is_sound_and_nothing_is_cut_off(
    case: tuple[Chronicle, float | None, float | None], pixels: int, dark: bool
) -> None:
    chronicle, start, end = case
    root = ET.fromstring(timeline_svg(chronicle, dark=dark, width=pixels, start=start, end=end))
    for rect in root.iter("{http://www.w3.org/2000/svg}rect"):
        x, y, breadth, height = (
            float(rect.get(name, "nan")) for name in ("x", "y", "width", "height")
        )
        assert 0.0 <= x <= x + breadth <= float(root.get("width", ""))
        assert 0.0 <= y <= y + height <= float(root.get("height", ""))


@given(windows(), st.sampled_from([1, 3]), st.integers(10, 1000))
def test_blocks_hold_every_slice_overlap_nowhere_and_keep_their_places(
    case: tuple[Chronicle, float | None, float | None], least: int, length: int
) -> None:
    chronicle, start, end = case
    window = Window.of(chronicle, start, end)

    def place(time: float) -> float:
        return (time - window.start) / (window.seconds or 1.0) * length

    for track in tracks_of(chronicle, window):
        blocks = blocks_of(track.slices, place, least)
        assert [piece for block in blocks for piece in block.slices] == track.slices
        assert all(one.end <= other.start for one, other in pairwise(blocks))
        assert all(block.end - block.start >= least * 0.999 for block in blocks)
        assert all(
            0.0 <= block.start - place(block.slices[0].start) <= least * 1.001 for block in blocks
        )


@given(chronicles())
def test_a_trace_keeps_all_rules_and_has_everything(chronicle: Chronicle) -> None:
    trace = trace_events(chronicle)
    assert broken_rules(trace) == []
    events = trace["traceEvents"]
    assert sum(event["ph"] == "i" for event in events) == len(chronicle.events) + len(
        chronicle.errors
    )
    kinds = [event["cat"] for event in events if event["ph"] == "X"]
    assert kinds.count("state") == len(chronicle.visits)
    assert kinds.count("action") == len(chronicle.action_runs)
