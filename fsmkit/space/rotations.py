"""Rotations: angles in degrees, counterclockwise, or quaternions of PyGLM (extra `glm`).

The angle 0 faces along +x. For quaternions +z is forward and +y is up, as in Unity.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from functools import singledispatch
from math import atan2, cos, degrees, hypot, radians, remainder, sin
from numbers import Real
from typing import Any, Final, TypeAlias

from fsmkit.space.vectors import Position, components, like, plain_first

Rotation: TypeAlias = Any
"""Degrees counterclockwise, or a quaternion."""

FORWARD: Final = (0.0, 0.0, 1.0)
"""The direction that the identity quaternion faces."""


@singledispatch
def _slerp(a: Any, b: Any, t: float) -> Any:
    _check_quaternion(a)
    _check_same_kind(a, b)
    _QUATERNIONS[type(a)] = _glm().slerp
    return copy(b) if t == 1 else _glm().slerp(a, b, t)


_QUATERNIONS: Final[dict[type, Callable[[Any, Any, float], Any]]] = {}
"""The slerp of classes that were found to be quaternions."""


@plain_first(_slerp, _QUATERNIONS)
def slerp(a: Any, b: Any, t: float) -> Any:
    """Return the rotation `t` of the way from `a` to `b`, the shorter way; exactly `b` at 1.

    Angles are in degrees and need not lie within one turn. Tuples (Euler angles) are interpolated
    angle by angle; quaternions of PyGLM follow the great circle. Others are added with
    `slerp.register`.

    >>> slerp(350.0, 10.0, 0.5)
    360.0
    >>> slerp(0.0, -90.0, 0.5)
    -45.0
    """
    kind = type(a)
    if kind is type(b):
        if kind is float:
            return b if t == 1 else a + remainder(b - a, 360.0) * t
        if kind in _QUATERNIONS and t != 1:
            return _QUATERNIONS[kind](a, b, t)
    return _slerp(a, b, t)


@_slerp.register(Real)
def _(a: float, b: float, t: float) -> float:
    _check_same_kind(a, b)
    return b if t == 1 else a + turn(a, b) * t


@_slerp.register(tuple)
def _(a: tuple[float, ...], b: tuple[float, ...], t: float) -> tuple[float, ...]:
    _check_same_kind(a, b)
    return tuple(slerp(x, y, t) for x, y in zip(a, b, strict=True))


def turn(a: float, b: float) -> float:
    """Return the degrees from angle `a` to angle `b`, the shorter way round: -180 to 180.

    >>> turn(350, 10), turn(10, 350), turn(0, 180)
    (20.0, -20.0, 180.0)
    """
    return remainder(b - a, 360.0)


@singledispatch
def _angle_between(a: Any, b: Any) -> float:
    _check_quaternion(a)
    _check_same_kind(a, b)
    glm = _glm()
    between = degrees(glm.angle(glm.normalize(glm.inverse(a) * b)))
    return abs(remainder(between, 360.0))  # b and -b are the same rotation


@plain_first(_angle_between)
def angle_between(a: Any, b: Any) -> float:
    """Return the degrees between two rotations, the shorter way round: 0 to 180.

    >>> angle_between(350.0, 10.0)
    20.0
    """
    if type(a) is type(b) is float:
        return abs(remainder(b - a, 360.0))
    return _angle_between(a, b)


@_angle_between.register(Real)
def _(a: float, b: float) -> float:
    _check_same_kind(a, b)
    return abs(turn(a, b))


@singledispatch
def _facing(rotation: Any, direction: Position) -> Any:
    _check_quaternion(rotation)
    values = _three_axes(direction)
    length = hypot(*values)
    if length == 0.0:
        raise ValueError(f"A direction to face along must not be zero, got {direction!r}.")
    kind = _vector_for(rotation)
    ahead = kind(*(value / length for value in values))
    up = kind(0, 1, 0) if abs(ahead.y) < 0.9999 else kind(0, 0, 1)
    return type(rotation)(_glm().quatLookAtLH(ahead, up))


@plain_first(_facing)
def facing(rotation: Any, direction: Position) -> Any:
    """Return the rotation, of the kind of `rotation`, that faces along `direction`.

    An angle is measured in the plane of the first two axes. A quaternion needs a direction:
    ValueError if it is zero.

    >>> facing(0.0, (0.0, 2.0))
    90.0
    """
    if type(rotation) is float and type(direction) is tuple and len(direction) > 1:
        return degrees(atan2(direction[1], direction[0]))
    return _facing(rotation, direction)


@_facing.register(Real)
def _(_rotation: float, direction: Position) -> float:
    x, y, *_rest = components(direction)
    return degrees(atan2(y, x))


@singledispatch
def _angle_to(rotation: Any, direction: Position) -> float:
    a, b, c = rotated(rotation, FORWARD)
    x, y, z = _three_axes(direction)
    across = hypot(b * z - c * y, c * x - a * z, a * y - b * x)
    return degrees(atan2(across, a * x + b * y + c * z))


@plain_first(_angle_to)
def angle_to(rotation: Any, direction: Position) -> float:
    """Return the degrees between the direction that `rotation` faces and `direction`: 0 to 180.

    An angle is measured in the plane of the first two axes. A zero direction is straight ahead.

    >>> angle_to(0.0, (0.0, 2.0)), angle_to(350.0, (1.0, 0.0))
    (90.0, 10.0)
    """
    if type(rotation) is float and type(direction) is tuple and len(direction) > 1:
        x, y = direction[0], direction[1]
        return abs(remainder(degrees(atan2(y, x)) - rotation, 360.0)) if x or y else 0.0
    return _angle_to(rotation, direction)


@_angle_to.register(Real)
def _(rotation: float, direction: Position) -> float:
    ahead = components(direction)[:2]
    return abs(turn(rotation, facing(0.0, ahead))) if any(ahead) else 0.0


@singledispatch
def rotated(rotation: Any, vector: Position) -> Position:
    """Return `vector` turned by `rotation`; an angle turns only the first two axes.

    >>> rotated(90.0, (1.0, 0.0, 5.0))
    (0.0, 1.0, 5.0)
    """
    _check_quaternion(rotation)
    return like(vector, components(rotation * _vector_for(rotation)(*_three_axes(vector))))


@rotated.register(Real)
def _(rotation: float, vector: Position) -> Position:
    x, y, *rest = components(vector)
    c, s = _cos_sin(rotation)
    return like(vector, (x * c - y * s, x * s + y * c, *rest))


@singledispatch
def composed(outer: Any, inner: Any) -> Any:
    """Return the rotation by `inner` and then by `outer`. The angle 0 fits every kind of rotation.

    >>> composed(90.0, 45.0)
    135.0
    """
    _check_quaternion(outer)
    if _is_no_turn(inner):
        return copy(outer)
    _check_same_kind(outer, inner)
    return outer * inner


@composed.register(Real)
def _(outer: float, inner: float) -> float:
    if _is_no_turn(outer):
        return copy(inner)
    _check_same_kind(outer, inner)
    return outer + inner


@singledispatch
def inverse(rotation: Any) -> Any:
    """Return the rotation that undoes `rotation`.

    >>> from fsmkit.space import inverse
    >>> inverse(30.0)
    -30.0
    """
    _check_quaternion(rotation)
    return _glm().inverse(rotation)


@inverse.register(Real)
def _(rotation: float) -> float:
    return -rotation


def _cos_sin(angle: float) -> tuple[float, float]:
    """Return cosine and sine, exact for quarter turns, so that a parent at 90 adds no rounding."""
    exact = {0.0: (1.0, 0.0), 90.0: (0.0, 1.0), 180.0: (-1.0, 0.0), 270.0: (0.0, -1.0)}
    return exact.get(angle % 360.0) or (cos(radians(angle)), sin(radians(angle)))


def _is_no_turn(rotation: object) -> bool:
    return isinstance(rotation, Real) and rotation == 0


def _check_same_kind(a: object, b: object) -> None:
    if type(a) is not type(b) and not (isinstance(a, Real) and isinstance(b, Real)):
        raise TypeError(
            f"Two rotations must be of the same kind, got {a!r} and {b!r}. "
            "Use degrees for both, or quaternions of the same type."
        )


def _check_quaternion(rotation: object) -> None:
    kind = type(rotation)
    if kind.__module__.partition(".")[0] != "glm" or not kind.__name__.endswith("quat"):
        raise TypeError(
            f"A rotation must be degrees (a number) or a quaternion of PyGLM, got {rotation!r}. "
            "Register other kinds: slerp.register(TheirClass, function)."
        )


def _three_axes(vector: Position) -> tuple[float, float, float]:
    """Return the numbers of a vector that a quaternion can turn."""
    try:
        x, y, z = components(vector)
    except ValueError:
        raise ValueError(
            f"A vector beside a quaternion must have three axes, got {vector!r}. "
            "In the plane use degrees."
        ) from None
    return x, y, z


def _vector_for(quaternion: Any) -> Any:
    """Return the class of vectors that are as exact as the quaternion."""
    glm = _glm()
    return glm.dvec3 if isinstance(quaternion, glm.dquat) else glm.vec3


def _glm() -> Any:
    try:
        from pyglm import glm  # optional, and only quaternions need it
    except ImportError as error:
        raise ImportError("Quaternions need PyGLM: pip install 'fsmkit[glm]'.") from error
    return glm
