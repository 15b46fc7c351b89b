"""fsmkit.space: values between two positions or rotations, and arithmetic with them."""

from collections import namedtuple
from collections.abc import Callable, Iterator
from math import isclose
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyglm import glm

from fsmkit.space import (
    Space,
    Vector,
    angle_between,
    angle_to,
    calculates,
    components,
    composed,
    difference,
    distance,
    facing,
    inverse,
    lerp,
    like,
    register_vector,
    rotated,
    same,
    shifted,
    slerp,
    turn,
)

Spot = namedtuple("Spot", "x y z")  # the untyped kind is what games have


def of(module: str, name: str) -> Callable[..., Any]:
    """What makes a value of an engine's class, if the engine is installed."""

    def make(*values: float) -> Any:
        return getattr(pytest.importorskip(module), name)(*values)

    return make


KINDS: dict[str, Callable[..., Any]] = {
    "tuple": lambda *values: values,
    "list": lambda *values: list(values),
    "named tuple": Spot,
    "numpy": lambda *values: np.array(values, dtype=float),
    "numpy float32": lambda *values: np.array(values, dtype=np.float32),
    "glm.vec3": glm.vec3,
    "glm.dvec3": glm.dvec3,
    "pygame": of("pygame", "Vector3"),
    "LVector3f": of("panda3d.core", "LVector3f"),
    "LPoint3f": of("panda3d.core", "LPoint3f"),
}
vectors = pytest.mark.parametrize("make", KINDS.values(), ids=KINDS)

ANGLES = st.floats(-1080.0, 1080.0)


def about_y(degrees: float) -> Any:
    return glm.angleAxis(glm.radians(degrees), glm.vec3(0, 1, 0))


# Positions


@vectors
def test_lerp_keeps_the_kind_of_vector(make: Callable[..., Any]) -> None:
    a, b = make(0, 2, 4), make(8, 2, 0)
    halfway = lerp(a, b, 0.25)
    assert type(halfway) is type(a)
    assert same(halfway, make(2, 2, 3))
    assert getattr(halfway, "dtype", None) == getattr(a, "dtype", None)


@vectors
def test_lerp_is_exact_and_a_copy_at_both_ends(make: Callable[..., Any]) -> None:
    a, b = make(0.1, 0.2, 0.3), make(1e9 / 3, 0.7, -0.1)
    assert same(lerp(a, b, 0), a)
    assert same(lerp(a, b, 1), b)
    assert same(lerp(a, b, 0.0), a)
    assert same(lerp(a, b, 1.0), b)
    if not isinstance(a, tuple):
        assert lerp(a, b, 0) is not a
        assert lerp(a, b, 1) is not b


@vectors
def test_lerp_takes_a_tuple_for_a_vector(make: Callable[..., Any]) -> None:
    a = make(0, 2, 4)
    for share in (0.5, 1.0):
        found = lerp(a, (8, 2, 0), share)
        assert type(found) is type(a)
        assert components(found) == (8 * share, 2, 4 - 4 * share)


def test_lerp_of_numbers_goes_beyond_the_ends() -> None:
    assert [lerp(10, 20, share) for share in (-0.5, 0, 0.5, 1, 1.5)] == [5, 10, 15, 20, 25]


def test_lerp_knows_registered_kinds() -> None:
    class Compass:
        def __init__(self, name: str) -> None:
            self.name = name

    lerp.register(Compass, lambda a, b, t: Compass(f"{a.name}-{t}-{b.name}"))
    assert lerp(Compass("N"), Compass("E"), 0.5).name == "N-0.5-E"


class Arrow:
    """A vector of a game, which calculates."""

    __slots__ = ("x", "y")

    def __init__(self, x: float, y: float) -> None:
        self.x, self.y = x, y

    def __iter__(self) -> Iterator[float]:
        return iter((self.x, self.y))

    def __add__(self, other: "Arrow") -> "Arrow":
        return Arrow(self.x + other.x, self.y + other.y)

    def __sub__(self, other: "Arrow") -> "Arrow":
        return Arrow(self.x - other.x, self.y - other.y)

    def __mul__(self, factor: float) -> "Arrow":
        return Arrow(self.x * factor, self.y * factor)


def test_a_class_that_is_registered_after_its_first_use_is_asked_from_then_on() -> None:
    assert calculates(Arrow(0, 0))
    assert tuple(lerp(Arrow(0, 0), Arrow(4, 8), 0.25)) == (1, 2)
    lerp.register(Arrow, lambda a, b, t: "registered")
    assert not calculates(Arrow(0, 0))
    assert lerp(Arrow(0, 0), Arrow(4, 8), 0.25) == "registered"


