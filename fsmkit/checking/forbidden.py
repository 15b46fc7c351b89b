"""Events that are sent where no change of the state is possible."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fsmkit import FsmState, Transition
from fsmkit.checking.events import all_actions
from fsmkit.checking.finding import Finding
from fsmkit.checking.reading.reader import Reader, Sent
from fsmkit.checking.reading.values import UNKNOWN, known
from fsmkit.checking.subject import Subject
from fsmkit.checking.ways import all_ways, name_of
from fsmkit.core.words.quoting import quote

CODE = "forbidden-send"

EFFECT = ("effect", "a TransitionOnExitError")
GUARD = ("guard", "an FsmError")
"""The functions of a transition, and what is raised if they send something."""


def forbidden_sends(subject: Subject) -> Iterator[Finding]:
    """Yield events sent on the way out of a state, and by guards: that raises an error."""
    for state in subject.states:
        for action in all_actions(state):
            for reading in subject.sending.readings(action):
                if reading.callback == "on_exit":
                    for event in _leading(subject, state, reading.sent):
                        yield subject.finding(
                            CODE,
                            "error",
                            f"{quote(event)} is sent in on_exit, where it raises a "
                            "TransitionOnExitError: the state is being exited already.",
                            "Send it before, or post_event() it for the next update.",
                            state=state,
                            action=action,
                            event=event,
                        )
        for way in all_ways(subject.ways.own(state)):
            yield from _sent_on_the_way(subject, state, way)


def _sent_on_the_way(
    subject: Subject, state: FsmState[Any], way: Transition[Any]
) -> Iterator[Finding]:
    """Yield what the guard or the effect of a transition sends."""
    if way.do is not None:
        for event in _leading(subject, state, _sent_by(way.do, state)):
            yield _finding(subject, state, way, EFFECT, event)
    for sent in () if way.when is None else _sent_by(way.when, state):
        if sent.receiver is subject.machine and sent.how in ("now", "after") and not sent.is_later:
            yield _finding(subject, state, way, GUARD, sent.event)
            return


def _sent_by(function: Any, state: FsmState[Any]) -> tuple[Sent, ...]:
    reader = Reader()
    reader.read(function, known(state), UNKNOWN)
    return reader.sent


def _leading(subject: Subject, state: FsmState[Any], sent: tuple[Sent, ...]) -> list[str]:
    """Return the events among those sent that lead somewhere from `state`, whatever is asked."""
    events = (
        each.event
        for each in sent
        if each.receiver is subject.machine and each.how == "now" and not each.is_later
    )
    ways = subject.ways
    return [e for e in dict.fromkeys(events) if e is not None and ways.certain_targets(state, e)]


def _finding(
    subject: Subject,
    state: FsmState[Any],
    way: Transition[Any],
    part: tuple[str, str],
    event: str | None,
) -> Finding:
    name, error = part
    sent = "an event" if event is None else quote(event)
    return subject.finding(
        CODE,
        "error",
        f"The {name} of the transition for {quote(way.event)} to {name_of(way)} sends {sent}, "
        f"which raises {error} there.",
        "Send it from an action, or post_event() it for the next update.",
        state=state,
        event=way.event,
        way=way,
    )
