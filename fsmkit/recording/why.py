"""why: what an event would do now, or why it would do nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from attrs import frozen

from fsmkit import FINISHED, Fsm, FsmAction, FsmState
from fsmkit.core.suggestions import about_event
from fsmkit.recording.chronicle import sender_title

ON_EXIT: Final = "on_exit"
"""The phase in which a machine exits its state."""


@frozen
class Prospect:
    """The effect that an event would have now."""

    outcome: str
    """The outcome that observers would get: `"changed"`, `"queued"`, `"ignored"`, `"unhandled"`, or
    `"consumed"` if an action may take it; `"refused"` where it raises TransitionOnExitError."""
    target: str
    """The state it leads to if no action takes it; empty if there is none."""
    reasons: tuple[str, ...]
    """Sentences that say why, the decisive one first."""

    def __str__(self) -> str:
        return " ".join(self.reasons)


def why(machine: Fsm[Any], event: str) -> Prospect:
    """Return what `event` would do if it were sent now, and why.

    Nothing is sent, and no action runs. Raises TypeError unless `machine` is an Fsm and `event` a
    str.

    >>> from fsmkit import Fsm
    >>> door = Fsm("Door")
    >>> closed, opened = door.add_state("Closed"), door.add_state("Open")
    >>> closed.add_transition("OPEN", opened)
    >>> door.start()
    >>> print(why(door, "OPEN"))
    'OPEN' leads from 'Closed' to 'Open'.
    >>> why(door, "OPNE").reasons[-1]
    "Did you mean 'OPEN'?"
    """
    if not isinstance(machine, Fsm):
        raise TypeError(f"machine must be an Fsm, got {machine!r}.")
    if not isinstance(event, str):
        raise TypeError(f"event must be a str, got {event!r}.")
    if machine.is_changing:
        reason = (
            f"A change has already been decided: {event!r} waits for the next state. After a "
            "stop() there is none, and the event is unhandled."
        )
        return Prospect("queued", "", (reason,))
    state = machine.current_state
    if state is None:
        reason = f"Nothing: {machine.name!r} is not running. Call start() first."
        return Prospect("unhandled", "", (reason,))
    outcome, target, reasons = _by_transition(machine, state, event)
    if machine.phase == ON_EXIT:
        return _while_exiting(state, outcome, target, reasons)
    listeners = tuple(_listening(state, event))
    if listeners:
        outcome = "consumed"
    return Prospect(outcome, target, (*listeners, *reasons))


def _by_transition(
    machine: Fsm[Any], state: FsmState[Any], event: str
) -> tuple[str, str, tuple[str, ...]]:
    if event in state.transitions:
        target = state.transitions[event][0].target.name
        again = ", which is exited and entered again" if target == state.name else ""
        return "changed", target, (f"{event!r} leads from {state.name!r} to {target!r}{again}.",)
    if event not in machine.global_transitions:
        return "unhandled", "", tuple(_unhandled(machine, state, event))
    target = machine.global_transitions[event][0].target.name
    if target == state.name:
        reason = (
            f"Nothing: {event!r} leads to {target!r} from any other state; it is already there."
        )
        return "ignored", target, (reason,)
    return "changed", target, (f"{event!r} leads from any state to {target!r}.",)


def _while_exiting(
    state: FsmState[Any], outcome: str, target: str, reasons: tuple[str, ...]
) -> Prospect:
    """Return the prospect inside `on_exit`, where no action is asked and no change allowed."""
    if outcome != "changed":
        return Prospect(outcome, target, reasons)
    reason = f"Nothing: {state.name!r} is being exited, so a change raises TransitionOnExitError."
    return Prospect("refused", target, (reason, *reasons))


def _unhandled(machine: Fsm[Any], state: FsmState[Any], event: str) -> Iterator[str]:
    yield (
        f"Nothing: {state.name!r} has no transition for {event!r}, and the machine has no global "
        "one."
    )
    if event == FINISHED:
        yield from _unfinished(state)
    else:
        yield from about_event(machine, event)


def _listening(state: FsmState[Any], event: str) -> Iterator[str]:
    """Yield a sentence for each action that may take the event before any transition does."""
    for action in state.actions:
        if type(action).on_event is FsmAction.on_event or not action.enabled:
            continue
        inner = tuple(action.machines)
        if inner and not any(_may_take(machine, event) for machine in inner):
            continue
        yield f"{sender_title(action)} is asked first and may take it."


def _may_take(machine: Fsm[Any], event: str) -> bool:
    state = machine.current_state
    if state is None:
        return False
    takes = event in state.transitions or event in machine.global_transitions
    return takes or any(_listening(state, event))


def _unfinished(state: FsmState[Any]) -> Iterator[str]:
    waiting = [action for action in state.actions if action.enabled and not action.finished]
    if waiting:
        yield f"Not finished yet: {', '.join(map(sender_title, waiting))}."