@vectors
def test_an_end_is_a_copy(make: Callable[..., Any]) -> None:
    a, b = make(0, 2, 4), make(8, 2, 0)
    for share, end in ((0.0, a), (1.0, b)):
        found = lerp(a, b, share)
        assert same(found, end)
        assert found is not end
    assert components(a) is not a


def test_the_attributes_of_a_space_have_names() -> None:
    for space in Space:
        names = [space.attribute(name) for name in ("position", "rotation", "scale")]
        assert [space.position, space.rotation, space.scale] == names
    assert Space.SELF.position == "local_position"


class Struct:
    """A vector as a struct of C comes to Python: no iteration, no equality, no constructor."""

    def __init__(self, pointer: tuple[Any, ...]) -> None:
        self.pointer = pointer


def numbers_of(struct: Struct) -> tuple[float, ...]:
    return tuple(float(number) for number in struct.pointer)


register_vector(Struct, numbers_of, lambda _, numbers: Struct((*numbers,)))


def test_a_vector_of_another_kind_can_be_registered() -> None:
    here, there = Struct((0.0, 0.0)), Struct((3.0, 4.0))
    assert distance(here, there) == 5.0
    assert [components(lerp(here, end, 0.5)) for end in (there, (3, 4))] == [(1.5, 2.0)] * 2
    assert lerp((0.0, 0.0), there, 0.5) == (1.5, 2.0)
    assert components(shifted(here, there)) == components(shifted(here, (3, 4))) == (3.0, 4.0)
    assert same(there, like(here, (3.0, 4.0)))
    assert not same(here, there)


def test_not_all_of_a_registered_type_are_vectors() -> None:
    pointer = Struct((object(),))
    with pytest.raises(TypeError, match="A position must be a tuple or vector of numbers"):
        components(pointer)
    assert same(pointer, pointer)
    assert not same(pointer, Struct((1.0,)))


def test_lerp_needs_only_the_three_operators() -> None:
    class Money:
        def __init__(self, cents: float) -> None:
            self.cents = cents

        def __add__(self, other: "Money") -> "Money":
            return Money(self.cents + other.cents)

        def __sub__(self, other: "Money") -> "Money":
            return Money(self.cents - other.cents)

        def __mul__(self, factor: float) -> "Money":
            return Money(self.cents * factor)

    assert isinstance(Money(1), Vector)
    assert lerp(Money(100), Money(200), 0.25).cents == 125


