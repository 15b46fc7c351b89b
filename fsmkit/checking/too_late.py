"""Events that always come too late: their state is exited before."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from attrs import frozen

from fsmkit import FINISHED, FsmAction, FsmState
from fsmkit.checking.endings import counting_actions, enabled_actions
from fsmkit.checking.events import events_of, may_take
from fsmkit.checking.finding import Finding
from fsmkit.checking.reading.objects import is_of_library
from fsmkit.checking.subject import Subject
from fsmkit.core.words.quoting import quote

LONGEST_STEP: Final = 1.0
"""Seconds: what is due in one update comes in list order, whatever is due first. So if the event
that comes too late is asked first, an update that spans the time between the two would deliver
it. Only a longer time is taken for certain."""


@frozen
class Due:
    """Something that happens a constant time after a state was entered."""

    seconds: float
    place: int
    """How many actions are updated before it in the same update; delayed events come first: -1."""
    event: str
    action: FsmAction[Any]
    time: object = None
    """The TimeReference by which the time is measured; None for the machine's own time."""
    is_exact: bool = True
    """False if it may happen earlier."""


def events_too_late(subject: Subject) -> Iterator[Finding]:
    """Yield events with a constant time that is longer than the state can last."""
    for state in subject.states:
        if len(due := list(_due(subject, state))) + len(state.actions) < 2:
            continue
        ends = [end for end in (*due, *_finished(subject, state)) if _exits(subject, state, end)]
        for late in due:
            end = next((end for end in ends if _comes_before(end, late)), None)
            if end is not None and subject.ways.knows(state, late.event):
                yield _finding(subject, state, end, late)


def _due(subject: Subject, state: FsmState[Any]) -> Iterator[Due]:
    for place, action in enumerate(enabled_actions(state)):
        if (seconds := _seconds(action)) is not None and len(events_of(action)) == 1:
            is_exact = not hasattr(action, "end")  # whose ends may be equal
            time = getattr(action, "time", None)
            yield Due(seconds, place, events_of(action)[0], action, time, is_exact)
        for sent in subject.sending.on_enter(action).sent:
            is_delayed = sent.how == "after" and not sent.is_kept and not sent.is_later
            if is_delayed and sent.receiver is state.fsm and sent.event and sent.delay:
                yield Due(sent.delay, -1, sent.event, action)


def _finished(subject: Subject, state: FsmState[Any]) -> Iterator[Due]:
    """Yield when the state has finished, if all of its actions take a constant time."""
    actions = enabled_actions(state)
    lasting = [a for a in counting_actions(state) if not subject.entering.ends_at_once(state, a)]
    seconds = [_seconds(action) for action in lasting]
    known = [each for each in seconds if each is not None]
    is_plain = all(getattr(action, "time", None) is None for action in lasting)
    if known and len(known) == len(seconds) and is_plain:
        last = max(known)
        ending = {id(action) for action in lasting if _seconds(action) == last}
        place = max(place for place, action in enumerate(actions) if id(action) in ending)
        yield Due(last, place, FINISHED, actions[place], is_exact=False)


def _seconds(action: FsmAction[Any]) -> float | None:
    """Return the constant time after which an action of the library finishes at the latest."""
    if not is_of_library(type(action)) or action.children or action.finishes != "in time":
        return None
    amounts = [getattr(action, name, None) for name in ("duration", "delay")]
    known = [each for each in amounts if isinstance(each, (int, float)) and each > 0]
    return known[0] if len(known) == 1 else None


def _exits(subject: Subject, state: FsmState[Any], due: Due) -> bool:
    """Return True if what is due exits the state for certain."""
    is_suspended = any(way.suspend for way in subject.ways.of(state, due.event))
    leads = bool(subject.ways.certain_targets(state, due.event))
    return due.place >= 0 and leads and not is_suspended and not may_take(state, due.event)


def _comes_before(end: Due, late: Due) -> bool:
    """Return True if the state is exited by `end` before `late` can happen."""
    if end.action is late.action or end.time is not late.time or not late.is_exact:
        return False
    if end.place < late.place:
        return end.seconds <= late.seconds
    return late.seconds - end.seconds > LONGEST_STEP


def _finding(subject: Subject, state: FsmState[Any], end: Due, late: Due) -> Finding:
    name = type(end.action).__name__
    is_before = end.seconds < late.seconds
    when = f"after {end.seconds:g} s" if is_before else "at the same time, and comes first"
    return subject.finding(
        "too-late",
        "warning",
        f"{quote(late.event)} is never delivered after {late.seconds:g} s: {quote(end.event)} of "
        f"{name} exits the state {when}.",
        "Shorten the time, or lengthen the other; if it may come later, use "
        "send_event_after(..., keep=True).",
        state=state,
        action=late.action,
        event=late.event,
    )
