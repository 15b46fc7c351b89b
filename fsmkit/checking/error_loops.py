"""States whose errors lead to themselves."""

from __future__ import annotations

from collections.abc import Iterator

from fsmkit import ERROR
from fsmkit.checking.finding import Finding
from fsmkit.checking.subject import Subject


def error_loops(subject: Subject) -> Iterator[Finding]:
    """Yield states in which any error leads to the state itself, and nobody learns of it.

    With a guard it may be a retry that ends, with an effect somebody is told.
    """
    for state in subject.states:
        ways = subject.ways.own(state).get(ERROR, ())
        if ways and ways[0].target is state and ways[0].when is None and ways[0].do is None:
            yield subject.finding(
                "error-loop",
                "warning",
                f"{ERROR!r} leads from here to the same state: an error on entering it repeats "
                "until a TransitionLoopError is raised, and any other goes unnoticed.",
                "Lead to a state that deals with errors. To try again, use Retry(action, times), "
                "or give the transition a guard.",
                state=state,
                event=ERROR,
                way=ways[0],
            )
