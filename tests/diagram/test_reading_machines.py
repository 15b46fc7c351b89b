"""The parts of a machine that are in every picture of it."""

from collections.abc import Sequence as SequenceOf
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actions import (
    Log,
    Move,
    MoveTowards,
    Parallel,
    RandomWait,
    RotateTowards,
    RunFsm,
    SendEvent,
    Sequence,
    TimedWait,
)
from actions.easing import ease_in_cubic
from fsmkit import FINISHED, Fsm, FsmAction, FsmGroup
from fsmkit.diagram.graph import Cluster, Graph, Reference
from fsmkit.diagram.model_reader import read
from fsmkit.space import Transform


def lamp(name: str = "Lamp") -> Fsm[Any]:
    fsm = Fsm(name)
    fsm.add_state("Off").add_transition("PRESS", fsm.add_state("On"))
    return fsm


def host(*inner: Fsm[Any], name: str = "Host") -> Fsm[Any]:
    fsm = Fsm(name)
    for number, machine in enumerate(inner):
        fsm.add_state(f"Run {number}").add_action(RunFsm(machine))
    return fsm


def ids(graph: Graph) -> list[str]:
    clusters = [each for cluster in graph for each in cluster.with_nested()]
    return [
        part.id
        for each in clusters
        for part in (each, *each.nodes, *each.edges, *each.global_edges)
    ]


def actions_of(fsm: Fsm[Any], state: str = "A") -> list[tuple[int, str, dict[str, str]]]:
    nodes = {node.name: node for node in read(fsm, actions=True)[0].nodes}
    return [(line.depth, line.name, dict(line.parameters)) for line in nodes[state].actions]


def test_the_start_the_current_and_the_final_states_are_marked() -> None:
    fsm = lamp()
    fsm.add_state("Broken", final=True)
    assert [node.marks for node in read(fsm)[0].nodes] == [("start",), (), ("final",)]
    fsm.start("On")
    assert [node.marks for node in read(fsm)[0].nodes] == [("start",), ("current",), ("final",)]


def test_parallel_edges_are_merged_into_one_in_order() -> None:
    fsm = Fsm("Guard")
    a, b = fsm.add_state("A"), fsm.add_state("B")
    for event, target in [("Z", b), ("SELF", a), ("A", b), ("AGAIN", a)]:
        a.add_transition(event, target)
    assert [(edge.source, edge.target, edge.events) for edge in read(fsm)[0].edges] == [
        ("Guard__A", "Guard__B", ("Z", "A")),
        ("Guard__A", "Guard__A", ("SELF", "AGAIN")),
    ]


def test_global_transitions_come_from_one_node() -> None:
    fsm = lamp()
    fsm.add_global_transition("BREAK", "Off")
    fsm.add_global_transition("BLINK", "On")
    fsm.add_global_transition("FUSE", "Off")
    cluster = read(fsm)[0]
    assert {edge.source for edge in cluster.global_edges} == {cluster.any_state}
    assert [edge.events for edge in cluster.global_edges] == [("BREAK", "FUSE"), ("BLINK",)]


def test_actions_are_listed_with_parameters_only_on_request() -> None:
    fsm = Fsm("Guard")
    fsm.add_state("A").add_action(TimedWait(2.0, "TIRED"))
    assert read(fsm)[0].nodes[0].actions == ()
    assert actions_of(fsm) == [(0, "TimedWait", {"duration": "2.0", "finish_event": "'TIRED'"})]


def test_actions_inside_actions_have_lines_of_their_own() -> None:
    fsm = Fsm("Guard")
    inner = Parallel(TimedWait(1.0), TimedWait(2.0), finish_event="DONE")
    fsm.add_state("A").add_action(Sequence(inner, TimedWait(3.0)))
    assert actions_of(fsm) == [
        (0, "Sequence", {}),
        (1, "Parallel", {"finish_event": "'DONE'"}),
        (2, "TimedWait", {"duration": "1.0"}),
        (2, "TimedWait", {"duration": "2.0"}),
        (1, "TimedWait", {"duration": "3.0"}),
    ]


