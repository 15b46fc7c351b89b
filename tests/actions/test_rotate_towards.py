"""RotateTowards: turn until a target is faced."""

from math import exp, inf, nan
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyglm import glm

from actions.rotate_towards import RotateTowards
from fsmkit import Fsm, TimeReference
from fsmkit.space import Space, Transform, angle_between, facing
from fsmkit.testing import drive

NORTH = (0.0, 9.0)


def started(rotate: RotateTowards) -> Fsm:
    fsm = Fsm("M")
    fsm.add_state("A").add_action(rotate)
    fsm.start()
    return fsm


def test_turns_at_its_speed_and_ends_exactly_facing_the_target() -> None:
    thing = Transform()
    rotate = RotateTowards(thing, NORTH, speed=40.0)
    fsm = started(rotate)
    angles = []
    for dt in (1, 1, 1e12):
        fsm.update(dt)
        angles.append((thing.rotation, rotate.finished))
    assert angles == [(40.0, False), (80.0, False), (90.0, True)]


def test_turns_the_shorter_way_round() -> None:
    thing = Transform(rotation=350.0)
    drive(started(RotateTowards(thing, (1.0, 1.0), speed=10.0)), [1])
    assert thing.rotation == pytest.approx(360.0)


def test_already_facing_it_finishes_on_enter() -> None:
    rotate = RotateTowards(Transform(rotation=90.0), NORTH, speed=0.0)
    started(rotate)
    assert rotate.finished


def test_with_speed_it_stops_right_at_the_tolerance() -> None:
    thing = Transform()
    rotate = RotateTowards(thing, NORTH, speed=10.0, tolerance=15.0)
    drive(started(rotate), [1e12])
    assert (thing.rotation, rotate.finished) == (pytest.approx(75.0), True)


@pytest.mark.slow
@given(st.floats(0.01, 5.0), st.lists(st.floats(0.0, 0.5), max_size=20))
def test_smoothing_is_the_same_at_every_frame_rate(rate: float, dts: list[float]) -> None:
    thing = Transform()
    drive(started(RotateTowards(thing, NORTH, smoothing=rate, tolerance=0.0)), dts)
    assert thing.rotation == pytest.approx(90.0 * (1.0 - exp(-rate * sum(dts))), abs=1e-6)


@pytest.mark.slow
@given(st.floats(0.0, 200.0), st.lists(st.floats(0.0, 0.5), max_size=20))
def test_speed_is_the_same_at_every_frame_rate(speed: float, dts: list[float]) -> None:
    thing = Transform()
    drive(started(RotateTowards(thing, NORTH, speed=speed)), dts)
    assert thing.rotation == pytest.approx(min(90.0, speed * sum(dts)), abs=1e-6)


def test_smoothing_finishes_within_a_tenth_of_a_degree() -> None:
    thing = Transform()
    rotate = RotateTowards(thing, NORTH, smoothing=5.0)
    fsm = started(rotate)
    while not rotate.finished:
        fsm.update(0.1)
    assert 89.9 <= thing.rotation < 90.0


def test_a_giant_update_ends_exactly_for_smoothing_too() -> None:
    thing = Transform()
    rotate = RotateTowards(thing, NORTH, smoothing=5.0)
    drive(started(rotate), [1e12])
    assert (thing.rotation, rotate.finished) == (90.0, True)


def test_turns_after_a_target_that_moves() -> None:
    thing, target = Transform(), Transform(NORTH)
    fsm = started(RotateTowards(thing, lambda: target, speed=45.0))
    fsm.update(1)
    target.position = (0.0, -9.0)
    fsm.update(2)
    assert thing.rotation == pytest.approx(-45.0)


@pytest.mark.parametrize(("follow", "rotation"), [(False, 90.0), (True, 180.0)])
def test_with_follow_it_never_finishes(follow: bool, rotation: float) -> None:
    thing, target = Transform(), Transform(NORTH)
    rotate = RotateTowards(thing, target, speed=90.0, follow=follow)
    fsm = started(rotate)
    fsm.update(1)
    target.position = (-9.0, 0.0)
    fsm.update(1)
    assert (thing.rotation, rotate.finished) == (rotation, not follow)


