"""FAILED that nothing handles, and FAILED that nothing sends."""

from collections.abc import Callable
from typing import Any

import pytest

from actions import DelegateAction, Parallel, Race, Retry, RunFsm, Sequence, TimedWait
from fsmkit import FAILED, FINISHED, Fsm, FsmAction
from fsmkit.checking import Finding, check
from fsmkit.testing import Probe


class PickUp(FsmAction):
    def on_update(self) -> None:
        if self.context.slipped:
            self.fail("slipped")
        else:
            self.finish()


class Careful(FsmAction):
    """Fails in a method that a callback calls."""

    def on_enter(self) -> None:
        self.look()

    def look(self) -> None:
        if self.fsm.time > 1.0:
            self.fail()


class Supervisor(FsmAction):
    """Fails another action."""

    def __init__(self, other: FsmAction) -> None:
        self.other = other

    def on_update(self) -> None:
        self.other.fail("called off")


class Loser(FsmAction):
    """Fails on enter, whatever comes."""

    def on_enter(self) -> None:
        self.fail("lost")


class Announcer(FsmAction):
    """Declares that it may fail, as actions of the library do."""

    sends = (FAILED,)
    finishes = "in time"


def grab(*actions: FsmAction, event: str = "STOP") -> Fsm[Any]:
    """Grab, with the actions, -> Help on `event`; Help -> Grab on HELPED."""
    fsm = Fsm("Robot")
    state, wait = fsm.add_state("Grab"), fsm.add_state("Help")
    for action in actions:
        state.add_action(action)
    state.add_transition(event, wait)
    wait.add_transition("HELPED", state)
    return fsm


def of(code: str, fsm: Fsm[Any]) -> list[Finding]:
    return [finding for finding in check(fsm) if finding.code == code]


def unheard(fsm: Fsm[Any]) -> list[str | None]:
    return [finding.place.action for finding in of("unheard-failure", fsm)]


def never(fsm: Fsm[Any]) -> list[str | None]:
    return [finding.place.state for finding in of("failed-never-fires", fsm)]


# Failures that nothing handles


@pytest.mark.parametrize("kind", [PickUp, Careful, Loser, Announcer])
def test_an_action_that_may_fail_needs_a_transition(kind: type[FsmAction]) -> None:
    name = kind.__name__
    (finding,) = of("unheard-failure", grab(kind()))
    assert str(finding) == (
        f"warning unheard-failure: Fsm 'Robot', state 'Grab', actions[0] ({name}): {name} may "
        "fail, but neither the state nor the machine has a transition for 'FAILED': the state can "
        "no longer finish then. Add a transition for 'FAILED', or try something else in an action "
        "around it, such as a Retry or a Selector."
    )
    assert not unheard(grab(kind(), event=FAILED))


def test_a_composite_fails_with_what_is_in_it() -> None:
    (finding,) = of("unheard-failure", grab(Retry(Sequence(TimedWait(1.0), PickUp()), times=3)))
    assert finding.place.action == "actions[0] (Retry)"
    assert finding.message.startswith("Retry may fail with its PickUp, but neither the state")


def test_enough_others_are_enough() -> None:
    assert not unheard(grab(Race(PickUp(), TimedWait(1.0))))
    assert not unheard(grab(Parallel(PickUp(), TimedWait(1.0), needed=1)))
    assert unheard(grab(Race(PickUp(), Careful()))) == ["actions[0] (Race)"]
    assert unheard(grab(Parallel(PickUp(), Careful(), needed=1))) == ["actions[0] (Parallel)"]


def test_an_action_may_be_failed_by_another() -> None:
    wait = TimedWait(5.0)
    assert unheard(grab(wait, Supervisor(wait))) == ["actions[0] (TimedWait)"]


def test_a_global_transition_will_do() -> None:
    fsm = grab(PickUp())
    fsm.add_global_transition(FAILED, fsm.states["Help"])
    assert not unheard(fsm)


def test_disabled_actions_do_not_fail() -> None:
    action = PickUp()
    action.enabled = False
    assert not unheard(grab(action))


