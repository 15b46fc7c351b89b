"""Guards, effects, the order of asking, suspension and BACK, as pictures show them."""

from collections.abc import Callable
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actions import TimedWait
from fsmkit import BACK, FINISHED, Fsm, FsmGroup
from fsmkit.diagram import to_dot, to_mermaid, to_svg, to_text
from fsmkit.diagram.graph import EdgeLabel, any_state_id, back_id, edge_id, state_id
from fsmkit.diagram.model_reader import read
from fsmkit.diagram.wording import function_text, label_line, label_lines

SVG = "{http://www.w3.org/2000/svg}"


needs_graphviz = pytest.mark.usefixtures("graphviz")


def is_armoured() -> bool:
    return True


def bounce() -> None:
    pass


def knight() -> Fsm[Any]:
    """Idle may be stunned or die when it is hit; every state but Menu can be paused."""
    fsm = Fsm("Knight", context={"health": 3})
    idle, stunned, menu, dead = map(fsm.add_state, ("Idle", "Stunned", "Menu", "Dead"))
    dead.final = True
    idle.add_transition("HIT", stunned, when=is_armoured, do=bounce, suspend=True)
    idle.add_transition("REST", idle)
    idle.add_transition("HIT", idle, when=lambda state: state.context["health"] > 1)
    idle.add_transition("HIT", dead)
    stunned.add_action(TimedWait(1.0))
    stunned.add_transition(FINISHED, BACK)
    menu.add_transition("RESUME", BACK)
    menu.add_transition("QUIT", dead, do=bounce)
    fsm.add_global_transition("PAUSE", menu, suspend=True)
    return fsm


def classes(svg: str) -> dict[str, str]:
    groups = ElementTree.fromstring(svg).iter(f"{SVG}g")
    return {group.attrib["id"]: group.attrib["class"] for group in groups if "id" in group.attrib}


# As text


def test_a_line_says_all_about_a_transition_and_those_of_an_event_stand_in_their_order() -> None:
    assert to_text(knight()).splitlines() == [
        "Knight",
        "├─○ Idle  (start)",
        "│   ├─ 1. HIT [is_armoured] / bounce (suspends) ─→ Stunned",
        '│   ├─ 2. HIT [state.context["health"] > 1] ─────→ Idle',
        "│   ├─ 3. HIT ───────────────────────────────────→ Dead",
        "│   └─ REST ─────────────────────────────────────→ Idle",
        "├─○ Stunned",
        "│   └─ FINISHED ─→ (back)",
        "├─○ Menu",
        "│   ├─ RESUME ────────→ (back)",
        "│   └─ QUIT / bounce ─→ Dead",
        "├─○ Dead  (final)",
        "└─ any state",
        "    └─ PAUSE (suspends) ─→ Menu",
    ]


def test_states_that_wait_to_be_resumed_are_marked() -> None:
    fsm = knight()
    fsm.start()
    fsm.send_event("HIT")
    fsm.send_event("PAUSE")
    assert [node.marks for node in read(fsm)[0].nodes] == [
        ("start", "suspended"), ("suspended",), ("current",), ("final",)
    ]  # fmt: skip
    lines = [line for line in to_text(fsm).splitlines() if line[2] in "○◐●"]
    assert lines == [
        "├─◐ Idle  (start, suspended)",
        "├─◐ Stunned  (suspended)",
        "├─● Menu  (current)",
        "├─○ Dead  (final)",
    ]


def test_a_group_shows_how_many_are_suspended() -> None:
    group = FsmGroup(knight() for _ in range(3))
    for number, fsm in enumerate(group):
        fsm.start()
        if number:
            fsm.send_event("HIT")
    (cluster,) = read(group)
    assert [(node.name, node.occupants, node.suspended, node.notes) for node in cluster.nodes] == [
        ("Idle", 1, 2, ("1 of 3", "2 suspended")),
        ("Stunned", 2, 0, ("2 of 3",)),
        ("Menu", 0, 0, ()),
        ("Dead", 0, 0, ()),
    ]


def test_machines_whose_guards_differ_are_drawn_apart() -> None:
    def door(guard: Callable[..., object] | None) -> Fsm[Any]:
        fsm = Fsm("Door")
        fsm.add_state("Closed").add_transition("PUSH", fsm.add_state("Open"), when=guard)
        return fsm

    doors = FsmGroup([door(None), door(is_armoured), door(is_armoured)])
    assert [cluster.title for cluster in read(doors)] == ["Door", "Door ×2"]


# Their wording


def test_a_function_is_shown_by_its_name_and_a_lambda_by_what_it_returns() -> None:
    assert function_text(is_armoured) == "is_armoured"
    assert function_text(lambda: 1 + 1) == "1 + 1"
    assert (
        function_text(lambda state, data: data["x"] > {"a": 1}["a"]) == 'data["x"] > {"a": 1}["a"]'
    )
    assert function_text("".join) == "join"
    assert function_text(eval("lambda: 3")) == "<lambda>"


def test_long_names_are_wrapped_after_their_words() -> None:
    label = EdgeLabel("PLAYER_SEEN_BY_ANY_OF_THEM", guard="is_close_enough_and_not_blinded")
    assert list(label_lines(label)) == [
        ("PLAYER_SEEN_BY_ANY_OF_THEM", ""),
        ("", "[is_close_enough_and_"),
        ("", "not_blinded]"),
    ]


