"""Groups of states in pictures: a frame with one arrow, or a tag."""

import re
from typing import Any

import pytest

from fsmkit import BACK, Fsm
from fsmkit.checking import check
from fsmkit.diagram import to_dot, to_mermaid, to_text
from fsmkit.recording import History


def is_fatal() -> bool:
    return True


def guard() -> Fsm[Any]:
    fsm = Fsm("Guard")
    patrol, chase, rest, dead = map(fsm.add_state, ("Patrol", "Chase", "Rest", "Dead"))
    patrol.add_transition("SEEN", chase)
    chase.add_transition("LOST", rest)
    alive = fsm.add_group("Alive", patrol, chase, rest)
    alive.add_transition("SHOT", dead, when=is_fatal)
    alive.add_transition("ALARM", chase)
    armed = fsm.add_group("Armed", patrol, chase)
    armed.add_transition("HIT", rest, suspend=True)
    rest.add_transition("UP", BACK)
    return fsm


def test_the_text_names_the_states_of_a_group() -> None:
    assert to_text(guard()).splitlines() == [
        "Guard",
        "├─○ Patrol  (start)",
        "│   │ also in Armed",
        "│   └─ SEEN ─→ Chase",
        "├─○ Chase",
        "│   │ also in Armed",
        "│   └─ LOST ─→ Rest",
        "├─○ Rest",
        "│   └─ UP ─→ (back)",
        "├─○ Dead",
        "├─ any of Alive: Patrol, Chase, Rest",
        "│   ├─ SHOT [is_fatal] ─→ Dead",
        "│   └─ ALARM ───────────→ Chase",
        "└─ any of Armed: Patrol, Chase",
        "    └─ HIT (suspends) ─→ Rest",
    ]


def test_a_frame_has_one_arrow_and_those_that_lead_into_it_come_from_a_tag() -> None:
    dot = to_dot(guard())
    frame = re.search(r"subgraph cluster_Guard__Alive \{(.*?)\n  \}", dot, re.DOTALL)
    assert frame is not None
    inside = [name for name in guard().states if f"<b>{name}</b>" in frame[1]]
    assert inside == ["Patrol", "Chase", "Rest"]
    assert "any of Alive" in frame[1]
    assert "subgraph cluster_Guard__Armed" not in dot
    ends = re.findall(r'"(\w+)" -> "(\w+)" \[id="(cluster[^"]*)"', dot)
    assert ends == [
        ("Guard__Rest", "Guard__Dead", "cluster_Guard__Alive--Guard__Dead"),
        ("cluster_Guard__Alive___any", "Guard__Chase", "cluster_Guard__Alive--Guard__Chase"),
        ("cluster_Guard__Armed___any", "Guard__Rest", "cluster_Guard__Armed--Guard__Rest"),
    ]
    assert dot.count('ltail="cluster_Guard__Alive"') == 1


def test_a_group_in_mermaid_is_a_composite_state() -> None:
    lines = [line.strip() for line in to_mermaid(guard()).splitlines()]
    start = lines.index('state "Alive" as cluster_Guard__Alive {')
    assert lines[start + 1 : lines.index("}")] == [
        'state "Patrol" as Guard__Patrol',
        "Guard__Patrol : also in Armed",
        'state "Chase" as Guard__Chase',
        "Guard__Chase : also in Armed",
        'state "Rest" as Guard__Rest',
    ]
    assert [line for line in lines if "cluster" in line and "-->" in line] == [
        "cluster_Guard__Alive --> Guard__Dead : SHOT #91;is_fatal#93;",
        "cluster_Guard__Alive___any --> Guard__Chase : ALARM",
        "cluster_Guard__Armed___any --> Guard__Rest : HIT #40;suspends#41;",
    ]


def test_a_part_of_a_picture_has_the_groups_of_its_states() -> None:
    fsm = guard()
    fsm.groups["Alive"].remove("Patrol")
    assert to_text(fsm, around="Dead").splitlines()[:3] == [
        "Guard", "Around Dead: 3 of 4 states", "├─○ Chase",
    ]  # fmt: skip
    assert "any of Alive: Chase, Rest" in to_text(fsm, around="Dead")
    assert "any of Armed: Chase" in to_text(fsm, around="Dead")


def test_findings_about_groups_stand_at_their_arrows() -> None:
    fsm = guard()
    fsm.groups["Alive"].add_transition("FALL", "Dead", when=lambda: False)
    text = to_text(fsm, findings=check(fsm))
    assert [line for line in text.splitlines() if "constant-guard" in line and "FALL" in line]


def test_what_was_taken_by_a_group_counts_for_its_arrow() -> None:
    fsm = guard()
    history = History(fsm)
    for state in ("Patrol", "Chase"):
        fsm.start(state)
        fsm.send_event("SHOT")
    text = to_text(fsm, recordings=history)
    assert "SHOT [is_fatal] ×2" in text
    assert "ALARM ×0" in text


def test_machines_whose_groups_differ_are_drawn_apart() -> None:
    from fsmkit import FsmGroup

    one, other = guard(), guard()
    assert to_text(FsmGroup([one, other])).count("any of Alive") == 1
    other.groups["Alive"].remove("Rest")
    assert to_text(FsmGroup([one, other])).count("any of Alive") == 2


@pytest.mark.slow
def test_a_png_of_a_frame_can_be_drawn() -> None:
    from fsmkit.diagram import to_png

    assert to_png(guard())[1:4] == b"PNG"
