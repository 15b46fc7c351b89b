"""Rotations: angles in degrees, counterclockwise, or quaternions of PyGLM (extra `glm`).

The angle 0 faces along +x. For quaternions +z is forward and +y is up, as in Unity.
"""

from __future__ import annotations

from copy import copy
from functools import singledispatch
from math import atan2, cos, degrees, radians, remainder, sin
from typing import Any, TypeAlias

from fsmkit.vectors import Position, components, like

Rotation: TypeAlias = Any
"""Degrees counterclockwise, or a quaternion."""


@singledispatch
def slerp(a: Any, b: Any, t: float) -> Any:
    """The rotation `t` of the way from `a` to `b`, the shorter way round; exactly `b` at 1.

    Angles are in degrees and need not lie within one turn. Tuples (Euler angles) are taken angle by
    angle; quaternions of PyGLM follow the great circle. Others are added with `slerp.register`.

    >>> slerp(350.0, 10.0, 0.5)
    360.0
    >>> slerp(0.0, -90.0, 0.5)
    -45.0
    """
    _check_quaternion(a)
    return copy(b) if t == 1 else _glm().slerp(a, b, t)


@slerp.register(float)
@slerp.register(int)
def _(a: float, b: float, t: float) -> float:
    return b if t == 1 else a + turn(a, b) * t


@slerp.register(tuple)
def _(a: tuple[float, ...], b: tuple[float, ...], t: float) -> tuple[float, ...]:
    return tuple(slerp(x, y, t) for x, y in zip(a, b, strict=True))


def turn(a: float, b: float) -> float:
    """Degrees to turn by from angle `a` to angle `b`, the shorter way round: -180 to 180.

    >>> turn(350, 10), turn(10, 350), turn(0, 180)
    (20.0, -20.0, 180.0)
    """
    return remainder(b - a, 360.0)


@singledispatch
def angle_between(a: Any, b: Any) -> float:
    """Degrees between two rotations, the shorter way round: 0 to 180.

    >>> angle_between(350.0, 10.0)
    20.0
    """
    _check_quaternion(a)
    glm = _glm()
    return degrees(glm.angle(glm.normalize(glm.inverse(a) * b))) % 360.0


@angle_between.register(float)
@angle_between.register(int)
def _(a: float, b: float) -> float:
    return abs(turn(a, b))


@singledispatch
def facing(rotation: Any, direction: Position) -> Any:
    """The rotation, of the kind of `rotation`, that faces along `direction`.

    An angle is measured in the plane of the first two axes.

    >>> facing(0.0, (0.0, 2.0))
    90.0
    """
    _check_quaternion(rotation)
    glm = _glm()
    ahead = glm.normalize(glm.vec3(*components(direction)))
    up = glm.vec3(0, 1, 0) if abs(ahead.y) < 0.9999 else glm.vec3(0, 0, 1)
    return type(rotation)(glm.quatLookAtLH(ahead, up))


@facing.register(float)
@facing.register(int)
def _(_rotation: float, direction: Position) -> float:
    x, y, *_rest = components(direction)
    return degrees(atan2(y, x))


@singledispatch
def rotated(rotation: Any, vector: Position) -> Position:
    """`vector` turned by `rotation`; an angle turns the first two axes and leaves the others.

    >>> rotated(90.0, (1.0, 0.0, 5.0))
    (0.0, 1.0, 5.0)
    """
    _check_quaternion(rotation)
    return like(vector, components(rotation * _glm().vec3(*components(vector))))


@rotated.register(float)
@rotated.register(int)
def _(rotation: float, vector: Position) -> Position:
    x, y, *rest = components(vector)
    c, s = _cos_sin(rotation)
    return like(vector, (x * c - y * s, x * s + y * c, *rest))


@singledispatch
def composed(outer: Any, inner: Any) -> Any:
    """The rotation by `inner` and then by `outer`."""
    _check_quaternion(outer)
    return outer * inner


@composed.register(float)
@composed.register(int)
def _(outer: float, inner: float) -> float:
    return outer + inner


@singledispatch
def inverse(rotation: Any) -> Any:
    """The rotation that takes `rotation` back."""
    _check_quaternion(rotation)
    return _glm().inverse(rotation)


@inverse.register(float)
@inverse.register(int)
def _(rotation: float) -> float:
    return -rotation


def _cos_sin(angle: float) -> tuple[float, float]:
    """Cosine and sine, exact for quarter turns, so that a parent turned by 90 leaves no dust."""
    exact = {0.0: (1.0, 0.0), 90.0: (0.0, 1.0), 180.0: (-1.0, 0.0), 270.0: (0.0, -1.0)}
    return exact.get(angle % 360.0) or (cos(radians(angle)), sin(radians(angle)))


def _check_quaternion(rotation: object) -> None:
    kind = type(rotation)
    if kind.__module__.partition(".")[0] != "glm" or not kind.__name__.endswith("quat"):
        raise TypeError(
            f"{rotation!r} is no known kind of rotation. Known are degrees (a number) and "
            "quaternions of PyGLM; others are registered: slerp.register(TheirClass, function)."
        )


def _glm() -> Any:
    try:
        from pyglm import glm  # optional, and only quaternions need it
    except ImportError as error:
        raise ImportError("Quaternions need PyGLM: pip install 'fsmkit[glm]'.") from error
    return glm