@pytest.mark.parametrize(
    ("a", "b", "error", "message"),
    [
        ("a", "b", TypeError, "got 'a' and 'b'. Register"),
        (None, (1, 2), TypeError, r"got None and \(1, 2\). Register"),
        (1.0, (1, 2), TypeError, r"got 1\.0 and \(1, 2\). Register"),
        ((1, 2), (1, 2, 3), ValueError, r"the same number of axes, got \(1, 2\) and \(1, 2, 3\)"),
        ((1, 2), 5, ValueError, r"the same number of axes, got \(1, 2\) and 5"),
    ],
)
def test_lerp_reports_values_that_do_not_fit(
    a: Any, b: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        lerp(a, b, 0.5)


@vectors
def test_computing_keeps_the_kind_of_vector(make: Callable[..., Any]) -> None:
    a = make(1, 2, 3)
    moved = shifted(a, make(2, 4, 6), 0.5)
    assert type(moved) is type(like(a, (0, 0, 0))) is type(a)
    assert same(moved, make(2, 4, 6))
    assert same(like(a, (7, 8, 9)), make(7, 8, 9))
    assert components(a) == (1.0, 2.0, 3.0)
    assert difference(a, make(4, 4, 4)) == (3.0, 2.0, 1.0)
    assert distance(a, make(1, 5, 7)) == 5.0


def test_integers_of_an_array_become_floats_where_needed() -> None:
    assert shifted(np.array([1, 2]), (1, 1), 0.5).tolist() == [1.5, 2.5]


def test_different_kinds_go_together_number_by_number() -> None:
    assert difference((1, 2, 3), glm.vec3(2, 4, 6)) == (1.0, 2.0, 3.0)
    vector = of("pygame", "Vector2")
    assert shifted(vector(1, 2), (1, 1)) == vector(2, 3)


def test_same_compares_whole_values() -> None:
    assert same(np.array([1, 2]), np.array([1, 2]))
    assert not same(np.array([1, 2]), np.array([1, 3]))
    assert same(of("pygame", "Vector2")(1, 2), (1, 2))
    assert not same((1, 2), (1, 2, 3))


@pytest.mark.parametrize("value", [5.0, None, "home", object()])
def test_an_invalid_position_is_named(value: object) -> None:
    with pytest.raises(TypeError, match="must be a tuple or vector of numbers, got"):
        components(value)


@pytest.mark.parametrize("compute", [difference, distance, shifted])
def test_different_numbers_of_axes_are_an_error(compute: Callable[..., Any]) -> None:
    with pytest.raises(ValueError, match="must have the same number of axes"):
        compute((1, 2), (1, 2, 3))


# Rotations


@given(ANGLES, ANGLES, st.floats(0.0, 1.0))
def test_slerp_of_angles_goes_the_shorter_way_round(a: float, b: float, t: float) -> None:
    turned = slerp(a, b, t) - a
    if t == 1.0:
        turned = turn(a, b)
    assert abs(turned) <= 180.0 * t + 1e-9
    assert isclose(turned, turn(a, b) * t, abs_tol=1e-9)


@given(ANGLES, ANGLES)
def test_slerp_ends_exactly_at_b(a: float, b: float) -> None:
    assert slerp(a, b, 1) == b
    assert slerp(a, b, 0) == a


@given(ANGLES, ANGLES)
def test_turn_leads_from_one_angle_to_the_other(a: float, b: float) -> None:
    assert -180.0 <= turn(a, b) <= 180.0
    assert isclose(angle_between(a + turn(a, b), b), 0.0, abs_tol=1e-9)
    assert angle_between(a, b) == abs(turn(a, b))


@pytest.mark.parametrize("kind", [int, float, np.float64, np.float32, np.int64])
def test_every_real_number_is_an_angle(kind: Callable[[int], Any]) -> None:
    assert slerp(kind(350), kind(10), 0.5) == 360
    assert angle_between(kind(350), kind(10)) == 20
    assert facing(kind(0), (0, 1)) == 90
    assert rotated(kind(90), (1, 0)) == (0, 1)
    assert composed(kind(90), inverse(kind(30))) == 60


def test_slerp_of_tuples_goes_angle_by_angle() -> None:
    assert slerp((350.0, 0.0, 0.0), (10.0, -90.0, 90.0), 0.5) == (360.0, -45.0, 45.0)


@pytest.mark.parametrize("sign", [1, -1])
def test_slerp_of_quaternions_goes_the_shorter_way_round(sign: int) -> None:
    middle = slerp(about_y(350), sign * about_y(10), 0.5)
    assert angle_between(middle, about_y(0)) == pytest.approx(0.0, abs=0.05)


@given(ANGLES, ANGLES, st.sampled_from([1, -1]))
def test_angle_between_quaternions_is_that_between_the_angles(
    a: float, b: float, sign: int
) -> None:
    found = angle_between(about_y(a), sign * about_y(b))
    assert found == pytest.approx(angle_between(a, b), abs=0.1)
    assert 0.0 <= found <= 180.0


def test_slerp_of_quaternions_ends_exactly_at_b_and_is_a_copy() -> None:
    a, b = about_y(10), about_y(80)
    assert slerp(a, b, 1) == b
    assert slerp(a, b, 1) is not b


DIRECTIONS = st.tuples(*[st.floats(-1e3, 1e3)] * 3).filter(lambda way: distance(way, (0, 0, 0)) > 1)


@pytest.mark.parametrize("kind", [glm.quat, glm.dquat])
@given(way=DIRECTIONS)
def test_facing_turns_forward_into_the_direction(kind: Any, way: tuple[float, ...]) -> None:
    length = distance(way, (0, 0, 0))
    ahead = rotated(facing(kind(), way), (0.0, 0.0, 1.0))
    assert ahead == pytest.approx(tuple(value / length for value in way), abs=1e-3)


@given(way=DIRECTIONS)
def test_doubles_stay_as_exact_as_doubles(way: tuple[float, ...]) -> None:
    turned = facing(glm.dquat(), way)
    length = distance(way, (0, 0, 0))
    assert glm.length(turned) == pytest.approx(1.0, abs=1e-12)
    ahead = rotated(turned, (0.0, 0.0, 1.0))
    assert ahead == pytest.approx(tuple(value / length for value in way), abs=1e-12)
    assert angle_to(turned, way) == pytest.approx(0.0, abs=1e-12)
    third = slerp(glm.dquat(), turned, 1 / 3)
    assert angle_between(third, turned) == pytest.approx(
        angle_between(glm.dquat(), turned) * 2 / 3, abs=1e-9
    )
    back = rotated(inverse(composed(turned, third)), rotated(composed(turned, third), way))
    assert back == pytest.approx(way, abs=1e-9)


@pytest.mark.parametrize("way", [(0, 1, 0), (0, -1, 0), (1e-30, 0, 0), (0, 0, -1)])
def test_facing_knows_the_odd_directions(way: tuple[float, ...]) -> None:
    found = facing(glm.quat(), way)
    assert glm.length(found) == pytest.approx(1.0)
    assert type(found) is glm.quat


def test_a_quaternion_cannot_face_along_nothing() -> None:
    with pytest.raises(ValueError, match="A direction to face along must not be zero, got"):
        facing(glm.quat(), (0.0, 0.0, 0.0))


@pytest.mark.parametrize("compute", [facing, angle_to, rotated])
def test_a_quaternion_needs_a_third_axis(compute: Callable[[Any, Any], Any]) -> None:
    with pytest.raises(ValueError, match=r"must have three axes, got \(1, 2\)\. In the plane use"):
        compute(glm.quat(), (1, 2))


@given(st.floats(-1e3, 1e3), st.floats(0.1, 10.0), ANGLES)
def test_the_angle_to_a_direction_is_that_between_it_and_ahead(
    heading: float, length: float, away: float
) -> None:
    way = rotated(heading + away, (length, 0.0))
    level = (way[1], 0.0, way[0])
    for found in (
        angle_to(heading, way),
        angle_to(heading, (*way, 7.0)),
        angle_to(glm.angleAxis(glm.radians(heading), glm.dvec3(0, 1, 0)), level),
    ):
        assert found == pytest.approx(abs(turn(0.0, away)), abs=1e-6)


def test_a_direction_of_zero_is_straight_ahead() -> None:
    assert angle_to(77.0, (0.0, 0.0)) == angle_to(about_y(77), (0.0, 0.0, 0.0)) == 0.0


@vectors
@given(angle=ANGLES)
def test_rotated_back_is_where_it_was(make: Callable[..., Any], angle: float) -> None:
    vector = make(1, 2, 3)
    for rotation in (angle, about_y(angle)):
        there = rotated(rotation, vector)
        assert type(there) is type(vector)
        back = rotated(inverse(rotation), there)
        assert components(back) == pytest.approx((1, 2, 3), abs=1e-5)


@given(ANGLES, ANGLES)
def test_composed_turns_by_inner_and_then_by_outer(a: float, b: float) -> None:
    for outer, inner in ((a, b), (about_y(a), about_y(b))):
        at_once = rotated(composed(outer, inner), (1.0, 2.0, 3.0))
        in_turn = rotated(outer, rotated(inner, (1.0, 2.0, 3.0)))
        assert at_once == pytest.approx(in_turn, abs=1e-4)


def test_the_angle_0_goes_with_quaternions() -> None:
    assert composed(0.0, about_y(30)) == composed(about_y(30), 0.0) == about_y(30)


def test_quarter_turns_leave_no_dust() -> None:
    assert [rotated(angle, (3.0, 1.0)) for angle in (90, 180, 270, 360, -90)] == [
        (-1, 3), (-3, -1), (1, -3), (3, 1), (1, -3),
    ]  # fmt: skip


@pytest.mark.parametrize("compute", [lambda a, b: slerp(a, b, 0.5), angle_between, composed])
@pytest.mark.parametrize(
    ("a", "b"), [(10.0, glm.quat()), (glm.quat(), 10.0), (glm.quat(), glm.dquat())]
)
def test_different_kinds_of_rotation_are_an_error(
    compute: Callable[[Any, Any], Any], a: Any, b: Any
) -> None:
    with pytest.raises(TypeError, match="must be of the same kind, got"):
        compute(a, b)


@pytest.mark.parametrize(
    "rotation", ["north", None, glm.vec3(), of("panda3d.core", "LQuaternionf")]
)
@pytest.mark.parametrize(
    "compute",
    [
        lambda rotation: slerp(rotation, rotation, 0.5),
        lambda rotation: angle_between(rotation, rotation),
        lambda rotation: facing(rotation, (1, 0, 0)),
        lambda rotation: angle_to(rotation, (1, 0, 0)),
        lambda rotation: rotated(rotation, (1, 0, 0)),
        lambda rotation: composed(rotation, rotation),
        inverse,
    ],
)
def test_an_unknown_kind_of_rotation_is_named(
    compute: Callable[[Any], Any], rotation: object
) -> None:
    with pytest.raises(
        TypeError,
        match=r"must be degrees \(a number\) or a quaternion of PyGLM, got .*slerp\.register",
    ):
        compute(rotation() if callable(rotation) else rotation)


def test_slerp_knows_registered_kinds() -> None:
    class Heading(str):
        __slots__ = ()

    slerp.register(Heading, lambda a, b, t: Heading(f"{a}{t}{b}"))
    assert slerp(Heading("N"), Heading("E"), 0.5) == "N0.5E"


def test_spaces_name_the_attributes() -> None:
    assert [space.attribute("scale") for space in Space] == ["scale", "local_scale"]
    assert repr(Space.SELF) == "Space.SELF"
