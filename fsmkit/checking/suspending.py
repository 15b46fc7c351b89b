"""Transitions to BACK with nothing to go back to, and suspended states that nobody resumes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fsmkit import BACK, FsmState, Transition
from fsmkit.checking.finding import Finding
from fsmkit.checking.subject import Subject
from fsmkit.checking.ways import all_ways, always_takes


def nothing_to_resume(subject: Subject) -> Iterator[Finding]:
    """Yield transitions to BACK that are taken only while no state is suspended.

    A transition that suspends nothing exits all that is suspended. So a state can lead BACK only if
    a transition that suspends leads to it.
    """
    interrupting = {target for state in subject.states for target in interruptions(state)}
    for state in subject.states:
        for way in all_ways(state.transitions):
            if way.target is BACK and state not in interrupting:
                yield _leads_nowhere(subject, way, state)
    for way in all_ways(subject.machine.global_transitions):
        asked_in = (state for state in interrupting if not always_takes(state, way.event))
        if way.target is BACK and not any(asked_in):
            yield _leads_nowhere(subject, way, None)


def never_resumed(subject: Subject) -> Iterator[Finding]:
    """Yield transitions that suspend a state for one from which nothing leads BACK."""
    for state in subject.states:
        for way in all_ways(state.transitions):
            if way.suspend and not _leads_back(way.target):
                yield _never_resumed(subject, way, state)
    for way in all_ways(subject.machine.global_transitions):
        if way.suspend and not _leads_back(way.target):
            yield _never_resumed(subject, way, None)


def interruptions(state: FsmState[Any]) -> list[FsmState[Any]]:
    """Return the states that `state` is suspended for."""
    own, shared = state.transitions, state.fsm.global_transitions
    targets = [way.target for ways in (own, shared) for way in all_ways(ways) if way.suspend]
    return [target for target in targets if isinstance(target, FsmState) and target is not state]


def _leads_back(state: object) -> bool:
    return isinstance(state, FsmState) and (
        any(way.target is BACK for way in all_ways(state.transitions))
        or any(
            way.target is BACK and not always_takes(state, way.event)
            for way in all_ways(state.fsm.global_transitions)
        )
    )


def _leads_nowhere(subject: Subject, way: Transition[Any], state: FsmState[Any] | None) -> Finding:
    where = "this state" if state is not None else "a state that it applies to"
    return subject.finding(
        "nothing-to-resume",
        "error",
        f"{way.event!r} leads BACK, but nothing is suspended then: no transition with "
        f"suspend=True leads to {where}.",
        "Add suspend=True to the transition that interrupts. One without it exits all that is "
        "suspended.",
        state=state,
        event=way.event,
        way=way,
    )


def _never_resumed(subject: Subject, way: Transition[Any], state: FsmState[Any] | None) -> Finding:
    name = way.target.name
    which = "the state" if state is not None else "the current state"
    return subject.finding(
        "never-resumed",
        "warning",
        f"{way.event!r} suspends {which} for {name!r}, from where no transition leads BACK: it is "
        "never resumed.",
        f"Add a transition from {name!r} to BACK, or leave out suspend=True.",
        state=state,
        event=way.event,
        way=way,
    )
