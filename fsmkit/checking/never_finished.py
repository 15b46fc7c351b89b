"""Transitions for FINISHED that never fire."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from attrs import frozen

from fsmkit import FINISHED, Fsm, FsmAction, FsmState
from fsmkit.checking.endings import counting_actions, ending
from fsmkit.checking.events import all_actions, events_of, may_take
from fsmkit.checking.finding import Finding
from fsmkit.checking.subject import Subject
from fsmkit.checking.user_code import given_words, may_stop, undeclared_words
from fsmkit.checking.ways import name_of
from fsmkit.core.words.quoting import quote

CODE = "finished-never-fires"


@frozen
class Obstacle:
    """An action that keeps its state from ever finishing."""

    action: FsmAction[Any]
    reason: str
    advice: str


def finished_that_never_fires(subject: Subject) -> Iterator[Finding]:
    """Yield transitions for FINISHED of states that never finish.

    Only a warning: other code may call the action's `finish()` from outside, or send FINISHED.
    """
    for state in subject.states:
        ways = subject.ways.own(state).get(FINISHED)
        if ways is not None and (obstacle := _obstacle(subject, state)) is not None:
            targets = " or ".join(dict.fromkeys(map(name_of, ways)))
            yield subject.finding(
                CODE,
                "warning",
                f"The transition for {FINISHED!r} to {targets} never fires: {obstacle.reason}.",
                obstacle.advice,
                state=state,
                action=obstacle.action,
                event=FINISHED,
            )
    yield from _global_that_never_fires(subject)


def _global_that_never_fires(subject: Subject) -> Iterator[Finding]:
    for way in subject.ways.shared.get(FINISHED, ()):
        followers = [
            state
            for state in subject.states
            if state is not way.target and not subject.ways.always_takes(state, FINISHED)
        ]
        if followers and all(_obstacle(subject, state) for state in followers):
            yield subject.finding(
                CODE,
                "warning",
                f"The global transition for {FINISHED!r} to {name_of(way)} never fires: none of "
                "the states that it applies to ever finishes.",
                "Remove it, or give the actions whose end matters a finish_event.",
                event=FINISHED,
            )


def _obstacle(subject: Subject, state: FsmState[Any]) -> Obstacle | None:
    if _may_finish_otherwise(state):
        return None
    obstacles = (_obstacle_by(subject, state, action) for action in counting_actions(state))
    return next(filter(None, obstacles), None)


def _obstacle_by(subject: Subject, state: FsmState[Any], action: FsmAction[Any]) -> Obstacle | None:
    if ending(action) == "never":
        return _endless(subject, state, action)
    name, event = type(action).__name__, action.finish_event
    if event is None or not _is_exited_by(subject, state, event) or may_take(state, event):
        return None
    return Obstacle(
        action,
        f"{name} sends {quote(event)} when it finishes, which exits the state",
        f"Remove it, or the transition for {quote(event)}.",
    )


def _endless(subject: Subject, state: FsmState[Any], action: FsmAction[Any]) -> Obstacle | None:
    if any(may_take(state, event) for event in action.sends):
        return None  # an event that is consumed does not exit the state
    name = type(action).__name__
    inner = [machine.name for machine in action.machines if not _has_end(machine)]
    if inner and not action.children:
        return Obstacle(
            action,
            f"{name} never finishes, because no state of {' or '.join(map(repr, inner))} is final",
            "Mark the state in which it ends: add_state(..., final=True).",
        )
    events = [event for event in action.sends if subject.ways.of(state, event)]
    before = f" before {' or '.join(map(quote, events))} exits the state" if events else ""
    return Obstacle(
        action,
        f"{name} never finishes{before}",
        "Give the action whose end matters a finish_event, and the state a transition for it.",
    )


def _is_exited_by(subject: Subject, state: FsmState[Any], event: str) -> bool:
    """Return True if `event` exits the state for certain. If suspended, it may finish later."""
    is_suspended = any(way.suspend for way in subject.ways.of(state, event))
    return bool(subject.ways.certain_targets(state, event)) and not is_suspended


def _has_end(machine: Fsm[Any]) -> bool:
    return any(state.final for state in machine.states.values())


def _may_finish_otherwise(state: FsmState[Any]) -> bool:
    """Return True if FINISHED may be sent anyway, or an action be finished by other code."""
    actions = list(all_actions(state))
    return (
        any(FINISHED in events_of(action) for action in actions)
        or not {"finish", FINISHED}.isdisjoint(given_words(actions))
        or FINISHED in undeclared_words(actions)
        or any(may_stop(machine) for action in actions for machine in action.machines)
    )
