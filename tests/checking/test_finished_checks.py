"""FINISHED that never fires, and FINISHED that nobody hears."""

from typing import Any

import pytest
from attrs import define

from actions import (
    Cooldown,
    Defer,
    DelegateAction,
    Log,
    Move,
    MoveConstantly,
    Parallel,
    RunFsm,
    SendEvent,
    SendEventWhen,
    Sequence,
    TimedAction,
    TimedWait,
    Timeout,
    TriggerAnimator,
    WaitUntil,
)
from fsmkit import BACK, FINISHED, Fsm, FsmAction, FsmState
from fsmkit.checking import Finding, Place, check
from fsmkit.space import Transform

DONE = FINISHED


def never(fsm: Fsm[Any]) -> list[str]:
    return [finding.message for finding in check(fsm) if finding.code == "finished-never-fires"]


def unheard(fsm: Fsm[Any]) -> list[str | None]:
    return [finding.place.state for finding in check(fsm) if finding.code == "unheard-finish"]


def work(*actions: FsmAction, event: str = FINISHED) -> Fsm:
    """Work, with the actions, -> Rest on `event` or STOP; Rest -> Work on GO."""
    fsm = Fsm("M")
    state, rest = fsm.add_state("Work"), fsm.add_state("Rest")
    state.add_transition(event, rest)
    state.add_transition("STOP", rest)
    rest.add_transition("GO", state)
    for action in actions:
        state.add_action(action)
    return fsm


def drift() -> FsmAction:
    return MoveConstantly(Transform((0.0,)), (1.0,))


def truly(_state: object) -> bool:
    return True


# Never


def test_finished_never_fires_beside_an_action_that_never_finishes() -> None:
    assert check(work(TimedWait(1.0), drift())) == [
        Finding(
            "finished-never-fires",
            "warning",
            Place("M", "Work", "actions[1] (MoveConstantly)", FINISHED),
            "The transition for 'FINISHED' to 'Rest' never fires: MoveConstantly never finishes.",
            "Give the action whose end matters a finish_event, and the state a transition for it.",
        )
    ]


def test_finished_may_fire_where_every_action_may_finish() -> None:
    assert never(work()) == []
    assert never(work(TimedWait(1.0), Log("hello"), WaitUntil(truly))) == []


def test_a_disabled_action_counts_as_finished() -> None:
    action = drift()
    action.enabled = False
    assert never(work(action)) == []


def test_a_class_that_nobody_finishes_is_found_by_its_code() -> None:
    class Hum(FsmAction):
        def on_update(self) -> None:
            self.context.hum()

    class HumTwice(Hum):
        def on_enter(self) -> None:
            self.left = 2

        def on_update(self) -> None:
            super().on_update()
            self.left -= 1
            if self.left == 0:
                self.finish()

    assert never(work(Hum()))[0].endswith("Hum never finishes.")
    assert never(work(HumTwice())) == []


def test_an_event_that_leaves_the_state_comes_before_finished() -> None:
    fsm = work(TimedWait(2.0, finish_event="STOP"))
    assert never(fsm)[0].endswith("TimedWait sends 'STOP' when it finishes, which exits the state.")
    fsm = work(SendEventWhen(truly, "STOP"), TimedWait(2.0))
    assert never(fsm)[0].endswith("SendEventWhen never finishes before 'STOP' exits the state.")


def test_an_event_that_may_be_swallowed_need_not_leave_the_state() -> None:
    assert never(work(Cooldown("STOP", 1.0), SendEventWhen(truly, "STOP"))) == []
    assert never(work(Cooldown("STOP", 1.0), TimedWait(2.0, finish_event="STOP"))) == []


