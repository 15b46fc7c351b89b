"""Positions of any kind: tuples of floats, or the vectors of any library.

Tuples of floats, of two or three axes, are what most games have, so they come first, written out:
`lerp` takes 130 ns for them instead of 440 by a comprehension, and 2,000 by the way that handles
everything. Vectors that calculate themselves come next.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from functools import singledispatch
from math import dist, hypot
from numbers import Real
from typing import Any, Final, Protocol, Self, TypeAlias, TypeVar, cast, runtime_checkable

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


def calculates(position: object) -> bool:
    """Return True for a vector of a class that calculates `a + (b - a) * t`, such as an engine's.

    >>> calculates((1.0, 2.0)), calculates(1.0)
    (False, False)
    """
    kind = type(position)
    known = _CALCULATES.get(kind)
    if known is None:
        known = _CALCULATES[kind] = _is_calculated(position)
    return known


_CALCULATES: Final[dict[type, bool]] = {}
"""What is known of classes, as asking a `Protocol` takes 1,000 ns; empty after a registration."""


def _is_calculated(position: Any) -> bool:
    kind = type(position)
    is_plain = isinstance(position, Real | tuple | list)
    if is_plain or not isinstance(position, Vector) or _lerp.dispatch(kind) is not _lerp_any:
        return False
    if hasattr(kind, "dtype") or kind.__dictoffset__:  # an array, or what may have more attributes
        return False
    try:
        numbers = tuple(cast(Any, position))
        return bool(numbers) and type(position + (position - position) * 0.5) is kind
    except (TypeError, ValueError):
        return False


DispatcherT = TypeVar("DispatcherT")


def plain_first(
    dispatcher: DispatcherT, known: dict[type, Any] | None = None
) -> Callable[[Callable[..., Any]], DispatcherT]:
    """Return a decorator for a function that handles plain values, and leaves others to another.

    Classes are registered with it as with that one, a `singledispatch`; then what it has `known` of
    classes is forgotten.
    """

    def register(*arguments: Any) -> Any:
        if known is not None:
            known.clear()
        return dispatcher.register(*arguments)  # type: ignore[attr-defined]

    def decorate(function: Any) -> DispatcherT:
        function.register = register
        function.dispatch = dispatcher.dispatch  # type: ignore[attr-defined]
        function.registry = dispatcher.registry  # type: ignore[attr-defined]
        return cast(DispatcherT, function)

    return decorate


def _lerp_foreign(a: Any, b: Any, t: float) -> Any:
    return like(a, lerp(components(a), components(b), t))


def _lerp_any(a: Any, b: Any, t: float) -> Any:
    calculates(a)  # from now on it is known
    try:
        is_vector = isinstance(b, (tuple, list)) and not isinstance(a, Real)
        end: Any = like(a, tuple(b)) if is_vector else b
        return copy(end if t else a) if t in (0, 1) else a + (end - a) * t
    except TypeError as error:
        raise _nothing_between(a, b) from error


_lerp: Final = singledispatch(_lerp_any)


@plain_first(_lerp, _CALCULATES)
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
    kind = type(a)
    if kind is not type(b):
        return _lerp(a, b, t)
    is_end = t in (0.0, 1.0)
    if kind is tuple and (size := len(a)) == len(b):
        if is_end:
            return (*b,) if t else (*a,)
        try:
            if size == 2:
                (x, y), (u, v) = a, b
                return x + (u - x) * t, y + (v - y) * t
            if size == 3:
                (x, y, z), (u, v, w) = a, b
                return x + (u - x) * t, y + (v - y) * t, z + (w - z) * t
        except TypeError as error:
            raise _nothing_between(a, b) from error
    elif kind is float:
        return (b if t else a) if is_end else a + (b - a) * t
    elif _CALCULATES.get(kind):
        return copy(b if t else a) if is_end else a + (b - a) * t
    return _lerp(a, b, t)


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
    """Return the numbers that a position consists of, as a new tuple.

    Raises TypeError if it is not a position.

    >>> components((1, 2))
    (1.0, 2.0)
    """
    is_tuple = type(vector) is tuple
    if is_tuple or calculates(vector):
        numbers = (*vector,) if is_tuple else tuple(vector)
        for number in numbers:
            if type(number) is not float:
                break
        else:
            return numbers
    foreign = _FOREIGN.get(type(vector))
    try:
        if foreign is not None:
            return foreign.numbers(vector)
        return tuple(map(float, vector))
    except (TypeError, ValueError):
        raise TypeError(
            f"A position must be a tuple or vector of numbers, got {vector!r}."
        ) from None


def like(vector: Position, values: tuple[float, ...]) -> Position:
    """Return a position of the type of `vector` made of other numbers.

    >>> like((1.0, 2.0), (3.0, 4.0))
    (3.0, 4.0)
    """
    kind: Any = type(vector)
    if kind is tuple:
        return tuple(values)
    if calculates(vector):
        return kind(*values)
    if hasattr(vector, "_make"):  # a named tuple
        return vector._make(values)
    if isinstance(vector, (tuple, list)):
        try:
            return kind(values)
        except TypeError:  # it takes separate numbers, as the Color of Arcade does
            return kind(*values)
    if hasattr(vector, "dtype"):  # a NumPy array is not made by calling its class
        array = vector * 1.0  # integers become floats, floats keep their size
        array[:] = values
        return array
    foreign = _FOREIGN.get(kind)
    return kind(*values) if foreign is None else foreign.made_like(vector, values)


def distance(a: Position, b: Position) -> float:
    """Return the distance between two positions, in their own unit.

    >>> distance((0, 0), (3, 4))
    5.0
    """
    if not _FOREIGN or (type(a) not in _FOREIGN and type(b) not in _FOREIGN):
        try:
            return dist(a, b)
        except (TypeError, ValueError):
            pass  # `difference` says what is wrong
    return hypot(*difference(a, b))


def difference(a: Position, b: Position) -> tuple[float, ...]:
    """Return the vector from `a` to `b`, axis by axis.

    >>> difference((1, 1), (4, 5))
    (3.0, 4.0)
    """
    here, there = components(a), components(b)
    if len(here) == len(there) == 2:
        return there[0] - here[0], there[1] - here[1]
    if len(here) == len(there) == 3:
        return there[0] - here[0], there[1] - here[1], there[2] - here[2]
    return tuple([y - x for x, y in _pairs(here, there)])


def shifted(position: Position, offset: Position, factor: float = 1.0) -> Position:
    """Return `position` moved by `factor` times `offset`, in the type of `position`.

    >>> shifted((1.0, 1.0), (2.0, 0.0), 0.5)
    (2.0, 1.0)
    """
    moved: tuple[float, ...]
    if type(position) is type(offset) is tuple and len(position) == len(offset) == 2:
        try:
            moved = position[0] + offset[0] * factor, position[1] + offset[1] * factor
            if type(moved[0]) is type(moved[1]) is float:
                return moved
        except TypeError:
            pass  # `components` says what is wrong
    here, steps = components(position), components(offset)
    if len(here) == len(steps) == 2:
        (x, y), (u, v) = here, steps
        moved = (x + u * factor, y + v * factor)
    elif len(here) == len(steps) == 3:
        (x, y, z), (u, v, w) = here, steps
        moved = (x + u * factor, y + v * factor, z + w * factor)
    else:
        moved = tuple([x + step * factor for x, step in _pairs(here, steps)])
    return moved if type(position) is tuple else like(position, moved)


def same(a: object, b: object) -> bool:
    """Return True if two values are equal: numbers, tuples, vectors or arrays.

    >>> same((1, 2), (1.0, 2.0))
    True
    """
    if type(a) in _FOREIGN and type(b) in _FOREIGN:
        return _same_foreign(a, b)
    equal: Any = a == b
    if type(equal) is bool:
        return equal
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
