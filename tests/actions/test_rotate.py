"""Rotate: from one rotation to another, the shorter way round."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyglm import glm

from actions.rotate import Rotate
from fsmkit import Fsm, TimeReference
from fsmkit.space import Space, Transform, angle_between
from fsmkit.testing import drive

UP = glm.vec3(0, 1, 0)


def started(rotate: Rotate) -> Fsm:
    fsm = Fsm("M")
    fsm.add_state("A").add_action(rotate)
    fsm.start()
    return fsm


def test_turns_evenly_the_shorter_way_round() -> None:
    thing = Transform(rotation=123.0)
    rotate = Rotate(thing, 350.0, 30.0, 4.0)
    fsm = started(rotate)
    angles = [thing.rotation]
    for _ in range(4):
        fsm.update(1)
        angles.append(thing.rotation)
    assert angles == [350.0, 360.0, 370.0, 380.0, 30.0]
    assert rotate.finished


@pytest.mark.parametrize(("duration", "dts"), [(0.0, []), (1e-9, [1e-12]), (0.3, [0.1, 1e12])])
def test_ends_exactly_at_the_end(duration: float, dts: list[float]) -> None:
    thing = Transform(rotation=0.1)
    rotate = Rotate(thing, None, 1e3 / 3, duration)
    drive(started(rotate), dts)
    assert (thing.rotation, rotate.finished) == (1e3 / 3, True)


@pytest.mark.slow
@given(st.lists(st.floats(0.0, 0.4), max_size=20))
def test_is_the_same_at_every_frame_rate(dts: list[float]) -> None:
    thing = Transform(rotation=10.0)
    drive(started(Rotate(thing, None, 110.0, 10.0)), dts)
    assert thing.rotation == pytest.approx(10.0 + 10.0 * min(10.0, sum(dts)))


def test_start_none_is_how_it_is_turned_at_every_enter() -> None:
    thing = Transform(rotation=0.0)
    fsm = started(Rotate(thing, None, 80.0, 1.0))
    drive(fsm, [0.5, fsm.start, 0.5])
    assert thing.rotation == 60.0


def test_between_equal_ends_it_finishes_on_enter() -> None:
    thing = Transform(rotation=5.0)
    rotate = Rotate(thing, lambda: 40.0, lambda: 40.0, 9.0)
    started(rotate)
    assert (thing.rotation, rotate.finished) == (40.0, True)


def test_quaternions_follow_the_great_circle_to_exactly_the_end() -> None:
    start, end = glm.angleAxis(0.0, UP), glm.angleAxis(1.5, UP)
    thing = Transform((0.0, 0.0, 0.0), rotation=start)
    fsm = started(Rotate(thing, None, end, 3.0))
    fsm.update(1)
    third = angle_between(thing.rotation, glm.angleAxis(0.5, UP))
    fsm.update(9)
    assert third == pytest.approx(0.0, abs=1e-3)
    assert thing.rotation == end


def test_self_space_is_the_parents() -> None:
    ship = Transform(rotation=90.0)
    gun = Transform(rotation=90.0, parent=ship)
    fsm = started(Rotate(gun, None, 40.0, 1.0, space=Space.SELF))
    ship.rotation = 180.0
    fsm.update(0.5)
    assert (gun.local_rotation, gun.rotation) == (20.0, 200.0)


def test_it_uses_its_time_reference_and_sends_its_finish_event() -> None:
    thing = Transform()
    slow = TimeReference("slow", 0.5)
    fsm = started(Rotate(thing, None, 90.0, 1.0, finish_event="TURNED", time=slow))
    fsm.states["A"].add_transition("TURNED", fsm.add_state("B"))
    fsm.update(1)
    half = thing.rotation
    assert drive(fsm, [1])[1:3] == ["Rotate finished", "event TURNED: changed"]
    assert (half, thing.rotation) == (45.0, 90.0)


def test_ends_of_different_kinds_are_an_error_on_enter() -> None:
    for rotation, end in ((0.0, glm.quat()), (glm.quat(), 90.0)):
        with pytest.raises(TypeError, match="must be of the same kind, got"):
            started(Rotate(Transform((0.0, 0.0, 0.0), rotation), None, end, 1.0))
