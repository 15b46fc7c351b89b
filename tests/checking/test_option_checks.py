"""Options: those that can never run, and work in those that may be suspended."""

from typing import Any

import pytest

from actions import InThread, Option, Selector, Sequence, TimedWait, Utility
from fsmkit import FINISHED, Fsm, FsmAction
from fsmkit.checking import Finding, Place, check


class PickUp(FsmAction):
    def on_update(self) -> None:
        self.fail("slipped")


class Idle(FsmAction):
    def on_update(self) -> None:
        """Do nothing."""


def holds() -> bool:
    return True


def think() -> None: ...


def guard(action: FsmAction[Any]) -> Fsm[Any]:
    fsm = Fsm("Guard")
    duty, home = fsm.add_state("Duty"), fsm.add_state("Home", final=True)
    duty.add_action(action)
    duty.add_transition(FINISHED, home)
    duty.add_transition("HOME", home)
    return fsm


def found(action: FsmAction[Any], code: str = "option-never-runs") -> list[str]:
    return [each.place.inside for each in check(guard(action)) if each.code == code]


def test_an_option_below_one_that_always_runs_and_never_fails_is_a_finding() -> None:
    selector = Selector(Option(Idle(), when=holds), Option(TimedWait(2.0)), Option(Idle()))
    assert [each for each in check(guard(selector)) if each.code == "option-never-runs"] == [
        Finding(
            "option-never-runs",
            "warning",
            Place("Guard", "Duty", "actions[0] (Selector), children[2] (Idle)"),
            "The Idle never runs: the option above it, TimedWait, has no when= and never fails.",
            "Give TimedWait a when=, or put it below.",
        )
    ]


FINE: dict[str, FsmAction[Any]] = {
    "the one above may fail": Selector(Option(PickUp()), Option(Idle())),
    "something in it may fail": Selector(
        Option(Sequence(TimedWait(1.0), PickUp())), Option(Idle())
    ),
    "the last one always runs": Selector(Option(PickUp(), when=holds), Option(Idle())),
    "scores compete": Utility(Option(Idle(), score=1.0), Option(Idle(), score=2.0)),
}


@pytest.mark.parametrize("what", FINE)
def test_it_may_run_if(what: str) -> None:
    assert found(FINE[what]) == []


def test_a_disabled_one_hides_nothing() -> None:
    first = Idle()
    first.enabled = False
    assert found(Selector(Option(first), Option(Idle()))) == []


@pytest.mark.slow
def test_work_in_a_lower_option_may_be_suspended() -> None:
    def selector(*, suspend: bool) -> Selector[Any]:
        upper = Option(InThread(think), when=holds)
        return Selector(upper, Option(Sequence(InThread(think))), suspend=suspend)

    assert found(selector(suspend=False), "work-suspended") == []
    assert found(selector(suspend=True), "work-suspended") == [
        "state 'Duty', actions[0] (Selector), children[1] (Sequence), children[0] (InThread)"
    ]
    [message] = [
        each.message
        for each in check(guard(selector(suspend=True)))
        if each.code == "work-suspended"
    ]
    assert message == (
        "A higher option of its Selector may suspend it: the function of its InThread then goes on "
        "in its thread."
    )
