"""The code that users bring in: where things may happen that no action declares."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from fsmkit import Fsm, FsmAction, FsmState
from fsmkit.checking.endings import undeclared_classes
from fsmkit.checking.events import everyone
from fsmkit.checking.mentions import code_of, given_functions, mentioned


def given_words(actions: Iterable[FsmAction[Any]]) -> set[str]:
    """What the functions mention that were given to `actions`."""
    return mentioned(function for action in actions for function in given_functions(action))


def class_words(action: FsmAction[Any]) -> set[str]:
    """What the classes of `action` mention, up to FsmAction."""
    return mentioned(
        code_of(kind for kind in type(action).__mro__ if kind not in FsmAction.__mro__)
    )


def undeclared_words(actions: Iterable[FsmAction[Any]]) -> set[str]:
    """What the classes of `actions` mention that do not declare when they finish."""
    return mentioned(code_of(kind for action in actions for kind in undeclared_classes(action)))


def may_stop(place: Fsm[Any] | FsmState[Any]) -> bool:
    """Whether code in a state, or in any state of a machine, may stop the machine or start it."""
    states = place.states.values() if isinstance(place, Fsm) else (place,)
    return any(_may_stop(action) for state in states for action in everyone(state))


def _may_stop(action: FsmAction[Any]) -> bool:
    if not {"start", "stop"}.isdisjoint(given_words([action])):
        return True
    if action.machines:
        return False  # it starts and stops those, and not its own
    return "stop" in class_words(action) or {"fsm", "start"} <= undeclared_words([action])
