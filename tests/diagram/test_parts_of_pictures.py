"""Pictures of a part: one machine, so many levels, a state and its neighbours."""

from itertools import pairwise
from typing import Any

import pytest
from every import every

from actions import Regions, RunFsm
from fsmkit import BACK, Fsm, FsmGroup
from fsmkit.diagram import to_dot, to_mermaid, to_png, to_svg, to_text
from fsmkit.diagram.graph import Cluster, Graph, Reference
from fsmkit.diagram.picture_options import View
from fsmkit.recording import History
from fsmkit.testing import drive


def chain(name: str, *states: str) -> Fsm[Any]:
    fsm = Fsm(name)
    made = [fsm.add_state(state) for state in states]
    for one, other in pairwise(made):
        one.add_transition("NEXT", other)
    return fsm


def robot() -> Fsm[Any]:
    """A body with two equal arms, each with a hand."""
    fsm = chain("Robot", "Off", "Work", "Broken")
    arms = [chain("Arm", "Idle", "Grip") for _ in range(2)]
    for arm in arms:
        arm.states["Grip"].add_action(RunFsm(chain("Hand", "Open", "Shut")))
    fsm.states["Work"].add_action(Regions(*map(RunFsm, arms)))
    fsm.add_global_transition("STOP", "Off")
    return fsm


def outline(graph: Graph) -> dict[str, list[str]]:
    """Title of each machine -> its states."""
    return {
        each.title: [node.name for node in each.nodes]
        for cluster in graph
        for each in cluster.with_nested()
    }


def drawn(fsm: Fsm[Any] | FsmGroup, **options: Any) -> dict[str, list[str]]:
    return outline(View(**options).graph(fsm))


ROBOT = {
    "Robot": ["Off", "Work", "Broken"],
    "Arm ×2": ["Idle", "Grip"],
    "Hand ×2": ["Open", "Shut"],
}


def test_arms_of_one_shape_are_drawn_once() -> None:
    assert drawn(robot()) == ROBOT
    (cluster,) = View(bundled=False).graph(robot())
    assert [each.title for each in cluster.with_nested()] == ["Robot", "Arm", "Hand", "Arm", "Hand"]


def test_arms_that_are_in_different_states_say_so() -> None:
    fsm = robot()
    fsm.start("Work")
    one, _ = (arm for action in fsm.states["Work"].actions for arm in action.machines)
    one.send_event("NEXT")
    arm = View().graph(fsm)[0].nodes[1].runs[0]
    assert isinstance(arm, Cluster)
    assert [(node.name, node.notes) for node in arm.nodes] == [
        ("Idle", ("1 of 2",)), ("Grip", ("1 of 2",))
    ]  # fmt: skip


@pytest.mark.parametrize("name", ["Arm", "Robot/Arm", "Robot/Arm #2"])
def test_one_machine_is_called_by_its_name_or_its_full_name(name: str) -> None:
    assert drawn(robot(), machine=name) == {key: ROBOT[key] for key in ("Arm ×2", "Hand ×2")}


def test_a_machine_of_a_group_stands_for_those_of_its_shape() -> None:
    doors = FsmGroup([chain("Door", "Shut", "Open"), chain("Door", "Shut", "Open"), robot()])
    assert drawn(doors, machine="Door #2") == {"Door ×2": ["Shut", "Open"]}


def test_depth_says_how_many_levels_are_drawn() -> None:
    assert drawn(robot(), depth=2) == ROBOT
    assert drawn(robot(), depth=1) == {key: ROBOT[key] for key in ("Robot", "Arm ×2")}
    assert drawn(robot(), depth=0) == {"Robot": ROBOT["Robot"]}
    assert "    runs Arm ×2" in to_text(robot(), depth=0).replace("│", " ")


def test_around_a_state_are_its_neighbours_whichever_way() -> None:
    fsm = chain("Line", *"ABCDEFG")
    fsm.states["G"].add_transition("AGAIN", "D")
    assert drawn(fsm, around="D") == {"Line": ["C", "D", "E", "G"]}
    assert drawn(fsm, around="D", radius=2) == {"Line": ["B", "C", "D", "E", "F", "G"]}
    assert to_text(fsm, around="A").splitlines() == [
        "Line", "Around A: 2 of 7 states", "├─○ A  (start)", "│   └─ NEXT ─→ B", "└─○ B"
    ]  # fmt: skip


def test_the_beginning_leads_to_the_start_and_to_nothing_else() -> None:
    fsm = chain("Line", *"ABCDEFG")
    assert '"cluster_Line-beginning" -> "Line__A"' in to_dot(fsm, around="B")
    assert "beginning" not in to_dot(fsm, around="D")
    assert View(around="D", bundled=True).graph(fsm)[0].start == ""


def test_a_part_says_how_long_the_whole_was_recorded() -> None:
    fsm = chain("Line", *"ABCDEFG")
    history = History(fsm)
    fsm.start()
    drive(fsm, [5.0, "NEXT", 3.0])
    assert to_text(fsm, around="B", radius=1, recordings=history).splitlines()[1:3] == [
        "Around B: 3 of 7 states",
        "A run of 8.0 s: grey arrows were never taken",
    ]


