"""Where events come from, where they lead, and who else may take them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fsmkit import ERROR, FINISHED, Fsm, FsmAction, FsmState
from fsmkit.checking.endings import taking_part
from fsmkit.checking.mentions import mentioned


def family(action: FsmAction[Any]) -> Iterator[FsmAction[Any]]:
    """The action and all that it runs, without those that are disabled."""
    if action.enabled:
        yield action
        for child in action.children:
            yield from family(child)


def everyone(state: FsmState[Any]) -> Iterator[FsmAction[Any]]:
    """The families of all actions of a state."""
    for action in state.actions:
        yield from family(action)


def events_of(action: FsmAction[Any]) -> list[str]:
    """The events that an action may send, each once."""
    finish_event = () if action.finish_event is None else (action.finish_event,)
    return list(dict.fromkeys((*action.sends, *finish_event)))


def knows(state: FsmState[Any], event: str) -> bool:
    """Whether the state or its machine has a transition for `event`."""
    return event in state.transitions or event in state.fsm.global_transitions


def target_of(state: FsmState[Any], event: str) -> FsmState[Any] | None:
    """Where `event` leads from `state`; None if nowhere.

    A global transition to the very state leads nowhere.
    """
    if event in state.transitions:
        return state.transitions[event]
    target = state.fsm.global_transitions.get(event)
    return None if target is state else target


def may_take(state: FsmState[Any], event: str) -> bool:
    """Whether an action of `state` may consume `event`."""
    return any(_may_take(action, event, ()) for action in taking_part(state))


def is_known_in(machine: Fsm[Any], event: str, seen: tuple[Fsm[Any], ...] = ()) -> bool:
    """Whether some state of `machine` may take `event`, or a machine inside it.

    Machines that were `seen` already are not looked into.
    """
    return event in machine.global_transitions or any(
        event in state.transitions
        or any(_may_take(action, event, (*seen, machine)) for action in taking_part(state))
        for state in machine.states.values()
    )


def _may_take(action: FsmAction[Any], event: str, seen: tuple[Fsm[Any], ...]) -> bool:
    on_event = type(action).on_event
    if on_event is FsmAction.on_event:
        return False
    if action.children and _hands_on(on_event):
        return any(_may_take(child, event, seen) for child in action.children if child.enabled)
    if action.machines:
        inner = (machine for machine in action.machines if machine not in seen)
        return event not in (FINISHED, ERROR) and any(is_known_in(m, event, seen) for m in inner)
    return True


def _hands_on(on_event: object) -> bool:
    """Whether an `on_event` only hands the event on to the children."""
    words = mentioned([on_event])
    return "on_event" in words and "super" not in words
