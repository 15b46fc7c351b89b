"""Two recordings side by side: where they differ, and in what."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from actions import TimedWait
from fsmkit import FINISHED, Fsm
from fsmkit.inspector.playback.chronicle_view import ChronicleView
from fsmkit.inspector.playback.one_run import OneRun
from fsmkit.inspector.playback.two_runs import TwoRuns, differences_of
from fsmkit.recording import Recording


def lamp(seconds: float = 10.0) -> Fsm[None]:
    fsm = Fsm[None]("Lamp", on_unhandled="ignore")
    off, on = fsm.add_state("Off"), fsm.add_state("On")
    off.add_transition("PRESS", on)
    on.add_action(TimedWait(seconds))
    on.add_transition("PRESS", off)
    on.add_transition(FINISHED, off)
    return fsm


def run(
    presses: Sequence[int], *, dt: float = 0.25, updates: int = 40, machine: Any = None
) -> Recording:
    """Record a lamp that is pressed after these numbers of updates."""
    fsm = machine or lamp()
    with Recording(fsm) as recording:
        fsm.start()
        for number in range(updates):
            fsm.update(dt)
            for _ in range(presses.count(number)):
                fsm.send_event("PRESS")
    return recording


def compared(first: Recording, second: Recording) -> list[tuple[float, str, int, int]]:
    found = differences_of(ChronicleView(first), ChronicleView(second))
    return [(each.time, each.note, len(each.first), len(each.second)) for each in found]


def test_equal_recordings_are_alike() -> None:
    one, other = run([3, 9]), run([3, 9])
    assert compared(one, other) == []
    both = TwoRuns(*(OneRun(each) for each in (one, other)))
    assert both.about.startswith("The two recordings are alike")


def test_what_happened_in_one_run_only_is_a_difference_and_what_follows_is_alike() -> None:
    found = compared(run([3, 9, 20, 30]), run([3, 9, 14, 15, 20, 30]))
    assert found == [(3.75, "Only in the second run", 0, 8)]


def test_what_happened_later_is_a_difference_once() -> None:
    found = compared(run([3, 10]), run([3, 12]))
    assert found == [(2.75, "Earlier in the first run by 0.500 s", 1, 1)]


def test_loops_of_other_rates_are_compared_by_what_happened() -> None:
    assert compared(run([3, 9]), run([7, 19], dt=0.125, updates=80)) == []


def test_the_first_value_that_differs_is_found() -> None:
    found = compared(run([3]), run([3], machine=lamp(9.0)))
    assert found[0] == (1.0, "Its actions have, or remember, other values", 1, 1)


def test_the_values_that_differ_at_a_moment_are_listed() -> None:
    one, other = run([3]), run([3, 8])
    first, second = (OneRun(each, build=lamp) for each in (one, other))
    both = TwoRuns(first, second)
    assert both.opening == ("Lamp", 2.25)
    both.advance(2.0, inf)
    assert both.detail("Lamp")["differs"] == []
    both.advance(2.25, inf)
    detail = both.detail("Lamp")
    assert detail["differs"][:2] == [
        ["state", "On", "Off"], ["time in state", "1.250 s", "0.000 s"],
    ]  # fmt: skip
    assert detail["lit"] == ["Lamp__On"]
    assert detail["others"] == ["Lamp__Off"]


def test_the_log_has_the_entries_of_both_in_the_order_of_time() -> None:
    both = TwoRuns(*(OneRun(each) for each in (run([3]), run([4]))))
    entries = both.entries("Lamp", 0, 100)
    assert [entry["seq"] for entry in entries] == list(range(len(entries)))
    assert [(entry["time"], entry["side"], entry["kind"]) for entry in entries] == [
        (0.0, "A", "enter"), (0.0, "B", "enter"),
        (1.0, "A", "event"), (1.0, "A", "leave"), (1.0, "A", "enter"),
        (1.25, "B", "event"), (1.25, "B", "leave"), (1.25, "B", "enter"),
    ]  # fmt: skip
    assert both.entries("Lamp", 3, 2) == entries[3:5]


def test_machines_that_only_one_recording_has_are_shown() -> None:
    other = Fsm[None]("Fan")
    other.add_state("Still")
    with Recording(other) as recording:
        other.start()
    both = TwoRuns(*(OneRun(each) for each in (run([3]), recording)))
    both.advance(inf, inf)
    assert dict(both.states()) == {"Lamp": "On", "Fan": "Still"}
    assert both.detail("Fan")["differs"][0] == ["state", "–", "Still"]


presses = some.lists(some.integers(0, 39), max_size=8)


@pytest.mark.slow
@settings(max_examples=50, deadline=None)
@given(presses, presses)
def test_there_is_a_difference_if_and_only_if_the_runs_differ(
    one: list[int], other: list[int]
) -> None:
    first, second = run(one), run(other)
    found = compared(first, second)
    assert bool(found) == (sorted(one) != sorted(other))
    times = [time for time, *_ in found]
    assert times == sorted(times)
    if found:
        differing = min(set(one) ^ set(other), default=None)
        odd = [n for n in range(40) if one.count(n) != other.count(n)]
        assert differing is None or times[0] <= (differing + 1) * 0.25
        assert times[0] == (odd[0] + 1) * 0.25
