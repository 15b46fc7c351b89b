"""What can never be a position is refused where it is written, by every action alike."""

from collections.abc import Callable
from math import inf, nan
from random import Random
from typing import Any

import pytest
from every import every

from actions import Flee, InRange, LookAt, Move, MoveTowards, Sees, Shake, SmoothFollow, Wander
from fsmkit import Fsm, FsmAction
from fsmkit.space import Transform, register_vector


def thing() -> Transform:
    return Transform((0.0, 0.0))


TAKING_A_POSITION: dict[str, Callable[[Any], object]] = {
    "InRange: one": lambda value: InRange(value, thing(), 1.0),
    "InRange: target": lambda value: InRange(thing(), value, 1.0),
    "Sees: eyes": lambda value: Sees(value, thing(), 1.0),
    "Sees: target": lambda value: Sees(thing(), value, 1.0),
    "Flee: target": lambda value: Flee(thing(), value, 1.0),
    "LookAt: target": lambda value: LookAt(thing(), value),
    "MoveTowards: target": lambda value: MoveTowards(thing(), value, 1.0),
    "SmoothFollow: target": lambda value: SmoothFollow(thing(), value, 1.0),
    "SmoothFollow: offset": lambda value: SmoothFollow(thing(), thing(), 1.0, offset=value),
    "Wander: around": lambda value: Wander(thing(), 1.0, Random(1), around=value, radius=1.0),
    "Shake: amplitude": lambda value: Shake(thing(), value, 1.0),
}

everywhere = every("what", TAKING_A_POSITION)


@everywhere
@every("value", ["12", "", b"ab", (), [], {}, {1: 2, 3: 4}, {1, 2}, (None, 1.0)])
def test_what_only_happens_to_consist_of_numbers_is_refused(what: str, value: Any) -> None:
    with pytest.raises(TypeError, match=f"^{what} must be a tuple or vector of numbers, got"):
        TAKING_A_POSITION[what](value)


@everywhere
@every("value", [(nan, 0.0), (0.0, inf), [0.0, -inf]])
def test_a_place_that_is_nowhere_is_refused(what: str, value: Any) -> None:
    with pytest.raises(ValueError, match=f"^{what} must be finite, got"):
        TAKING_A_POSITION[what](value)


@pytest.mark.parametrize("act", [Flee, MoveTowards, SmoothFollow])
def test_a_class_is_not_one_of_its_things(act: Any) -> None:
    with pytest.raises(
        TypeError, match=r"with a position, got <class .*>\. Make an instance of it"
    ):
        act(Transform, (1.0, 2.0), 1.0)


def test_a_class_that_is_a_thing_itself_is_moved() -> None:
    class Camera:
        position = (0.0, 0.0)

    fsm = Fsm("Any")
    fsm.add_state("Only").add_action(MoveTowards(Camera, (2.0, 0.0), 1.0))
    fsm.start()
    fsm.update(0.5)
    assert Camera.position == (0.5, 0.0)


class Place:
    """A position of an engine that Python could call, as every struct of C."""

    def __init__(self, x: float, y: float) -> None:
        self.x, self.y = x, y

    def __call__(self, *_arguments: object) -> None:
        raise TypeError("a struct is not callable")


register_vector(Place, lambda place: (place.x, place.y), lambda _, numbers: Place(*numbers))


def test_a_position_that_python_could_call_is_a_position_all_the_same() -> None:
    there = Place(3.0, 4.0)
    assert InRange(Place(0.0, 0.0), there, 5.0)()
    assert Sees(Transform(Place(0.0, 0.0), rotation=60.0), there, 5.0, angle=20.0)()
    assert repr(InRange(there, there, 5.0)) == "InRange((3, 4), 5)"
    with pytest.raises(TypeError, match="Sees: eyes must be something with a rotation"):
        Sees(there, there, 5.0, angle=90.0)
    with pytest.raises(ValueError, match="Flee: target must be finite"):
        Flee(thing(), Place(nan, 0.0), 1.0)


@pytest.mark.parametrize(
    ("make", "waits_for"),
    [
        (lambda here, there: Flee(here, there, 1.0, distance=9.0), "4.0 units to go"),
        (lambda here, there: MoveTowards(here, there, 1.0), "5.0 units to go"),
    ],
)
def test_what_is_said_of_such_a_target(make: Callable[..., FsmAction], waits_for: str) -> None:
    action = make(Transform(Place(0.0, 0.0)), Place(3.0, 4.0))
    fsm = Fsm("Any")
    fsm.add_state("Only").add_action(action)
    fsm.start()
    assert (action.finishes, action.waits_for) == ("in time", waits_for)


def test_between_two_such_places_that_are_one_there_is_nothing_to_go() -> None:
    assert Move(thing(), Place(3.0, 4.0), Place(3.0, 4.0), 2.0).finishes == "at once"
