"""TimeReference, CountdownTimer, FixedStep."""

from decimal import Decimal
from fractions import Fraction
from math import inf, nan
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsmkit.timing import CountdownTimer, FixedStep, TimeReference, checked_seconds

NO_SECONDS = [-0.1, nan, inf, -inf]
steps = st.floats(1e-4, 10.0)
frames = st.lists(st.floats(0.0, 1.0), max_size=50)


@pytest.mark.parametrize("seconds", NO_SECONDS)
def test_seconds_are_finite_and_not_negative(seconds: float) -> None:
    with pytest.raises(ValueError, match=r"A pause must be a finite number of seconds >= 0, got"):
        checked_seconds(seconds, "A pause")


@pytest.mark.parametrize("seconds", ["1", None, [], object(), b"1", np.zeros(2)])
def test_what_is_not_a_number_is_refused(seconds: Any) -> None:
    for make, what in [
        (lambda: checked_seconds(seconds, "A pause"), "A pause must be a number of seconds, got"),
        (lambda: FixedStep(seconds), "A fixed step must be a finite number of seconds > 0, got"),
        (lambda: FixedStep(0.1).steps(seconds), "A frame time must be a number of seconds, got"),
        (lambda: CountdownTimer(seconds), "The duration of a timer must be a number of seconds,"),
        (lambda: CountdownTimer(1.0).update(seconds), "The time step of a timer must be a number"),
        (lambda: TimeReference("world", seconds), "'world': scale must be a finite number >= 0,"),
    ]:
        with pytest.raises(TypeError, match=what):
            make()


@pytest.mark.parametrize(
    "quarter",
    [Fraction(1, 4), Decimal("0.25"), np.float32(0.25), np.float64(0.25), np.array([0.25])],
)
def test_numbers_of_any_kind_become_floats_once(quarter: Any) -> None:
    seconds = checked_seconds(quarter, "A pause")
    timer, fixed = CountdownTimer(quarter), FixedStep(quarter)
    timer.update(quarter)
    assert list(fixed.steps(quarter)) == [0.25]
    assert [seconds, timer.elapsed, timer.duration, fixed.step] == [0.25] * 4
    assert {type(seconds), type(timer.elapsed), type(timer.duration), type(fixed.step)} == {float}


def test_an_hour_in_short_floats_is_an_hour() -> None:
    timer = CountdownTimer(3600.0)
    for _ in range(3600 * 4):
        timer.update(np.float16(0.25))
    assert timer.elapsed == 3600.0


def test_the_other_parameters_are_checked_too() -> None:
    with pytest.raises(TypeError, match="TimeReference: name must be a str, got 0.5"):
        TimeReference(0.5)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="CountdownTimer: time must be a TimeReference, got 0.5"):
        CountdownTimer(1.0, time=0.5)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="max_steps must be an integer >= 1, got '8'"):
        FixedStep(0.1, max_steps="8")  # type: ignore[arg-type]


def test_a_reference_scales_time_and_stops_it() -> None:
    world = TimeReference("world")
    assert world.scaled(0.5) == 0.5
    world.scale = 0.25
    assert world.scaled(2.0) == 0.5
    world.paused = True
    assert world.scaled(2.0) == 0.0
    world.paused = False
    assert world.scaled(2.0) == 0.5


@pytest.mark.parametrize("scale", NO_SECONDS)
def test_the_scale_of_time_is_finite_and_not_negative(scale: float) -> None:
    with pytest.raises(ValueError, match="'world': scale must be a finite number >= 0"):
        TimeReference("world", scale)
    world = TimeReference("world", 2.0)
    with pytest.raises(ValueError, match="'world': scale must be a finite number >= 0"):
        world.scale = scale
    assert world.scale == 2.0


def test_references_are_compared_by_identity() -> None:
    assert TimeReference("world") != TimeReference("world")


def test_a_timer_counts_down_and_can_begin_again() -> None:
    timer = CountdownTimer(2.0)
    timer.update(1.5)
    assert (timer.elapsed, timer.remaining, timer.ratio) == (1.5, 0.5, 0.75)
    timer.reset()
    assert (timer.remaining, timer.ratio, timer.has_elapsed) == (2.0, 0.0, False)
    timer.reset(4.0)
    timer.update(1.0)
    assert (timer.duration, timer.ratio) == (4.0, 0.25)


def test_a_timer_follows_its_time_reference() -> None:
    world = TimeReference("world", 0.5)
    timer = CountdownTimer(1.0, time=world)
    timer.update(1.0)
    world.paused = True
    timer.update(99.0)
    assert timer.remaining == 0.5