def test_global_transitions_and_ways_back_of_the_neighbours_are_there() -> None:
    fsm = chain("Line", *"ABCD")
    fsm.add_global_transition("STOP", "A")
    fsm.add_global_transition("PAUSE", "D", suspend=True)
    fsm.states["D"].add_transition("GO_ON", BACK)
    (cluster,) = View(around="A").graph(fsm)
    assert [edge.events for edge in cluster.all_edges] == [("NEXT",), ("STOP",)]
    (cluster,) = View(around="D").graph(fsm)
    assert [edge.events for edge in cluster.all_edges] == [("NEXT",), ("GO_ON",), ("PAUSE",)]


def test_the_state_may_be_in_a_machine_inside() -> None:
    assert drawn(robot(), around="Shut") == {"Hand ×2": ["Open", "Shut"]}


def test_both_together() -> None:
    fsm = robot()
    fsm.states["Broken"].add_action(RunFsm(chain("Repair", "Open", "Close")))
    assert drawn(fsm, machine="Repair", around="Open") == {"Repair": ["Open", "Close"]}
    assert drawn(fsm, around="Work", depth=0) == {"Robot": ["Off", "Work", "Broken"]}


def test_a_machine_that_is_drawn_as_another_one_is_referred_to_there() -> None:
    fsm = robot()
    _, second = (arm for action in fsm.states["Work"].actions for arm in action.machines)
    fsm.states["Broken"].add_action(RunFsm(second))
    (cluster,) = View().graph(fsm)
    assert cluster.nodes[2].runs == (Reference("cluster_Robot_2f_Arm", "Arm"),)


def test_a_machine_that_is_not_in_the_picture_is_named_by_the_state_that_runs_it() -> None:
    fsm = robot()
    arm = fsm.states["Work"].actions[0].machines[0]
    fsm.states["Broken"].add_action(RunFsm(arm))
    (cluster,) = View(around="Broken").graph(fsm)
    assert [node.name for node in cluster.nodes] == ["Work", "Broken"]
    (cluster,) = View(machine="Robot", depth=0).graph(fsm)
    assert [node.notes for node in cluster.nodes] == [(), ("runs Arm ×2",), ("runs Arm",)]


@every(
    ("options", "error", "message"),
    [
        (
            {"machine": "Leg"},
            ValueError,
            "no machine 'Leg'. The machines are: 'Robot', 'R",
        ),
        ({"machine": "robot"}, ValueError, "Did you mean 'Robot'?"),
        ({"machine": 3}, TypeError, "machine must be the name of a machine, got 3"),
        ({"around": "Wrok"}, ValueError, "no state 'Wrok'. Did you mean 'Work'? The states are: "),
        ({"around": 3}, TypeError, "around must be the name of a state, got 3"),
        ({"around": "Work", "radius": 0}, ValueError, "radius must be an integer >= 1, got 0"),
        ({"around": "Work", "radius": 1.5}, TypeError, "radius must be an integer >= 1, got 1.5"),
        ({"depth": -1}, ValueError, "depth must be an integer >= 0, got -1"),
        ({"depth": "1"}, TypeError, "depth must be an integer >= 0, got '1'"),
        ({"depth": True}, TypeError, "depth must be an integer >= 0, got True"),
    ],
)
def test_what_does_not_exist_is_refused_with_a_list_of_what_does(
    options: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message.replace("?", r"\?")):
        to_text(robot(), **options)


def test_a_state_in_several_machines_needs_the_machine() -> None:
    fsm = robot()
    fsm.states["Broken"].add_action(RunFsm(chain("Repair", "Open", "Close")))
    message = r"a state 'Open' in 'Robot/Arm/Hand', 'Robot/Repair'. Say which with machine="
    with pytest.raises(ValueError, match=message):
        to_text(fsm, around="Open")


def test_several_machines_of_a_name_need_the_full_name() -> None:
    fsm = robot()
    other = chain("Arm", "X")
    fsm.states["Off"].add_action(RunFsm(other))
    with pytest.raises(ValueError, match=r"2 machines are called 'Arm'. Say which: 'Robot/Arm'"):
        to_text(fsm, machine="Arm")


@pytest.mark.parametrize("function", [to_svg, to_png, to_dot, to_mermaid])
def test_the_direction_is_one_of_four(function: Any) -> None:
    with pytest.raises(ValueError, match="direction must be 'TB', 'LR', 'BT' or 'RL', got 'UP'"):
        function(robot(), direction="UP")


def test_the_direction_is_that_of_the_layout() -> None:
    assert 'graph [rankdir="LR"]' in to_dot(robot(), direction="LR")
    assert to_dot(robot(), direction="TB") == to_dot(robot())


def test_an_unknown_option_is_refused_with_a_list_of_the_known_ones() -> None:
    with pytest.raises(TypeError, match=r"to_svg\(\) has no option 'findigns'. Did you mean 'find"):
        to_svg(robot(), findigns=True)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match=r"to_text\(\) has no option 'dark'"):
        to_text(robot(), dark=True)  # type: ignore[call-arg]
