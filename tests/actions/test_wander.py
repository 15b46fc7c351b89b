"""Wander: a smooth course by the dice, at every frame rate the same, and on a leash if asked."""

from copy import deepcopy
from itertools import pairwise
from math import acos, degrees, hypot, inf, nan
from operator import mul
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyglm import glm

from actions import LookAt, Wander
from fsmkit import Fsm, TimeReference
from fsmkit.recording import restore, snapshot
from fsmkit.space import Space, Transform, components, difference, distance
from fsmkit.testing import drive

SEEDS = st.integers(0, 1000)
FRAMES = st.lists(st.floats(0.0, 1.0), min_size=1, max_size=25)


def started(wander: Wander) -> Fsm:
    fsm = Fsm("M")
    fsm.add_state("A").add_action(wander)
    fsm.start()
    return fsm


def course(frames: list[float], seed: int, dimensions: int = 2, **options: Any) -> list[Any]:
    """The places that a walk from the origin at 2 units per second comes through."""
    hen = Transform((0.0,) * dimensions)
    fsm = started(Wander(hen, 2.0, Random(seed), **options))
    places = [hen.position]
    for dt in frames:
        fsm.update(dt)
        places.append(hen.position)
    return places


@pytest.mark.slow
@given(SEEDS, FRAMES, st.sampled_from([2, 3]), st.sampled_from([{}, {"radius": 3.0}]))
def test_the_course_depends_on_the_dice_and_not_on_the_frame_rate(
    seed: int, frames: list[float], dimensions: int, options: Any
) -> None:
    whole = course([sum(frames)], seed, dimensions, **options)
    assert course(frames, seed, dimensions, **options)[-1] == pytest.approx(whole[-1], abs=1e-6)


@pytest.mark.slow
@given(SEEDS, st.floats(0.0, 300.0), st.sampled_from([2, 3]))
def test_it_keeps_its_speed_and_turns_no_faster_than_it_may(
    seed: int, turning: float, dimensions: int
) -> None:
    places = course([1 / 64] * 48, seed, dimensions, turning=turning)
    steps = [difference(*pair) for pair in pairwise(places)]
    for step in steps:
        assert hypot(*step) == pytest.approx(2.0 / 64, rel=0.01)
        assert hypot(*step) <= 2.0 / 64 + 1e-9
    for step, following in pairwise(steps):
        cosine = sum(map(mul, step, following)) / hypot(*step) / hypot(*following)
        assert degrees(acos(min(1.0, cosine))) <= turning / 64 + 1e-3


@pytest.mark.slow
@given(SEEDS, st.floats(0.01, 20.0), st.floats(0.0, 400.0), st.sampled_from([2, 3]))
def test_on_a_leash_it_never_leaves_the_circle(
    seed: int, radius: float, turning: float, dimensions: int
) -> None:
    places = course([1 / 16] * 160, seed, dimensions, radius=radius, turning=turning)
    assert max(hypot(*place) for place in places) <= radius * (1 + 1e-6)


@pytest.mark.slow
@given(SEEDS, st.floats(0.0, 1.0))
def test_from_anywhere_inside_it_stays_inside(seed: int, share: float) -> None:
    hen = Transform((4.0 * share, 1.0))
    fsm = started(Wander(hen, 2.0, Random(seed), around=(0.0, 1.0), radius=4.0))
    for _ in range(100):
        fsm.update(1 / 10)
        assert distance(hen.position, (0.0, 1.0)) <= 4.0 * (1 + 1e-6)


@pytest.mark.slow
@given(SEEDS, st.floats(0.5, 5.0))
def test_from_outside_it_comes_home_and_stays(seed: int, radius: float) -> None:
    hen = Transform((20.0, -10.0))
    fsm = started(Wander(hen, 2.0, Random(seed), around=(0.0, 0.0), radius=radius))
    fsm.update(12.0)
    for _ in range(40):
        fsm.update(0.25)
        assert hypot(*hen.position) <= radius * (1 + 1e-6)


def test_carried_off_it_turns_round_and_comes_home() -> None:
    hen = Transform((0.0, 0.0))
    wander = Wander(hen, 2.0, Random(3), radius=4.0)
    fsm = started(wander)
    fsm.update(1.0)
    hen.position = tuple(20.0 * number for number in wander.direction)
    fsm.update(20.0)
    assert hypot(*hen.position) <= 4.0


@pytest.mark.slow
def test_on_a_leash_it_comes_everywhere() -> None:
    for radius in (0.5, 4.0):
        places = course([1 / 4] * 2000, 5, radius=radius)
        corners = {(x > 0, y > 0, hypot(x, y) > radius / 2) for x, y in places}
        assert len(corners) == 8


def test_around_may_move_and_be_a_function() -> None:
    shepherd = Transform((0.0, 0.0))
    for around in (shepherd, lambda: shepherd.position, lambda: shepherd):
        shepherd.position = (0.0, 0.0)
        sheep = Transform((0.0, 0.0))
        fsm = started(Wander(sheep, lambda: 3.0, Random(1), around=around, radius=lambda: 2.0))
        for _ in range(300):
            x, y = shepherd.position
            shepherd.position = (x + 0.05, y)
            fsm.update(0.1)
        assert distance(sheep.position, shepherd.position) <= 3.0


