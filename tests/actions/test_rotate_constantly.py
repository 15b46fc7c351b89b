"""RotateConstantly: so many degrees per second, for ever."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyglm import glm

from actions.rotate_constantly import RotateConstantly
from fsmkit import Fsm, TimeReference
from fsmkit.space import Space, Transform
from fsmkit.testing import drive


def started(rotate: RotateConstantly) -> Fsm:
    fsm = Fsm("M")
    fsm.add_state("A").add_action(rotate)
    fsm.start()
    return fsm


@given(st.floats(-720.0, 720.0), st.lists(st.floats(0.0, 2.0), max_size=20))
def test_is_the_same_at_every_frame_rate_and_never_finishes(speed: float, dts: list[float]) -> None:
    thing = Transform(rotation=10.0)
    rotate = RotateConstantly(thing, speed)
    drive(started(rotate), dts)
    assert thing.rotation == pytest.approx(10.0 + speed * sum(dts), abs=1e-6)
    assert not rotate.finished


def test_the_speed_may_be_a_function_called_on_enter() -> None:
    speeds = iter([90.0, -10.0])
    thing = Transform()
    fsm = started(RotateConstantly(thing, lambda: next(speeds)))
    drive(fsm, [1, 1, fsm.start, 1])
    assert thing.rotation == 170.0


def test_self_space_is_the_parents() -> None:
    ship = Transform(rotation=45.0)
    gun = Transform(parent=ship)
    gun.local_rotation = 0.0
    drive(started(RotateConstantly(gun, 30.0, space=Space.SELF)), [1])
    assert (gun.local_rotation, gun.rotation) == (30.0, 75.0)


def test_it_uses_its_time_reference() -> None:
    thing = Transform()
    drive(started(RotateConstantly(thing, 90.0, time=TimeReference("slow", 0.5))), [1])
    assert thing.rotation == 45.0


@pytest.mark.parametrize(
    ("rotation", "speed", "message"),
    [
        (glm.quat(), 90.0, r"rotation must be a number, got quat"),
        ((0.0, 0.0, 90.0), 90.0, r"rotation must be a number, got \(0\.0, 0\.0, 90\.0\)"),
        (0.0, "fast", r"speed must be a number, got 'fast'"),
    ],
)
def test_only_numbers_turn(rotation: Any, speed: Any, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        started(RotateConstantly(Transform((0.0, 0.0, 0.0), rotation), speed))
