"""What recordings tell, in pictures: how long, how often, and by whom."""

import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from actions import DelegateAction, RunFsm, SendEventWhen, TimedWait
from fsmkit import BACK, FINISHED, Fsm, FsmGroup
from fsmkit.diagram import to_dot, to_mermaid, to_svg, to_text
from fsmkit.diagram.picture_options import View
from fsmkit.recording import History, Recording, StateName, Usage, Way, usage_of
from fsmkit.testing import drive

SVG = "{http://www.w3.org/2000/svg}"


needs_graphviz = pytest.mark.usefixtures("graphviz")


def guard(name: str = "Guard") -> Fsm[Any]:
    fsm = Fsm(name, on_unhandled="ignore")
    patrol, rest, alarm = map(fsm.add_state, ("Patrol", "Rest", "Alarm"))
    patrol.add_action(TimedWait(1.0))
    patrol.add_action(SendEventWhen(lambda state: state.fsm.time > 100.0, "OLD"))
    patrol.add_transition("OLD", rest)
    rest.add_action(TimedWait(3.0))
    rest.add_transition(FINISHED, patrol)
    patrol.add_transition("TIRED", rest)
    patrol.add_transition("NOISE", alarm, when=lambda: False)
    fsm.add_global_transition("BELL", alarm, suspend=True)
    alarm.add_transition("CALM", BACK)
    fsm.add_state("Dead", final=True)
    return fsm


STORY = [1.0, "NOISE", "NOISE", "TIRED", 1.0, "BELL", 2.0, "CALM", 2.0, "TIRED", 1.0]
"""Patrol 1 s, Rest 1 s, Alarm 2 s, Rest 2 s more, Rest again 1 s."""


def told(fsm: Fsm[Any]) -> History:
    history = History(fsm)
    fsm.start()
    drive(fsm, STORY)
    return history


def test_text_says_how_long_and_how_often() -> None:
    fsm = guard()
    assert to_text(fsm, recordings=told(fsm), senders=True).splitlines() == [
        "Guard",
        "A run of 7.0 s: thick arrows were taken often, grey ones never",
        "» sent from outside, · sent by an action",
        "├─○ Patrol  (start)",
        "│   │ 14 %  ·  1.0 s  ·  2×",
        "│   ├─ · OLD ×0, » TIRED ×2 ─→ Rest",
        "│   └─ » NOISE [False] ×0 ───→ Alarm",
        "├─● Rest  (current)",
        "│   │ 57 %  ·  4.0 s  ·  2×",
        "│   └─ FINISHED ×1 ─→ Patrol",
        "├─○ Alarm",
        "│   │ 29 %  ·  2.0 s  ·  1×",
        "│   └─ » CALM ×1 ─→ (back)",
        "├─○ Dead  (final)",
        "│     never entered",
        "└─ any state",
        "    └─ » BELL (suspends) ×1 ─→ Alarm",
    ]


def test_mermaid_says_it_too() -> None:
    fsm = guard()
    lines = to_mermaid(fsm, recordings=told(fsm), direction="LR").splitlines()
    assert lines[1] == "    direction LR"
    assert "    Guard__Dead : never entered" in lines
    assert "    Guard__Rest --> Guard__Patrol : FINISHED ×1" in lines


def test_a_thick_arrow_was_taken_often_and_a_grey_one_never() -> None:
    def way(event: str, target: str, count: int) -> dict[Way, int]:
        return {Way("Guard", "Patrol" if target != "Patrol" else "Rest", event, target): count}

    usage = Usage(taken=way("TIRED", "Rest", 100) | way(FINISHED, "Patrol", 10))
    lines = {
        line.split(" [")[0].strip(): line for line in to_dot(guard(), recordings=usage).splitlines()
    }
    often, seldom, never = (
        lines[f'"Guard__{arrow}"']
        for arrow in (
            'Patrol" -> "Guard__Rest', 'Rest" -> "Guard__Patrol', 'Patrol" -> "Guard__Alarm'
        )
    )  # fmt: skip
    assert 'class="transition" penwidth="4.1"' in often
    assert 'class="transition" penwidth="2.8"' in seldom
    assert re.search('class="transition never" color="#......"', never)
    assert "×100" in often
    assert "×" not in never


def test_one_that_was_taken_once_is_as_thick_as_without_recordings() -> None:
    usage = Usage(taken={Way("Guard", "Patrol", "TIRED", "Rest"): 1})
    assert 'penwidth="1.3" label' in to_dot(guard(), recordings=usage)


