"""Kinds of values: those that a page can plot, and set to another value of the same type."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from itertools import islice
from math import isfinite
from typing import Any, Final

from fsmkit.inspector.reading.values import text_of

FLAG, WHOLE, NUMBER, TEXT, CHOICE, VECTOR, OTHER = "bifsev-"
"""True or false, int, float, str, member of an enum, vector, and anything else.

A vector is a tuple of two to four numbers, or an object that has as many of them.
"""

LARGEST_WHOLE: Final = 2**53 - 1
"""The largest whole number that JSON and JavaScript keep exactly."""

LONGEST_TEXT: Final = 1_000
MOST_COMPONENTS: Final = 4

_PLAIN: Final[Mapping[type, str]] = {bool: FLAG, int: WHOLE, float: NUMBER, str: TEXT}


def kind_of(value: object) -> str:
    """Return the kind of a value.

    >>> "".join(map(kind_of, (True, 3, 0.5, "door", (1.0, 2.0), [1, 2], None)))
    'bifsv--'
    """
    if issubclass(type(value), Enum):
        return CHOICE
    kind = _PLAIN.get(type(value))
    return kind or (VECTOR if components(value) else OTHER)


def components(value: object) -> tuple[float, ...]:
    """Return the numbers of a vector; none for anything else.

    >>> components((1, 2.5)), components("ab"), components([1, 2])
    ((1, 2.5), (), ())
    """
    kind = type(value)
    if issubclass(kind, (str, bytes, list, Mapping, set, frozenset)) or not (
        hasattr(kind, "__getitem__") and hasattr(kind, "__len__")
    ):
        return ()
    vector: Any = value
    try:
        count = len(vector)
        is_short = 2 <= count <= MOST_COMPONENTS
        numbers: tuple[Any, ...] = tuple(islice(vector, count + 1)) if is_short else ()
    except Exception:  # from a user's class
        return ()
    if len(numbers) != count:  # one that goes on is no vector: its indices may begin again
        return ()
    return numbers if all(type(each) in (int, float) for each in numbers) else ()


def is_too_large(value: object) -> bool:
    """Return True if a page cannot keep a whole number in it exactly.

    >>> is_too_large(2**53), is_too_large((1, 2**53)), is_too_large(1e300)
    (True, True, False)
    """
    numbers = (value,) if type(value) is int else components(value)
    return any(type(each) is int and abs(each) > LARGEST_WHOLE for each in numbers)


def to_json(value: object) -> object:
    """Return an editable value for the page; None for a number that JSON does not have, as nan.

    >>> to_json((0.5, float("inf")))
    [0.5, None]
    """
    if isinstance(value, Enum):
        return value.name
    if kind_of(value) == VECTOR:
        return [to_json(each) for each in components(value)]
    return None if isinstance(value, float) and not isfinite(value) else value


def converted(name: str, given: object, old: object) -> object:
    """Return `given`, from a page, as a value of the type of `old`. Raises ValueError.

    >>> converted("speed", 3, 0.5)
    3.0
    >>> converted("health", True, 3)
    Traceback (most recent call last):
        ...
    ValueError: health must be a whole number, got True.
    """
    kind = kind_of(old)
    if kind not in _CONVERT:
        raise ValueError(f"{name} cannot be edited: it is {text_of(old)}.")
    return _CONVERT[kind](name, given, old)


def _flag(name: str, given: object, _old: object) -> bool:
    if not isinstance(given, bool):
        raise _wrong(name, "true or false", given)
    return given


def _whole(name: str, given: object, _old: object) -> int:
    if type(given) is not int:
        raise _wrong(name, "a whole number", given)
    if abs(given) > LARGEST_WHOLE:
        raise _wrong(name, f"from -{LARGEST_WHOLE} to {LARGEST_WHOLE}", given)
    return given


def _number(name: str, given: object, _old: object) -> float:
    if type(given) not in (int, float):
        raise _wrong(name, "a number", given)
    try:
        number = float(given)  # type: ignore[arg-type]  # an int or a float
    except OverflowError:
        number = float("inf")
    if not isfinite(number):
        raise _wrong(name, "a finite number", given)
    return number


def _text(name: str, given: object, _old: object) -> str:
    if type(given) is not str:
        raise _wrong(name, "a text", given)
    if len(given) > LONGEST_TEXT:
        raise ValueError(f"{name} must have at most {LONGEST_TEXT} letters, got {len(given)}.")
    return given


def _choice(name: str, given: object, old: Any) -> object:
    choices = type(old).__members__
    if type(given) is not str or given not in choices:
        raise _wrong(name, f"one of {', '.join(choices)}", given)
    return choices[given]


def _vector(name: str, given: object, old: Any) -> object:
    before = components(old)
    if not isinstance(given, list) or len(given) != len(before):
        raise _wrong(name, f"{len(before)} numbers", given)
    numbers = [
        converted(f"{name}[{index}]", each, was)
        for index, (each, was) in enumerate(zip(given, before, strict=True))
    ]
    return _made_like(old, numbers)


def _made_like(old: Any, numbers: Sequence[object]) -> object:
    if type(old) is tuple:
        return tuple(numbers)
    make: Callable[..., object] = type(old)
    return make(*numbers)  # a named tuple, or a vector of some library


def _wrong(name: str, needed: str, given: object) -> ValueError:
    text = text_of(given)
    return ValueError(
        f"{name} must be {needed}, got {text if len(text) <= 60 else text[:59] + '…'}."
    )


_CONVERT: Final[Mapping[str, Callable[[str, object, Any], object]]] = {
    FLAG: _flag, WHOLE: _whole, NUMBER: _number, TEXT: _text, CHOICE: _choice, VECTOR: _vector,
}  # fmt: skip