def test_ten_steps_of_a_tenth_are_a_second() -> None:
    timer = CountdownTimer(1.0)
    for _ in range(10):
        timer.update(0.1)
    assert timer.elapsed < 1.0
    assert (timer.has_elapsed, timer.ratio, timer.remaining) == (True, 1.0, 0.0)


def test_a_timer_of_no_duration_has_elapsed() -> None:
    timer = CountdownTimer(0.0)
    assert (timer.has_elapsed, timer.ratio, timer.remaining) == (True, 1.0, 0.0)


@pytest.mark.parametrize("seconds", NO_SECONDS)
def test_the_times_of_a_timer_must_be_finite_and_not_negative(seconds: float) -> None:
    timer = CountdownTimer(1.0)
    with pytest.raises(ValueError, match="duration of a timer"):
        CountdownTimer(seconds)
    with pytest.raises(ValueError, match="duration of a timer"):
        timer.reset(seconds)
    with pytest.raises(ValueError, match="time step of a timer"):
        timer.update(seconds)
    assert (timer.duration, timer.elapsed) == (1.0, 0.0)


@given(st.floats(0.0, 100.0), frames)
def test_a_timer_runs_from_0_to_1_and_stays_there(duration: float, frames: list[float]) -> None:
    timer = CountdownTimer(duration)
    ratios = [timer.ratio]
    for frame in frames:
        timer.update(frame)
        ratios.append(timer.ratio)
        assert timer.has_elapsed == (timer.ratio == 1.0) == (timer.remaining == 0.0)
    assert ratios == sorted(ratios)
    assert 0.0 <= ratios[0] <= ratios[-1] <= 1.0


def test_a_frame_is_cut_into_equal_steps_and_the_rest_is_kept() -> None:
    fixed = FixedStep(0.25)
    assert list(fixed.steps(0.625)) == [0.25, 0.25]
    assert fixed.alpha == 0.5
    assert list(fixed.steps(0.125)) == [0.25]
    assert fixed.alpha == 0.0


def test_the_steps_of_a_frame_need_not_be_made() -> None:
    fixed = FixedStep(0.25)
    fixed.steps(0.5)
    assert list(fixed.steps(0.25)) == [0.25]


def test_time_beyond_max_steps_of_a_frame_is_dropped() -> None:
    fixed = FixedStep(0.25, max_steps=2)
    assert list(fixed.steps(10.125)) == [0.25, 0.25]
    assert fixed.alpha == 0.5
    assert list(fixed.steps(0.125)) == [0.25]


def test_a_second_has_sixty_sixtieths_at_any_frame_rate() -> None:
    for rate in (1, 7, 30, 60, 144):
        fixed = FixedStep(1 / 60, max_steps=60)
        assert sum(len(list(fixed.steps(1 / rate))) for _ in range(rate)) == 60


@given(st.floats(1e-12, 1e-6))
def test_no_time_makes_no_steps_however_short_they_are(step: float) -> None:
    assert list(FixedStep(step).steps(0.0)) == []


@given(steps, frames)
def test_steps_and_rest_make_up_the_time_of_the_frames(step: float, frames: list[float]) -> None:
    fixed = FixedStep(step, max_steps=100_000)
    made = 0
    for frame in frames:
        made += len(list(fixed.steps(frame)))
        assert 0.0 <= fixed.alpha <= 1.0
    total = sum(Fraction(frame) for frame in frames)
    assert float(made * Fraction(step) + Fraction(fixed.accumulated)) == pytest.approx(
        float(total), abs=1e-6
    )


@pytest.mark.parametrize("step", [0.0, *NO_SECONDS])
def test_a_step_must_be_positive(step: float) -> None:
    with pytest.raises(ValueError, match="A fixed step must be a finite number of seconds > 0"):
        FixedStep(step)


def test_max_steps_must_be_at_least_one() -> None:
    with pytest.raises(ValueError, match="max_steps must be an integer >= 1, got 0"):
        FixedStep(0.1, max_steps=0)


@pytest.mark.parametrize("seconds", NO_SECONDS)
def test_a_frame_time_must_be_finite_and_not_negative(seconds: float) -> None:
    fixed = FixedStep(0.1)
    with pytest.raises(ValueError, match="A frame time must be a finite number of seconds"):
        fixed.steps(seconds)
    assert fixed.accumulated == 0.0
