"""Events that are sent where nothing handles them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fsmkit import Fsm, FsmGroup
from fsmkit.checking.events import is_known_in, may_take, taken_in
from fsmkit.checking.finding import Finding
from fsmkit.checking.sending import SentEvent
from fsmkit.checking.spelling import Spelling, slip_of
from fsmkit.checking.subject import Subject
from fsmkit.checking.wording import enumerated
from fsmkit.core.words.quoting import quote


def dead_end_events(subject: Subject) -> Iterator[Finding]:
    """Yield events that may be sent where they have no effect."""
    for state in subject.states:
        for sent in subject.sending.of_state(state):
            if is_lost(subject, sent):
                yield _finding(subject, sent)


def is_lost(subject: Subject, sent: SentEvent) -> bool:
    """Return True if nothing takes an event where it is sent.

    One that may come to other states, or to another machine, is lost if no state there knows it.
    So is one that is read in the code of a machine that ignores unhandled events.
    """
    if sent.receiver is not subject.machine:
        return not _is_known_to(sent.receiver, sent.event)
    state, event = sent.state, sent.event
    if subject.ways.knows(state, event):
        return False
    if sent.callback is not None:
        is_for_here = sent.is_here and subject.machine.on_unhandled != "ignore"
        return not (may_take(state, event) if is_for_here else subject.knows(event))
    return not may_take(state, event, sent.action) and not _is_for_others(sent)


def _is_for_others(sent: SentEvent) -> bool:
    """Return True if an action says that it sends an event to a group, where it is known.

    A group that has no other machine yet is not judged.
    """
    receivers = (getattr(sent.action, name, None) for name in ("group", "to"))
    group = next((each for each in receivers if isinstance(each, FsmGroup)), None)
    return group is not None and _is_known_to(group, sent.event)


def _is_known_to(receiver: Fsm[Any] | FsmGroup, event: str) -> bool:
    """Return True if a machine, or one of a group, knows an event in any state."""
    if isinstance(receiver, FsmGroup):
        return len(receiver) <= 1 or any(is_known_in(machine, event) for machine in receiver)
    return not receiver.states or is_known_in(receiver, event)


def _finding(subject: Subject, sent: SentEvent) -> Finding:
    return subject.finding(
        "dead-end-event",
        "error",
        _message(subject, sent),
        _advice(subject, sent),
        state=sent.state,
        action=sent.action,
        event=sent.event,
    )


def _message(subject: Subject, sent: SentEvent) -> str:
    event, receiver = sent.event, sent.receiver
    where = f"in {sent.callback}" if sent.callback else "here"
    if isinstance(receiver, FsmGroup):
        return f"{quote(event)} may be sent {where} to a group, but no machine in it knows it."
    if receiver is not subject.machine:
        return (
            f"{quote(event)} may be sent {where} to {receiver.name!r}, but no state there knows it."
        )
    if sent.is_here:
        return (
            f"{quote(event)} may be sent {where}, but neither the state nor the machine knows it."
        )
    return f"{quote(event)} may be sent {where}, but no state of the machine knows it."


def _advice(subject: Subject, sent: SentEvent) -> str:
    event, state = sent.event, sent.state
    if isinstance(sent.receiver, FsmGroup):
        return "Add a transition for it there, or check the spelling."
    if sent.receiver is not subject.machine:
        return _advice_among(event, [*_known_anywhere(sent.receiver)])
    taken = (other for other in taken_in(state) if other != event)  # it may keep what it sends
    near = list(dict.fromkeys((*subject.ways.own(state), *taken)))
    meant = slip_of(event, near) or subject.spelling.slip_of(event)
    if meant is not None:
        return f"Did you mean {meant!r}?"
    if any(is_known_in(outer, event, (subject.machine,)) for outer in subject.outer):
        return (
            "An event stays in the machine that it is sent in and does not reach the outer one. "
            "Go to a final state instead, and let the action that runs this machine send it: "
            "RunFsm(..., outcomes=...). Or send it there: SendEvent(..., to=HOST)."
        )
    here = dict.fromkeys((*near, *subject.ways.shared))
    known = f"Known here: {enumerated([*map(quote, here)])}. " if here else ""
    return f"{known}Add a transition for it, or check the spelling."


def _advice_among(event: str, events: list[str]) -> str:
    meant = Spelling(events).slip_of(event)
    if meant is not None:
        return f"Did you mean {meant!r}?"
    known = f"Known there: {enumerated([*map(quote, events)])}. " if events else ""
    return f"{known}Add a transition for it, or check the spelling."


def _known_anywhere(machine: Fsm[Any]) -> Iterator[str]:
    tables = (machine.global_transitions, *(s.transitions for s in machine.states.values()))
    yield from dict.fromkeys(event for table in tables for event in table)
