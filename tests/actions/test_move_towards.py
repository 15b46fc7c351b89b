"""MoveTowards: at a certain speed, to a target that may move."""

from math import inf, nan
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyglm import glm

from actions.move_towards import MoveTowards
from fsmkit import Fsm, TimeReference
from fsmkit.space import Space, Transform, distance
from fsmkit.testing import drive


def started(move: MoveTowards) -> Fsm:
    fsm = Fsm("M")
    fsm.add_state("A").add_action(move)
    fsm.start()
    return fsm


def test_goes_straight_and_stops_exactly_at_the_target() -> None:
    thing = Transform((0.0, 0.0))
    move = MoveTowards(thing, (3.0, 4.0), 2.5)
    fsm = started(move)
    fsm.update(1)
    half = (thing.position, move.finished)
    fsm.update(1e12)
    assert [half, (thing.position, move.finished)] == [((1.5, 2.0), False), ((3.0, 4.0), True)]


def test_stops_exactly_at_the_arrival_distance() -> None:
    thing = Transform((0.0, 0.0))
    move = MoveTowards(thing, (10.0, 0.0), 1.0, arrival_distance=4.0)
    drive(started(move), [100])
    assert (thing.position, move.finished) == ((6.0, 0.0), True)


@pytest.mark.parametrize("arrival_distance", [0.0, 3.0])
def test_already_there_it_finishes_on_enter_and_stays(arrival_distance: float) -> None:
    thing = Transform((7.0 + arrival_distance, 0.0))
    before = thing.position
    move = MoveTowards(thing, (7.0, 0.0), 1.0, arrival_distance=arrival_distance)
    started(move)
    assert (thing.position, move.finished) == (before, True)


@pytest.mark.slow
@given(
    st.tuples(st.floats(-1e3, 1e3), st.floats(-1e3, 1e3)),
    st.floats(0.0, 100.0),
    st.floats(0.0, 50.0),
    st.lists(st.floats(0.0, 10.0), max_size=12),
)
def test_never_goes_further_than_its_speed_nor_beyond_the_target(
    target: tuple[float, float], speed: float, arrival: float, dts: list[float]
) -> None:
    thing = Transform((0.0, 0.0))
    move = MoveTowards(thing, target, speed, arrival_distance=arrival)
    drive(started(move), dts)
    whole = distance((0.0, 0.0), target)
    left = max(min(whole, arrival), whole - speed * sum(dts))
    assert distance(thing.position, target) == pytest.approx(left, abs=1e-6)
    assert move.finished == (distance(thing.position, target) <= arrival + 1e-9) or left < 1e-6


def test_ten_steps_of_a_tenth_are_a_second() -> None:
    move = MoveTowards(Transform(), (10.0, 0.0), 10.0)
    drive(started(move), [0.1] * 10)
    assert move.finished


def test_follows_a_target_that_moves() -> None:
    thing, target = Transform((0.0, 0.0)), Transform((10.0, 0.0))
    for wanted in (target, lambda: target.position, lambda: target):
        thing.position = (0.0, 0.0)
        target.position = (10.0, 0.0)
        move = MoveTowards(thing, wanted, 1.0)
        fsm = started(move)
        fsm.update(1)
        target.position = (1.0, 2.0)
        fsm.update(1)
        half = thing.position
        fsm.update(1)
        assert (half, thing.position, move.finished) == ((1.0, 1.0), (1.0, 2.0), True)


def test_a_target_that_comes_near_counts_even_while_time_is_paused() -> None:
    world = TimeReference("world", paused=True)
    thing, target = Transform((0.0, 0.0)), Transform((10.0, 0.0))
    move = MoveTowards(thing, target, 1.0, arrival_distance=1.0, time=world)
    fsm = started(move)
    fsm.update(5)
    assert (thing.position, move.finished) == ((0.0, 0.0), False)
    target.position = (0.5, 0.0)
    fsm.update(5)
    assert (thing.position, move.finished) == ((0.0, 0.0), True)


def test_the_speed_may_be_a_function_called_on_enter() -> None:
    speeds = iter([1.0, 5.0])
    thing = Transform()
    fsm = started(MoveTowards(thing, (99.0, 0.0), lambda: next(speeds)))
    drive(fsm, [1, 1, fsm.start, 1])
    assert thing.position == (7.0, 0.0)


def test_without_speed_it_stays() -> None:
    thing = Transform()
    move = MoveTowards(thing, (1.0, 0.0), 0.0)
    drive(started(move), [1e9])
    assert (thing.position, move.finished) == ((0.0, 0.0), False)


def test_self_space_is_the_parents_for_both() -> None:
    ship = Transform((50.0, 0.0), rotation=90.0)
    sailor, mast = Transform((50.0, 0.0), parent=ship), Transform((50.0, 8.0), parent=ship)
    fsm = started(MoveTowards(sailor, mast, 2.0, space=Space.SELF))
    ship.position = (0.0, 0.0)
    fsm.update(1)
    assert (sailor.local_position, sailor.position) == ((2.0, 0.0), (0.0, 2.0))


def test_arrives_in_the_precision_of_the_things_own_vectors() -> None:
    thing = Transform(glm.vec3(0, 0, 0))
    move = MoveTowards(thing, (0.1, 0.2, 0.3), 1.0, finish_event="THERE")
    fsm = started(move)
    fsm.update(9)
    fsm.start()
    assert (thing.position, move.finished) == (glm.vec3(0.1, 0.2, 0.3), True)


@pytest.mark.parametrize("speed", [-1.0, inf, nan])
def test_an_impossible_speed_is_refused(speed: float) -> None:
    with pytest.raises(
        ValueError, match=r"MoveTowards: speed must be a finite number >= 0 \(units per second\)"
    ):
        MoveTowards(Transform(), (1.0, 0.0), speed)
    with pytest.raises(
        ValueError, match=r"MoveTowards: speed must be a finite number >= 0 \(units per second\)"
    ):
        started(MoveTowards(Transform(), (1.0, 0.0), lambda: speed))


@pytest.mark.parametrize("arrival_distance", [-1.0, inf, nan])
def test_an_impossible_arrival_distance_is_refused(arrival_distance: float) -> None:
    with pytest.raises(
        ValueError, match=r"MoveTowards: arrival_distance must be a finite number >= 0 \(units\)"
    ):
        MoveTowards(Transform(), (1.0, 0.0), 1.0, arrival_distance=arrival_distance)


@pytest.mark.parametrize("target", [object(), 5.0, None])
def test_a_target_that_is_nowhere_is_an_error_on_enter(target: Any) -> None:
    with pytest.raises(TypeError, match="must be a tuple or vector of numbers"):
        started(MoveTowards(Transform(), target, 1.0))
