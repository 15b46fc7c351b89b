"""Suspended states in histories, recordings and timelines."""

from pathlib import Path
from typing import Any

import pytest

from actions import TimedWait
from fsmkit import BACK, FINISHED, Fsm
from fsmkit.recording import (
    History,
    Recording,
    StateVisit,
    replay,
    timeline_svg,
    timeline_text,
    trace_events,
)
from fsmkit.testing import drive


def interrupted() -> tuple[Fsm[Any], History]:
    fsm = Fsm("Knight", on_unhandled="ignore")
    fight, stunned, paused = map(fsm.add_state, ("Fight", "Stunned", "Paused"))
    fight.add_transition("HIT", stunned, suspend=True)
    stunned.add_transition("PAUSE", paused, suspend=True)
    paused.add_transition("PAUSE", BACK)
    stunned.add_action(TimedWait(1.0))
    stunned.add_transition(FINISHED, BACK)
    fight.add_transition("BLOCK", stunned, when=lambda: False)
    return fsm, History(fsm)


STORY = [1.0, "BLOCK", ("HIT", 7), 0.5, "PAUSE", 2.0, "PAUSE", 0.5, 1.0]
VISITS = [
    StateVisit("Knight", "Fight", 0.0, 1.0, None),
    StateVisit("Knight", "Stunned", 1.0, 1.5, "HIT", suspended=("Fight",)),
    StateVisit("Knight", "Paused", 1.5, 3.5, "PAUSE", suspended=("Fight", "Stunned")),
    StateVisit("Knight", "Stunned", 3.5, 4.0, "PAUSE", suspended=("Fight",), resumed=True),
    StateVisit(
        "Knight", "Fight", 4.0, None, FINISHED, "Stunned.actions[0] (TimedWait)", resumed=True
    ),
]


def test_suspended_states_are_kept_beside_the_visits() -> None:
    fsm, history = interrupted()
    fsm.start()
    drive(fsm, STORY)
    assert history.visits == VISITS
    assert [(sent.event, sent.outcome, sent.state) for sent in history.events] == [
        ("BLOCK", "refused", "Fight"), ("HIT", "changed", "Fight"), ("PAUSE", "changed", "Stunned"),
        ("PAUSE", "changed", "Paused"), (FINISHED, "changed", "Stunned"),
    ]  # fmt: skip
    assert (history.events[1].data, history.events[3].data) == (7, None)


def test_a_recording_has_the_same_visits() -> None:
    fsm, _ = interrupted()
    with Recording(fsm) as recording:
        fsm.start()
        drive(fsm, STORY)
    assert recording.chronicle().visits == VISITS
    assert recording.steps[3].told() == [
        "event HIT: changed", "suspend Fight", "enter Stunned",
    ]  # fmt: skip
    assert recording.steps[8].told() == [
        "event FINISHED: changed", "leave Stunned", "resume Fight",
    ]  # fmt: skip


@pytest.mark.parametrize("last", ["HIT", "PAUSE"])
def test_a_change_for_good_ends_what_is_suspended(last: str) -> None:
    fsm, history = interrupted()
    recording = Recording(fsm)
    fsm.add_state("Home")
    fsm.add_global_transition("HOME", "Home")
    fsm.start()
    drive(fsm, ["HIT", "PAUSE"] if last == "PAUSE" else ["HIT"])
    drive(fsm, ["HOME", 1.0, fsm.start, fsm.stop])
    for visits in (history.visits, recording.chronicle().visits):
        assert [(visit.state, visit.suspended, visit.end) for visit in visits[-2:]] == [
            ("Home", (), 1.0), ("Fight", (), 1.0),
        ]  # fmt: skip


def test_a_history_that_begins_later_knows_what_is_suspended() -> None:
    fsm, _ = interrupted()
    fsm.start()
    drive(fsm, STORY[:4])
    history = History(fsm)
    drive(fsm, STORY[4:])
    assert [(visit.state, visit.suspended) for visit in history.visits] == [
        ("Stunned", ("Fight",)), ("Paused", ("Fight", "Stunned")), ("Stunned", ("Fight",)),
        ("Fight", ()),
    ]  # fmt: skip


