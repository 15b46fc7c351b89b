"""Paths of actions, and what an action is called in a sentence.

A path is the name of the state, the index of the action in it, then the index at each deeper level.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fsmkit import Fsm, FsmAction
from fsmkit.introspection import walk
from fsmkit.introspection.walk import ActionPath


def path_of(action: FsmAction[Any]) -> list[Any]:
    return [action.state.name, *map(int, walk.path_of(action).split("/"))]


def action_at(fsm: Fsm[Any], path: Sequence[Any]) -> FsmAction[Any]:
    """Return the action at the path. Raises LookupError if there is none."""
    name, first, *inner = path
    if name not in fsm.states:
        raise LookupError(f"there is no state {name!r}")
    action = _at(first, fsm.states[name].actions, f"state {name!r}")
    for index in inner:
        action = _at(index, action.children, type(action).__name__)
    return action


def _at(index: int, actions: Sequence[FsmAction[Any]], owner: str) -> FsmAction[Any]:
    if not 0 <= index < len(actions):
        raise LookupError(f"{owner} has no action {index}")
    return actions[index]


def action_place(action: FsmAction[Any]) -> str:
    """Return the place of an action in its state, such as `actions[0].children[1] (Log)`."""
    return _placed(action, walk.path_of(action))


def title(action: FsmAction[Any]) -> str:
    """Return a name of an action with its place, such as `Closed.actions[0].children[1] (Log)`."""
    return f"{action.state.name}.{action_place(action)}"


def action_title(action: FsmAction[Any], place: ActionPath) -> str:
    return f"{action.state}, {_placed(action, place)}"


def _placed(action: FsmAction[Any], place: ActionPath) -> str:
    return f"{walk.subscripts(place)} ({type(action).__name__})"


def sender_title(action: FsmAction[Any] | None) -> str:
    """Return the name of an action that sent an event; empty without one.

    Recordings hold it, so it stays as it is: a child has no place in it.
    """
    if action is None:
        return ""
    if action.state is None:
        return type(action).__name__
    index = walk.index_of(action)
    place = "" if index is None else f"[{index}]"
    return f"{action.state.name}.actions{place} ({type(action).__name__})"
