"""The costs that come from the user, as floats: the weights of paths, and estimates."""

from __future__ import annotations

from math import inf, nan
from numbers import Number


def checked_weight(weight: object, start: object, end: object) -> float:
    """Return the weight of a path as a float; ValueError unless it is a finite number >= 0.

    Numbers of all kinds are converted. True and False are refused: as weights they are mistakes.

    >>> checked_weight(3, "A", "B")
    3.0
    """
    if type(weight) is float:
        number = weight
    elif isinstance(weight, Number) and not isinstance(weight, bool):
        number = float_of(weight)
    else:
        number = nan
    if not 0.0 <= number < inf:
        raise ValueError(
            f"A weight must be a finite number >= 0, got {shown(weight)} for the path from "
            f"{start!r} to {end!r}."
        )
    return number or 0.0  # no negative zero


def checked_estimate(estimate: object, node: object) -> float:
    """Return an estimate as a float; ValueError unless it is a number >= 0, or infinity.

    >>> checked_estimate(3, (0, 0))
    3.0
    """
    number = float_of(estimate)
    if not number >= 0.0:
        raise ValueError(
            f"The heuristic must return a number >= 0, got {shown(estimate)} for {node!r}."
        )
    return number


def float_of(value: object) -> float:
    """Return a number as a float, and NaN for what is none or too large."""
    is_number = hasattr(type(value), "__float__") or hasattr(type(value), "__index__")
    if not is_number or isinstance(value, str | bytes):
        return nan  # float() reads texts, too, and those of numpy seem to be numbers
    try:
        return float(value)  # type: ignore[arg-type]  # it has what float() asks for
    except (TypeError, ValueError, OverflowError):  # an array, a signaling NaN, 10**400
        return nan


def shown(value: object) -> str:
    """Return the repr of a value that was refused."""
    try:
        return repr(value)
    except ValueError:  # Python writes integers of up to 4,300 digits
        return f"a giant {type(value).__name__}"
