"""Groups of states that are never left again."""

from typing import Any

from actions import DelegateAction, RunFsm, SendEvent
from fsmkit import BACK, Fsm
from fsmkit.checking import Finding, Place, check
from fsmkit.checking.transitions import components, reached


def lines(text: str) -> Fsm[Any]:
    """A machine with a transition for each `A X B` in a text: from A to B on X."""
    fsm = Fsm("M")
    for line in text.split(","):
        source, event, target = line.split()
        for name in (source, target):
            if name not in fsm.states:
                fsm.add_state(name)
        fsm.states[source].add_transition(event, target)
    return fsm


def trapped(fsm: Fsm[Any]) -> list[str]:
    found = (finding for finding in check(fsm) if finding.code == "trap")
    return [finding.message.partition(" lead")[0] for finding in found]


CAUGHT = "Patrol SEEN Chase, Chase LOST Patrol, Chase HIT Stunned, Stunned A Dazed, Dazed B Stunned"


def test_states_that_lead_only_to_each_other_are_a_trap() -> None:
    assert check(lines(CAUGHT)) == [
        Finding(
            "trap",
            "warning",
            Place("M", "Stunned"),
            "'Stunned' and 'Dazed' lead only to each other: once here, the machine never gets back "
            "to 'Patrol' and 'Chase'.",
            "Add a transition that leads out, or mark where it ends: add_state(..., final=True).",
        )
    ]


def test_a_trap_may_be_of_any_size() -> None:
    fsm = lines(CAUGHT + ", Dazed C Asleep, Asleep D Dazed")
    assert trapped(fsm) == ["'Stunned', 'Dazed' and 'Asleep'"]


def test_a_machine_that_goes_round_is_not_a_trap() -> None:
    assert trapped(lines("A X B, B X C, C X A")) == []


def test_states_that_are_passed_once_are_a_beginning() -> None:
    assert trapped(lines("Boot READY Menu, Menu PLAY Idle, Idle GO Walk, Walk STOP Idle")) == []


def test_a_choice_between_two_loops_is_not_a_trap() -> None:
    assert trapped(lines("A X B, A Y C, B Z D, D Z B, C Z E, E Z C")) == []


def test_a_loop_with_a_way_out_is_not_a_trap() -> None:
    ways_out = [
        lambda fsm: fsm.states["Dazed"].add_transition("WAKE", "Patrol"),
        lambda fsm: fsm.states["Dazed"].add_transition("BACK", BACK),
        lambda fsm: fsm.add_global_transition("WAKE", "Patrol"),
        lambda fsm: fsm.states["Dazed"].add_transition("DIE", fsm.add_state("Dead", final=True)),
        lambda fsm: setattr(fsm.states["Dazed"], "final", True),
        lambda fsm: fsm.states["Dazed"].add_action(DelegateAction(lambda state: state.fsm.stop())),
    ]
    for way_out in ways_out:
        fsm = lines(CAUGHT)
        way_out(fsm)
        assert trapped(fsm) == []


def test_a_global_transition_that_leads_inside_is_not_a_way_out() -> None:
    fsm = lines(CAUGHT)
    fsm.add_global_transition("HIT_AGAIN", "Stunned")
    assert trapped(fsm) == ["'Stunned' and 'Dazed'"]


def test_a_way_out_that_is_never_taken_does_not_count() -> None:
    fsm = lines(CAUGHT)
    fsm.states["Dazed"].add_action(SendEvent("B"))
    fsm.states["Dazed"].add_transition("WAKE", "Patrol")
    assert trapped(fsm) == ["'Stunned' and 'Dazed'"]


def test_a_machine_that_is_stopped_from_outside_has_no_trap() -> None:
    fsm = lines("Work DONE Rest, Rest GO Work")
    fsm.states["Work"].add_action(RunFsm(lines(CAUGHT)))
    assert trapped(fsm) == []


def test_groups_come_in_the_order_in_which_nothing_leads_back() -> None:
    edges = {"A": "B", "B": "CA", "C": "DE", "D": "C", "E": "", "F": "FE"}
    assert [sorted(group) for group in components(edges)] == [["E"], ["C", "D"], ["A", "B"], ["F"]]
    assert sorted(reached("C", edges)) == ["C", "D", "E"]


def test_a_path_of_thousands_of_states_is_walked_without_recursion() -> None:
    edges = {number: [number + 1] for number in range(5000)} | {5000: [0]}
    assert [len(group) for group in components(edges)] == [5001]
