"""Events whose time is longer than their state can last."""

from typing import Any

import pytest

from actions import IgnoreEvents, Move, OnEvent, SendEvent, Sequence, TimedWait
from fsmkit import BACK, FINISHED, Fsm, FsmAction, TimeReference
from fsmkit.checking import Finding, Place, check
from fsmkit.space import Transform


class Later(FsmAction):
    def __init__(self, delay: float, *, keep: bool = False) -> None:
        self.delay = delay
        self.keep = keep

    def on_enter(self) -> None:
        if self.keep:
            self.fsm.send_event_after(self.delay, "LATE", keep=True)
        else:
            self.fsm.send_event_after(self.delay, "LATE")
        self.finish()


def two_states(*actions: FsmAction) -> Fsm[Any]:
    """A -> B on DONE, LATE or FINISHED; the actions are those of A."""
    fsm = Fsm("M")
    a, b = fsm.add_state("A"), fsm.add_state("B")
    for event in ("DONE", "LATE", FINISHED):
        a.add_transition(event, b)
    b.add_transition("AGAIN", a)
    for action in actions:
        a.add_action(action)
    return fsm


def late(fsm: Fsm[Any]) -> list[str | None]:
    return [finding.place.action for finding in check(fsm) if finding.code == "too-late"]


def test_an_event_that_comes_after_its_state_is_exited_is_never_delivered() -> None:
    fsm = two_states(TimedWait(0.5, finish_event="DONE"), SendEvent("LATE", delay=9.0))
    fsm.states["A"].remove_transition(FINISHED)
    assert check(fsm) == [
        Finding(
            "too-late",
            "warning",
            Place("M", "A", "actions[1] (SendEvent)", "LATE"),
            "'LATE' is never delivered after 9 s: 'DONE' of TimedWait exits the state after 0.5 s.",
            "Shorten the time, or lengthen the other; if it may come later, use "
            "send_event_after(..., keep=True).",
        )
    ]


def test_the_second_of_two_that_end_at_the_same_time_never_matters() -> None:
    fsm = two_states(TimedWait(2.0, finish_event="DONE"), TimedWait(2.0, finish_event="LATE"))
    (finding,) = (finding for finding in check(fsm) if finding.code == "too-late")
    assert finding.place.action == "actions[1] (TimedWait)"
    assert finding.message == (
        "'LATE' is never delivered after 2 s: 'DONE' of TimedWait exits the state at the same "
        "time, and comes first."
    )


@pytest.mark.parametrize("delay", [1.0, 9.0])
def test_a_delayed_event_of_an_own_action_is_found_if_no_step_can_span_the_time(
    delay: float,
) -> None:
    fsm = two_states(Later(delay), TimedWait(0.5, finish_event="DONE"))
    assert late(fsm) == (["actions[0] (Later)"] if delay > 1.5 else [])
    assert late(two_states(Later(delay), TimedWait(0.5))) == late(fsm)  # FINISHED exits it
    assert late(two_states(Later(9.0, keep=True), TimedWait(0.5))) == []


def test_the_one_that_is_asked_first_may_come_in_one_long_step() -> None:
    wait = TimedWait(0.5, finish_event="DONE")
    assert late(two_states(SendEvent("LATE", delay=1.0), wait)) == []
    wait = TimedWait(0.5, finish_event="DONE")
    assert late(two_states(SendEvent("LATE", delay=9.0), wait)) == ["actions[0] (SendEvent)"]


def test_what_moves_may_arrive_before() -> None:
    move = Move(Transform((0.0,)), None, (1.0,), 9.0, finish_event="LATE")
    assert late(two_states(TimedWait(0.5, finish_event="DONE"), move)) == []
    move = Move(Transform((0.0,)), None, (1.0,), 0.5, finish_event="DONE")
    assert late(two_states(move, SendEvent("LATE", delay=9.0))) == ["actions[1] (SendEvent)"]


def test_nothing_is_late_where_it_is_not_certain_that_the_state_is_exited() -> None:
    def with_wait(*actions: FsmAction, **wait: Any) -> Fsm[Any]:
        wait.setdefault("finish_event", "DONE")
        return two_states(TimedWait(0.5, **wait), *actions, SendEvent("LATE", delay=9.0))

    assert late(with_wait()) == ["actions[1] (SendEvent)"]
    assert late(with_wait(OnEvent("DONE", lambda: None))) == []
    assert late(with_wait(IgnoreEvents("DONE"))) == []
    assert late(with_wait(time=TimeReference("slow"))) == []
    assert late(with_wait(finish_event=None)) == []  # FINISHED comes after the delay
    assert late(two_states(TimedWait(lambda: 0.5, "DONE"), SendEvent("LATE", delay=9.0))) == []
    inside = Sequence(TimedWait(0.5, "DONE"))
    assert late(two_states(inside, SendEvent("LATE", delay=9.0))) == []
    guarded = with_wait()
    guarded.states["A"].remove_transition("DONE")
    guarded.states["A"].add_transition("DONE", "B", when=lambda state: state.context)
    assert late(guarded) == []
    suspended = with_wait()
    suspended.states["A"].remove_transition("DONE")
    suspended.states["A"].add_transition("DONE", "B", suspend=True)
    suspended.states["B"].add_transition("BACK", BACK)
    assert late(suspended) == []


def test_two_that_are_measured_by_the_same_time_are_compared() -> None:
    time = TimeReference("world")
    actions = [TimedWait(0.5, "DONE", time=time), SendEvent("LATE", delay=9.0, time=time)]
    assert late(two_states(*actions)) == ["actions[1] (SendEvent)"]
