"""Endings: what is known, before an action runs, of when it finishes by itself."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal, TypeAlias

from actions.parts.parameters import Param
from fsmkit import FsmAction, FsmState

Finishes: TypeAlias = Literal["at once", "in time", "never"]
"""Within `on_enter`; later, but certainly; not before the state is exited."""


def finishes_after(amount: Param[float]) -> Finishes:
    """When something finishes that takes `amount` seconds or updates.

    What a function will give is not known; that it is called speaks for more than nothing.

    >>> finishes_after(0), finishes_after(2.0), finishes_after(lambda: 2.0)
    ('at once', 'in time', 'in time')
    """
    return "in time" if callable(amount) or amount else "at once"


def finishes_with_all(actions: Iterable[FsmAction[Any]]) -> Finishes | None:
    """When all of `actions` have finished. Those that are disabled take no part."""
    endings = {action.finishes for action in actions if action.enabled}
    if "never" in endings:
        return "never"
    if None in endings:
        return None
    return "in time" if "in time" in endings else "at once"


def finishes_with_any(actions: Iterable[FsmAction[Any]]) -> Finishes | None:
    """When the first of `actions` has finished; at once if none takes part."""
    endings = {action.finishes for action in actions if action.enabled}
    if "at once" in endings or not endings:
        return "at once"
    if "in time" in endings:
        return "in time"
    return "never" if endings == {"never"} else None


def exits_state(action: FsmAction[Any], event: str) -> bool:
    """Whether the state of `action` is left as soon as `event` is sent, so nothing finishes."""
    state: FsmState[Any] | None = action.state
    if state is None:
        return False
    return event in state.transitions or state.fsm.global_transitions.get(event, state) is not state
