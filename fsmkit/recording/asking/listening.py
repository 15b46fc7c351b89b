"""What the actions of a state would do with an event, before a transition is looked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, Literal, TypeAlias

from attrs import frozen

from fsmkit import Fsm, FsmAction
from fsmkit.recording.asking.prospect import TAKEN, Prospect
from fsmkit.recording.asking.titles import title
from fsmkit.tooling.run_state import is_entered
from fsmkit.tooling.taking import Answer, answers_now, ever_takes

Verdict: TypeAlias = Literal["takes", "may take", "raises", "refuses", "ignores", "passes"]
"""What one of those who are asked does; who refuses or ignores an event lets it pass."""

OUTCOMES: Final[Mapping[Verdict, str]] = {"takes": "consumed", "raises": "raised"}
"""The outcomes of those who decide."""

OUTCOMES_INSIDE: Final[Mapping[Verdict, str]] = {"refuses": "refused", "ignores": "ignored"}
"""The outcomes of nested machines that know the event: where nobody else does, it has the same."""


@frozen
class Hearing:
    """What the actions that are asked would do."""

    outcome: str
    """`"consumed"` or `"raised"`; empty if all of them let the event pass."""
    certain: bool
    """False if own code decides on the outcome."""
    is_final: bool = False
    """True if no transition is looked for in any case."""
    sentences: Sequence[str] = ()
    """Who takes the event, or may, the decisive one first."""
    asides: Sequence[str] = ()
    """Which nested machines know the event and let it pass, and why."""
    outcome_inside: str = "unhandled"
    """What became of it there."""


def hear(machine: Fsm[Any], event: str, ask: Callable[[Fsm[Any]], Prospect]) -> Hearing:
    """Return what the actions would do with `event` now; `ask` asks a nested machine."""
    maybe: list[str] = []
    asides: list[str] = []
    outcome_inside = "unhandled"
    for answer in answers_now(machine, event):
        verdict, sentence = _said_by(answer, ask)
        if verdict in OUTCOMES:
            # If one before it lets the event pass, having done what nobody knows.
            outcome = OUTCOMES[verdict]
            return Hearing(
                outcome, not maybe, outcome == "consumed" or not maybe, (sentence, *maybe)
            )
        if verdict == "may take":
            maybe.append(sentence)
        elif verdict in OUTCOMES_INSIDE:
            outcome_inside = OUTCOMES_INSIDE[verdict]
            asides.append(sentence)
    return Hearing("consumed" if maybe else "", not maybe, False, maybe, asides, outcome_inside)


def deaf(machine: Fsm[Any], event: str) -> Iterator[str]:
    """Yield a sentence about each action of the state that takes `event`, but does not get it."""
    state = machine.current_state
    for action in _with_children(state.actions if state is not None else ()):
        if action.children or not ever_takes(action, event):
            continue
        if not is_entered(action):
            why_not = "is not entered" if action.enabled else "is disabled"
            yield f"{title(action)} takes it, but {why_not}."
        elif action.machines and not action._offers_to_(event):
            yield f"{title(action)} has ended, and hands it to no machine any more."


def _said_by(answer: Answer, ask: Callable[[Fsm[Any]], Prospect]) -> tuple[Verdict, str]:
    """Return what one of those who are asked does with the event, and a sentence that says so."""
    who = title(answer.action)
    if answer.machine is not None:
        return _said_by_machine(who, answer.machine, ask(answer.machine))
    if not answer.takes:
        return "may take", f"{who} is asked first and may take it."
    return "takes", f"{who} takes it{f': {answer.reason}' if answer.reason else ''}."


def _said_by_machine(who: str, machine: Fsm[Any], inner: Prospect) -> tuple[Verdict, str]:
    """Return what a nested machine does with the event, with its own reasons."""
    name, reasons = machine.name, str(inner).removeprefix("Nothing: ")
    if not inner.certain or machine.is_changing:
        return "may take", f"{who} asks Fsm {name!r} first, which may take it: {reasons}"
    if inner.outcome in TAKEN:
        return "takes", f"{who} hands it to Fsm {name!r}, which takes it: {reasons}"
    if inner.outcome == "raised":
        return "raises", f"{who} hands it to Fsm {name!r}, which raises an error: {reasons}"
    passing: Verdict = "passes"
    for verdict, outcome in OUTCOMES_INSIDE.items():
        if outcome == inner.outcome:
            passing = verdict
    return passing, f"{who} asks Fsm {name!r} first, which lets it pass: {reasons}"


def _with_children(actions: Sequence[FsmAction[Any]]) -> Iterator[FsmAction[Any]]:
    for action in actions:
        yield action
        yield from _with_children(action.children)
