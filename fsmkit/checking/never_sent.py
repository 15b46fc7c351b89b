"""Events that nobody sends, where it is known what comes from outside."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fsmkit import FsmState
from fsmkit.checking.events import is_known_in
from fsmkit.checking.finding import Finding
from fsmkit.checking.subject import Subject
from fsmkit.core.words.quoting import quote


def events_never_sent(subject: Subject) -> Iterator[Finding]:
    """Yield events with a transition that no action sends, and that are no input either."""
    inputs = subject.inputs
    if inputs is None or inputs.is_open:
        return
    for event, state in _first_places(subject).items():
        if not inputs.may_come(event):
            meant = inputs.spelling.slip_of(event)
            yield subject.finding(
                "never-sent",
                "warning",
                f"Nobody sends {quote(event)}: no action does, and it is not among the inputs.",
                f"Did you mean {meant!r}?" if meant else "Send it, or name it among the inputs.",
                state=state,
                event=event,
            )


def unknown_inputs(subject: Subject) -> Iterator[Finding]:
    """Yield inputs that nothing ever handles."""
    inputs = subject.inputs
    if inputs is None or subject.machine is not inputs.machines[0]:
        return
    for event in inputs.events:
        if not any(is_known_in(machine, event) for machine in inputs.machines):
            meant = inputs.known.slip_of(event)
            advice = f"Did you mean {meant!r}?" if meant else "Add a transition for it."
            yield subject.finding(
                "unknown-input",
                "warning",
                f"{quote(event)} is among the inputs, but no state of any machine knows it.",
                advice,
                event=event,
            )


def _first_places(subject: Subject) -> dict[str, FsmState[Any] | None]:
    """Return the events that lead somewhere, each with the first state that knows it."""
    found: dict[str, FsmState[Any] | None] = {}
    for state in subject.states:
        for event in subject.ways.own(state):
            found.setdefault(event, state)
    for event in subject.ways.shared:
        found.setdefault(event, None)
    return found
