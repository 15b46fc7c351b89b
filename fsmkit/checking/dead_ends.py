"""Events that are sent where nothing handles them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fsmkit import FsmAction, FsmGroup, FsmState
from fsmkit.checking.events import all_actions, events_of, is_known_in, may_take, taken_in
from fsmkit.checking.finding import Finding
from fsmkit.checking.spelling import slip_of
from fsmkit.checking.subject import Subject
from fsmkit.checking.wording import enumerated


def dead_end_events(subject: Subject) -> Iterator[Finding]:
    """Yield events that an action may send in a state where they have no effect."""
    for state in subject.states:
        for action in all_actions(state):
            for event in events_of(action):
                if not is_taken(subject, state, action, event):
                    yield _finding(subject, state, action, event)


def is_taken(subject: Subject, state: FsmState[Any], action: FsmAction[Any], event: str) -> bool:
    """Return True if `event` may be taken when `action` sends it in `state`.

    An event for a group is taken if one of its machines knows it in any state. A group that has no
    other machine yet is not judged.
    """
    if subject.ways.knows(state, event) or may_take(state, event, action):
        return True
    receivers = (getattr(action, name, None) for name in ("group", "to"))
    group = next((each for each in receivers if isinstance(each, FsmGroup)), ())
    return len(group) == 1 or any(is_known_in(machine, event) for machine in group)


def _finding(subject: Subject, state: FsmState[Any], action: FsmAction[Any], event: str) -> Finding:
    return subject.finding(
        "dead-end-event",
        "error",
        f"{event!r} may be sent here, but neither the state nor the machine knows it.",
        _advice(subject, state, event),
        state=state,
        action=action,
        event=event,
    )


def _advice(subject: Subject, state: FsmState[Any], event: str) -> str:
    machine, ways = subject.machine, subject.ways
    near = list(dict.fromkeys((*ways.own(state), *taken_in(state))))
    meant = slip_of(event, near) or subject.spelling.slip_of(event)
    if meant is not None:
        return f"Did you mean {meant!r}?"
    if any(is_known_in(outer, event, (machine,)) for outer in subject.outer):
        return (
            "An event stays in the machine that it is sent in and does not reach the outer one. "
            "Go to a final state instead, and let the action that runs this machine send it: "
            "RunFsm(..., outcomes=...). Or send it there: SendEvent(..., to=HOST)."
        )
    here = dict.fromkeys((*near, *ways.shared))
    known = f"Known here: {enumerated([*map(repr, here)])}. " if here else ""
    return f"{known}Add a transition for it, or check the spelling."
