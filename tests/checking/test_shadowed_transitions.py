"""Global transitions that every state has its own answer to."""

from fsmkit import BACK, Fsm
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


def test_a_machine_whose_only_state_is_the_target_is_left_alone() -> None:
    fsm = Fsm("M")
    fsm.add_state("A")
    fsm.add_global_transition("RESET", "A")
    assert check(fsm) == []


# Guards


def truly(state: object) -> bool:
    return state is not None


def test_a_transition_of_a_state_whose_guard_may_refuse_shadows_nothing() -> None:
    fsm = guard()
    fsm.states["Chase"].remove_transition("ALARM")
    fsm.states["Chase"].add_transition("ALARM", "Patrol", when=truly)
    assert check(fsm) == []
    fsm.states["Chase"].add_transition("ALARM", "Patrol")
    assert [finding.code for finding in check(fsm)] == ["shadowed-transition"]


def test_each_global_transition_of_an_event_is_judged_by_its_own_target() -> None:
    fsm = guard()
    fsm.remove_global_transition("ALARM")
    fsm.add_global_transition("ALARM", "Chase", when=truly)
    fsm.add_global_transition("ALARM", "Alarm")
    assert [finding.message.partition(" is ")[0] for finding in check(fsm)] == [
        "The global transition for 'ALARM' to 'Alarm'"
    ]


def test_a_guard_that_is_asked_twice_for_an_event_is_reported() -> None:
    fsm = Fsm("Guard")
    patrol, chase, rest = map(fsm.add_state, ("Patrol", "Chase", "Rest"))
    patrol.add_transition("SEEN", chase, when=truly)
    patrol.add_transition("SEEN", rest, when=lambda state: state is None)
    patrol.add_transition("SEEN", rest, when=truly, suspend=True)
    rest.add_transition("DONE", BACK)
    fsm.add_global_transition("LOST", patrol, when=truly)
    fsm.add_global_transition("LOST", chase, when=truly)
    assert check(fsm) == [
        Finding(
            "shadowed-transition",
            "warning",
            Place("Guard", "Patrol", event="SEEN"),
            "The transition for 'SEEN' to 'Rest' is never taken: its guard, truly, is that of the "
            "one to 'Chase', which is asked first.",
            "Remove it, or give it another guard.",
        ),
        Finding(
            "shadowed-transition",
            "warning",
            Place("Guard", event="LOST"),
            "The global transition for 'LOST' to 'Chase' is never taken: its guard, truly, is that "
            "of the one to 'Patrol', which is asked first.",
            "Remove it, or give it another guard.",
        ),
    ]
