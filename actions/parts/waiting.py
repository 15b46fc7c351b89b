"""Waiting: what an action still needs to finish, in words, for `waits_for`."""

from __future__ import annotations

from collections.abc import Iterable
from math import ceil, floor
from typing import Any

from fsmkit import FsmAction, TimeReference

NEARLY = 1e-6
"""So much less than the next figure is the next figure: 1.9999999 of 2.0 s are 2.0 s."""


def so_far(elapsed: float, length: float, time: TimeReference | None = None) -> str:
    """Return how much of a time has passed, never more than that.

    >>> so_far(1.25, 2.0), so_far(0.008, 0.015)
    ('1.2 of 2.0 s', '0.008 of 0.015 s')
    """
    digits = _digits(length)
    passed = floor(elapsed * 10**digits + NEARLY) / 10**digits
    return f"{passed:.{digits}f} of {length:.{digits}f} s{_halted(time)}"


def percent_of(share: float, length: float, time: TimeReference | None = None) -> str:
    """Return how much of what takes `length` seconds is done.

    >>> percent_of(0.4, 2.0)
    '40 % of 2.0 s'
    """
    return f"{floor(share * 100 + NEARLY)} % of {length:.{_digits(length)}f} s{_halted(time)}"


def to_go(seconds: float, time: TimeReference | None = None) -> str:
    """Return how much time is left, never less than that.

    >>> to_go(0.31), to_go(0.0)
    ('0.4 s to go', '0.0 s to go')
    """
    digits = _digits(seconds) if seconds > NEARLY else 1
    left = ceil(max(0.0, seconds) * 10**digits - NEARLY) / 10**digits
    return f"{left:.{digits}f} s to go{_halted(time)}"


def named(action: FsmAction[Any]) -> str:
    """Return the name of an action with what it waits for, for one that runs it.

    >>> from actions import WaitUntil
    >>> named(WaitUntil(callable))
    'WaitUntil (until callable)'
    """
    words: object = action.waits_for
    name = type(action).__name__
    return f"{name} ({words})" if words and isinstance(words, str) else name


def unfinished(actions: Iterable[FsmAction[Any]], conjunction: str) -> str:
    """Return the names of those that have not finished, with what they wait for."""
    names = [named(action) for action in actions if not action.finished]
    return f" {conjunction} ".join(names)


def _digits(length: float) -> int:
    """How many digits tell the parts of a length."""
    return 1 if length >= 0.2 else 2 if length >= 0.02 else 3


def _halted(time: TimeReference | None) -> str:
    if time is None or (time.scale and not time.paused):
        return ""
    return f", and the time {time.name!r} stands still"
