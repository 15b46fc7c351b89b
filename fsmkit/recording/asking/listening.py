"""What the actions of a state would do with an event, before a transition is looked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from attrs import field, frozen

from fsmkit import Fsm, FsmAction
from fsmkit.recording.asking.prospect import TAKEN, Prospect
from fsmkit.recording.asking.titles import title
from fsmkit.tooling.run_state import is_entered
from fsmkit.tooling.taking import Answer, answers_now, ever_takes


@frozen
class Hearing:
    """What the actions that are asked would do."""

    outcome: str
    """`"consumed"` or `"raised"`; empty if all of them let the event pass."""
    certain: bool
    """False if own code decides on the outcome."""
    sentences: Sequence[str] = ()
    """Who takes the event, or may, the decisive one first."""
    asides: Sequence[str] = field(default=())
    """Which nested machines know the event and let it pass, and why."""


def hear(machine: Fsm[Any], event: str, ask: Callable[[Fsm[Any]], Prospect]) -> Hearing:
    """Return what the actions would do with `event` now; `ask` asks a nested machine."""
    maybe: list[str] = []
    asides: list[str] = []
    for answer in answers_now(machine, event):
        inner = None if answer.machine is None else ask(answer.machine)
        takes, sentence = _said_by(answer, inner)
        if inner is not None and (takes or inner.outcome == "raised"):
            outcome = "consumed" if takes else "raised"
            return Hearing(outcome, bool(takes) or not maybe, (sentence, *maybe))
        if takes:
            return Hearing("consumed", True, (sentence, *maybe))
        if takes is None:
            maybe.append(sentence)
        elif inner is not None and inner.outcome != "unhandled":
            asides.append(sentence)
    return Hearing("consumed" if maybe else "", not maybe, maybe, asides)


def deaf(machine: Fsm[Any], event: str) -> Iterator[str]:
    """Yield a sentence about each action of the state that takes `event`, but does not get it."""
    state = machine.current_state
    for action in _with_children(state.actions if state is not None else ()):
        if action.children or not ever_takes(action, event):
            continue
        if not is_entered(action):
            why_not = "is not entered" if action.enabled else "is disabled"
            yield f"{title(action)} takes it, but {why_not}."
        elif action.machines and not action.offers_to(event):
            yield f"{title(action)} has ended, and hands it to no machine any more."


def _said_by(answer: Answer, inner: Prospect | None) -> tuple[bool | None, str]:
    """Return whether an action takes the event, None if it may; and a sentence that says so."""
    who = title(answer.action)
    if inner is None or answer.machine is None:
        if not answer.takes:
            return None, f"{who} is asked first and may take it."
        return True, f"{who} takes it{f': {answer.reason}' if answer.reason else ''}."
    name, is_sure = answer.machine.name, inner.certain and not answer.machine.is_changing
    reasons = str(inner).removeprefix("Nothing: ")
    if not is_sure:
        return None, f"{who} asks Fsm {name!r} first, which may take it: {reasons}"
    if inner.outcome in TAKEN:
        return True, f"{who} hands it to Fsm {name!r}, which takes it: {reasons}"
    if inner.outcome == "raised":
        return False, f"{who} hands it to Fsm {name!r}, which raises an error: {reasons}"
    return False, f"{who} asks Fsm {name!r} first, which lets it pass: {reasons}"


def _with_children(actions: Sequence[FsmAction[Any]]) -> Iterator[FsmAction[Any]]:
    for action in actions:
        yield action
        yield from _with_children(action.children)
