"""SendEvent: at once or after a delay."""

from math import inf, nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actions.send_event import SendEvent
from actions.sequence import Sequence
from actions.timed_wait import TimedWait
from fsmkit import FINISHED, Fsm, TimeReference
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
    assert drive(fsm, [1, 1, 1]).count("event NOBODY: unhandled") == 1


def test_a_state_that_is_exited_first_sends_nothing_and_begins_again() -> None:
    fsm = machine(SendEvent("GO", delay=1.0))
    fsm.states["C"].add_transition("BACK", fsm.states["A"])
    fsm.start()
    assert drive(fsm, [0.75, "LEAVE", 9.0]).count("event GO: changed") == 0
    drive(fsm, ["BACK", 0.75])
    assert fsm.current_state is fsm.states["A"]


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
