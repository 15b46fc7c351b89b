"""Declarations for tools: when an action finishes by itself, and what it waits for, in words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from math import ceil, floor
from typing import Any, Literal, TypeAlias

from actions.parts.parameters import Param
from fsmkit import BACK, FsmAction, FsmState, TimeReference, Transition

# When it finishes

Finishes: TypeAlias = Literal["at once", "in time", "never"]
"""Within `on_enter`; later, but certainly; not before the state is exited."""


def finishes_after(amount: Param[float]) -> Finishes:
    """Return when an action finishes that takes `amount` seconds or updates.

    The value of a function is not known yet, and assumed to be more than zero.

    >>> finishes_after(0), finishes_after(2.0), finishes_after(lambda: 2.0)
    ('at once', 'in time', 'in time')
    """
    return "in time" if callable(amount) or amount else "at once"


def finishes_with(actions: Sequence[FsmAction[Any]], needed: int | None = None) -> Finishes | None:
    """Return when `needed` of the actions have finished, or all that take part (None)."""
    endings = [action.finishes for action in actions if action.enabled]
    needed = min(needed or len(endings), len(endings))
    at_once, in_time = endings.count("at once"), endings.count("in time")
    if at_once >= needed:
        return "at once"
    if at_once + in_time >= needed:
        return "in time"
    return "never" if len(endings) - endings.count("never") < needed else None


Fails: TypeAlias = Callable[[FsmAction[Any]], bool | None]
"""Tells which actions may fail; None: it cannot be known before they run."""


def fails_with(
    actions: Sequence[FsmAction[Any]], fails: Fails, needed: int | None = None
) -> bool | None:
    """Return whether so many of the actions may fail that fewer than `needed` finish.

    By default, fewer than all that take part. None if it cannot be known.
    """
    verdicts = [fails(action) for action in actions if action.enabled]
    spare = len(verdicts) - min(needed or len(verdicts), len(verdicts))
    if verdicts.count(True) > spare:
        return True
    return None if len(verdicts) - verdicts.count(False) > spare else False


def asked_in(state: FsmState[Any], event: str) -> Iterator[Transition[Any]]:
    """Yield the transitions for `event` from a state: its own, those of its groups, global ones."""
    groups = [group for group in state.fsm.groups.values() if state in group]
    tables = [source.transitions for source in (state, *groups)]
    return chain.from_iterable(
        table.get(event, ()) for table in (*tables, state.fsm.global_transitions)
    )


def exits_state(action: FsmAction[Any], event: str) -> bool:
    """Return True if sending `event` certainly exits the state of `action` at once.

    A transition that suspends the state does not exit it, one to `BACK` may lead nowhere, and one
    of a group, or a global one, to the state itself does nothing.
    """
    state: FsmState[Any] | None = action.state
    if state is None:
        return False
    own = len(state.transitions.get(event, ()))
    for number, transition in enumerate(asked_in(state, event)):
        is_ignored = number >= own and transition.target is state
        if transition.suspend or transition.target is BACK or is_ignored:
            return False
        if transition.when is None:
            return True
    return False


# What it waits for

NEARLY = 1e-6
"""Rounding error within which a figure counts as the next one: 1.9999999 s as 2.0 s."""


def so_far(elapsed: float, length: float, time: TimeReference | None = None) -> str:
    """Return how much of a time has passed, rounded down.

    >>> so_far(1.25, 2.0), so_far(0.008, 0.015)
    ('1.2 of 2.0 s', '0.008 of 0.015 s')
    """
    digits = _digits(length)
    passed = floor(elapsed * 10**digits + NEARLY) / 10**digits
    return f"{passed:.{digits}f} of {length:.{digits}f} s{_halted(time)}"


def percent_of(share: float, length: float, time: TimeReference | None = None) -> str:
    """Return how much is done of something that takes `length` seconds.

    >>> percent_of(0.4, 2.0)
    '40 % of 2.0 s'
    """
    return f"{floor(share * 100 + NEARLY)} % of {length:.{_digits(length)}f} s{_halted(time)}"


def to_go(seconds: float, time: TimeReference | None = None) -> str:
    """Return how much time is left, rounded up.

    >>> to_go(0.31), to_go(0.0)
    ('0.4 s to go', '0.0 s to go')
    """
    digits = _digits(seconds) if seconds > NEARLY else 1
    left = ceil(max(0.0, seconds) * 10**digits - NEARLY) / 10**digits
    return f"{left:.{digits}f} s to go{_halted(time)}"


def named(action: FsmAction[Any]) -> str:
    """Return the name of an action and what it waits for, for the action that runs it.

    >>> from actions import WaitUntil
    >>> named(WaitUntil(callable))
    'WaitUntil (until callable)'
    """
    words: object = action.waits_for
    name = type(action).__name__
    return f"{name} ({words})" if words and isinstance(words, str) else name


def unfinished(actions: Iterable[FsmAction[Any]], conjunction: str) -> str:
    names = [named(action) for action in actions if not action.finished]
    return f" {conjunction} ".join(names)


def _digits(length: float) -> int:
    """The decimals that show parts of a length."""
    return 1 if length >= 0.2 else 2 if length >= 0.02 else 3


def _halted(time: TimeReference | None) -> str:
    if time is None or (time.scale and not time.paused):
        return ""
    return f", and the time {time.name!r} stands still"