def test_values_are_short_and_the_same_in_every_run() -> None:
    class Thing:
        position = (0.0, 0.0)

    fsm = Fsm("Guard")
    far = tuple(float(number) for number in range(100))
    fsm.add_state("A").add_action(MoveTowards(Thing(), Thing(), speed=lambda: 1))
    fsm.add_state("B").add_action(MoveTowards(Thing(), Transform((0.0, 0.0)), speed=1.0))
    fsm.add_state("C").add_action(Move(Thing(), far, far, duration=1.0))
    assert actions_of(fsm)[0][2] == {"target": "Thing", "speed": "<lambda>"}
    assert actions_of(fsm, "B")[0][2] == {"target": "Transform(…)", "speed": "1.0"}
    assert actions_of(fsm, "C")[0][2]["start"] == "(0.0, 1.0, 2.0, 3.0, 4.0…)"


def test_the_level_of_a_log_is_shown_by_its_name() -> None:
    fsm = Fsm("M")
    state = fsm.add_state("A")
    state.add_action(Log("a", level=40))
    state.add_action(Log("b", level=35))
    levels = [parameters["level"] for _, _, parameters in actions_of(fsm)]
    assert levels == ["ERROR", "35"]


def test_a_value_that_cannot_be_shown_is_given_by_its_type() -> None:
    class Shy:
        position = 0.0

        def __repr__(self) -> str:
            raise RuntimeError("not now")

    fsm = Fsm("Guard")
    fsm.add_state("A").add_action(MoveTowards(Shy(), Shy(), speed=1.0))
    assert actions_of(fsm)[0][2]["target"] == "Shy"


def test_parameters_stand_in_the_order_of_the_call() -> None:
    fsm = Fsm("Guard")
    state = fsm.add_state("A")
    state.add_action(SendEvent("LOST", {"at": 3}, delay=3.0))
    state.add_action(Move(Transform(), None, 2.0, 1.0, finish_event="THERE", easing=ease_in_cubic))
    assert [(name, [*given]) for _, name, given in actions_of(fsm)] == [
        ("SendEvent", ["event", "data", "delay"]),
        ("Move", ["start", "end", "duration", "finish_event", "easing"]),
    ]


def test_what_every_action_repeats_is_left_out() -> None:
    class Clock:
        pass

    body, target, dice = Transform(), Transform(), Random(1)
    fsm = Fsm("Guard")
    a, b = fsm.add_state("A"), fsm.add_state("B")
    a.add_action(Sequence(MoveTowards(body, target, speed=1.0), RandomWait(1.0, 2.0, rng=dice)))
    b.add_action(RotateTowards(body, target, speed=1.0))
    b.add_action(RandomWait(1.0, 2.0, rng=dice))
    shared = {name for _, _, given in (*actions_of(fsm), *actions_of(fsm, "B")) for name in given}
    assert shared == {"speed", "shortest", "longest"}
    b.add_action(RandomWait(1.0, 2.0, rng=Random(2)))
    b.add_action(RotateTowards(body, Transform(), speed=1.0))
    assert actions_of(fsm, "B")[0][2] == {"target": "Transform(…)", "speed": "1.0"}
    assert [*actions_of(fsm, "B")[1][2]] == ["shortest", "longest", "rng"]


def test_an_action_without_attrs_has_no_parameters() -> None:
    class Greet(FsmAction):
        def __init__(self, name: str) -> None:
            self.name = name

    fsm = Fsm("Guard")
    fsm.add_state("A").add_action(Greet("Ann"))
    assert actions_of(fsm) == [(0, "Greet", {})]


def test_machines_inside_machines_are_inside_the_state_that_runs_them() -> None:
    outer = host(host(lamp(), name="Middle"))
    middle = read(outer)[0].nodes[0].runs[0]
    assert isinstance(middle, Cluster)
    inner = middle.nodes[0].runs[0]
    assert isinstance(inner, Cluster)
    assert [node.id for node in inner.nodes] == [
        "Host_2f_Middle_2f_Lamp__Off",
        "Host_2f_Middle_2f_Lamp__On",
    ]


