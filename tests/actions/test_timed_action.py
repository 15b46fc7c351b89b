"""TimedAction: elapsed time, the guaranteed last step, easing, time references."""

from math import inf, nan

import pytest
from attrs import define, field
from hypothesis import given
from hypothesis import strategies as st

from actions.parts.parameters import Param
from actions.parts.timed_action import TimedAction
from fsmkit import FINISHED, Fsm, TimeReference

durations = st.one_of(st.just(0.0), st.just(5e-324), st.floats(1e-12, 1e6))
frames = st.lists(st.floats(0.0, 1e3), max_size=30)


@define(eq=False, repr=False)
class Fade(TimedAction):
    """Keeps all shares it was told to apply."""

    duration: Param[float]
    nothing_to_do: bool = False
    applied: list[float] = field(factory=list, init=False)

    def begin(self) -> None:
        self.applied.clear()
        if self.nothing_to_do:
            self.length = 0.0

    def apply(self, progress: float) -> None:
        self.applied.append(progress)


def run(action: TimedAction) -> Fsm:
    """Work (with the action) -> Done on FINISHED, and on AGAIN back; a break is BREAK."""
    fsm = Fsm("M", on_unhandled="raise")
    work, done = fsm.add_state("Work"), fsm.add_state("Done")
    work.add_action(action)
    work.add_transition(FINISHED, done)
    work.add_transition("BREAK", done)
    done.add_transition("AGAIN", work)
    fsm.start()
    return fsm


def test_progress_is_applied_from_0_to_exactly_1() -> None:
    fade = Fade(2.0)
    fsm = run(fade)
    for _ in range(2):
        for dt in (0.5, 0.0, 1.0, 9.0):
            fsm.update(dt)
        assert fade.applied == [0.0, 0.25, 0.25, 0.75, 1.0]
        assert fsm.current_state is fsm.states["Done"]
        fsm.send_event("AGAIN")


def test_one_giant_update_ends_exactly_at_the_end() -> None:
    fade = Fade(2.0)
    run(fade).update(1e12)
    assert fade.applied == [0.0, 1.0]


@pytest.mark.parametrize("fade", [Fade(0), Fade(0.0), Fade(2.0, nothing_to_do=True)])
def test_with_nothing_to_do_it_ends_on_enter(fade: Fade) -> None:
    fsm = run(fade)
    assert (fade.applied, fsm.current_state) == ([1.0], fsm.states["Done"])


def test_a_tiny_duration_ends_in_the_first_update() -> None:
    fade = Fade(5e-324)
    run(fade).update(0.0)
    assert fade.applied == [0.0, 1.0]


def test_ten_steps_of_a_tenth_are_a_second() -> None:
    fade = Fade(1.0)
    fsm = run(fade)
    for _ in range(9):
        fsm.update(0.1)
    assert fsm.current_state is fsm.states["Work"]
    fsm.update(0.1)
    assert fade.applied[-1] == 1.0


@given(durations, frames)
def test_shares_rise_and_1_is_applied_once_and_last(duration: float, frames: list[float]) -> None:
    fade = Fade(duration)
    fsm = run(fade)
    for dt in frames:
        fsm.update(dt)
    assert fade.applied == sorted(fade.applied)
    assert fade.applied[0] >= 0.0
    is_over = fsm.current_state is fsm.states["Done"]
    assert is_over == (fade.applied[-1] == 1.0)
    assert 1.0 not in fade.applied[:-1]


@given(st.integers(1, 640), st.lists(st.integers(0, 64), max_size=30))
def test_the_frame_rate_does_not_matter(duration: int, frames: list[int]) -> None:
    slow, fast = Fade(duration / 64), Fade(duration / 64)
    at_once, bit_by_bit = run(slow), run(fast)
    at_once.update(sum(frames) / 64)
    for frame in (0, *frames):
        bit_by_bit.update(frame / 64)
    assert slow.applied[-1] == fast.applied[-1]
    assert slow.elapsed == fast.elapsed


def test_progress_can_be_read_in_between() -> None:
    fade = Fade(2.0)
    assert fade.progress == 1.0
    fsm = run(fade)
    assert fade.progress == 0.0
    fsm.update(0.5)
    assert fade.progress == 0.25
    fsm.update(9.0)
    assert (fade.progress, fade.elapsed) == (1.0, 2.0)


def test_easing_bends_what_lies_between_but_not_the_ends() -> None:
    fade = Fade(1.0, easing=lambda share: share**2 + 0.5)
    fsm = run(fade)
    for dt in (0.5, 0.5):
        fsm.update(dt)
    assert fade.applied == [0.0, 0.75, 1.0]


def test_a_time_reference_slows_it_down_and_stops_it() -> None:
    world = TimeReference("world", 0.5)
    fade = Fade(1.0, time=world)
    fsm = run(fade)
    fsm.update(1.0)
    world.paused = True
    fsm.update(99.0)
    world.paused = False
    world.scale = 2.0
    fsm.update(0.125)
    fsm.update(0.125)
    assert fade.applied == [0.0, 0.5, 0.5, 0.75, 1.0]


def test_a_duration_may_be_a_function_called_on_enter_and_is_never_overwritten() -> None:
    seconds = [1.0, 4.0]
    fade = Fade(lambda: seconds.pop(0))
    fsm = run(fade)
    fsm.update(1.0)
    fsm.send_event("AGAIN")
    fsm.update(1.0)
    assert (fade.length, fade.applied, callable(fade.duration)) == (4.0, [0.0, 0.25], True)


def test_a_visit_that_was_cut_short_begins_again() -> None:
    fade = Fade(2.0)
    fsm = run(fade)
    fsm.update(1.5)
    fsm.send_event("BREAK")
    assert fade.applied == [0.0, 0.75]
    fsm.send_event("AGAIN")
    fsm.update(0.5)
    assert fade.applied == [0.0, 0.25]


def test_the_finish_event_comes_before_finished() -> None:
    fade = Fade(1.0, finish_event="FADED")
    fsm = Fsm("M")
    work = fsm.add_state("Work")
    work.add_action(fade)
    work.add_transition(FINISHED, fsm.add_state("Finished"))
    work.add_transition("FADED", fsm.add_state("Faded"))
    fsm.start()
    fsm.update(1.0)
    assert fsm.current_state is fsm.states["Faded"]


@pytest.mark.parametrize("wrong", [-1.0, nan, inf])
def test_an_invalid_duration_is_an_error_at_once_or_when_its_function_is_called(
    wrong: float,
) -> None:
    with pytest.raises(
        ValueError, match="duration of Fade must be a finite number of seconds >= 0"
    ):
        Fade(wrong)
    fade = Fade(lambda: wrong)
    with pytest.raises(
        ValueError, match="duration of Fade must be a finite number of seconds >= 0"
    ):
        run(fade)


def test_a_duration_is_a_number() -> None:
    with pytest.raises(
        TypeError, match="The duration of Fade must be a number of seconds, got 'long'"
    ):
        Fade("long")  # type: ignore[arg-type]