@needs_graphviz
def test_tooltips_say_by_whom_and_how_often_in_vain() -> None:
    fsm = guard()
    svg = to_svg(fsm, recordings=told(fsm))
    titles = {title.text for title in ElementTree.fromstring(svg).iter(f"{SVG}title")}
    assert {
        "Patrol\n14 %  ·  1.0 s  ·  2×",
        (
            "Patrol → Rest: OLD, TIRED\nOLD: taken never, sent by SendEventWhen\n"
            "TIRED: taken twice, sent twice by code outside"
        ),
        "Patrol → Alarm: NOISE [False]\nNOISE: taken never, refused twice, sent from outside",
        "Rest → Patrol: FINISHED\nFINISHED: taken once, sent once by Rest.actions[0] (TimedWait)",
    } <= titles


@pytest.mark.slow
def test_anything_recorded_counts_and_several_are_summed(tmp_path: Path) -> None:
    fsm = guard()
    history, path = History(fsm), tmp_path / "run.jsonl"
    with Recording(fsm, path) as recording:
        fsm.start()
        drive(fsm, STORY)
    chronicle = history.chronicle()
    usage = usage_of(chronicle)
    for one in (history, recording, chronicle, usage, path, str(path)):
        assert to_text(fsm, recordings=one) == to_text(fsm, recordings=usage)
        assert to_text(fsm, recordings=[one, one]) == to_text(fsm, recordings=usage + usage)
    assert "2 runs of 14 s" in to_text(fsm, recordings=[path, history])
    assert "·  4×" in to_text(fsm, recordings=[path, history])


def test_without_times_only_the_entries_are_shown() -> None:
    usage = Usage(entered={StateName("Guard", "Patrol"): 3})
    notes = [line.strip("│ ") for line in to_text(guard(), recordings=usage).splitlines()]
    assert notes.count("3×") == 1
    assert notes.count("never entered") == 3
    assert to_text(guard(), recordings=usage).splitlines()[1] == "grey arrows were never taken"


def test_of_two_guards_to_one_state_the_arrow_has_the_sum() -> None:
    fsm = Fsm("Door")
    shut, opened = fsm.add_state("Shut"), fsm.add_state("Open")
    shut.add_transition("PUSH", opened, when=lambda: True)
    shut.add_transition("PUSH", opened)
    usage = Usage(taken={Way("Door", "Shut", "PUSH", "Open"): 5})
    (cluster,) = View(recordings=usage).graph(fsm)
    assert [edge.taken for edge in cluster.edges] == [5]


def test_an_own_transition_counts_before_a_global_one() -> None:
    fsm = Fsm("Door")
    shut, opened = fsm.add_state("Shut"), fsm.add_state("Open")
    shut.add_transition("PUSH", opened)
    fsm.add_global_transition("PUSH", opened)
    locked = fsm.add_state("Locked")
    taken = {Way("Door", source, "PUSH", "Open"): 2 for source in ("Shut", "Locked", "Open")}
    (cluster,) = View(recordings=Usage(taken=taken)).graph(fsm)
    assert [edge.taken for edge in cluster.all_edges] == [2, 4]
    assert locked.name == "Locked"


def test_namesakes_and_machines_of_one_shape_are_summed() -> None:
    group = FsmGroup([guard(), guard(), guard("Ann")])
    history = History(group)
    for fsm in group:
        fsm.start()
    group.update(1.0)
    assert "3×" in to_text(group, recordings=history)
    assert "2×" in to_text(guard(), recordings=history)  # Guard and Guard #2
    outer = Fsm("Outer")
    outer.add_state("Run").add_action(RunFsm(guard()))
    inner = told(outer)
    assert "100 %  ·  7.0 s  ·  1×" in to_text(outer, recordings=inner)


def test_an_event_that_a_recording_has_seen_an_action_send_is_not_from_outside() -> None:
    hidden = {"send": lambda state: getattr(state.fsm, "send" + "_event")("TIRED")}
    fsm = guard()
    fsm.states["Patrol"].add_action(DelegateAction(on_enter=hidden["send"]))
    assert "» TIRED" in to_text(fsm, senders=True)
    history = History(fsm)
    fsm.start()
    assert "· TIRED ×1" in to_text(fsm, recordings=history, senders=True)


@pytest.mark.parametrize("recordings", [7, [7], guard()])
def test_what_is_not_a_recording_is_refused(recordings: Any) -> None:
    with pytest.raises(TypeError, match="recordings must be recordings, histories, chronicles,"):
        to_text(guard(), recordings=recordings)


def test_recordings_of_other_machines_are_refused() -> None:
    wolf = guard("Wolf")
    with pytest.raises(ValueError, match="in the picture: 'Wolf'. The machines .* are: 'Guard'"):
        to_text(guard(), recordings=told(wolf))
