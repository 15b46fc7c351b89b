"""Paths of actions: the state's name, the index in it, then the index at each deeper level."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fsmkit import Fsm, FsmAction


def path_of(action: FsmAction[Any]) -> list[Any]:
    """Return the path of an action."""
    steps: list[Any] = [action.state.name]
    siblings = action.state.actions
    while siblings:
        index = next(i for i, other in enumerate(siblings) if action in _with_children(other))
        steps.append(index)
        if siblings[index] is action:
            break
        siblings = siblings[index].children
    return steps


def action_at(fsm: Fsm[Any], path: Sequence[Any]) -> FsmAction[Any]:
    """Return the action at the path. Raises LookupError if there is none."""
    state, index, *inner = path
    if state not in fsm.states:
        raise LookupError(f"there is no state {state!r}")
    action = _at(index, fsm.states[state].actions, f"state {state!r}")
    for position in inner:
        action = _at(position, action.children, type(action).__name__)
    return action


def _at(index: int, actions: Sequence[FsmAction[Any]], owner: str) -> FsmAction[Any]:
    if not 0 <= index < len(actions):
        raise LookupError(f"{owner} has no action {index}")
    return actions[index]


def _with_children(action: FsmAction[Any]) -> list[FsmAction[Any]]:
    return [action, *(member for child in action.children for member in _with_children(child))]
