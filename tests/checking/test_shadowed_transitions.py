"""Global transitions that every state has its own answer to."""

from fsmkit import Fsm
from fsmkit.checking import Finding, Place, check


def guard() -> Fsm:
    """Patrol <-> Chase, both with an ALARM of their own, and a global one to Alarm."""
    fsm = Fsm("Guard")
    patrol, chase, alarm = (fsm.add_state(name) for name in ("Patrol", "Chase", "Alarm"))
    patrol.add_transition("ALARM", chase)
    chase.add_transition("ALARM", patrol)
    chase.add_transition("LOUDER", alarm)
    alarm.add_transition("CALM", patrol)
    fsm.add_global_transition("ALARM", alarm)
    return fsm


def test_a_global_transition_that_every_other_state_shadows_is_reported() -> None:
    assert check(guard()) == [
        Finding(
            "shadowed-transition",
            "warning",
            Place("Guard", event="ALARM"),
            "The global transition for 'ALARM' to 'Alarm' is never taken: every other state has a "
            "transition of its own for this event, which comes first.",
            "Remove it, or the transitions of the states that should follow it.",
        )
    ]


def test_one_state_that_follows_it_is_enough() -> None:
    fsm = guard()
    fsm.states["Chase"].remove_transition("ALARM")
    assert check(fsm) == []


def test_whether_the_target_itself_has_one_does_not_matter() -> None:
    fsm = guard()
    fsm.states["Alarm"].add_transition("ALARM", "Patrol")
    assert [finding.code for finding in check(fsm)] == ["shadowed-transition"]


def test_a_machine_whose_only_state_is_the_target_is_let_be() -> None:
    fsm = Fsm("M")
    fsm.add_state("A")
    fsm.add_global_transition("RESET", "A")
    assert check(fsm) == []
