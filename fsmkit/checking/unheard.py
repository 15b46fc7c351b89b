"""States that finish without any effect."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fsmkit import FINISHED, FsmAction
from fsmkit.checking.endings import counting_actions, ending, state_ending
from fsmkit.checking.events import events_of, with_children
from fsmkit.checking.finding import Finding
from fsmkit.checking.mentions import given_functions
from fsmkit.checking.subject import Subject
from fsmkit.checking.user_code import undeclared_words


def unheard_finishes(subject: Subject) -> Iterator[Finding]:
    """Yield states that take time and then finish without any effect.

    A state that finishes at once and waits for an event is perfectly normal.
    """
    if len(subject.states) == 1:
        return
    for state in subject.states:
        if state.final or subject.ways.knows(state, FINISHED) or state_ending(state) != "in time":
            continue
        if any(map(_hands_events_on, state.actions)):
            continue
        slow = [action for action in counting_actions(state) if ending(action) == "in time"]
        if not any(map(_reports_its_end, slow)):
            names = " and ".join(dict.fromkeys(type(action).__name__ for action in slow))
            yield subject.finding(
                "unheard-finish",
                "warning",
                f"The state has finished after its {names}, but there is no transition for "
                f"{FINISHED!r}, so nothing happens.",
                f"Add a transition for {FINISHED!r}, or a finish_event that has one.",
                state=state,
                action=slow[-1],
                event=FINISHED,
            )


def _hands_events_on(action: FsmAction[Any]) -> bool:
    """Return True if an action keeps events back and sends them later, as `Defer` does.

    It is what hears that the others have finished.
    """
    return action.background and not set(action.takes).isdisjoint(action.sends)


def _reports_its_end(action: FsmAction[Any]) -> bool:
    """Return True if an action sends something, or runs code that may, before it finishes."""
    actions = list(with_children(action))
    return (
        any(events_of(member) for member in actions)
        or any(ending(member) == "at once" and given_functions(member) for member in actions)
        or "send_event" in undeclared_words(actions)
    )
