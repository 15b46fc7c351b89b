"""Transitions to BACK with nothing to go back to, and suspended states that nobody resumes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fsmkit import BACK, FsmState, Transition
from fsmkit.checking.finding import Finding
from fsmkit.checking.subject import Subject
from fsmkit.checking.ways import Ways, all_ways
from fsmkit.core.words.quoting import quote


def nothing_to_resume(subject: Subject) -> Iterator[Finding]:
    """Yield transitions to BACK that are taken only while no state is suspended.

    A transition that suspends nothing exits all that is suspended. So a state can lead BACK only if
    a transition that suspends leads to it.
    """
    ways = subject.ways
    for state in subject.states:
        for way in all_ways(ways.own(state)):
            if way.target is BACK and state not in ways.interrupted:
                yield _leads_nowhere(subject, way, state)
    for way in all_ways(ways.shared):
        asked_in = (s for s in ways.interrupted if not ways.always_takes(s, way.event))
        if way.target is BACK and not any(asked_in):
            yield _leads_nowhere(subject, way, None)


def never_resumed(subject: Subject) -> Iterator[Finding]:
    """Yield transitions that suspend a state for one from which nothing leads BACK."""
    ways = subject.ways
    back = [way.event for way in all_ways(ways.shared) if way.target is BACK]
    for state in subject.states:
        for way in all_ways(ways.own(state)):
            if way.suspend and not _leads_back(ways, way.target, back):
                yield _never_resumed(subject, way, state)
    for way in all_ways(ways.shared):
        if way.suspend and not _leads_back(ways, way.target, back):
            yield _never_resumed(subject, way, None)


def _leads_back(ways: Ways, state: object, events: list[str]) -> bool:
    """Return True if a transition of a state, or a global one for one of `events`, leads BACK."""
    return isinstance(state, FsmState) and (
        any(way.target is BACK for way in all_ways(ways.own(state)))
        or any(not ways.always_takes(state, event) for event in events)
    )


def _leads_nowhere(subject: Subject, way: Transition[Any], state: FsmState[Any] | None) -> Finding:
    where = "this state" if state is not None else "a state that it applies to"
    return subject.finding(
        "nothing-to-resume",
        "error",
        f"{quote(way.event)} leads BACK, but nothing is suspended then: no transition with "
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
        f"{quote(way.event)} suspends {which} for {name!r}, from where no transition leads BACK: "
        "it is never resumed.",
        f"Add a transition from {name!r} to BACK, or leave out suspend=True.",
        state=state,
        event=way.event,
        way=way,
    )
