"""States that cannot be reached or exited."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fsmkit import FsmState
from fsmkit.checking.events import with_children
from fsmkit.checking.finding import Finding
from fsmkit.checking.graph import reached
from fsmkit.checking.subject import ANY, Subject
from fsmkit.checking.user_code import may_stop
from fsmkit.checking.wording import joined


def machines_without_states(subject: Subject) -> Iterator[Finding]:
    """Yield a finding if the machine has no state to start in."""
    if not subject.states:
        yield subject.finding(
            "no-states",
            "error",
            "The machine has no states, so it cannot be started.",
            "Add one with add_state().",
        )


def unreachable_states(subject: Subject) -> Iterator[Finding]:
    """Yield states that cannot be reached from the start state."""
    starts = _starts(subject)
    found = _reached(subject, starts)
    for state in subject.states:
        if state not in found:
            yield subject.finding(
                "unreachable-state",
                "warning",
                f"The machine starts in {_names(starts)} and never gets here: "
                f"{_reason(subject, state, found)}.",
                "Add a transition to it, or start the machine in it, or remove it.",
                state=state,
            )


def states_without_way_out(subject: Subject) -> Iterator[Finding]:
    """Yield states that are never exited, though they are not marked as final."""
    if len(subject.states) == 1 or subject.is_exited_from_outside:
        return
    for state in subject.states:
        if not (state.final or any(subject.ways.leaving(state)) or may_stop(state)):
            yield subject.finding(
                "no-way-out",
                "warning",
                "No transition leads from here to another state, and it is not marked as final.",
                "Add a transition, or mark the end: add_state(..., final=True).",
                state=state,
            )


def _starts(subject: Subject) -> list[FsmState[Any]]:
    """Return the states that the machine may start in: all, if a function says so."""
    starts = [*subject.states[:1]]
    for host in subject.hosts:
        for action in with_children(host):
            start = getattr(action, "start", None) if action.machines else None
            if callable(start):
                return list(subject.states)
            starts += [state for state in subject.states if start in (state, state.name)]
    spawned = {
        name
        for state in subject.states
        for action in state.actions
        for name in getattr(action, "spawns", ())  # of crowds: others begin there
    }
    starts += [state for state in subject.states if state.name in spawned]
    return list(dict.fromkeys(starts))


def _names(states: list[FsmState[Any]]) -> str:
    return " or ".join(repr(state.name) for state in states)


def _reached(subject: Subject, starts: list[FsmState[Any]]) -> set[FsmState[Any] | str]:
    machine = subject.machine
    current = [] if machine.current_state is None else [machine.current_state]
    return reached([*starts, *current, *machine.suspended, ANY], subject.edges)


def _reason(subject: Subject, state: FsmState[Any], found: set[FsmState[Any] | str]) -> str:
    """Return why `state` is not reached."""
    others = subject.ways.sources.get(state, ())
    left = [repr(other.name) for other in others if other in found]
    if left:
        return f"{joined(left)}, which would lead here, is left at once by another event"
    sources = [repr(other.name) for other in others]
    if not sources:
        return "no transition leads to this state"
    return f"transitions lead here only from {joined(sources)}, which are never reached either"
