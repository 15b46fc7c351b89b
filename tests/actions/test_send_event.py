"""SendEvent: at once or after a delay."""

import copy
from collections.abc import Callable
from math import inf, nan
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actions import HOST, DelegateAction, OnEvent, RunFsm
from actions.send_event import SendEvent
from actions.sequence import Sequence
from actions.timed_wait import TimedWait
from fsmkit import FINISHED, Fsm, FsmError, FsmGroup, FsmState, TimeReference
from fsmkit.testing import Probe, drive


def machine(*actions: SendEvent | Probe | Sequence) -> Fsm:
    """A (with the actions) -> B on GO; B -> A on BACK; A -> C on LEAVE."""
    fsm = Fsm("M", on_unhandled="ignore")
    a, b, c = fsm.add_state("A"), fsm.add_state("B"), fsm.add_state("C")
    for action in actions:
        a.add_action(action)
    a.add_transition("GO", b)
    b.add_transition("BACK", a)
    a.add_transition("LEAVE", c)
    return fsm


def test_it_sends_on_enter_and_finishes() -> None:
    fsm = machine(SendEvent("GO", 3))
    for step in (fsm.start, "BACK"):
        assert drive(fsm, [step])[-7:] == [
            "enter A",
            "event GO: changed",
            "SendEvent finished",
            "SendEvent entered",
            "SendEvent left",
            "leave A",
            "enter B",
        ]
    assert fsm.event_data == 3


def test_actions_after_one_that_changes_the_state_are_not_entered() -> None:
    journal: list[str] = []
    machine(SendEvent("GO"), Probe("behind", journal)).start()
    assert journal == []


def test_an_event_that_leads_nowhere_leaves_it_finished() -> None:
    fsm = machine(SendEvent("NOBODY"))
    fsm.states["A"].add_transition(FINISHED, fsm.states["C"])
    fsm.start()
    assert fsm.current_state is fsm.states["C"]


@pytest.mark.parametrize("steps", [[2.0], [99.0], [0.5] * 4, [1.5, 0.5]])
def test_it_sends_once_the_delay_is_over(steps: list[float]) -> None:
    fsm = machine(SendEvent("GO", delay=2.0))
    fsm.start()
    for _ in range(2):
        for step in steps:
            assert fsm.current_state is fsm.states["A"]
            fsm.update(step)
        assert fsm.current_state is fsm.states["B"]
        fsm.send_event("BACK")


def test_it_sends_but_once() -> None:
    fsm = machine(SendEvent("NOBODY", delay=1.0))
    fsm.start()
    assert drive(fsm, [1, 1, 1]).count("event NOBODY: ignored") == 1


def test_a_state_that_is_exited_first_sends_nothing_and_begins_again() -> None:
    fsm = machine(SendEvent("GO", delay=1.0))
    fsm.states["C"].add_transition("BACK", fsm.states["A"])
    fsm.start()
    assert drive(fsm, [0.75, "LEAVE", 9.0]).count("event GO: changed") == 0
    drive(fsm, ["BACK", 0.75])
    assert fsm.current_state is fsm.states["A"]


@pytest.mark.slow
@given(st.lists(st.floats(0.0, 1.0), max_size=20), st.floats(0.0, 5.0))
def test_the_frame_rate_does_not_matter(frames: list[float], delay: float) -> None:
    fsm = machine(SendEvent("GO", delay=delay))
    fsm.start()
    for frame in (0.0, *frames):
        fsm.update(frame)
    over = fsm.time >= delay - 1e-9
    assert fsm.current_state is fsm.states["B" if over else "A"]


def test_the_delay_uses_its_time_reference() -> None:
    world = TimeReference("world", 0.5)
    fsm = machine(SendEvent("GO", delay=1.0, time=world))
    fsm.start()
    drive(fsm, [1.5])
    world.paused = True
    drive(fsm, [99.0])
    assert fsm.current_state is fsm.states["A"]
    world.paused = False
    drive(fsm, [0.5])
    assert fsm.current_state is fsm.states["B"]


def test_delay_and_data_may_be_functions_called_on_enter_and_on_sending() -> None:
    delay, data = [1.0], ["early"]
    fsm = machine(SendEvent("GO", lambda: data[0], delay=lambda: delay[0]))
    fsm.start()
    delay[0], data[0] = 9.0, "late"
    fsm.update(1.0)
    assert (fsm.current_state, fsm.event_data) == (fsm.states["B"], "late")


def test_in_a_sequence_it_waits_for_its_turn() -> None:
    fsm = machine(Sequence(TimedWait(1.0), SendEvent("GO", delay=1.0)))
    fsm.start()
    drive(fsm, [1.0, 0.5])
    assert fsm.current_state is fsm.states["A"]
    drive(fsm, [0.5])
    assert fsm.current_state is fsm.states["B"]


def test_it_declares_what_it_sends() -> None:
    assert SendEvent("GO").sends == ("GO",)
    assert repr(SendEvent("GO", delay=2.0)) == "SendEvent(delay=2.0, event='GO')"


