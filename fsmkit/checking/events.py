"""Events: which actions send them, and which actions may take them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fsmkit import Fsm, FsmAction, FsmState
from fsmkit.checking.endings import enabled_actions
from fsmkit.tooling.taking import ever_taken_in, ever_takes


def with_children(action: FsmAction[Any]) -> Iterator[FsmAction[Any]]:
    """Yield the action and all its descendants, without disabled ones."""
    if action.enabled:
        yield action
        for child in action.children:
            yield from with_children(child)


def all_actions(state: FsmState[Any]) -> Iterator[FsmAction[Any]]:
    """Yield all actions of a state with their descendants."""
    for action in state.actions:
        yield from with_children(action)


def events_of(action: FsmAction[Any]) -> list[str]:
    """Return the events that an action may send, each once."""
    finish_event = () if action.finish_event is None else (action.finish_event,)
    return list(dict.fromkeys((*action.sends, *finish_event)))


def knows(state: FsmState[Any], event: str) -> bool:
    """Return True if the state or its machine has a transition for `event`."""
    return event in state.transitions or event in state.fsm.global_transitions


def may_take(state: FsmState[Any], event: str, sender: FsmAction[Any] | None = None) -> bool:
    """Return True if an action of `state` may consume `event`, at some moment.

    A `sender` that declares what it takes does not take what it sends itself.
    """
    actions = enabled_actions(state)
    return any(ever_takes(action, event, sender=sender) is not False for action in actions)


def is_known_in(machine: Fsm[Any], event: str, seen: tuple[Fsm[Any], ...] = ()) -> bool:
    """Return True if some state of `machine`, or a nested machine, may take `event`.

    Machines in `seen` are skipped.
    """
    return ever_taken_in(machine, event, seen) is not False


def taken_in(state: FsmState[Any]) -> list[str]:
    """Return the events that actions of `state` say they may consume, without nested machines."""
    listeners = (action for action in all_actions(state) if not action.machines)
    return list(dict.fromkeys(event for action in listeners for event in action.takes))
