"""Global transitions that never have a say."""

from __future__ import annotations

from collections.abc import Iterator

from fsmkit.checking.finding import Finding
from fsmkit.checking.subject import Subject


def shadowed_transitions(subject: Subject) -> Iterator[Finding]:
    """Global transitions for events that every state has a transition of its own for."""
    for event, target in subject.machine.global_transitions.items():
        others = [state for state in subject.states if state is not target]
        if others and all(event in state.transitions for state in others):
            yield subject.finding(
                "shadowed-transition",
                "warning",
                f"The global transition for {event!r} to {target.name!r} is never taken: every "
                "other state has a transition of its own for this event, which comes first.",
                "Remove it, or the transitions of the states that are meant to follow it.",
                event=event,
            )
