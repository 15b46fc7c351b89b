"""What a crowd is given, checked."""

from __future__ import annotations

import os
from operator import index
from typing import Any, Final

from fsmkit.crowd.errors import CrowdError
from fsmkit.crowd.packages import np

WHOLE_NUMBERS: Final = range(-(2**63), 2**63)
"""Those that compiled code has: of 64 bits."""


def plain(value: Any) -> Any:
    """`value`; a number of numpy as Python's own."""
    return value.item() if isinstance(value, np.generic) else value


def integer(value: Any) -> int | None:
    """A whole number, of numpy too; None if it is none. Truth values are none."""
    try:
        return None if isinstance(value, bool) else index(value)
    except TypeError:
        return None


def whole(value: Any, what: str, least: int = 0) -> int:
    """`value` as an int. Raises CrowdError unless it is a whole number from `least` on."""
    number = integer(value)
    if number is None or number < least or number not in WHOLE_NUMBERS:
        reach = " to below 2**63" if number is not None and number > least else ""
        raise CrowdError(f"{what} is a whole number from {least} on{reach}, not {value!r}.")
    return number


def threads(parallel: Any) -> int:
    """How many threads that means. Raises CrowdError."""
    if isinstance(parallel, bool):
        return (os.cpu_count() or 1) if parallel else 1
    number = integer(parallel)
    if number is None or number < 1:
        raise CrowdError(
            f"parallel is True, False, or how many threads from 1 on, not {parallel!r}."
        )
    return number


def array(values: Any, what: str) -> Any:
    """`values` as an array. Raises CrowdError for lists of different lengths in a list."""
    try:
        return np.asarray(values)
    except ValueError:
        raise CrowdError(f"{what} takes numbers in a row, not {values!r}.") from None
