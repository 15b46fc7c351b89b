"""Transform: a place in the world, and one below a parent."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyglm import glm

from fsmkit.space import Transform, angle_between, components


def vector2(*values: float) -> Any:
    return pytest.importorskip("pygame").Vector2(*values)


NUMBERS = st.floats(-100.0, 100.0)
SCALES = st.floats(0.1, 10.0)
FLAT = st.builds(Transform, st.tuples(NUMBERS, NUMBERS), NUMBERS, SCALES)
QUATERNIONS = st.builds(
    lambda angle, x, y: glm.angleAxis(angle, glm.normalize(glm.vec3(x, y, 1.0))),
    st.floats(-3.0, 3.0),
    st.floats(-2.0, 2.0),
    st.floats(-2.0, 2.0),
)
DEEP = st.builds(
    Transform, st.tuples(NUMBERS, NUMBERS, NUMBERS), QUATERNIONS, st.tuples(SCALES, SCALES, SCALES)
)


def near(value: Any) -> Any:
    return pytest.approx(value, rel=1e-4, abs=1e-3)


def test_without_a_parent_local_and_world_are_the_same() -> None:
    thing = Transform((1.0, 2.0), 30.0, 2.0)
    assert (thing.local_position, thing.local_rotation, thing.local_scale) == (
        (1.0, 2.0),
        30.0,
        2.0,
    )
    thing.position, thing.rotation, thing.scale = (3.0, 4.0), 60.0, 5.0
    assert (thing.local_position, thing.local_rotation, thing.local_scale) == (
        (3.0, 4.0),
        60.0,
        5.0,
    )


def test_a_child_moves_turns_and_grows_with_its_parent() -> None:
    parent = Transform((10.0, 0.0))
    child = Transform((12.0, 0.0), 10.0, parent=parent)
    parent.position, parent.rotation, parent.scale = (0.0, 5.0), 90.0, 3.0
    assert (child.position, child.rotation, child.scale) == ((0.0, 11.0), 100.0, 3.0)


def test_parents_have_parents() -> None:
    arm = Transform((1.0, 0.0), 90.0, parent=Transform((1.0, 0.0), 90.0))
    hand = Transform(parent=arm)
    hand.local_position = (2.0, 0.0)
    assert hand.position == (1.0, 2.0)


@given(FLAT, FLAT, st.tuples(NUMBERS, NUMBERS), NUMBERS, SCALES)
def test_world_to_local_and_back_with_angles(
    grandparent: Transform, parent: Transform, position: Any, rotation: float, scale: float
) -> None:
    parent.parent = grandparent
    child = Transform(position, rotation, scale, parent)
    assert child.position == near(position)
    assert child.rotation == near(rotation)
    assert child.scale == near(scale)


@given(DEEP, st.tuples(NUMBERS, NUMBERS, NUMBERS), QUATERNIONS, SCALES)
def test_world_to_local_and_back_with_quaternions(
    parent: Transform, position: Any, rotation: Any, scale: float
) -> None:
    child = Transform(position, rotation, scale, parent)
    assert child.position == near(position)
    assert angle_between(child.rotation, rotation) == pytest.approx(0.0, abs=0.2)
    assert child.scale == near((scale, scale, scale))


@given(FLAT, st.tuples(NUMBERS, NUMBERS))
def test_local_to_world_and_back(parent: Transform, local: Any) -> None:
    child = Transform(parent=parent)
    child.local_position = local
    child.position = child.position
    assert child.local_position == near(local)


@pytest.mark.slow
@given(FLAT, FLAT, FLAT)
def test_a_change_of_parent_leaves_it_where_it_is(
    child: Transform, first: Transform, second: Transform
) -> None:
    before = (*child.position, child.rotation, child.scale)
    for parent in (first, second, None):
        child.parent = parent
        assert child.parent is parent
        assert (*child.position, child.rotation, child.scale) == near(before)


@pytest.mark.parametrize("make", [lambda *v: v, vector2, lambda *v: np.array(v), glm.vec2])
def test_positions_keep_their_kind_below_a_parent(make: Callable[..., Any]) -> None:
    parent = Transform(make(1.0, 2.0), 90.0, 2.0)
    child = Transform(make(3.0, 2.0), parent=parent)
    assert type(child.position) is type(child.local_position) is type(make(1.0, 2.0))
    assert components(child.position) == (3.0, 2.0)
    assert components(child.local_position) == (0.0, -1.0)


def test_below_a_turned_parent_the_default_rotation_is_none_in_the_world() -> None:
    turned = glm.angleAxis(1.0, glm.vec3(0, 1, 0))
    child = Transform((0.0, 0.0, 0.0), parent=Transform((0.0, 0.0, 0.0), turned))
    assert angle_between(child.rotation, glm.quat()) == pytest.approx(0.0, abs=0.1)
    free = Transform((0.0, 0.0, 0.0), turned, parent=Transform((0.0, 0.0, 0.0)))
    assert free.rotation == turned


def test_a_scale_per_axis_goes_with_a_number() -> None:
    parent = Transform(scale=(2.0, 4.0))
    assert Transform((2.0, 2.0), scale=2.0, parent=parent).local_scale == (1.0, 0.5)
    assert Transform((2.0, 2.0), parent=parent).local_position == (1.0, 0.5)


@pytest.mark.parametrize("steps", [0, 1, 2])
def test_nothing_is_its_own_parent(steps: int) -> None:
    top = Transform()
    middle = Transform(parent=top)
    bottom = Transform(parent=middle)
    with pytest.raises(ValueError, match=r"must not be itself or one of its children, got"):
        top.parent = (top, middle, bottom)[steps]
    assert top.parent is None


def test_below_a_parent_of_no_size_no_place_can_be_reached() -> None:
    parent = Transform(scale=1.0)
    child = Transform((3.0, 0.0), parent=parent)
    parent.scale = 0.0
    assert child.position == (0.0, 0.0)
    with pytest.raises(ValueError, match=r"The scale of the parent must not be 0, got 0\.0"):
        child.position = (1.0, 1.0)


def test_a_parent_that_does_not_fit_leaves_everything_as_it_was() -> None:
    home = Transform((1.0, 0.0))
    thing = Transform((5.0, 5.0), 10.0, 2.0, home)
    for parent in (Transform(scale=0.0), Transform((1.0, 2.0, 3.0))):
        with pytest.raises(ValueError, match=r"must not be 0, got 0\.0|the same number of axes"):
            thing.parent = parent
        assert thing.parent is home
        assert (thing.local_position, thing.rotation, thing.scale) == ((4.0, 5.0), 10.0, 2.0)


def test_repr_names_what_is_not_as_usual() -> None:
    assert [repr(Transform()), repr(Transform((1.0, 2.0), 90.0, (2.0, 1.0)))] == [
        "Transform(position=(0.0, 0.0))",
        "Transform(position=(1.0, 2.0), rotation=90.0, scale=(2.0, 1.0))",
    ]
    assert repr(Transform(np.zeros(2), scale=np.ones(2))) == "Transform(position=array([0., 0.]))"


@pytest.mark.parametrize("position", ["here", None, ("a", "b"), object(), {}])
def test_a_position_is_made_of_numbers(position: object) -> None:
    with pytest.raises(TypeError, match="Transform: position must be a tuple or vector of numbers"):
        Transform(position)


def test_the_other_parameters_are_checked_too() -> None:
    with pytest.raises(TypeError, match="rotation must be an angle in degrees or a quaternion"):
        Transform((0.0, 0.0), "left")
    with pytest.raises(TypeError, match="scale must be a number, or one per axis, got 'big'"):
        Transform((0.0, 0.0), 0.0, "big")
    with pytest.raises(TypeError, match="parent must be a Transform or None, got 'cart'"):
        Transform((0.0, 0.0), parent="cart")  # type: ignore[arg-type]
