"""Finishing: when an action finishes by itself, as far as that is known before it runs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal, TypeAlias

from actions.parts.parameters import Param
from fsmkit import BACK, FsmAction, FsmState

Finishes: TypeAlias = Literal["at once", "in time", "never"]
"""Within `on_enter`; later, but certainly; not before the state is exited."""


def finishes_after(amount: Param[float]) -> Finishes:
    """Return when an action finishes that takes `amount` seconds or updates.

    The value of a function is not known yet; it is taken to be more than zero.

    >>> finishes_after(0), finishes_after(2.0), finishes_after(lambda: 2.0)
    ('at once', 'in time', 'in time')
    """
    return "in time" if callable(amount) or amount else "at once"


def finishes_with_all(actions: Iterable[FsmAction[Any]]) -> Finishes | None:
    """Return when all of `actions` have finished. Disabled ones take no part."""
    endings = {action.finishes for action in actions if action.enabled}
    if "never" in endings:
        return "never"
    if None in endings:
        return None
    return "in time" if "in time" in endings else "at once"


def finishes_with(actions: Sequence[FsmAction[Any]], needed: int | None) -> Finishes | None:
    """Return when `needed` of the actions have finished, or all that take part (None)."""
    endings = [action.finishes for action in actions if action.enabled]
    needed = min(needed or len(endings), len(endings))
    at_once, in_time = endings.count("at once"), endings.count("in time")
    if at_once >= needed:
        return "at once"
    if at_once + in_time >= needed:
        return "in time"
    return "never" if len(endings) - endings.count("never") < needed else None


def finishes_with_any(actions: Iterable[FsmAction[Any]]) -> Finishes | None:
    """Return when the first of `actions` has finished; at once if none takes part."""
    endings = {action.finishes for action in actions if action.enabled}
    if "at once" in endings or not endings:
        return "at once"
    if "in time" in endings:
        return "in time"
    return "never" if endings == {"never"} else None


def exits_state(action: FsmAction[Any], event: str) -> bool:
    """Return True if `event` exits the state of `action` as soon as it is sent, for certain.

    A transition that suspends the state does not exit it, one to `BACK` may lead nowhere, and a
    global one to the state itself does nothing.
    """
    state: FsmState[Any] | None = action.state
    if state is None:
        return False
    own = state.transitions
    for table in (own, state.fsm.global_transitions):
        for way in table.get(event, ()):
            is_ignored = table is not own and way.target is state
            if way.suspend or way.target is BACK or is_ignored:
                return False
            if way.when is None:
                return True
    return False