def test_long_functions_are_shortened_and_long_labels_wrapped() -> None:
    label = EdgeLabel("HIT", place=2, guard="a" * 60, effect="bounce", suspends=True)
    assert list(label_lines(label)) == [
        ("2. HIT", ""),
        ("", f"[{'a' * 23}"),
        ("", "a" * 24),
        ("", f"{'a' * 13}] / bounce"),
        ("", "(suspends)"),
    ]
    assert label_line(label) == f"2. HIT [{'a' * 39}…] / bounce (suspends)"
    assert label_line(label, 60) == f"2. HIT [{'a' * 60}] / bounce (suspends)"
    assert list(label_lines(EdgeLabel("A\nB", place=1, guard="g"))) == [("1. A", ""), ("B", " [g]")]


def test_what_cannot_be_printed_is_escaped() -> None:
    def odd() -> bool:
        return True

    odd.__qualname__ = "two\nlines"
    assert function_text(odd) == r"two\nlines"


# As Mermaid


def test_mermaid_has_the_same_labels_and_nodes() -> None:
    fsm = knight()
    fsm.start()
    fsm.send_event("HIT")
    back = back_id("Knight")
    lines = [line.strip() for line in to_mermaid(fsm).splitlines()]
    assert f'state "back" as {back}' in lines
    armoured = "1#46; HIT #91;is_armoured#93; #47; bounce<br/>#40;suspends#41;"
    healthy = "2#46; HIT<br/>#91;state.context#91;#34;health#34;#93; #62; 1#93;"
    assert [line for line in lines if " --> " in line and " : " in line] == [
        f"Knight__Idle --> Knight__Stunned : {armoured}",
        f"Knight__Idle --> Knight__Idle : {healthy}<br/>REST",
        "Knight__Idle --> Knight__Dead : 3#46; HIT",
        f"Knight__Stunned --> {back} : FINISHED",
        f"Knight__Menu --> {back} : RESUME",
        "Knight__Menu --> Knight__Dead : QUIT #47; bounce",
        "Knight__ --> Knight__Menu : PAUSE #40;suspends#41;",
    ]
    assert lines[-6:] == [
        "classDef current fill:#e3edff,stroke:#2563eb,stroke-width:3px,color:#16202c",
        "class Knight__Stunned current",
        "classDef suspended stroke:#2563eb,stroke-width:2px,stroke-dasharray:5 3",
        "class Knight__Idle suspended",
        "classDef any fill:none,stroke-dasharray:4 3,font-style:italic",
        f"class Knight__,{back} any",
    ]


# As SVG


@needs_graphviz
def test_every_part_says_what_it_is() -> None:
    fsm = knight()
    fsm.start()
    fsm.send_event("HIT")
    idle, stunned, menu, dead = (
        state_id("Knight", name) for name in ("Idle", "Stunned", "Menu", "Dead")
    )
    back, any_state = back_id("Knight"), any_state_id("Knight")
    found = classes(to_svg(fsm))
    assert {id_: kinds for id_, kinds in found.items() if "beginning" not in kinds} == {
        "cluster_Knight": "graph machine",
        idle: "node state start suspended",
        stunned: "node state current",
        menu: "node state",
        dead: "node state final",
        back: "node back",
        any_state: "node any-state",
        edge_id(idle, stunned): "edge transition suspends",
        edge_id(idle, idle): "edge transition",
        edge_id(idle, dead): "edge transition",
        edge_id(stunned, back): "edge transition",
        edge_id(menu, back): "edge transition",
        edge_id(menu, dead): "edge transition",
        edge_id(any_state, menu): "edge transition global suspends",
    }


@needs_graphviz
def test_a_tooltip_says_it_in_full() -> None:
    fsm = Fsm("Door")
    closed, opened = fsm.add_state("Closed"), fsm.add_state("Open")
    closed.add_transition(
        "PUSH", opened, when=lambda: is_armoured() and not bounce() and len("chair")
    )
    opened.add_transition("SLAM", BACK)
    found = (title.text or "" for title in ElementTree.fromstring(to_svg(fsm)).iter(f"{SVG}title"))
    titles = {title.partition("\n")[0] for title in found}
    assert {
        'Closed → Open: PUSH [is_armoured() and not bounce() and len("chair")]',
        "Open → back: SLAM",
    } <= titles


def test_only_an_edge_that_always_suspends_is_drawn_so() -> None:
    fsm = Fsm("Game")
    play, menu = fsm.add_state("Play"), fsm.add_state("Menu")
    play.add_transition("PAUSE", menu, suspend=True)
    play.add_transition("QUIT", menu)
    (edge,) = (edge for edge in read(fsm)[0].edges if edge.source == "Game__Play")
    assert [label.suspends for label in edge.labels] == [True, False]
    assert not edge.suspends
    assert "arrowtail" not in to_dot(fsm)


def test_the_node_for_back_is_not_a_state_whatever_its_name() -> None:
    fsm = Fsm("Game")
    for name in ("back", "_back", "BACK", "(back)", "-"):
        fsm.add_state(name).add_transition("GO", BACK)
    assert back_id("Game") not in {node.id for node in read(fsm)[0].nodes}
    assert [edge.target for edge in read(fsm)[0].edges] == [back_id("Game")] * 5


@pytest.mark.slow
@given(st.text(min_size=1))
def test_no_state_has_the_id_of_the_node_for_back(name: str) -> None:
    assert state_id("Game", name) != back_id("Game")