@pytest.mark.parametrize("wrong", [-1.0, nan, inf])
def test_an_invalid_delay_is_refused(wrong: float) -> None:
    with pytest.raises(
        ValueError, match="delay of SendEvent must be a finite number of seconds >= 0"
    ):
        SendEvent("GO", delay=wrong)
    with pytest.raises(
        ValueError, match="delay of SendEvent must be a finite number of seconds >= 0"
    ):
        machine(SendEvent("GO", delay=lambda: wrong)).start()


def guard(name: str = "Guard") -> Fsm:
    """Rest -> Alarm on NOISE."""
    fsm = Fsm(name, on_unhandled="raise")
    fsm.add_state("Rest").add_transition("NOISE", fsm.add_state("Alarm"))
    return fsm


def sender(to: Any, **more: Any) -> Fsm:
    """A machine that sends NOISE on enter, with the data 3."""
    fsm = Fsm("Sender", on_unhandled="raise")
    fsm.add_state("A").add_action(SendEvent("NOISE", 3, to=to, **more))
    return fsm


def test_it_can_go_to_another_machine() -> None:
    other = guard()
    other.start()
    fsm = sender(other)
    fsm.start()
    assert (other.current_state.name, other.event_data) == ("Alarm", 3)
    assert fsm.states["A"].actions[0].finished
    assert fsm.states["A"].actions[0].sends == ()


def test_it_can_go_to_a_group_that_it_may_be_in() -> None:
    group = FsmGroup([guard("Ann"), guard("Bob")])
    me = group.add(sender(group))
    me.states["A"].add_transition("NOISE", me.add_state("B"))
    for machine in group:
        machine.start()
    assert [machine.current_state.name for machine in group] == ["Alarm", "Alarm", "B"]
    assert me.states["A"].actions[0].sends == ("NOISE",)


@pytest.mark.parametrize(
    "to", [lambda other: other, lambda other: other.states["Rest"], lambda other: FsmGroup([other])]
)
def test_a_function_finds_the_receiver_when_it_is_sent(to: Callable[[Fsm], object]) -> None:
    other = guard()
    fsm = sender(lambda state: to(state.context), delay=1.0)
    fsm.start()
    fsm.context = other
    other.start()
    fsm.update(1.0)
    assert other.current_state.name == "Alarm"


def test_a_function_may_choose_the_own_machine() -> None:
    fsm = sender(lambda: None)
    fsm.states["A"].add_transition("NOISE", fsm.add_state("B"))
    fsm.start()
    assert fsm.current_state.name == "B"


def test_the_host_is_the_machine_that_runs_this_one() -> None:
    outer, inner = guard("Outer"), sender(HOST)
    outer.states["Rest"].add_action(RunFsm(inner))
    outer.start()
    assert (outer.current_state.name, outer.event_data) == ("Alarm", 3)
    assert not inner.is_running


def test_the_host_does_not_hand_the_event_back() -> None:
    journal: list[object] = []
    outer, inner = Fsm("Outer", on_unhandled="raise"), Fsm("Inner", on_unhandled="raise")
    inner.add_state("A").add_action(
        DelegateAction(on_event={"HIT": lambda _, hit: journal.append(("inner", hit))})
    )
    inner.states["A"].add_transition("PASS", inner.add_state("B"))
    inner.states["B"].add_action(SendEvent("HIT", 3, to=HOST))
    outer.add_state("A").add_action(RunFsm(inner))
    outer.states["A"].add_action(OnEvent("HIT", lambda _, hit: journal.append(("outer", hit))))
    outer.start()
    outer.send_event("HIT", 1)
    outer.send_event("PASS")
    inner.start("A")
    outer.send_event("HIT", 5)
    assert journal == [("inner", 1), ("outer", 3), ("inner", 5)]


def test_without_a_host_it_says_so() -> None:
    with pytest.raises(
        FsmError, match=r"SendEvent\('NOISE', to=HOST\) must have a host, but no other machine runs"
    ):
        sender(HOST).start()


def test_a_receiver_in_the_middle_of_a_call_decides_now_and_changes_then() -> None:
    other = guard()
    journal: list[str] = []
    me = sender(other)

    def wake(state: FsmState) -> None:
        me.start()
        journal.append(state.fsm.current_state.name)

    other.states["Rest"].add_action(DelegateAction(on_update=wake))
    other.start()
    other.update(0.1)
    assert (journal, other.current_state.name) == (["Rest"], "Alarm")


@pytest.mark.parametrize("to", [3, "Guard", object()])
def test_what_can_receive_nothing_is_refused(to: Any) -> None:
    with pytest.raises(TypeError, match="SendEvent: to must be a machine, a group, a state, HOST"):
        SendEvent("NOISE", to=to)
    with pytest.raises(TypeError, match="SendEvent: to must return a machine, a group, a state"):
        sender(lambda: to).start()


def test_a_copy_has_the_same_host_and_another_receiver() -> None:
    assert copy.deepcopy(SendEvent("NOISE", to=HOST)).to is HOST
    other = guard()
    assert copy.deepcopy(sender(other)).states["A"].actions[0].to is not other
