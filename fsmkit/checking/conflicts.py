"""Actions that write the same thing at the same time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from fsmkit import FsmAction, FsmState
from fsmkit.checking.endings import enabled_actions, ending
from fsmkit.checking.events import with_children
from fsmkit.checking.finding import Finding
from fsmkit.checking.subject import Subject, position


def conflicting_actions(subject: Subject) -> Iterator[Finding]:
    """Yield actions that bring a thing somewhere while another one brings it somewhere else."""
    for state in subject.states:
        found: set[int] = set()
        for beginning in _beginnings(state):
            first: dict[tuple[int, str], FsmAction[Any]] = {}
            for action in beginning:
                written = _written(action)
                if written is None:
                    continue
                other = first.setdefault(written, action)
                if other is not action and id(action) not in found:
                    found.add(id(action))
                    yield _finding(subject, state, other, action, written[1])


def _beginnings(state: FsmState[Any]) -> Iterator[list[FsmAction[Any]]]:
    """Yield actions that run side by side from the beginning: of the state, or of one inside."""
    yield list(_running(enabled_actions(state)))
    for action in enabled_actions(state):
        for member in with_children(action):
            if member.children:
                yield list(_running([member]))


def _running(actions: Iterable[FsmAction[Any]]) -> Iterator[FsmAction[Any]]:
    """Yield what runs for certain from the beginning of `actions` on, if nothing ends at once."""
    for action in actions:
        entered_first = getattr(action, "entered_first", None)
        if entered_first is not None:
            yield from _running(entered_first(lambda _: False))
        else:
            yield action


def _written(action: FsmAction[Any]) -> tuple[int, str] | None:
    """Return what an action writes in every update while it runs."""
    written: tuple[object, object] | None = getattr(action, "writes", None)
    if not isinstance(written, tuple) or ending(action) != "in time":
        return None
    thing, attribute = written
    return id(thing), str(attribute).removeprefix("local_")


def _finding(
    subject: Subject, state: FsmState[Any], other: FsmAction[Any], action: FsmAction[Any], what: str
) -> Finding:
    return subject.finding(
        "conflicting-actions",
        "warning",
        f"It writes the {what} of the same thing as {position(state, other)} at the same time: in "
        "every update the last of them wins.",
        "Run them one after another, in a Sequence or in two states, or leave one of them out.",
        state=state,
        action=action,
    )