def test_what_only_takes_time_does_not_fail() -> None:
    assert not unheard(grab(TimedWait(1.0), DelegateAction(on_update=print)))


# Nested machines


def fight(*, failed: bool = True) -> Fsm[Any]:
    fsm = Fsm("Fight")
    begin = fsm.add_state("Begin")
    begin.add_transition("WIN", fsm.add_state("Won", final=True))
    begin.add_transition("LOSE", fsm.add_state("Lost", final=True, failed=failed))
    return fsm


def test_a_machine_that_ends_as_failed_fails_its_host() -> None:
    assert unheard(grab(RunFsm(fight()), event=FINISHED)) == ["actions[0] (RunFsm)"]
    assert not unheard(grab(RunFsm(fight()), event=FAILED))
    assert not unheard(grab(RunFsm(fight(failed=False)), event=FINISHED))
    assert not unheard(grab(RunFsm(fight(), {"Lost": "STOP"})))


def test_a_failed_end_without_an_outcome_is_no_missing_outcome() -> None:
    def missing(fsm: Fsm[Any]) -> list[str]:
        return [finding.message for finding in of("missing-outcome", fsm)]

    assert not missing(grab(RunFsm(fight(), {"Won": "STOP"})))
    assert len(missing(grab(RunFsm(fight(failed=False), {"Won": "STOP"})))) == 1


# FAILED that nothing sends


def test_a_transition_for_failed_where_nothing_fails() -> None:
    (finding,) = of("failed-never-fires", grab(TimedWait(1.0), event=FAILED))
    assert str(finding) == (
        "warning failed-never-fires: Fsm 'Robot', state 'Grab': The transition for 'FAILED' to "
        "'Help' never fires: no action of the state ever fails. Remove it, or call fail() in the "
        "action that may not succeed."
    )


@pytest.mark.parametrize(
    "make",
    [
        PickUp,
        Careful,
        Announcer,
        lambda: Retry(PickUp(), times=2),
        lambda: RunFsm(fight()),
        lambda: Probe("p", [], on_update=Probe.fail),
        lambda: DelegateAction(on_update=lambda state: state.actions[0].fail()),
        lambda: DelegateAction(on_update=lambda state: state.send_event("FAILED")),
    ],
)
def test_no_finding_where_something_may(make: Callable[[], FsmAction]) -> None:
    assert not never(grab(make(), event=FAILED))


def test_a_global_one_needs_one_state_in_which_something_fails() -> None:
    fsm = grab(TimedWait(1.0))
    fsm.add_global_transition(FAILED, fsm.states["Help"])
    (finding,) = of("failed-never-fires", fsm)
    assert finding.place.state is None
    assert finding.message == (
        "The global transition for 'FAILED' to 'Help' never fires: no action of a state that it "
        "applies to ever fails."
    )
    fsm.states["Grab"].add_action(PickUp())
    assert not never(fsm)


# With other checks


def test_failed_is_never_an_event_that_nobody_sends() -> None:
    fsm = grab(PickUp(), event=FAILED)
    assert [f.code for f in check(fsm, inputs=["HELPED"])] == []


def test_states_that_fail_at_once_lead_to_each_other_without_end() -> None:
    fsm = Fsm("Loop")
    first, second = fsm.add_state("First"), fsm.add_state("Second")
    for state, other in ((first, second), (second, first)):
        state.add_action(Loser())
        state.add_transition(FAILED, other)
    (finding,) = of("endless-chain", fsm)
    assert finding.severity == "error"
    assert "'First' -> 'Second' -> 'First' by 'FAILED'" in finding.message


def test_one_that_may_fail_does_not_finish_for_certain() -> None:
    class Perhaps(FsmAction):
        finishes = "at once"

        def on_enter(self) -> None:
            if self.context is None:
                self.fail()
            self.finish()

    fsm = Fsm("Loop")
    first, second = fsm.add_state("First"), fsm.add_state("Second")
    first.add_action(Perhaps())
    first.add_transition(FAILED, fsm.add_state("Wait"))
    first.add_transition(FINISHED, second)
    second.add_transition(FINISHED, first)
    assert not of("endless-chain", fsm)
    assert not of("left-at-once", fsm)
