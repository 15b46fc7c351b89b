"""User code: things that may happen without any action declaring them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from fsmkit import Fsm, FsmAction, FsmState
from fsmkit.checking.endings import undeclared_classes
from fsmkit.checking.events import all_actions
from fsmkit.checking.mentions import code_of, given_functions, mentioned


def given_words(actions: Iterable[FsmAction[Any]]) -> set[str]:
    """Return the words in functions that were given to `actions`."""
    return mentioned(function for action in actions for function in given_functions(action))


def class_words(action: FsmAction[Any]) -> set[str]:
    """Return the words in the classes of `action`, up to FsmAction."""
    return mentioned(
        code_of(kind for kind in type(action).__mro__ if kind not in FsmAction.__mro__)
    )


def undeclared_words(actions: Iterable[FsmAction[Any]]) -> set[str]:
    """Return the words in the classes of `actions` that do not declare when they finish."""
    return mentioned(code_of(kind for action in actions for kind in undeclared_classes(action)))


def may_stop(place: Fsm[Any] | FsmState[Any]) -> bool:
    """Return True if code in a state, or in any state of a machine, may stop or start it."""
    states = place.states.values() if isinstance(place, Fsm) else (place,)
    return any(_may_stop(action) for state in states for action in all_actions(state))


def _may_stop(action: FsmAction[Any]) -> bool:
    if not {"start", "stop"}.isdisjoint(given_words([action])):
        return True
    if action.machines:
        return False  # it starts and stops those, not its own
    return "stop" in class_words(action) or {"fsm", "start"} <= undeclared_words([action])
