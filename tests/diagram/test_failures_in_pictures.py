"""Failing in pictures: the arrows of FAILED, and final states in which a machine has failed."""

from typing import Any

from actions import RunFsm
from fsmkit import FAILED, FINISHED, Fsm, FsmGroup
from fsmkit.diagram import to_dot, to_mermaid, to_text
from fsmkit.diagram.model_reader import read
from fsmkit.svg.theme import DARK, LIGHT


def robot(name: str = "Robot", *, failed: bool = True) -> Fsm[Any]:
    fsm = Fsm(name)
    grab, wait, rest = map(fsm.add_state, ("Grab", "Help", "Rest"))
    grab.add_transition(FAILED, wait)
    grab.add_transition(FINISHED, rest)
    rest.add_transition(FINISHED, wait)
    rest.add_transition(FAILED, wait)
    wait.add_transition("GIVE_UP", fsm.add_state("Lost", final=True, failed=failed))
    wait.add_transition("HELPED", fsm.add_state("Done", final=True))
    return fsm


def lines_of(dot: str, *parts: str) -> list[str]:
    return [line for line in dot.splitlines() if all(part in line for part in parts)]


def test_a_failed_end_has_a_frame_of_its_own() -> None:
    for theme, is_dark in ((LIGHT, False), (DARK, True)):
        dot = to_dot(robot(), dark=is_dark)
        (lost,) = lines_of(dot, 'class="state final failure"')
        (done,) = lines_of(dot, 'class="state final"')
        assert f'peripheries="2" color="{theme.error}"' in lost
        assert f'peripheries="2" color="{theme.final}"' in done


def test_the_arrow_of_failed_is_red_unless_something_else_leads_there_too() -> None:
    dot = to_dot(robot())
    (failure,) = lines_of(dot, "Robot__Grab--Robot__Help")
    assert 'class="transition failure"' in failure
    assert f'color="{LIGHT.error}"' in failure
    (both,) = lines_of(dot, "Robot__Rest--Robot__Help")
    assert 'class="transition"' in both


def test_text_and_mermaid_say_it() -> None:
    assert "○ Lost  (final, failure)\n" in to_text(robot())
    assert to_mermaid(robot()).splitlines()[-2:] == [
        "    classDef failure stroke:#c1121f,stroke-width:2px",
        "    class Robot__Lost failure",
    ]
    assert "failure" not in to_mermaid(robot(failed=False))


def test_failed_is_sent_by_the_machine_itself() -> None:
    (cluster,) = read(robot(), senders=True)
    labels = {label.event: label.origin for edge in cluster.edges for label in edge.labels}
    assert labels == {
        FAILED: "itself", FINISHED: "itself", "GIVE_UP": "outside", "HELPED": "outside",
    }  # fmt: skip


def test_machines_that_end_differently_are_drawn_apart() -> None:
    alike = FsmGroup([robot("A"), robot("B")])
    assert len(read(alike)) == 1
    assert len(read(FsmGroup([robot("A"), robot("B", failed=False)]))) == 2


def test_the_marks_are_those_of_the_nested_machine() -> None:
    outer = Fsm("Outer")
    outer.add_state("Work").add_action(RunFsm(robot()))
    assert "Lost  (final, failure)" in to_text(outer)
