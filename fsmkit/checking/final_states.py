"""Final states that are exited after all, by a global transition."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fsmkit import ERROR, FINISHED, FsmState
from fsmkit.checking.events import may_take
from fsmkit.checking.finding import Finding
from fsmkit.checking.subject import Subject
from fsmkit.checking.user_code import may_stop
from fsmkit.checking.ways import all_ways
from fsmkit.checking.wording import joined
from fsmkit.core.words.quoting import quote


def final_states_left(subject: Subject) -> Iterator[Finding]:
    """Yield final states out of which a global transition leads, as it does out of any state."""
    is_crowd = hasattr(subject.machine, "retiring")  # what is final there cannot take an event
    if is_crowd or subject.is_exited_from_outside:
        return
    for state in subject.states:
        if state.final and not may_stop(state) and (events := _events_out_of(subject, state)):
            names = [*map(quote, events)]
            verb = "leads" if len(events) == 1 else "lead"
            yield subject.finding(
                "leaves-final",
                "warning",
                f"The state is marked as final, but {joined(names)} {verb} out of it: a global "
                "transition applies to any state.",
                f"Add an IgnoreEvents({', '.join(names)}) to it, or stop the machine there.",
                state=state,
            )


def _events_out_of(subject: Subject, state: FsmState[Any]) -> list[str]:
    """Return the events by which a global transition certainly wakes up a final state.

    One that suspends leads back here, one to the first state is a new beginning, and one to another
    final state is an end as well.
    """
    first = subject.states[0]
    events = (
        way.event
        for way in all_ways(subject.ways.shared)
        if way.when is None
        and not way.suspend
        and isinstance(way.target, FsmState)
        and way.target is not first
        and not way.target.final
        and way.event not in (FINISHED, ERROR)
        and way.event not in subject.ways.own(state)
        and not may_take(state, way.event)
    )
    return list(dict.fromkeys(events))
