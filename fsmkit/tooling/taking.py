"""Taking: who consumes an event before a transition is looked for, now or ever.

The actions say it themselves, by `takes`, `_would_take_` and `_offers_to_`. What a class declares
holds for its subclasses as well, but not for those that override `on_event`: these may do anything.
"""

from __future__ import annotations

from collections.abc import Iterator
from types import CodeType
from typing import Any, Final

from attrs import frozen

from fsmkit import ERROR, FINISHED, Fsm, FsmAction, FsmState
from fsmkit.tooling.run_state import is_entered, listeners

HANDING_ON: Final = {"offer", "offer_child", "on_event"}
"""What an `on_event` calls that hands the event on to the children."""


@frozen
class Answer:
    """What one of those who are asked about an event would do with it."""

    action: FsmAction[Any]
    """The action that is asked; of an action that hands the event on, the one that gets it."""
    takes: bool | None
    """True: it certainly consumes the event. False: it lets the event pass. None: not known."""
    reason: str = ""
    """What it does with an event that it takes, as the action says it."""
    machine: Fsm[Any] | None = None
    """The nested machine that the action asks; then `takes` is None, for the machine to say."""


def answers_now(machine: Fsm[Any], event: str) -> Iterator[Answer]:
    """Yield what those say who would be asked about `event` if it were sent now, in order.

    Whoever certainly lets it pass is left out. As in sending, it ends with the first that certainly
    takes the event.
    """
    for action in listeners(machine):
        for answer in answers_of(action, event):
            yield answer
            if answer.takes:
                return


def answers_of(action: FsmAction[Any], event: str) -> Iterator[Answer]:
    """Yield what an action that is entered, and those it hands events on to, would do with one."""
    if not _listens(action):
        return
    hands_on = _is_declared(action, "_offers_to_")
    if hands_on:
        yield from _answers_of_others(action, event)
    if _is_declared(action, "_would_take_"):
        takes = action._would_take_(event)
    elif _declares_takes(action):
        takes = None if event in action.takes else False
    else:
        takes = False if hands_on else None
    if takes or takes is None:
        reason = takes if isinstance(takes, str) else ""
        yield Answer(action, takes if takes is None else True, reason)


def _answers_of_others(action: FsmAction[Any], event: str) -> Iterator[Answer]:
    """Yield what those do to whom an action hands `event` on."""
    for other in action._offers_to_(event):
        if isinstance(other, Fsm):
            yield Answer(action, None, machine=other)
        elif is_entered(other):
            yield from answers_of(other, event)


def ever_takes(
    action: FsmAction[Any],
    event: str,
    *,
    sender: FsmAction[Any] | None = None,
    seen: tuple[Fsm[Any], ...] = (),
) -> bool | None:
    """Return whether an action ever consumes `event`, in whatever moment; None if it may.

    Disabled children take no part. A `sender` that declares what it takes does not take what it
    sends itself. Machines in `seen` are skipped.
    """
    if not _listens(action):
        return False
    is_declared = _declares_takes(action)
    if is_declared and action is sender:
        return False
    if is_declared and event in action.takes:
        return True
    is_composite = _is_declared(action, "_offers_to_")
    if action.children and not action._makes_children_ and (is_composite or _hands_on(action)):
        children = [child for child in action.children if child.enabled]
        return _any(ever_takes(child, event, sender=sender, seen=seen) for child in children)
    if action.machines:
        inner = [machine for machine in action.machines if machine not in seen]
        return event not in (FINISHED, ERROR) and _any(ever_taken_in(m, event, seen) for m in inner)
    is_known = is_declared or (is_composite and not action._makes_children_)
    return False if is_known else None


def ever_taken_in(machine: Fsm[Any], event: str, seen: tuple[Fsm[Any], ...] = ()) -> bool | None:
    """Return whether `event` ever has an effect in `machine`, or in one nested in it."""
    if event in machine.global_transitions:
        return True
    states = machine.states.values()
    return _any(_ever_taken_in_state(state, event, (*seen, machine)) for state in states)


def named_events(machine: Fsm[Any]) -> Iterator[str]:
    """Yield the events that `machine` has transitions for, or that its actions name."""
    for state in machine.states.values():
        yield from state.transitions
        for action in state.actions:
            yield from action.takes
    yield from machine.global_transitions


def _ever_taken_in_state(
    state: FsmState[Any], event: str, seen: tuple[Fsm[Any], ...]
) -> bool | None:
    if event in state.transitions:
        return True
    enabled = [action for action in state.actions if action.enabled]
    return _any(ever_takes(action, event, seen=seen) for action in enabled)


def _any(verdicts: Iterator[bool | None]) -> bool | None:
    """Return the strongest of the verdicts: True before None before False."""
    strongest: bool | None = False
    for verdict in verdicts:
        if verdict:
            return True
        if verdict is None:
            strongest = None
    return strongest


def _listens(action: FsmAction[Any]) -> bool:
    return type(action).on_event is not FsmAction.on_event


def _is_declared(action: FsmAction[Any], name: str) -> bool:
    """Return True if an action has a declaration that holds for its `on_event`."""
    if name in vars(action):
        return True
    kinds = type(action).__mro__
    listens = next(kind for kind in kinds if "on_event" in vars(kind))
    declares = next(kind for kind in kinds if name in vars(kind))
    return declares is not FsmAction and issubclass(declares, listens)


def _declares_takes(action: FsmAction[Any]) -> bool:
    """Return True if an action says what its `on_event` takes.

    A class that names no event says nothing by it, as a function may take them; an action does.
    """
    return "takes" in vars(action) or (bool(action.takes) and _is_declared(action, "takes"))


def _hands_on(action: FsmAction[Any]) -> bool:
    """Return True if an undeclared `on_event` only passes the event on to the children."""
    code = getattr(type(action).on_event, "__code__", None)
    names = set(_names_in(code)) if code is not None else set()
    return not names.isdisjoint(HANDING_ON) and "super" not in names


def _names_in(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names_in(constant)
