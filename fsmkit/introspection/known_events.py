"""The events that a machine knows: what sends, takes and handles them, now or ever.

Actions declare what they take before transitions are considered: by `takes`,
`_would_take_` and `_offers_to_`. A declaration of a class holds for its subclasses as well, unless
they override `on_event`: then they may do anything.
"""

from __future__ import annotations

from collections.abc import Iterator
from types import CodeType
from typing import Any, Final

from attrs import frozen

from fsmkit import ERROR, FINISHED, Fsm, FsmAction, FsmState
from fsmkit.introspection import walk
from fsmkit.introspection.run_state import is_entered, listeners

HANDING_ON: Final = {"offer", "offer_child", "on_event"}
"""The calls by which an `on_event` passes the event on to the children."""


@frozen
class ListenerAnswer:
    action: FsmAction[Any]
    """The action that is asked; of an action that passes the event on, the one that gets it."""
    takes: bool | None
    """True: it certainly consumes the event. False: it lets the event pass. None: not known."""
    reason: str = ""
    """What it does with an event that it takes, in the words of the action."""
    machine: Fsm[Any] | None = None
    """The nested machine that the action asks; then `takes` is None, since the machine decides."""


def answers_now(machine: Fsm[Any], event: str) -> Iterator[ListenerAnswer]:
    """Yield the answers of the actions that would be offered `event` if it were sent now, in order.

    Those that certainly let it pass are left out. As in sending, the first that certainly takes the
    event comes last.
    """
    for action in listeners(machine):
        for answer in answers_of(action, event):
            yield answer
            if answer.takes:
                return


def answers_of(action: FsmAction[Any], event: str) -> Iterator[ListenerAnswer]:
    """Yield the answers of an entered action, and of those it passes events on to."""
    if not _listens(action):
        return
    hands_on = _is_declared(action, "_offers_to_")
    if hands_on:
        for other in action._offers_to_(event):
            if isinstance(other, Fsm):
                yield ListenerAnswer(action, None, machine=other)
            elif is_entered(other):
                yield from answers_of(other, event)
    if _is_declared(action, "_would_take_"):
        takes = action._would_take_(event)
    elif _declares_takes(action):
        takes = None if event in action.takes else False
    else:
        takes = False if hands_on else None
    if takes or takes is None:
        reason = takes if isinstance(takes, str) else ""
        yield ListenerAnswer(action, None if takes is None else True, reason)


def ever_takes(
    action: FsmAction[Any],
    event: str,
    *,
    sender: FsmAction[Any] | None = None,
    seen: tuple[Fsm[Any], ...] = (),
) -> bool | None:
    """Return whether an action consumes `event` at any moment; None if it may.

    Disabled children do not count. A `sender` that declares what it takes does not take what it
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
    seen = (*seen, machine)
    return _any(
        event in state.transitions or _ever_taken_by_actions(state, event, seen=seen)
        for state in walk.states(machine)
    )


def may_know(machine: Fsm[Any], event: str, seen: tuple[Fsm[Any], ...] = ()) -> bool:
    """Return True unless `event` certainly never has an effect in `machine` or one nested in it."""
    return ever_taken_in(machine, event, seen) is not False


def may_take(state: FsmState[Any], event: str, sender: FsmAction[Any] | None = None) -> bool:
    """Return True unless all actions of `state` certainly let `event` pass, at any moment."""
    return _ever_taken_by_actions(state, event, sender=sender) is not False


def handled_events(machine: Fsm[Any]) -> tuple[str, ...]:
    """Return the events that `machine` has transitions for, the global ones first."""
    events = (each.event for each in walk.transitions(machine))
    return tuple(dict.fromkeys((*machine.global_transitions, *events)))


def events_in(state: FsmState[Any]) -> tuple[str, ...]:
    """Return the events that there are transitions for in `state`, its own before global ones."""
    return tuple(dict.fromkeys((*state.transitions, *state.fsm.global_transitions)))


def has_way(state: FsmState[Any], event: str) -> bool:
    """Return True if there is a transition for `event` in `state`, perhaps a global one."""
    return event in state.transitions or event in state.fsm.global_transitions


def named_events(machine: Fsm[Any]) -> tuple[str, ...]:
    """Return the events that `machine` has transitions for, or that its actions say they take."""
    events: dict[str, None] = {}
    for state in walk.states(machine):
        taken = (event for action in state.actions for event in action.takes)
        events.update(dict.fromkeys((*state.transitions, *taken)))
    return (*events, *(event for event in machine.global_transitions if event not in events))


def sent_events(action: FsmAction[Any]) -> tuple[str, ...]:
    """Return the events that an action declares to send, with its finish event."""
    finish_event = () if action.finish_event is None else (action.finish_event,)
    return tuple(dict.fromkeys((*action.sends, *finish_event)))


def taken_events(state: FsmState[Any]) -> tuple[str, ...]:
    """Return the events that actions of `state` say they may take, without nested machines."""
    listeners = (action for action in walk.actions(state, "enabled") if not action.machines)
    return tuple(dict.fromkeys(event for action in listeners for event in action.takes))


def decided_transition(fsm: Fsm[Any], event: str) -> walk.OwnedTransition | None:
    """Return the transition that `event` has just decided; None if nothing is decided.

    For an observer, in `event_sent` with the outcome `"changed"`.
    """
    if fsm._next_ is None or fsm.current_state is None:
        return None
    lead = fsm._next_[0]
    if lead is None:
        return None
    asked = walk.asked(fsm.current_state, event)
    return next((each for each in asked if lead in (each.transition, each.transition.target)), None)


def _ever_taken_by_actions(
    state: FsmState[Any],
    event: str,
    *,
    sender: FsmAction[Any] | None = None,
    seen: tuple[Fsm[Any], ...] = (),
) -> bool | None:
    enabled = (action for action in state.actions if action.enabled)
    return _any(ever_takes(action, event, sender=sender, seen=seen) for action in enabled)


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

    An empty `takes` of a class declares nothing, as a function may take events; one that is set on
    the action does.
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
