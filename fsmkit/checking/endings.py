"""Endings: when actions finish by themselves, as declared or as far as their code shows."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from fsmkit import FsmAction, FsmState
from fsmkit.checking.mentions import code_of, given_functions, mentioned

ENDINGS: Final = ("at once", "in time", "never")
CALLBACKS: Final = {"on_enter", "on_update", "on_event"}


def ending(action: FsmAction[Any]) -> str | None:
    """Return `"at once"`, `"in time"`, `"never"`, or None if it is unknown.

    An action whose class declares nothing never finishes by itself if neither the class nor a
    function that it was given mentions `finish`. The declaration of a class does not hold for
    subclasses that override its callbacks.
    """
    undeclared = undeclared_classes(action)
    if type(action).finishes is FsmAction.finishes:
        given = given_functions(action)
        finishes = FsmAction.finish in given or "finish" in mentioned(
            [*code_of(undeclared), *given]
        )
        return None if finishes else "never"
    if _override_callbacks(undeclared) or "finish" in mentioned(code_of(undeclared)):
        return None
    declared = action.finishes
    return declared if declared in ENDINGS else None


def undeclared_classes(action: FsmAction[Any]) -> tuple[type, ...]:
    """Return the subclasses of the class that declares when the action finishes."""
    kinds = type(action).__mro__
    declared = ["finishes" in vars(kind) for kind in kinds]
    return kinds[: declared.index(True)]


def state_ending(state: FsmState[Any]) -> str | None:
    """Return when its last action has finished; a state with nothing to wait for does at once."""
    endings = {ending(action) for action in counting_actions(state)}
    if "never" in endings:
        return "never"
    if None in endings:
        return None
    return "in time" if "in time" in endings else "at once"


def enabled_actions(state: FsmState[Any]) -> tuple[FsmAction[Any], ...]:
    """Return the actions of `state` that are not disabled."""
    return tuple(action for action in state.actions if action.enabled)


def counting_actions(state: FsmState[Any]) -> tuple[FsmAction[Any], ...]:
    """Return the actions that have to finish before the state has: not those in the background."""
    return tuple(action for action in enabled_actions(state) if not action.background)


def _override_callbacks(kinds: Iterable[type]) -> bool:
    return any(not CALLBACKS.isdisjoint(vars(kind)) for kind in kinds)
