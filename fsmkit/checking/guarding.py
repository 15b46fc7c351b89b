"""Actions that guard nothing: they let an event pass that nobody waits for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fsmkit import FsmAction, FsmState
from fsmkit.checking.events import all_actions, is_known_in
from fsmkit.checking.finding import Finding
from fsmkit.checking.reading.objects import is_of_library
from fsmkit.checking.spelling import slip_of
from fsmkit.checking.subject import Subject
from fsmkit.checking.wording import enumerated
from fsmkit.core.words.quoting import quote
from fsmkit.tooling.taking import ever_takes


def guarding_nothing(subject: Subject) -> Iterator[Finding]:
    """Yield actions such as Cooldown for events that nothing in their state handles."""
    for state in subject.states:
        for action in all_actions(state):
            for event in _let_pass(action):
                if not _is_handled(subject, state, action, event):
                    yield _finding(subject, state, action, event)


def _let_pass(action: FsmAction[Any]) -> list[str]:
    """Return the events that an action of the library takes only at times."""
    if not is_of_library(type(action)) or action.machines or action.children:
        return []
    guarded = (event for event in action.takes if event not in action.sends)
    return [event for event in guarded if action._would_take_(event) is False]


def _is_handled(subject: Subject, state: FsmState[Any], action: FsmAction[Any], event: str) -> bool:
    others = (other for other in all_actions(state) if other is not action and not other.children)
    return (
        subject.ways.knows(state, event)
        or any(ever_takes(other, event) is not False for other in others)
        or any(is_known_in(outer, event, (subject.machine,)) for outer in subject.outer)
    )


def _finding(subject: Subject, state: FsmState[Any], action: FsmAction[Any], event: str) -> Finding:
    here = [*subject.ways.own(state), *subject.ways.shared]
    meant = slip_of(event, here) or subject.spelling.slip_of(event)
    known = f"Known here: {enumerated([*map(quote, here)])}. " if here else ""
    advice = f"Did you mean {meant!r}?" if meant else f"{known}Correct the event, or remove it."
    return subject.finding(
        "guards-nothing",
        "warning",
        f"It lets {quote(event)} pass only at times, but nothing in this state handles that event.",
        advice,
        state=state,
        action=action,
        event=event,
    )
