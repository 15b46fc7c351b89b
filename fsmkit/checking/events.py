"""Events: which actions send them, and which actions may take them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fsmkit import ERROR, FINISHED, Fsm, FsmAction, FsmState
from fsmkit.checking.endings import enabled_actions
from fsmkit.checking.mentions import mentioned


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
    """Return True if an action of `state` may consume `event`.

    A `sender` that declares what it takes does not take what it sends itself.
    """
    return any(_may_take(action, event, (), sender) for action in enabled_actions(state))


def is_known_in(machine: Fsm[Any], event: str, seen: tuple[Fsm[Any], ...] = ()) -> bool:
    """Return True if some state of `machine`, or a nested machine, may take `event`.

    Machines in `seen` are skipped.
    """
    return event in machine.global_transitions or any(
        event in state.transitions
        or any(_may_take(action, event, (*seen, machine)) for action in enabled_actions(state))
        for state in machine.states.values()
    )


def taken_in(state: FsmState[Any]) -> list[str]:
    """Return the events that actions of `state` say they may consume, without nested machines."""
    listeners = (action for action in all_actions(state) if not action.machines)
    return list(dict.fromkeys(event for action in listeners for event in action.takes))


def _may_take(
    action: FsmAction[Any],
    event: str,
    seen: tuple[Fsm[Any], ...],
    sender: FsmAction[Any] | None = None,
) -> bool:
    on_event = type(action).on_event
    if on_event is FsmAction.on_event:
        return False
    is_declared = _declares_takes(action)
    if is_declared and action is sender:
        return False
    if is_declared and event in action.takes:
        return True
    if action.children and _hands_on(on_event):
        children = (child for child in action.children if child.enabled)
        return any(_may_take(child, event, seen, sender) for child in children)
    if action.machines:
        inner = (machine for machine in action.machines if machine not in seen)
        return event not in (FINISHED, ERROR) and any(is_known_in(m, event, seen) for m in inner)
    return not is_declared


def _declares_takes(action: FsmAction[Any]) -> bool:
    """Return True if an action says what its `on_event` consumes.

    The declaration of a class does not hold for subclasses that override `on_event`.
    """
    if not action.takes or "takes" in getattr(action, "__dict__", ()):
        return bool(action.takes)
    kinds = type(action).__mro__
    listens = next(kind for kind in kinds if "on_event" in vars(kind))
    declares = next(kind for kind in kinds if "takes" in vars(kind))
    return issubclass(declares, listens)


def _hands_on(on_event: object) -> bool:
    """Return True if an `on_event` only passes the event on to the children."""
    words = mentioned([on_event])
    return not words.isdisjoint({"on_event", "offer_child"}) and "super" not in words