@pytest.mark.parametrize(
    "thing",
    [
        Transform((3.0, 4.0), 33.0),
        Transform((3.0, 4.0, 5.0), glm.angleAxis(1.0, glm.vec3(0, 1, 0))),
    ],
)
def test_at_the_very_place_of_the_target_it_keeps_its_rotation(thing: Transform) -> None:
    before = thing.rotation
    rotate = RotateTowards(thing, lambda: thing.position, speed=90.0)
    drive(started(rotate), [1])
    assert (thing.rotation, rotate.finished) == (before, True)


def test_an_angle_ignores_a_target_right_above() -> None:
    thing = Transform((3.0, 4.0, 5.0), 33.0)
    drive(started(RotateTowards(thing, (3.0, 4.0, 99.0), speed=90.0)), [1])
    assert thing.rotation == 33.0


def test_quaternions_turn_too_and_end_exactly() -> None:
    thing = Transform((0.0, 0.0, 0.0), glm.quat())
    rotate = RotateTowards(thing, (5.0, 0.0, 0.0), speed=30.0)
    fsm = started(rotate)
    fsm.update(1)
    left = angle_between(thing.rotation, facing(glm.quat(), (1.0, 0.0, 0.0)))
    fsm.update(2.5)
    assert left == pytest.approx(60.0, abs=1e-3)
    assert (thing.rotation, rotate.finished) == (facing(glm.quat(), (1.0, 0.0, 0.0)), True)


def test_the_speed_may_be_a_function_called_on_enter() -> None:
    speeds = iter([10.0, 20.0])
    thing = Transform()
    fsm = started(RotateTowards(thing, NORTH, speed=lambda: next(speeds)))
    drive(fsm, [1, fsm.start, 1])
    assert thing.rotation == pytest.approx(30.0)


def test_self_space_is_the_parents() -> None:
    ship = Transform((50.0, 0.0), rotation=90.0)
    gun = Transform((50.0, 0.0), rotation=90.0, parent=ship)
    fsm = started(RotateTowards(gun, (0.0, 1.0), speed=30.0, space=Space.SELF))
    ship.position = (0.0, 0.0)
    fsm.update(1)
    assert (gun.local_rotation, gun.rotation) == (30.0, 120.0)


def test_it_uses_its_time_reference_and_sends_its_finish_event() -> None:
    thing = Transform()
    slow = TimeReference("slow", 0.5)
    fsm = started(RotateTowards(thing, NORTH, speed=90.0, finish_event="AIMED", time=slow))
    fsm.states["A"].add_transition("AIMED", fsm.add_state("B"))
    fsm.update(1)
    half = thing.rotation
    assert drive(fsm, [1])[1:3] == ["RotateTowards finished", "event AIMED: changed"]
    assert (half, thing.rotation) == (45.0, 90.0)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "either speed= .* or smoothing= .* must be given, got neither"),
        (
            {"speed": 1.0, "smoothing": 1.0},
            "either speed= .* or smoothing= .* must be given, got both",
        ),
        ({"speed": -1.0}, r"speed must be a finite number >= 0 \(degrees per second\), got -1.0"),
        (
            {"smoothing": nan},
            r"smoothing must be a finite number >= 0 \(a rate per second\), got nan",
        ),
        (
            {"speed": 1.0, "tolerance": inf},
            r"tolerance must be a finite number >= 0 \(degrees\), got inf",
        ),
    ],
)
def test_bad_input_is_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        RotateTowards(Transform(), NORTH, **arguments)


def test_a_bad_speed_of_a_function_is_refused_on_enter() -> None:
    with pytest.raises(
        ValueError, match=r"speed must be a finite number >= 0 \(degrees per second\)"
    ):
        started(RotateTowards(Transform(), NORTH, speed=lambda: -1.0))
