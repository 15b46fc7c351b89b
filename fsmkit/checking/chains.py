"""Chains of states that lead to each other immediately, without end."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

from attrs import frozen

from fsmkit import FINISHED, FsmAction, FsmState
from fsmkit.checking.endings import enabled_actions, ending
from fsmkit.checking.events import events_of, may_take, with_children
from fsmkit.checking.finding import Finding
from fsmkit.checking.mentions import given_functions
from fsmkit.checking.subject import Subject
from fsmkit.checking.user_code import class_words
from fsmkit.checking.ways import Ways


@frozen
class InstantChange:
    """The change away from a state that is exited as soon as it is entered."""

    state: FsmState[Any]
    event: str
    targets: tuple[FsmState[Any], ...]
    """The states that it leads to, as the guards say: to one of them for certain."""
    is_certain: bool
    """True if nothing in the state could decide otherwise."""


Changes: TypeAlias = dict[FsmState[Any], InstantChange]
"""State -> the change away from it."""


def endless_chains(subject: Subject) -> Iterator[Finding]:
    """Yield cycles of states that are each exited for the next as soon as they are entered."""
    changes = {
        state: change
        for state in subject.states
        if (change := _instant_change(subject.ways, state)) is not None
    }
    for cycle in _cycles(_without_end(changes)):
        yield _finding(subject, cycle)


def _finding(subject: Subject, cycle: list[InstantChange]) -> Finding:
    is_certain = all(change.is_certain for change in cycle)
    names = " -> ".join(repr(change.state.name) for change in (*cycle, cycle[0]))
    events = " and ".join(dict.fromkeys(repr(change.event) for change in cycle))
    doubt = "" if is_certain else ", unless one of the functions they call decides otherwise"
    return subject.finding(
        "endless-chain",
        "error" if is_certain else "warning",
        f"{names} by {events} never ends once it is entered{doubt}.",
        "Let one of the states wait for time to pass (such as TimedWait), or for an event from "
        "outside.",
        state=cycle[0].state,
        event=cycle[0].event,
    )


def _instant_change(ways: Ways, state: FsmState[Any]) -> InstantChange | None:
    """Return the change that entering `state` leads to; None if there is none or it is unknown."""
    all_at_once = True
    is_certain = True
    for action in enabled_actions(state):
        is_certain = is_certain and _decides_nothing(action)
        if events := _events_that_lead_away(ways, state, action):
            is_sent = _certainly_sends(action, events[0])
            return _instant_change_by(ways, state, events[0], is_certain) if is_sent else None
        all_at_once = all_at_once and (action.background or ending(action) == "at once")
    return _instant_change_by(ways, state, FINISHED, is_certain) if all_at_once else None


def _instant_change_by(
    ways: Ways, state: FsmState[Any], event: str, is_certain: bool
) -> InstantChange | None:
    targets = ways.certain_targets(state, event)
    if not targets or may_take(state, event):
        return None
    return InstantChange(state, event, tuple(targets), is_certain)


def _events_that_lead_away(ways: Ways, state: FsmState[Any], action: FsmAction[Any]) -> list[str]:
    events = [event for member in with_children(action) for event in events_of(member)]
    return [event for event in events if ways.of(state, event)]


def _certainly_sends(action: FsmAction[Any], event: str) -> bool:
    """Return True if `event` is sent whenever `action` is entered.

    That holds for the finish_event of an action that finishes at once, and for the only event of an
    action with a `delay` of zero.
    """
    if ending(action) != "at once" or action.children:
        return False
    has_no_delay = getattr(action, "delay", None) == 0.0
    return event == action.finish_event or (has_no_delay and events_of(action) == [event])


def _decides_nothing(action: FsmAction[Any]) -> bool:
    """Return True if `action` cannot lead the machine somewhere else.

    If it declares events, it declares all of them.
    """
    return not any(
        given_functions(member)
        or "stop" in class_words(member)
        or ("send_event" in class_words(member) and not events_of(member))
        for member in with_children(action)
    )


def _without_end(changes: Changes) -> Changes:
    """Return the changes that lead to each other only, whatever the guards say."""
    sources: dict[FsmState[Any], list[FsmState[Any]]] = {}
    for state, change in changes.items():
        for target in change.targets:
            sources.setdefault(target, []).append(state)
    left = dict(changes)
    ending = [target for target in sources if target not in changes]
    while ending:
        before = sources.get(ending.pop(), ())
        ending += [state for state in before if left.pop(state, None) is not None]
    return left


def _cycles(changes: Changes) -> Iterator[list[InstantChange]]:
    seen: set[FsmState[Any]] = set()
    for state in changes:
        trail: dict[FsmState[Any], InstantChange] = {}
        following: FsmState[Any] | None = state
        while following in changes and following not in seen:
            seen.add(following)
            trail[following] = changes[following]
            following = changes[following].targets[0]
        if following in trail:
            path = list(trail)
            yield [trail[member] for member in path[path.index(following) :]]
