"""Chains of states that lead to each other immediately, without end."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

from fsmkit import FINISHED, FsmState
from fsmkit.checking.endings import enabled_actions
from fsmkit.checking.entering import InstantChange
from fsmkit.checking.events import events_of
from fsmkit.checking.finding import Finding
from fsmkit.checking.subject import Subject
from fsmkit.core.words.quoting import quote

Changes: TypeAlias = dict[FsmState[Any], InstantChange]
"""State -> the change away from it."""


def endless_chains(subject: Subject) -> Iterator[Finding]:
    """Yield cycles of states that are each exited for the next as soon as they are entered."""
    changes = {
        state: change
        for state in subject.states
        if (change := subject.entering.change_of(state)) is not None
    }
    for cycle in _cycles(_without_end(changes)):
        yield _finding(subject, cycle)
    for state in subject.states:
        if (event := _repeated(subject, state)) is not None:
            yield subject.finding(
                "endless-chain",
                "warning",
                f"{state.name!r} -> {state.name!r} by {quote(event)} never ends from the second "
                "time on: what moves is at its end then, so that it finishes at once.",
                "Give it a start, or let the state wait for time to pass (such as TimedWait).",
                state=state,
                event=event,
            )


def _repeated(subject: Subject, state: FsmState[Any]) -> str | None:
    """Return the event by which a state leads to itself when all in it has come to its end."""
    actions = enabled_actions(state)
    things = [thing for action in actions if (thing := _brought_to_rest(action)) is not None]
    if not actions or len({*map(id, things)}) < len(actions):
        return None
    events = [*events_of(actions[0]), FINISHED] if len(actions) == 1 else [FINISHED]
    leading = [event for event in events if subject.ways.of(state, event)]
    if leading and subject.ways.certain_targets(state, leading[0]) == [state]:
        return leading[0]
    return None


def _brought_to_rest(action: Any) -> object:
    """Return the thing that an action brings from where it is to a constant end; else None."""
    written = getattr(action, "writes", None)
    if written is None or action.finishes != "in time" or getattr(action, "yoyo", False):
        return None
    return written[0] if action.start is None and not callable(action.end) else None


def _finding(subject: Subject, cycle: list[InstantChange]) -> Finding:
    is_certain = all(change.is_certain for change in cycle)
    names = " -> ".join(repr(change.state.name) for change in (*cycle, cycle[0]))
    events = " and ".join(dict.fromkeys(quote(change.event) for change in cycle))
    doubt = "" if is_certain else ", unless one of the functions they call decides otherwise"
    return subject.finding(
        "endless-chain",
        "error" if is_certain else "warning",
        f"{names} by {events} never ends once it is entered{doubt}.",
        "Let one of the states wait for time to pass (such as TimedWait), or for an event from "
        "outside.",
        state=cycle[0].state,
        event=cycle[0].event,
    )


def _without_end(changes: Changes) -> Changes:
    """Return the changes that lead to each other only, whatever the guards say."""
    sources: dict[FsmState[Any], list[FsmState[Any]]] = {}
    for state, change in changes.items():
        for target in change.targets:
            sources.setdefault(target, []).append(state)
    left = dict(changes)
    ending = [target for target in sources if target not in changes]
    while ending:
        before = sources.get(ending.pop(), ())
        ending += [state for state in before if left.pop(state, None) is not None]
    return left


def _cycles(changes: Changes) -> Iterator[list[InstantChange]]:
    seen: set[FsmState[Any]] = set()
    for state in changes:
        trail: dict[FsmState[Any], InstantChange] = {}
        following: FsmState[Any] | None = state
        while following in changes and following not in seen:
            seen.add(following)
            trail[following] = changes[following]
            following = changes[following].targets[0]
        if following in trail:
            path = list(trail)
            yield [trail[member] for member in path[path.index(following) :]]
