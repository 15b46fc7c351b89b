"""Checks of the arguments of crowds, in addition to `fsmkit.core.checks.arguments`."""

from __future__ import annotations

import os
from enum import Enum
from typing import Any, Final

from fsmkit.core.checks import arguments
from fsmkit.crowd.errors import CrowdError, unknown_agent
from fsmkit.crowd.packages import np

WHOLE_NUMBERS: Final = range(-(2**63), 2**63)
"""The integers of compiled code: 64 bits."""


def plain(value: Any) -> Any:
    """Return `value`; a number of numpy as one of Python, a member of an IntEnum as its number."""
    if isinstance(value, np.generic):
        return value.item()
    return int(value) if isinstance(value, int) and isinstance(value, Enum) else value


def checked_integer(value: Any, what: str, least: int = 0) -> int:
    """Return `value` as an int. Raises CrowdError unless it is a 64-bit integer >= `least`."""
    number = arguments.integer(value, what, least=least, error=CrowdError)
    if number not in WHOLE_NUMBERS:
        shown = arguments.shown(value)
        raise CrowdError(f"{what} must be an integer >= {least} and < 2**63, got {shown}.")
    return number


def thread_count(parallel: Any) -> int:
    if isinstance(parallel, bool):
        return (os.cpu_count() or 1) if parallel else 1
    otherwise = ", True or False"
    return arguments.integer(parallel, "parallel", least=1, otherwise=otherwise, error=CrowdError)


def processors() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def checked_agents(given: Any, size: int, what: str, kinds: str, owner: str) -> Any:
    """Return agents that were given as `what`: a mask of `size` booleans, or indices >= 0.

    `kinds` names what else is accepted, for messages. Raises CrowdError for anything else, and
    UnknownAgentError, with the name of the crowd, for an index that no agent has.
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
        raise unknown_agent(owner, int(beyond[0]), size)
    indices = indices.astype(np.int64)
    return np.where(indices < 0, indices + size, indices)


def as_array(values: Any, what: str) -> Any:
    """Return `values` as an array. Raises CrowdError for nested lists of different lengths."""
    try:
        return np.asarray(values)
    except ValueError:
        raise CrowdError(f"{what} must be a sequence of numbers, got {values!r}.") from None
