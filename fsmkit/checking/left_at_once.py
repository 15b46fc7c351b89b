"""Transitions that are never taken, because their state is exited as soon as it is entered."""

from __future__ import annotations

from collections.abc import Iterator

from fsmkit import ERROR, FINISHED
from fsmkit.checking.entering import InstantChange
from fsmkit.checking.finding import Finding
from fsmkit.checking.subject import Subject
from fsmkit.checking.ways import name_of
from fsmkit.checking.wording import joined
from fsmkit.core.words.quoting import quote


def left_at_once(subject: Subject) -> Iterator[Finding]:
    """Yield the transitions of states that are always exited by another event at once."""
    for state in subject.states:
        change = subject.left_at_once(state)
        if change is None:
            continue
        for event, ways in subject.ways.own(state).items():
            if event not in (change.event, ERROR) and not _is_named(change, event):
                targets = joined([*dict.fromkeys(map(name_of, ways))], "or")
                yield subject.finding(
                    "left-at-once",
                    "warning",
                    f"The transition for {quote(event)} to {targets} is never taken: "
                    f"{quote(change.event)} exits the state as soon as it is entered.",
                    "Remove it, or let the state wait for something before it is exited.",
                    state=state,
                    event=event,
                    way=ways[0],
                )


def _is_named(change: InstantChange, event: str) -> bool:
    """Return True for `FINISHED` beside a finish_event, which has a finding of its own."""
    actions = (action for action in change.state.actions if action.enabled)
    return event == FINISHED and any(action.finish_event == change.event for action in actions)
