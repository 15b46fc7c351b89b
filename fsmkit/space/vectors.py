"""Positions of any kind: tuples of floats, or the vectors of any library."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from functools import singledispatch
from math import hypot
from numbers import Real
from typing import Any, Final, Protocol, Self, TypeAlias, runtime_checkable

from attrs import frozen


@runtime_checkable
class Vector(Protocol):
    """The operations of a vector: `a + (b - a) * t`, with the number on the right."""

    def __add__(self, other: Any, /) -> Self: ...
    def __sub__(self, other: Any, /) -> Self: ...
    def __mul__(self, factor: Any, /) -> Self: ...


Position: TypeAlias = Any
"""A tuple of floats or a Vector."""


@frozen
class Foreign:
    """A type of vector that can neither be iterated nor be made from its numbers."""

    numbers: Callable[[Any], tuple[float, ...]]
    made_like: Callable[[Any, tuple[float, ...]], Any]


_FOREIGN: Final[dict[type, Foreign]] = {}


def register_vector(
    kind: type,
    numbers: Callable[[Any], tuple[float, ...]],
    made_like: Callable[[Any, tuple[float, ...]], Any],
) -> None:
    """Register a type for positions and colours that is not a vector to Python, such as a C struct.

    `numbers` returns the components of a vector, and raises TypeError for values of the type that
    are not vectors; `made_like` returns a new vector of the kind of the one it gets, made of other
    numbers.

    >>> class Place:
    ...     def __init__(self, east, north):
    ...         self.east, self.north = east, north
    >>> register_vector(Place, lambda it: (it.east, it.north), lambda _, values: Place(*values))
    >>> components(lerp(Place(0.0, 0.0), Place(4.0, 8.0), 0.25))
    (1.0, 2.0)
    """
    _FOREIGN[kind] = Foreign(numbers, made_like)
    lerp.register(kind, _lerp_foreign)


def is_registered(value: object) -> bool:
    """Return True if the type of `value` was given to `register_vector`.

    To Python such a struct of C may look like a function, which actions would call.

    >>> is_registered((1.0, 2.0))
    False
    """
    return type(value) in _FOREIGN


def _lerp_foreign(a: Any, b: Any, t: float) -> Any:
    return like(a, lerp(components(a), components(b), t))


@singledispatch
def lerp(a: Any, b: Any, t: float) -> Any:
    """Return the value `t` of the way from `a` to `b`: exactly `a` at 0, `b` at 1, or beyond them.

    Works for numbers, tuples and every Vector; others are added with `lerp.register`, or, to be
    positions in every respect, with `register_vector`. A tuple `b` stands for a vector of the type
    of `a`. The result is always a new object, so that a vector that changes in place never changes
    a parameter. TypeError if there are no values between the two.

    >>> lerp(0.0, 10.0, 0.25)
    2.5
    >>> lerp((0, 0, 0), (255, 0, 51), 1 / 3)
    (85.0, 0.0, 17.0)
    """
    try:
        is_vector = isinstance(b, (tuple, list)) and not isinstance(a, Real)
        end: Any = like(a, tuple(b)) if is_vector else b
        return copy(end if t else a) if t in (0, 1) else a + (end - a) * t
    except TypeError as error:
        raise _nothing_between(a, b) from error


@lerp.register(tuple)
def _(a: tuple[float, ...], b: tuple[float, ...], t: float) -> tuple[float, ...]:
    pairs = _pairs(a, components(b) if type(b) in _FOREIGN else b)
    if t in (0, 1):
        values = tuple(y if t else x for x, y in pairs)
    else:
        try:
            values = tuple(x + (y - x) * t for x, y in pairs)
        except TypeError as error:
            raise _nothing_between(a, b) from error
    between: tuple[float, ...] = like(a, values)  # a named tuple stays one
    return between


@lerp.register(list)
def _(a: list[float], b: list[float], t: float) -> list[float]:
    return list(lerp(tuple(a), b, t))


def _nothing_between(a: object, b: object) -> TypeError:
    return TypeError(
        "The values must be numbers, tuples, or vectors that support a + (b - a) * t, "
        f"got {a!r} and {b!r}. Register other types: lerp.register(TheirClass, function)."
    )


def components(vector: Position) -> tuple[float, ...]:
    """Return the numbers that a position consists of. TypeError if it is not a position.

    >>> components((1, 2))
    (1.0, 2.0)
    """
    foreign = _FOREIGN.get(type(vector))
    try:
        if foreign is not None:
            return foreign.numbers(vector)
        return tuple(float(value) for value in vector)
    except (TypeError, ValueError):
        raise TypeError(
            f"A position must be a tuple or vector of numbers, got {vector!r}."
        ) from None


def like(vector: Position, values: tuple[float, ...]) -> Position:
    """Return a position of the type of `vector` made of other numbers.

    >>> like((1.0, 2.0), (3.0, 4.0))
    (3.0, 4.0)
    """
    if hasattr(vector, "_make"):  # a named tuple
        return vector._make(values)
    if isinstance(vector, (tuple, list)):
        kind: Any = type(vector)
        try:
            return kind(values)
        except TypeError:  # it takes separate numbers, as the Color of Arcade does
            return kind(*values)
    if hasattr(vector, "dtype"):  # a NumPy array is not made by calling its class
        array = vector * 1.0  # integers become floats, floats keep their size
        array[:] = values
        return array
    foreign = _FOREIGN.get(type(vector))
    return type(vector)(*values) if foreign is None else foreign.made_like(vector, values)


def distance(a: Position, b: Position) -> float:
    """Return the distance between two positions, in their own unit.

    >>> distance((0, 0), (3, 4))
    5.0
    """
    return hypot(*difference(a, b))


def difference(a: Position, b: Position) -> tuple[float, ...]:
    """Return the vector from `a` to `b`, axis by axis.

    >>> difference((1, 1), (4, 5))
    (3.0, 4.0)
    """
    return tuple(y - x for x, y in _pairs(components(a), components(b)))


def shifted(position: Position, offset: Position, factor: float = 1.0) -> Position:
    """Return `position` moved by `factor` times `offset`, in the type of `position`.

    >>> shifted((1.0, 1.0), (2.0, 0.0), 0.5)
    (2.0, 1.0)
    """
    pairs = _pairs(components(position), components(offset))
    return like(position, tuple(x + step * factor for x, step in pairs))


def same(a: object, b: object) -> bool:
    """Return True if two values are equal: numbers, tuples, vectors or arrays.

    >>> same((1, 2), (1.0, 2.0))
    True
    """
    if type(a) in _FOREIGN and type(b) in _FOREIGN:
        return _same_foreign(a, b)
    equal: Any = a == b
    return bool(equal.all()) if hasattr(equal, "all") else bool(equal)


def _same_foreign(a: object, b: object) -> bool:
    try:
        return components(a) == components(b)
    except TypeError:  # of these types, but not vectors
        return a == b


def _pairs(a: tuple[float, ...], b: tuple[float, ...]) -> tuple[tuple[float, float], ...]:
    try:
        return tuple(zip(a, b, strict=True))
    except (TypeError, ValueError):
        raise ValueError(
            f"Two positions must have the same number of axes, got {a!r} and {b!r}."
        ) from None
