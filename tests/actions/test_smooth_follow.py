"""SmoothFollow: gently after a target, the same at every frame rate."""

from copy import deepcopy
from math import exp, inf, nan
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyglm import glm

from actions import SmoothFollow
from fsmkit import Fsm, TimeReference
from fsmkit.recording import restore, snapshot
from fsmkit.space import Space, Transform
from fsmkit.testing import drive

DTS = st.lists(st.floats(0.0, 2.0), max_size=15)
RATES = st.floats(0.0, 50.0)


def started(follow: SmoothFollow) -> Fsm:
    fsm = Fsm("M")
    fsm.add_state("A").add_action(follow)
    fsm.start()
    return fsm


@given(DTS, RATES)
def test_what_is_left_of_the_way_shrinks_exponentially(dts: list[float], rate: float) -> None:
    camera = Transform((0.0, 8.0))
    follow = SmoothFollow(camera, (4.0, 0.0), rate)
    drive(started(follow), dts)
    left = exp(-rate * sum(dts))
    assert camera.position == pytest.approx((4.0 - 4.0 * left, 8.0 * left), abs=1e-9)
    assert (follow.finished, follow.finishes) == (False, "never")


def followed(dts: list[float], rate: float) -> tuple[float, ...]:
    """Where a camera is that follows a runner at 3 units per second, after these frames."""
    camera, runner = Transform((0.0, 5.0)), Transform((0.0, 0.0))
    fsm = started(SmoothFollow(camera, runner, rate))
    for dt in dts:
        runner.position = (runner.position[0] + 3.0 * dt, 0.0)
        fsm.update(dt)
    return tuple(camera.position)


@given(st.lists(st.floats(1e-6, 1.0), min_size=1, max_size=15), RATES)
def test_behind_a_target_that_moves_steadily_the_frame_rate_does_not_matter_either(
    dts: list[float], rate: float
) -> None:
    assert followed(dts, rate) == pytest.approx(followed([sum(dts)], rate), abs=1e-6)


def test_a_steady_target_is_followed_at_a_steady_distance() -> None:
    assert followed([1 / 60] * 1200, 4.0) == pytest.approx((60.0 - 3.0 / 4.0, 0.0))


@pytest.mark.slow
@given(st.lists(st.tuples(st.floats(0.0, 1.0), st.floats(-9.0, 9.0)), max_size=12), RATES)
def test_it_never_goes_beyond_where_the_target_has_been(
    frames: list[tuple[float, float]], rate: float
) -> None:
    camera, target = Transform((0.0,)), Transform((5.0,))
    fsm = started(SmoothFollow(camera, target, rate))
    low, high = 0.0, 5.0
    for dt, place in frames:
        target.position = (place,)
        fsm.update(dt)
        low, high = min(low, place), max(high, place)
        assert low - 1e-9 <= camera.position[0] <= high + 1e-9


def test_it_keeps_an_offset_and_looks_the_target_up() -> None:
    hero = Transform((1.0, 2.0, 3.0))
    for target in (hero, lambda: hero.position, lambda: hero):
        camera = Transform((0.0, 0.0, 0.0))
        follow = SmoothFollow(camera, target, lambda: 100.0, offset=lambda: (0.0, 2.0, -10.0))
        drive(started(follow), [9.0])
        assert camera.position == pytest.approx((1.0, 4.0, -7.0))


def test_at_zero_it_stays_and_in_no_time_nothing_happens() -> None:
    camera = Transform((0.0, 0.0))
    drive(started(SmoothFollow(camera, (4.0, 0.0), 0.0)), [1.0, 1e9])
    paused = TimeReference("world")
    paused.paused = True
    drive(started(SmoothFollow(camera, (4.0, 0.0), 5.0, time=paused)), [1.0, 0.0])
    drive(started(SmoothFollow(camera, (4.0, 0.0), 5.0)), [0.0])
    assert camera.position == (0.0, 0.0)


def test_after_a_very_long_update_it_is_there() -> None:
    camera = Transform((0.0, 0.0))
    drive(started(SmoothFollow(camera, (0.3, 0.1), 5.0)), [1e9])
    assert camera.position == (0.3, 0.1)


def test_vectors_stay_vectors_and_space_self_is_local() -> None:
    camera = Transform(glm.vec2(0.0, 0.0))
    drive(started(SmoothFollow(camera, (4.0, 0.0), 1e3)), [9.0])
    child = Transform((0.0, 0.0), parent=Transform((10.0, 0.0)))
    child.local_position = (0.0, 0.0)
    drive(started(SmoothFollow(child, (1.0, 0.0), 1e3, space=Space.SELF)), [9.0])
    assert (camera.position, child.local_position) == (glm.vec2(4.0, 0.0), (1.0, 0.0))
    assert isinstance(camera.position, glm.vec2)


def test_a_copy_and_a_restored_visit_go_on_alike() -> None:
    def following(camera: Transform, target: Any) -> Fsm:
        return started(SmoothFollow(camera, target, 2.0, offset=(1.0, 0.0)))

    camera, other, target = Transform((0.0, 0.0)), Transform((0.0, 0.0)), Transform((4.0, 0.0))
    fsm = following(camera, target)
    fsm.update(0.5)
    twin, restored = deepcopy(fsm), following(other, target)
    restore(restored, snapshot(fsm))
    other.position = camera.position
    for each in (fsm, twin, restored):
        each.update(0.25)
    [action] = twin.states["A"].actions
    assert isinstance(action, SmoothFollow)
    assert action.transform.position == other.position == camera.position


@pytest.mark.parametrize("rate", [-1.0, nan, inf])
def test_a_smoothing_that_cannot_be_is_refused(rate: float) -> None:
    for value in (rate, lambda: rate):
        with pytest.raises(ValueError, match="^SmoothFollow: smoothing must be a finite number"):
            started(SmoothFollow(Transform((0.0, 0.0)), (1.0, 0.0), value))


@pytest.mark.parametrize("options", [{"offset": (1.0,)}, {"target": (1.0, 2.0, 3.0)}], ids=str)
def test_other_numbers_of_axes_are_refused_on_enter(options: Any) -> None:
    target = options.pop("target", (1.0, 0.0))
    with pytest.raises(ValueError, match="same number of axes"):
        started(SmoothFollow(Transform((0.0, 0.0)), target, 1.0, **options))
