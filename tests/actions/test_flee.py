"""Flee: straight away from a target that may move."""

from math import inf, nan
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyglm import glm

from actions import Flee
from fsmkit import FINISHED, Fsm, TimeReference
from fsmkit.recording import restore, snapshot
from fsmkit.space import Space, Transform, distance
from fsmkit.testing import drive

PLACE = st.tuples(st.floats(-1e3, 1e3), st.floats(-1e3, 1e3))


def started(flee: Flee) -> Fsm:
    fsm = Fsm("M")
    fsm.add_state("A").add_action(flee)
    fsm.start()
    return fsm


def test_goes_straight_away_and_stops_exactly_at_the_distance() -> None:
    thing = Transform((3.0, 4.0))
    flee = Flee(thing, (0.0, 0.0), 2.5, distance=10.0)
    fsm = started(flee)
    fsm.update(1)
    half = (thing.position, flee.finished)
    fsm.update(1e12)
    assert [half, (thing.position, flee.finished)] == [((4.5, 6.0), False), ((6.0, 8.0), True)]


@pytest.mark.parametrize("far", [5.0, 6.0, 100.0])
def test_far_enough_already_it_finishes_on_enter_and_stays(far: float) -> None:
    thing = Transform((far, 0.0))
    flee = Flee(thing, (0.0, 0.0), 1.0, distance=5.0)
    started(flee)
    assert (thing.position, flee.finished) == ((far, 0.0), True)


def test_without_a_distance_it_never_finishes() -> None:
    thing = Transform((1.0, 0.0))
    flee = Flee(thing, (0.0, 0.0), 2.0)
    drive(started(flee), [1.0] * 100)
    assert (thing.position, flee.finished, flee.finishes) == ((201.0, 0.0), False, "never")


@pytest.mark.slow
@given(
    PLACE,
    PLACE,
    st.floats(0.0, 100.0),
    st.floats(0.0, 500.0),
    st.lists(st.floats(0.0, 10.0), max_size=9),
)
def test_the_distance_grows_by_the_speed_and_never_beyond(
    place: Any, target: Any, speed: float, far: float, dts: list[float]
) -> None:
    thing = Transform(place)
    flee = Flee(thing, target, speed, distance=far)
    drive(started(flee), dts)
    before = distance(place, target)
    wanted = max(before, min(far, before + speed * sum(dts)))
    assert distance(thing.position, target) == pytest.approx(wanted, abs=1e-6)
    assert flee.finished == (distance(thing.position, target) >= far - 1e-9) or wanted > far - 1e-6


def test_ten_steps_of_a_tenth_are_a_second() -> None:
    flee = Flee(Transform((1.0, 0.0)), (0.0, 0.0), 10.0, distance=11.0)
    drive(started(flee), [0.1] * 10)
    assert flee.finished


@pytest.mark.parametrize("place", [(0.0, 0.0), (0.0, 0.0, 0.0), (0.0,)])
def test_from_the_very_same_place_it_flees_along_the_first_axis(place: tuple[float, ...]) -> None:
    thing = Transform(place)
    drive(started(Flee(thing, place, 2.0)), [1.0])
    assert thing.position == (2.0, *place[1:])


def test_the_target_may_move_and_be_a_function() -> None:
    hunter = Transform((0.0, 0.0))
    for target in (hunter, lambda: hunter.position, lambda: hunter):
        hunter.position = (0.0, 0.0)
        thing = Transform((1.0, 0.0))
        fsm = started(Flee(thing, target, 1.0, distance=3.0))
        fsm.update(1)
        hunter.position = (2.0, -1.0)
        fsm.update(1)
        assert thing.position == (2.0, 1.0)


def test_speed_and_distance_may_be_functions_called_on_enter() -> None:
    thing, speeds = Transform((1.0, 0.0)), [1.0, 3.0]
    flee = Flee(thing, (0.0, 0.0), lambda: speeds.pop(0), distance=lambda state: 9.0)
    fsm = started(flee)
    fsm.update(1)
    drive(fsm, [fsm.start, 1])
    assert (thing.position, flee.waits_for) == ((5.0, 0.0), "4.0 units to go")


def test_vectors_stay_vectors_and_space_self_is_local() -> None:
    thing = Transform(glm.vec3(1.0, 0.0, 0.0))
    drive(started(Flee(thing, (0.0, 0.0, 0.0), 1.0, distance=2.0)), [9])
    assert thing.position == glm.vec3(2.0, 0.0, 0.0)
    child = Transform((2.0, 0.0), parent=Transform((10.0, 0.0)))
    child.local_position = (2.0, 0.0)
    drive(started(Flee(child, (1.0, 0.0), 1.0, distance=4.0, space=Space.SELF)), [9])
    assert (child.local_position, child.position) == ((5.0, 0.0), (15.0, 0.0))


def test_goes_by_its_time_reference_and_hands_the_rest_on() -> None:
    slow = TimeReference("slow", 0.5)
    fsm = Fsm("M", carry_time=True)
    a, b = fsm.add_state("A"), fsm.add_state("B")
    a.add_action(Flee(Transform((1.0,)), (0.0,), 1.0, distance=3.0, time=slow))
    a.add_transition(FINISHED, b)
    fsm.start()
    fsm.update(5.0)
    assert (fsm.path, fsm.time_in_state) == (("B",), 1.0)


@pytest.mark.parametrize(
    ("options", "finishes", "waits_for"),
    [
        ({}, "never", "which never finishes by itself"),
        ({"distance": 5.0}, "in time", "4.0 units to go"),
        ({"distance": 0}, "at once", "0.0 units to go"),
        ({"distance": lambda: 5.0}, "in time", "4.0 units to go"),
        ({"distance": 5.0, "target": Transform((0.0, 0.0))}, None, "4.0 units to go"),
        ({"distance": 5.0, "speed": 0.0}, None, "4.0 units to go"),
        ({"distance": 5.0, "target": lambda: (0.0, 0.0)}, None, r"to be 5.0 units from "),
    ],
)
def test_says_whether_it_finishes_and_what_is_left(
    options: Any, finishes: str | None, waits_for: str
) -> None:
    given = {"target": (0.0, 0.0), "speed": 1.0, **options}
    flee = Flee(Transform((1.0, 0.0)), given.pop("target"), given.pop("speed"), **given)
    started(flee)
    assert flee.finishes == finishes
    assert flee.waits_for.startswith(waits_for)


def test_a_restored_visit_goes_on() -> None:
    fsm = started(Flee(Transform((1.0, 0.0)), (0.0, 0.0), lambda: 2.0, distance=4.0))
    thing = Transform((1.0, 0.0))
    other = started(Flee(thing, (0.0, 0.0), lambda: 1.0, distance=4.0))
    restore(other, snapshot(fsm))
    other.update(1.0)
    assert thing.position == (3.0, 0.0)


@pytest.mark.parametrize("number", [-1.0, nan, inf])
@pytest.mark.parametrize("name", ["speed", "distance"])
def test_a_speed_or_distance_that_cannot_be_is_refused(name: str, number: float) -> None:
    for value in (number, lambda: number):
        with pytest.raises(ValueError, match=f"^Flee: {name} must be a finite number >= 0"):
            started(Flee(Transform((1.0, 0.0)), (0.0, 0.0), **{"speed": 1.0, name: value}))


def test_other_numbers_of_axes_are_refused_on_enter() -> None:
    with pytest.raises(ValueError, match="same number of axes"):
        started(Flee(Transform((1.0, 0.0)), (0.0, 0.0, 0.0), 1.0))
