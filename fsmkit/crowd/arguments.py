"""Checks of the arguments that a crowd is given."""

from __future__ import annotations

import os
from collections.abc import Callable
from enum import Enum
from operator import index
from typing import Any, Final

from fsmkit.crowd.errors import CrowdError
from fsmkit.crowd.packages import np

WHOLE_NUMBERS: Final = range(-(2**63), 2**63)
"""The integers of compiled code: 64 bits."""


def plain(value: Any) -> Any:
    """Return `value`; a number of numpy as one of Python, a member of an IntEnum as its number."""
    if isinstance(value, np.generic):
        return value.item()
    return int(value) if isinstance(value, int) and isinstance(value, Enum) else value


def integer(value: Any) -> int | None:
    """Return an integer, from numpy too; None for anything else, booleans included."""
    try:
        return None if isinstance(value, bool) else index(value)
    except TypeError:
        return None


def checked_integer(value: Any, what: str, least: int = 0) -> int:
    """Return `value` as an int. Raises CrowdError unless it is an integer >= `least`."""
    number = integer(value)
    if number is None or number < least or number not in WHOLE_NUMBERS:
        bound = " and < 2**63" if number is not None and number > least else ""
        raise CrowdError(f"{what} must be an integer >= {least}{bound}, got {value!r}.")
    return number


def thread_count(parallel: Any) -> int:
    """Return the number of threads for this value of `parallel`. Raises CrowdError."""
    if isinstance(parallel, bool):
        return (os.cpu_count() or 1) if parallel else 1
    number = integer(parallel)
    if number is None or number < 1:
        raise CrowdError(
            f"parallel must be True, False or a number of threads >= 1, got {parallel!r}."
        )
    return number


def checked_agents(
    given: Any, size: int, what: str, kinds: str, unknown: Callable[[int], CrowdError]
) -> Any:
    """Return agents that were given as `what`: a mask of `size` booleans, or indices >= 0.

    Raises CrowdError for anything else, with the `kinds` that there are beside a mask; and what
    `unknown` makes of an index that nobody has.
    """
    array = as_array(given, what)
    if array.dtype == np.bool_ and array.shape == (size,):
        return array
    if array.shape == (0,) and array.dtype != np.bool_:  # numpy takes [] for floats
        return np.zeros(0, np.int64)
    if array.dtype.kind not in "iu" or array.ndim > 1:
        got = f"an array of {array.dtype} with the shape {array.shape}"
        raise CrowdError(
            f"{what} must be a mask of {size} booleans, {kinds}, got "
            f"{got if array.ndim else repr(array.item())}."
        )
    indices = np.atleast_1d(array)
    beyond = indices[(indices < -size) | (indices >= size)]
    if beyond.size:
        raise unknown(int(beyond[0]))
    indices = indices.astype(np.int64)
    return np.where(indices < 0, indices + size, indices)


def as_array(values: Any, what: str) -> Any:
    """Return `values` as an array. Raises CrowdError for nested lists of different lengths."""
    try:
        return np.asarray(values)
    except ValueError:
        raise CrowdError(f"{what} must be a row of numbers, got {values!r}.") from None