def test_a_machine_in_two_states_is_drawn_once() -> None:
    shared = lamp()
    first, second = (node.runs[0] for node in read(host(shared, shared))[0].nodes)
    assert isinstance(first, Cluster)
    assert second == Reference(first.id, "Lamp")


def test_a_machine_that_runs_itself_has_an_end() -> None:
    class RunsItself(FsmAction):
        @property
        def machines(self) -> SequenceOf[Fsm[Any]]:
            return () if self.fsm is None else (self.fsm,)

    snake = lamp("Snake")
    snake.states["On"].add_action(RunsItself())
    assert read(snake)[0].nodes[1].runs == (Reference("cluster_Snake", "Snake"),)


def test_machines_of_the_same_shape_are_one_with_a_count() -> None:
    group = FsmGroup([lamp(), lamp(), host(lamp()), lamp()])
    for number, machine in enumerate(group):
        machine.start("On" if number == 1 else None)
    lamps, hosts = read(group)
    assert (lamps.title, hosts.title) == ("Lamp ×3", "Host")
    assert [(node.name, node.occupants, node.notes) for node in lamps.nodes] == [
        ("Off", 2, ("2 of 3",)),
        ("On", 1, ("1 of 3",)),
    ]


def test_machines_of_the_same_shape_may_have_different_names() -> None:
    assert [c.title for c in read(FsmGroup([lamp("Ann"), lamp("Bob")]))] == ["Ann, Bob"]
    many = FsmGroup(lamp(name) for name in "ABCDEFG")
    assert [c.title for c in read(many)] == ["A, B, C and 4 more"]
    assert [c.title for c in read(FsmGroup([lamp("A"), lamp("B"), lamp("B")]))] == ["A, B ×3"]


def test_parameters_that_differ_between_machines_of_one_shape_are_left_open() -> None:
    machines = [lamp() for _ in range(3)]
    for number, machine in enumerate(machines):
        machine.states["On"].add_action(TimedWait(float(number), "DONE"))
    (cluster,) = read(FsmGroup(machines), actions=True)
    assert dict(cluster.nodes[1].actions[0].parameters) == {
        "duration": "…",
        "finish_event": "'DONE'",
    }


def test_machines_that_differ_in_one_event_are_not_one() -> None:
    other = lamp()
    other.states["On"].add_transition("PRESS", "Off")
    assert len(read(FsmGroup([lamp(), other]))) == 2


def test_an_inner_machine_that_is_in_the_group_as_well_is_drawn_once() -> None:
    inner = lamp()
    assert [c.title for c in read(FsmGroup([host(inner), inner]))] == ["Host"]


@pytest.mark.slow
@given(st.lists(st.text(min_size=1), min_size=1, max_size=8, unique=True))
def test_no_two_parts_have_the_same_id(names: list[str]) -> None:
    fsm = Fsm(names[0], on_unhandled="ignore")
    for name in names:
        fsm.add_state(name)
    for source in fsm.states.values():
        for name in names:
            source.add_transition(name, name)
    inner = Fsm(names[-1])
    inner.add_state(names[0])
    fsm.states[names[0]].add_action(RunFsm(inner))
    fsm.add_global_transition("RESET", names[0])
    found = ids(read(FsmGroup([fsm, Fsm(names[0])])))
    assert len(found) == len(set(found))
    assert all(
        set(id_) <= set("_-") or id_.replace("_", "").replace("-", "").isalnum() for id_ in found
    )


@pytest.mark.slow
@given(st.lists(st.text(min_size=1), min_size=1, max_size=8, unique=True), st.text(min_size=1))
def test_a_new_state_at_the_end_changes_no_id(names: list[str], new: str) -> None:
    fsm = Fsm("Guard")
    for name in names:
        fsm.add_state(name).add_transition(FINISHED, names[0])
    before = ids(read(fsm))
    if new not in names:
        fsm.add_state(new)
    assert set(before) <= set(ids(read(fsm)))
