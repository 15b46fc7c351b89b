"""TimedWait: let time pass."""

from math import inf, nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actions.timed_wait import TimedWait
from fsmkit import FINISHED, Fsm, TimeReference


def run(wait: TimedWait) -> Fsm:
    fsm = Fsm("M", on_unhandled="raise")
    work, done = fsm.add_state("Work"), fsm.add_state("Done")
    work.add_action(wait)
    work.add_transition(FINISHED, done)
    done.add_transition("AGAIN", work)
    fsm.start()
    return fsm


@pytest.mark.parametrize("steps", [[2.0], [99.0], [0.5] * 4, [0.1] * 20, [1.5, 0.0, 0.5]])
def test_it_finishes_once_the_time_is_over_on_every_visit(steps: list[float]) -> None:
    fsm = run(TimedWait(2.0))
    for _ in range(2):
        for step in steps:
            assert fsm.current_state is fsm.states["Work"]
            fsm.update(step)
        assert fsm.current_state is fsm.states["Done"]
        fsm.send_event("AGAIN")


def test_no_time_finishes_on_enter() -> None:
    fsm = run(TimedWait(0))
    assert (fsm.current_state, fsm.time) == (fsm.states["Done"], 0.0)


@given(st.floats(0.0, 10.0), st.lists(st.floats(0.0, 2.0), max_size=30))
def test_it_never_ends_early_nor_late(duration: float, frames: list[float]) -> None:
    fsm = run(TimedWait(duration))
    for frame in (0.0, *frames):
        fsm.update(frame)
    over = fsm.time >= duration - 1e-9
    assert fsm.current_state is fsm.states["Done" if over else "Work"]


def test_the_finish_event_may_be_given_by_position() -> None:
    wait = TimedWait(1.0, "RESTED")
    fsm = run(wait)
    fsm.states["Work"].add_transition("RESTED", fsm.add_state("Rested"))
    fsm.update(1.0)
    assert (wait.finish_event, fsm.current_state) == ("RESTED", fsm.states["Rested"])


def test_it_uses_its_time_reference() -> None:
    world = TimeReference("world", paused=True)
    fsm = run(TimedWait(1.0, time=world))
    fsm.update(99.0)
    world.paused = False
    fsm.update(0.5)
    assert fsm.current_state is fsm.states["Work"]
    fsm.update(0.5)
    assert fsm.current_state is fsm.states["Done"]


def test_the_duration_may_be_a_function_called_on_enter() -> None:
    seconds = [1.0, 3.0]
    fsm = run(TimedWait(lambda: seconds.pop(0)))
    fsm.update(1.0)
    fsm.send_event("AGAIN")
    fsm.update(2.0)
    assert fsm.current_state is fsm.states["Work"]
    fsm.update(1.0)
    assert fsm.current_state is fsm.states["Done"]


@pytest.mark.parametrize("wrong", [-1.0, nan, inf])
def test_an_invalid_duration_is_an_error_on_enter(wrong: float) -> None:
    with pytest.raises(
        ValueError, match="The duration of TimedWait must be a finite number of seconds"
    ):
        run(TimedWait(wrong))


def test_it_takes_no_easing() -> None:
    with pytest.raises(TypeError):
        TimedWait(1.0, easing=None)  # type: ignore[call-arg]
