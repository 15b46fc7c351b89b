"""What can never be a position is refused where it is written, by every action alike."""

from collections.abc import Callable
from math import inf, nan
from random import Random
from typing import Any

import pytest

from actions import Flee, InRange, LookAt, MoveTowards, Sees, Shake, SmoothFollow, Wander
from fsmkit.space import Transform


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

everywhere = pytest.mark.parametrize("what", TAKING_A_POSITION)


@everywhere
@pytest.mark.parametrize("value", ["12", "", b"ab", (), [], {}, {1: 2, 3: 4}, {1, 2}, (None, 1.0)])
def test_what_only_happens_to_consist_of_numbers_is_refused(what: str, value: Any) -> None:
    with pytest.raises(TypeError, match=f"^{what} must be a tuple or vector of numbers, got"):
        TAKING_A_POSITION[what](value)


@everywhere
@pytest.mark.parametrize("value", [(nan, 0.0), (0.0, inf), [0.0, -inf]])
def test_a_place_that_is_nowhere_is_refused(what: str, value: Any) -> None:
    with pytest.raises(ValueError, match=f"^{what} must be finite, got"):
        TAKING_A_POSITION[what](value)
