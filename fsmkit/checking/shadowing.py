"""Transitions that are never taken, because another one comes first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from fsmkit import FsmState, Transition
from fsmkit.checking.finding import Finding
from fsmkit.checking.subject import Subject
from fsmkit.checking.ways import all_ways, name_of
from fsmkit.core.checks.functions import described
from fsmkit.core.words.quoting import quote

CODE = "shadowed-transition"


def shadowed_transitions(subject: Subject) -> Iterator[Finding]:
    """Yield transitions behind others that are always taken, or whose guard is the same."""
    for state, ways in subject.ways.by_event():
        yield from _asked_in_vain(subject, ways, state)
    yield from _behind_those_of_states(subject)


def _behind_those_of_states(subject: Subject) -> Iterator[Finding]:
    """Yield global transitions for events that every state handles itself."""
    for way in all_ways(subject.ways.shared):
        has_others = any(state is not way.target for state in subject.states)
        if has_others and not subject.ways.asked_in(way):
            yield subject.finding(
                CODE,
                "warning",
                f"The global transition for {quote(way.event)} to {name_of(way)} is never taken: "
                "every other state has a transition of its own for this event, which comes first.",
                "Remove it, or the transitions of the states that should follow it.",
                event=way.event,
                way=way,
            )


def _asked_in_vain(
    subject: Subject, ways: Sequence[Transition[Any]], state: FsmState[Any] | None
) -> Iterator[Finding]:
    """Yield transitions for one event whose guard has been asked for another one before."""
    for number, way in enumerate(ways):
        first = next((other for other in ways[:number] if other.when == way.when), None)
        if first is not None and way.when is not None:
            kind = "global transition" if state is None else "transition"
            yield subject.finding(
                CODE,
                "warning",
                f"The {kind} for {quote(way.event)} to {name_of(way)} is never taken: its guard, "
                f"{described(way.when)}, is that of the one to {name_of(first)}, which is asked "
                "first.",
                "Remove it, or give it another guard.",
                state=state,
                event=way.event,
                way=way,
            )
