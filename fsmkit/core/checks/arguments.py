"""Checks of arguments: each returns the value, or raises an error with its name and what it is.

This is the one vocabulary of the whole tree; it imports nothing of ours. `what` is the subject of
the message: `"fps"`, or `"The duration of a timer"`. A value of the wrong type is a TypeError, one
out of range a ValueError; both are `error` where a package raises an error of its own.

>>> integer(2.5, "max_steps", least=1)
Traceback (most recent call last):
TypeError: max_steps must be an integer >= 1, got 2.5.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import inf
from operator import index
from sys import float_info
from typing import Any, Final, TypeVar

ValueT = TypeVar("ValueT")

LARGEST: Final = float_info.max

LONGEST: Final = 200
"""The characters of a value that a message shows."""


def to_float(number: Any) -> float | None:
    """Return a number of any kind as a float; None for anything else, such as a text.

    Time is added up over hours: in the precision of a `numpy.float32` it would lose seconds, and an
    array of one number would make arrays of all that it is added to.
    """
    if isinstance(number, str | bytes | bytearray):
        return None
    try:
        return float(number.item() if hasattr(number, "item") else number)
    except OverflowError:
        return inf
    except (TypeError, ValueError):
        return None


def to_integer(number: Any) -> int | None:
    """Return an integer of any kind, from numpy too, as an int; None for anything else and bool."""
    try:
        return None if isinstance(number, bool) else index(number)
    except TypeError:
        return None


def seconds(value: object, what: str) -> float:
    """Return seconds as a float: finite and >= 0.

    >>> from fractions import Fraction
    >>> seconds(Fraction(1, 4), "A pause")
    0.25
    """
    if type(value) is float and 0.0 <= value < inf:
        return value
    number = to_float(value)
    if number is None:
        raise TypeError(f"{what} must be a number of seconds, got {shown(value)}.")
    if not 0.0 <= number < inf:
        raise ValueError(f"{what} must be a finite number of seconds >= 0, got {shown(value)}.")
    return number


def number(
    value: object,
    what: str,
    *,
    least: float = -inf,
    above: float = -inf,
    most: float | None = None,
    unit: str = "",
    otherwise: str = "",
    error: type[Exception] | None = None,
) -> float:
    """Return a finite number within bounds as a float; `most=inf` admits an infinite one.

    `unit` is what it counts, as `" of frames per second"`; `otherwise` what else the caller
    admits, as `" or None"`.
    """
    converted = None if isinstance(value, bool) else to_float(value)
    highest = most if most is not None else LARGEST
    if converted is not None and least <= converted <= highest and converted > above:
        return converted
    signs = ((">=", least), (">", above), ("<=", highest))
    bounds = " and ".join(f"{sign} {bound:g}" for sign, bound in signs if abs(bound) < LARGEST)
    finite = "finite " if highest == LARGEST else ""
    wanted = f"a {finite}number{unit}{' ' * bool(bounds)}{bounds}{otherwise}"
    kind = TypeError if converted is None else ValueError
    raise (error or kind)(f"{what} must be {wanted}, got {shown(value)}.")


def integer(
    value: object,
    what: str,
    *,
    least: int | None = None,
    most: int | None = None,
    otherwise: str = "",
    error: type[Exception] | None = None,
) -> int:
    """Return an integer within bounds, of numpy too, as an int; a bool is none."""
    converted = to_integer(value)
    is_within = converted is not None and (least is None or converted >= least)
    if converted is not None and is_within and (most is None or converted <= most):
        return converted
    bounds = f" >= {least}" if least is not None else ""
    if most is not None:
        bounds = f" from {least} to {most}" if least is not None else f" <= {most}"
    kind = TypeError if converted is None else ValueError
    raise (error or kind)(f"{what} must be an integer{bounds}{otherwise}, got {shown(value)}.")


def flag(value: object, what: str, error: type[Exception] = TypeError) -> bool:
    if not isinstance(value, bool):
        raise error(f"{what} must be True or False, got {shown(value)}.")
    return value


def choice(
    value: ValueT, what: str, choices: Iterable[object], error: type[Exception] = ValueError
) -> ValueT:
    known = list(choices)
    if not any(value is each or (type(value) is type(each) and value == each) for each in known):
        *others, last = map(repr, known)
        wanted = f"{', '.join(others)} or {last}" if others else last
        raise error(f"{what} must be {wanted}, got {shown(value)}.")
    return value


def instance(
    value: object, what: str, kind: type[ValueT], wanted: str, error: type[Exception] = TypeError
) -> ValueT:
    """Return an instance of `kind`; `wanted` is what the message calls it, as `"an Fsm"`."""
    if not isinstance(value, kind):
        raise error(f"{what} must be {wanted}, got {shown(value)}.")
    return value


def name(value: object, what: str) -> str:
    """Return a name: a str that is not empty."""
    if not isinstance(value, str):
        raise TypeError(f"{what} must be a str, got {shown(value)}.")
    if not value:
        raise ValueError(f"{what} must not be empty.")
    return value


def names(value: object, what: str, kind: str) -> tuple[str, ...]:
    """Return a list of names, each once; `kind` is what they name, as `"events"`.

    A single text is refused: it would be taken for the list of its letters.
    """
    advice = f" Write [{shown(value)}]." if isinstance(value, str) else ""
    if advice or not isinstance(value, Iterable):
        raise TypeError(f"{what} must be a list of {kind}, got {shown(value)}.{advice}")
    found = tuple(value)
    for each in found:
        if not isinstance(each, str):
            raise TypeError(f"{what} must be a list of {kind}, got {shown(each)} in it.")
    return tuple(dict.fromkeys(found))


def shown(value: object) -> str:
    """Return the repr of a value for a message: cut if it is long, and whatever its class does."""
    try:
        text = repr(value)
    except Exception:  # thousands of digits, or the user's own
        return f"a value of type {type(value).__name__} that cannot be shown"
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}..."
