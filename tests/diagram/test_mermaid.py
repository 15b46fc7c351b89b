"""Mermaid: a text that Mermaid 11 draws; which names it gets right was seen in a browser."""

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actions import RunFsm, Sequence, TimedWait
from fsmkit import FINISHED, Fsm, FsmGroup
from fsmkit.diagram import to_mermaid

LINE = re.compile(
    r'state "[^"{}]*" as \w+( \{)?'
    r"|(\w+|\[\*\]) --> (\w+|\[\*\])( : [^:{}\"]+)?"
    r"|(note right of )?\w+ : [^:{}\"]+"
    r"|class(Def)? .*|accTitle: [^:{}\"]+|\}|stateDiagram-v2"
)
"""The possible lines. No name gets beyond its place in one."""


def guard() -> Fsm[Any]:
    fsm = Fsm("Guard")
    patrol, chase, dead = (
        fsm.add_state("Patrol"),
        fsm.add_state("Chase"),
        fsm.add_state("Dead", final=True),
    )
    patrol.add_action(Sequence(TimedWait(1.0), TimedWait(2.0)))
    patrol.add_transition("SEEN", chase)
    patrol.add_transition("HEARD", chase)
    chase.add_transition("LOST", patrol)
    fsm.add_global_transition("KILLED", dead)
    return fsm


def test_a_machine_in_mermaid() -> None:
    fsm = guard()
    fsm.start("Chase")
    assert (
        to_mermaid(fsm)
        == """\
stateDiagram-v2
    accTitle: Guard
    state "Patrol" as Guard__Patrol
    state "Chase" as Guard__Chase
    state "Dead" as Guard__Dead
    state "any state" as Guard__
    [*] --> Guard__Patrol
    Guard__Patrol --> Guard__Chase : SEEN<br/>HEARD
    Guard__Chase --> Guard__Patrol : LOST
    Guard__Dead --> [*]
    Guard__ --> Guard__Dead : KILLED
    classDef current fill:#e3edff,stroke:#2563eb,stroke-width:3px,color:#16202c
    class Guard__Chase current
    classDef any fill:none,stroke-dasharray:4 3,font-style:italic
    class Guard__ any
"""
    )


def test_actions_stand_below_the_name() -> None:
    told = [
        line.strip() for line in to_mermaid(guard(), actions=True).splitlines() if " : " in line
    ]
    assert told[:3] == [
        "Guard__Patrol : Sequence",
        "Guard__Patrol : \u00a0\u00a0\u00a0TimedWait  duration#61;1.0",
        "Guard__Patrol : \u00a0\u00a0\u00a0TimedWait  duration#61;2.0",
    ]


def test_an_inner_machine_is_inside_its_state_and_actions_beside_it() -> None:
    outer = Fsm("Outer")
    outer.add_state("Run").add_action(RunFsm(guard()))
    lines = to_mermaid(outer, actions=True).splitlines()
    assert lines[2:4] == [
        '    state "Run" as Outer__Run {',
        '        state "Guard" as cluster_Outer_2f_Guard {',
    ]
    assert "    note right of Outer__Run : RunFsm  machine#61;Guard" in lines


def test_a_machine_that_is_drawn_elsewhere_is_named() -> None:
    outer, inner = Fsm("Outer"), guard()
    for name in ("Run", "Again"):
        outer.add_state(name).add_action(RunFsm(inner))
    assert (
        '        state "Guard #40;see there#41;" as Outer__Again__cluster_Outer_2f_Guard'
        in to_mermaid(outer).splitlines()
    )


def test_each_shape_of_a_group_is_a_frame() -> None:
    lines = to_mermaid(FsmGroup([guard(), guard(), Fsm("Empty")])).splitlines()
    assert lines[:3] == [
        "stateDiagram-v2",
        "    accTitle: Guard ×2, Empty",
        '    state "Guard ×2" as cluster_Guard {',
    ]
    assert '        state "no states" as cluster_Empty_empty' in lines


def test_characters_with_a_meaning_are_written_as_their_codes() -> None:
    fsm = Fsm("Guard")
    fsm.add_state('a "b" <c>').add_transition("x;y:#1\nend", fsm.add_state("巡逻 😀"))
    lines = [line.strip() for line in to_mermaid(fsm).splitlines()]
    first = "Guard__a_20__22_b_22__20__3c_c_3e_"
    second = "Guard___5de1__903b__20__1f600_"
    assert lines[2:] == [
        f'state "a #34;b#34; #60;c#62;" as {first}',
        f'state "巡逻 😀" as {second}',
        f"[*] --> {first}",
        f"{first} --> {second} : x#59;y#58;#35;1<br/>end",
    ]


@pytest.mark.slow
@given(st.lists(st.text(min_size=1), min_size=1, max_size=5, unique=True))
def test_whatever_the_names_every_line_is_what_it_should_be(names: list[str]) -> None:
    fsm = Fsm(names[0])
    for name in names:
        fsm.add_state(name, final=True).add_transition(name, names[0])
    inner = Fsm(names[-1])
    inner.add_state(names[-1])
    fsm.states[names[0]].add_action(RunFsm(inner, finish_event=FINISHED))
    fsm.start()
    lines = to_mermaid(fsm, actions=True).splitlines()
    assert [line for line in lines if not LINE.fullmatch(line.strip(" "))] == []
