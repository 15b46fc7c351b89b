"""The events that a machine knows: what sends, takes and handles them, now or ever."""

from __future__ import annotations

from collections.abc import Iterator
from types import CodeType
from typing import Any, Final

from fsmkit import ERROR, FAILED, FINISHED, Fsm, FsmAction, FsmState, Transition
from fsmkit.core.possible_events import (
    ListenerAnswer,
    answers_of,
    declares_takes,
    is_declared,
    listens,
)
from fsmkit.introspection import walk

# Defined in the core, and imported from here by tools.
__all__ = ["ListenerAnswer"]

HANDING_ON: Final = {"offer", "offer_child", "on_event"}
"""The calls by which an `on_event` passes the event on to the children."""


def answers_now(machine: Fsm[Any], event: str) -> Iterator[ListenerAnswer]:
    """Yield the answers of the actions that would be offered `event` if it were sent now, in order.

    Those that certainly let it pass are left out. As in sending, the first that certainly takes the
    event comes last.
    """
    for action in machine._listeners_():
        for answer in answers_of(action, event):
            yield answer
            if answer.takes:
                return


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
    if not listens(action):
        return False
    says_so = declares_takes(action)
    if says_so and action is sender:
        return False
    if says_so and event in action.takes:
        return True
    is_composite = is_declared(action, "_offers_to_")
    if action.children and not action._makes_children_ and (is_composite or _hands_on(action)):
        children = [child for child in action.children if child.enabled]
        return _any(ever_takes(child, event, sender=sender, seen=seen) for child in children)
    if action.machines:
        inner = [machine for machine in action.machines if machine not in seen]
        return event not in (FINISHED, FAILED, ERROR) and _any(
            ever_taken_in(m, event, seen) for m in inner
        )
    is_known = says_so or (is_composite and not action._makes_children_)
    return False if is_known else None


def ever_taken_in(machine: Fsm[Any], event: str, seen: tuple[Fsm[Any], ...] = ()) -> bool | None:
    """Return whether `event` ever has an effect in `machine`, or in one nested in it."""
    for owner in walk.shared(machine):
        if event in walk.table(owner) and (isinstance(owner, Fsm) or owner.states):
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


def keeps(state: FsmState[Any], event: str) -> bool:
    """Return True if an action takes `event` as long as the state lasts.

    That is certain of one that says so itself and has nothing to wait for, so that it stays as it
    is. (A `Cooldown` takes its event at times, and says for how long.)
    """
    return any(
        action.enabled
        and action.finishes == "at once"
        and listens(action)
        and is_declared(action, "_would_take_")
        and action._would_take_(event) is True
        for action in state.actions
    )


def handled_events(machine: Fsm[Any]) -> tuple[str, ...]:
    """Return the events that `machine` has transitions for, the global ones first."""
    events = (each.event for each in walk.transitions(machine))
    return tuple(dict.fromkeys((*machine.global_transitions, *events)))


def events_in(state: FsmState[Any]) -> tuple[str, ...]:
    """Return the events that there are transitions for in `state`, in the order of asking."""
    return tuple(dict.fromkeys(e for owner in walk.sources(state) for e in walk.table(owner)))


def has_way(state: FsmState[Any], event: str) -> bool:
    """Return True if there is a transition for `event` in `state`, of whatever owner."""
    return any(event in walk.table(owner) for owner in walk.sources(state))


def named_events(machine: Fsm[Any]) -> tuple[str, ...]:
    """Return the events that `machine` has transitions for, or that its actions say they take."""
    events: dict[str, None] = {}
    for state in walk.states(machine):
        taken = (event for action in state.actions for event in action.takes)
        events.update(dict.fromkeys((*state.transitions, *taken)))
    for owner in walk.shared(machine):
        events.update(dict.fromkeys(walk.table(owner)))
    return tuple(events)


def sent_events(action: FsmAction[Any]) -> tuple[str, ...]:
    """Return the events that an action declares to send, with its finish event.

    Not `FAILED`: whether that is sent depends on the actions around it.
    """
    finish_event = () if action.finish_event is None else (action.finish_event,)
    sends = (event for event in action.sends if event != FAILED)
    return tuple(dict.fromkeys((*sends, *finish_event)))


def taken_events(state: FsmState[Any]) -> tuple[str, ...]:
    """Return the events that actions of `state` say they may take, without nested machines."""
    listeners = (action for action in walk.actions(state, "enabled") if not action.machines)
    return tuple(dict.fromkeys(event for action in listeners for event in action.takes))


def decided_transition(fsm: Fsm[Any], event: str) -> walk.OwnedTransition | None:
    """Return the transition that `event` has just decided; None if nothing is decided.

    For an observer, in `event_sent` with the outcome `"changed"`. Of several that differ in nothing
    but their guards, the first.
    """
    return next(iter(decided_transitions(fsm, event)), None)


def decided_transitions(fsm: Fsm[Any], event: str) -> list[walk.OwnedTransition]:
    """Return the transition that `event` has just decided, for an observer as above.

    A transition that has nothing but a guard is no more than its target once it is decided: if
    several lead there, it may have been each of them.
    """
    lead = None if fsm._next_ is None else fsm._next_[0]
    state = fsm.current_state
    asked = walk.asked(state, event) if lead is not None and state is not None else []
    return [each for each in asked if _may_be(each.transition, lead)]


def _may_be(transition: Transition[Any], lead: object) -> bool:
    is_bare = transition.do is None and not transition.suspend
    return (is_bare and lead is transition.target) or lead == transition


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