@pytest.mark.parametrize(("up", "kept"), [(1, 5.0), (2, 7.0)])
def test_with_up_it_keeps_its_height(up: int, kept: float) -> None:
    hen = Transform((1.0, 5.0, 7.0))
    wander = Wander(hen, 2.0, Random(1), up=up, radius=3.0)
    fsm = started(wander)
    for _ in range(50):
        fsm.update(0.1)
        assert (hen.position[up], wander.direction[up]) == (kept, 0.0)
    assert hen.position[0] != 1.0


def test_in_space_it_goes_along_every_axis() -> None:
    places = course([0.5] * 100, 1, 3)
    assert all(max(p[axis] for p in places) - min(p[axis] for p in places) > 3 for axis in range(3))


def test_it_goes_where_it_says_that_it_is_heading() -> None:
    fish = Transform((0.0, 0.0))
    wander = Wander(fish, 2.0, Random(2))
    assert (wander.direction, wander.ahead) == ((), (0.0, 0.0))
    fsm = started(wander)
    fsm.states["A"].add_action(LookAt(fish, lambda: wander.ahead))
    fsm.start()
    for _ in range(20):
        before, heading = fish.position, wander.direction
        fsm.update(1e-4)
        moved = difference(before, fish.position)
        assert [step / 2e-4 for step in moved] == pytest.approx(heading, abs=1e-2)
        assert difference(fish.position, wander.ahead) == pytest.approx(wander.direction)
        fsm.update(0.3)


@pytest.mark.slow
def test_it_never_finishes_stands_still_without_speed_and_takes_its_own_time() -> None:
    hen = Transform((0.0, 0.0))
    wander = Wander(hen, 0.0, Random(1), radius=1.0)
    drive(started(wander), [1.0, 1e6])
    assert (wander.finished, wander.finishes, hen.position) == (False, "never", (0.0, 0.0))
    slow = TimeReference("slow", 0.25)
    assert course([2.0] * 4, 9, time=slow)[-1] == pytest.approx(course([0.5] * 4, 9)[-1])


def test_it_adds_to_what_others_do() -> None:
    hen = Transform((0.0, 0.0))
    fsm = started(Wander(hen, 2.0, Random(4)))
    for _ in range(10):
        hen.position = (hen.position[0] + 1.0, hen.position[1])
        fsm.update(0.1)
    alone = course([0.1] * 10, 4)[-1]
    assert hen.position == pytest.approx((alone[0] + 10.0, alone[1]))


def test_vectors_stay_vectors_and_space_self_is_local() -> None:
    bird = Transform(glm.vec3(0.0))
    drive(started(Wander(bird, 2.0, Random(4), radius=2.0)), [1.0])
    assert isinstance(bird.position, glm.vec3)
    assert components(bird.position) == pytest.approx(course([1.0], 4, 3, radius=2.0)[-1], abs=1e-5)
    child = Transform((0.0, 0.0), parent=Transform((10.0, 0.0)))
    child.local_position = (0.0, 0.0)
    drive(started(Wander(child, 2.0, Random(4), space=Space.SELF)), [1.0])
    assert child.local_position == pytest.approx(course([1.0], 4)[-1])


def test_a_copy_and_a_restored_visit_take_the_same_course() -> None:
    def wandering(seed: int) -> tuple[Fsm, Transform]:
        hen = Transform((0.0, 0.0))
        return started(Wander(hen, 2.0, Random(seed), radius=3.0)), hen

    (fsm, hen), (other, restored) = wandering(4), wandering(5)
    fsm.update(0.9)
    twin = deepcopy(fsm)
    restore(other, snapshot(fsm))
    restored.position = hen.position
    for each in (fsm, twin, other):
        each.update(5.0)
    [action] = twin.states["A"].actions
    assert isinstance(action, Wander)
    assert action.transform.position == restored.position == hen.position


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"speed": -1.0}, "Wander: speed must be a finite number"),
        ({"turning": inf}, "Wander: turning must be a finite number"),
        ({"radius": nan}, "Wander: radius must be a finite number"),
        ({"radius": 0.0}, "Wander: radius must be above 0, got 0.0"),
    ],
)
def test_a_number_that_cannot_be_is_refused(options: dict[str, float], message: str) -> None:
    [(name, number)] = options.items()
    for value in (number, lambda: number):
        with pytest.raises(ValueError, match=message):
            started(Wander(Transform((0.0, 0.0)), rng=Random(1), **{"speed": 1.0, name: value}))


def test_a_centre_without_a_radius_is_refused() -> None:
    with pytest.raises(ValueError, match="around must be given together with a radius"):
        Wander(Transform((0.0, 0.0)), 1.0, Random(1), around=(0.0, 0.0))


@pytest.mark.parametrize(
    ("place", "up"),
    [((0.0,), None), ((0.0, 0.0), 1), ((0.0, 0.0), 2), ((0.0,) * 4, None)],
    ids=str,
)
def test_a_plane_or_space_is_needed(place: tuple[float, ...], up: int | None) -> None:
    with pytest.raises(ValueError, match="two axes to move along, or three"):
        started(Wander(Transform(place), 1.0, Random(1), up=up))


def test_a_centre_with_other_axes_is_refused_on_enter() -> None:
    for around in ((0.0, 0.0), lambda: (0.0, 0.0)):
        wander = Wander(Transform((0.0,) * 3), 1.0, Random(1), around=around, radius=1.0)
        with pytest.raises(ValueError, match="the same number of axes"):
            started(wander)


def test_a_height_is_an_index() -> None:
    with pytest.raises(ValueError, match=r"up must be the index of an axis .*, got 1\.0"):
        Wander(Transform((0.0,) * 3), 1.0, Random(1), up=1.0)  # type: ignore[arg-type]