def test_a_nested_machine_finishes_only_in_a_final_state() -> None:
    def inner(*, final: bool) -> Fsm:
        fsm = Fsm("Inner")
        fsm.add_state("One").add_transition("NEXT", fsm.add_state("Two", final=final))
        return fsm

    assert never(work(RunFsm(inner(final=True)))) == []
    (finding,) = check(work(RunFsm(inner(final=False))))
    assert finding.message.endswith("RunFsm never finishes, because no state of 'Inner' is final.")
    assert finding.advice == "Mark the state in which it ends: add_state(..., final=True)."


def test_an_action_of_actions_is_named_as_a_whole() -> None:
    assert never(work(Sequence(drift(), RunFsm(Fsm("Inner")))))[0].endswith(
        ": Sequence never finishes."
    )


def test_a_nested_machine_that_stops_itself_may_finish() -> None:
    inner = Fsm("Inner")
    inner.add_state("One").add_action(DelegateAction(on_update=lambda state: state.fsm.stop()))
    assert never(work(RunFsm(inner))) == []


def test_code_that_may_send_finished_or_finish_an_action_is_trusted() -> None:
    class Look(FsmAction):
        def on_update(self) -> None:
            if self.context.is_done:
                self.fsm.send_event(DONE)

    def look(state: FsmState[Any]) -> None:
        if state.context.is_done:
            state.actions[0].finish()

    def look_further(state: FsmState[Any]) -> None:
        look(state)

    assert never(work(Look())) == []
    assert never(work(DelegateAction(on_update=look))) == []
    assert never(work(DelegateAction(on_update=look_further))) == []
    assert never(work(DelegateAction(on_update=lambda state: state.send_event("FINISHED")))) == []
    assert never(work(drift(), SendEvent(FINISHED, delay=2.0))) == []
    assert len(never(work(DelegateAction(on_update=lambda state: state.send_event("STOP"))))) == 1


def test_a_global_transition_needs_one_state_that_finishes() -> None:
    fsm = Fsm("M")
    states = [fsm.add_state(name) for name in ("A", "B", "C")]
    fsm.add_global_transition(FINISHED, "C")
    for state in states[:2]:
        state.add_action(drift())
    (message,) = never(fsm)
    assert message.endswith("never fires: none of the states that it applies to ever finishes.")
    fsm.add_state("D").add_action(TimedWait(1.0))
    assert never(fsm) == []


# Unheard


def test_a_state_that_takes_its_time_and_finishes_unheard_is_reported() -> None:
    assert check(work(TriggerAnimator(Puppet(), "rest"), TimedWait(2.0), event="KICK")) == [
        Finding(
            "unheard-finish",
            "warning",
            Place("M", "Work", "actions[1] (TimedWait)", FINISHED),
            "The state has finished after its TimedWait, but there is no transition for "
            "'FINISHED', so nothing happens.",
            "Add a transition for 'FINISHED', or a finish_event that has one.",
        )
    ]


class Puppet:
    def set_trigger(self, name: str) -> None:
        """Do nothing."""


def test_a_state_that_finishes_at_once_may_wait_for_an_event() -> None:
    assert check(work(event="KEY")) == []
    assert check(work(TriggerAnimator(Puppet(), "rest"), event="KEY")) == []
    assert check(work(DelegateAction(print), TimedWait(0.0), event="KEY")) == []


def test_a_state_that_may_go_on_is_not_reported() -> None:
    assert check(work(TimedWait(2.0), drift(), event="KEY")) == []
    assert check(work(TimedWait(2.0), WaitUntil(truly), event="KEY")) == []
    assert check(work(TimedWait(2.0), DelegateAction(on_update=print), event="KEY")) == []


def test_the_end_is_heard_by_finished_or_by_a_finish_event() -> None:
    assert unheard(work(TimedWait(2.0))) == []
    assert unheard(work(TimedWait(2.0, "STOP"), event="KEY")) == []
    assert unheard(work(TimedWait(2.0, "STOP"), TimedWait(9.0), event="KEY")) == []
    fsm = work(TimedWait(2.0), event="KEY")
    fsm.add_global_transition(FINISHED, "Rest")
    assert unheard(fsm) == []