def test_a_recording_with_suspensions_and_refusals_is_replayed(tmp_path: Path) -> None:
    fsm, _ = interrupted()
    with Recording(fsm, tmp_path / "story.jsonl"):
        fsm.start()
        drive(fsm, STORY)
    comparison = replay(lambda: interrupted()[0], tmp_path / "story.jsonl")
    assert comparison, comparison
    assert comparison.steps == len(STORY) + 1
    assert Recording.load(tmp_path / "story.jsonl").chronicle().visits == VISITS


def other_guard() -> Fsm[Any]:
    fsm, _ = interrupted()
    fsm.states["Fight"].remove_transition("BLOCK")
    fsm.states["Fight"].add_transition("BLOCK", "Stunned", when=lambda: True)
    return fsm


def test_a_guard_that_answers_otherwise_is_a_difference() -> None:
    fsm, _ = interrupted()
    with Recording(fsm) as recording:
        fsm.start()
        drive(fsm, STORY)
    difference = replay(other_guard, recording).difference
    assert difference is not None
    assert difference.recorded.told() == ["event BLOCK: refused"]
    assert difference.replayed is not None
    assert difference.replayed.told() == ["event BLOCK: changed", "leave Fight", "enter Stunned"]


def played() -> History:
    fsm, history = interrupted()
    fsm.start()
    drive(fsm, STORY)
    return history


def test_the_timeline_has_a_line_for_what_is_suspended() -> None:
    assert timeline_text(played().chronicle(), width=70).splitlines() == [
        "        0 s         1 s         2 s          3 s         4 s       5 s",
        "        ┴───────────┴───────────┴────────────┴───────────┴───────────┴",
        "Knight  ░░ Fight ░░░▓▓▓▓▓▓▒▒▒▒▒▒▒▒ Paused ▒▒▒▒▒▒▒▒▒▓▓▓▓▓▓░░ Fight ░░░",
        "                    ┄┄┄┄┄┄┄┄┄┄ Fight, Stunned ┄┄┄┄┄┄┄┄┄┄┄",
        "                    /BLOCK                         ╵PAUSE",
        "",
        "▓ Stunned   ┄ suspended",
        "",
        "  time  machine  from                 event     to                 se…",
        "0.00 s  Knight                        (start)   Fight",
        "1.00 s  Knight   Fight                BLOCK     (refused)",
        "1.00 s  Knight   Fight (suspended)    HIT       Stunned",
        "1.50 s  Knight   Stunned (suspended)  PAUSE     Paused",
        "3.50 s  Knight   Paused               PAUSE     Stunned (resumed)",
        "4.00 s  Knight   Stunned              FINISHED  Fight (resumed)    St…",
    ]


def test_the_picture_hatches_what_is_suspended() -> None:
    svg = timeline_svg(played().chronicle())
    assert svg.count('class="hatch"') == 4
    assert "Hatched: the state is suspended." in svg
    assert "Fight, Stunned suspended meanwhile" in svg
    assert "resumed after PAUSE" in svg
    assert 'class="event refused"' in svg


def test_a_picture_without_any_has_no_style_for_it() -> None:
    fsm, history = interrupted()
    fsm.start()
    fsm.update(1.0)
    svg = timeline_svg(history.chronicle())
    assert "hatch" not in svg.lower()
    assert "refused" not in svg


def test_a_trace_says_what_is_suspended() -> None:
    slices = [e for e in trace_events(played().chronicle())["traceEvents"] if e["ph"] == "X"]
    assert [each["args"] for each in slices[2:4]] == [
        {"event": "PAUSE", "suspended": "Fight, Stunned"},
        {"event": "PAUSE", "suspended": "Fight", "resumed": "yes"},
    ]
