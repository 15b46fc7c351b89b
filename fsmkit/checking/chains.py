"""Chains of states that lead to each other at once, without end."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from attrs import frozen

from fsmkit import FINISHED, FsmAction, FsmState
from fsmkit.checking.endings import ending, taking_part
from fsmkit.checking.events import events_of, family, may_take, target_of
from fsmkit.checking.finding import Finding
from fsmkit.checking.mentions import given_functions
from fsmkit.checking.subject import Subject
from fsmkit.checking.users_code import class_words


@frozen
class Leap:
    """A state that is left as soon as it is entered."""

    state: FsmState[Any]
    event: str
    target: FsmState[Any]
    is_certain: bool
    """Whether nothing in the state could decide otherwise."""


def endless_chains(subject: Subject) -> Iterator[Finding]:
    """Cycles of states each of which is left for the next as soon as it is entered."""
    leaps = {state: leap for state in subject.states if (leap := _leap(state)) is not None}
    for cycle in _cycles(leaps):
        yield _finding(subject, cycle)


def _finding(subject: Subject, cycle: list[Leap]) -> Finding:
    is_certain = all(leap.is_certain for leap in cycle)
    names = " -> ".join(repr(leap.state.name) for leap in (*cycle, cycle[0]))
    events = " and ".join(dict.fromkeys(repr(leap.event) for leap in cycle))
    doubt = "" if is_certain else ", unless one of the functions they call decides otherwise"
    return subject.finding(
        "endless-chain",
        "error" if is_certain else "warning",
        f"{names} by {events} would go on without end as soon as it is entered{doubt}.",
        "Let one of the states wait: for time to pass (such as TimedWait), or for an event from "
        "outside.",
        state=cycle[0].state,
        event=cycle[0].event,
    )


def _leap(state: FsmState[Any]) -> Leap | None:
    """The change that entering `state` leads to; None where there is none or it is not known."""
    all_at_once = True
    is_certain = True
    for action in taking_part(state):
        is_certain = is_certain and _decides_nothing(action)
        if events := _events_that_lead_away(state, action):
            is_sent = _certainly_sends(action, events[0])
            return _leap_by(state, events[0], is_certain) if is_sent else None
        all_at_once = all_at_once and ending(action) == "at once"
    return _leap_by(state, FINISHED, is_certain) if all_at_once else None


def _leap_by(state: FsmState[Any], event: str, is_certain: bool) -> Leap | None:
    target = target_of(state, event)
    if target is None or may_take(state, event):
        return None
    return Leap(state, event, target, is_certain)


def _events_that_lead_away(state: FsmState[Any], action: FsmAction[Any]) -> list[str]:
    events = [event for member in family(action) for event in events_of(member)]
    return [event for event in events if target_of(state, event) is not None]


def _certainly_sends(action: FsmAction[Any], event: str) -> bool:
    """Whether `event` is sent whenever `action` is entered.

    That holds for the finish_event of what finishes at once, and for the one event of an action
    with a `delay` of zero.
    """
    if ending(action) != "at once" or action.children:
        return False
    has_no_delay = getattr(action, "delay", None) == 0.0
    return event == action.finish_event or (has_no_delay and events_of(action) == [event])


def _decides_nothing(action: FsmAction[Any]) -> bool:
    """Whether `action` has nothing to lead the machine somewhere else with.

    What events it declares, it declares all of them.
    """
    return not any(
        given_functions(member)
        or "stop" in class_words(member)
        or ("send_event" in class_words(member) and not events_of(member))
        for member in family(action)
    )


def _cycles(leaps: dict[FsmState[Any], Leap]) -> Iterator[list[Leap]]:
    seen: set[FsmState[Any]] = set()
    for state in leaps:
        trail: dict[FsmState[Any], Leap] = {}
        following: FsmState[Any] | None = state
        while following in leaps and following not in seen:
            seen.add(following)
            trail[following] = leaps[following]
            following = leaps[following].target
        if following in trail:
            path = list(trail)
            yield [trail[member] for member in path[path.index(following) :]]