def test_a_deferred_event_hears_the_end() -> None:
    assert unheard(work(TimedWait(2.0), Defer("KEY"), event="KEY")) == []


def test_a_final_state_and_the_only_state_end_where_they_are() -> None:
    fsm = work(event="KEY")
    fsm.add_state("Over", final=True).add_action(TimedWait(2.0))
    fsm.states["Work"].add_transition("DIE", "Over")
    assert unheard(fsm) == []
    alone = Fsm("M")
    alone.add_state("Fade").add_action(TimedWait(2.0))
    assert check(alone) == []


@define(eq=False, repr=False)
class Fuse(TimedAction):
    duration: float

    def apply(self, progress: float) -> None:
        if progress == 1.0:
            self.fsm.send_event("STOP")


@pytest.mark.parametrize(
    "action",
    [
        Timeout(TimedWait(9.0), 2.0, "STOP"),
        SendEvent("STOP", delay=2.0),
        Fuse(2.0),
        Sequence(TimedWait(2.0), SendEvent("STOP")),
        Sequence(TimedWait(2.0), DelegateAction(lambda state: state.context.ring())),
    ],
    ids=str,
)
def test_what_an_action_does_in_the_end_may_be_heard(action: FsmAction) -> None:
    assert unheard(work(action, event="KEY")) == []


def test_an_action_of_actions_ends_unheard_like_any_other() -> None:
    move = Move(Transform((0.0,)), None, lambda: (1.0,), 2.0)
    assert unheard(work(Sequence(move, TimedWait(1.0)), event="KEY")) == ["Work"]
    assert unheard(work(Parallel(TimedWait(1.0), Log("hello")), event="KEY")) == ["Work"]


# Guards, suspension and the background


class Watch(FsmAction):
    """Never finishes, and nobody waits for it."""

    background = True


def test_an_action_in_the_background_keeps_nothing_from_finishing() -> None:
    assert never(work(TimedWait(1.0), Watch())) == []
    assert unheard(work(TimedWait(1.0), Watch(), event="GO")) == ["Work"]
    assert unheard(work(Watch(), event="GO")) == []


def test_all_transitions_that_never_fire_are_named() -> None:
    fsm = work(drift())
    fsm.states["Work"].remove_transition(FINISHED)
    fsm.states["Work"].add_transition(FINISHED, "Rest", when=truly)
    fsm.states["Work"].add_transition(FINISHED, BACK, when=lambda: False)
    fsm.states["Work"].add_transition(FINISHED, "Rest")
    assert [message.partition(" never")[0] for message in never(fsm)] == [
        "The transition for 'FINISHED' to 'Rest' or BACK"
    ]


def test_an_event_may_leave_the_state_only_perhaps_or_for_a_while() -> None:
    certainly = work(TimedWait(1.0, "TIRED"))
    certainly.states["Work"].add_transition("TIRED", "Rest")
    guarded = work(TimedWait(1.0, "TIRED"))
    guarded.states["Work"].add_transition("TIRED", "Rest", when=truly)
    suspending = work(TimedWait(1.0, "TIRED"))
    suspending.states["Work"].add_transition("TIRED", "Rest", suspend=True)
    assert [bool(never(fsm)) for fsm in (certainly, guarded, suspending)] == [True, False, False]


def test_a_global_transition_that_a_guarded_one_goes_before_may_fire() -> None:
    fsm = work(TimedWait(1.0))
    fsm.states["Work"].remove_transition(FINISHED)
    fsm.states["Work"].add_transition(FINISHED, "Rest", when=truly)
    fsm.states["Rest"].add_action(drift())
    fsm.add_global_transition(FINISHED, "Rest")
    assert never(fsm) == []


def test_a_function_that_takes_nothing_is_read_like_others() -> None:
    wait = Watch()

    def end() -> None:
        wait.finish()

    assert never(work(drift(), DelegateAction(end))) == []
