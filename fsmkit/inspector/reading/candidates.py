"""Candidates: the transitions that an event may take now. Guards are named, never asked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from fsmkit import BACK, Fsm, FsmState, Transition
from fsmkit.core.checks.functions import Adapted
from fsmkit.core.words.quoting import quote
from fsmkit.diagram.graph import EdgeLabel
from fsmkit.diagram.wording import function_text, label_line
from fsmkit.introspection import walk
from fsmkit.recording import why
from fsmkit.recording.why import about_actions, asked_inside, hear


def state_name(machine: Fsm[Any]) -> str | None:
    """Return the name of the current state; None if the machine is not running."""
    return machine.current_state.name if machine.current_state is not None else None


def candidates(machine: Fsm[Any], event: str) -> Iterator[Transition[Any]]:
    """Yield the transitions that are asked about `event` in the current state, in order."""
    state = machine.current_state
    return (each.transition for each in (walk.asked(state, event) if state is not None else ()))


def leading(machine: Fsm[Any], event: str) -> Iterator[Transition[Any]]:
    """Yield the same without what changes nothing: what is not its own, to the current state."""
    state = machine.current_state
    for owner, _, _, each in walk.asked(state, event) if state is not None else ():
        if owner is state or each.target is not state:
            yield each


def target_of(machine: Fsm[Any], transition: Transition[Any]) -> FsmState[Any] | None:
    """Return the state that a transition leads to now; None for `BACK` without a suspended one."""
    if isinstance(transition.target, FsmState):
        return transition.target
    return machine.suspended[-1] if machine.suspended else None


def destination(machine: Fsm[Any], transition: Transition[Any]) -> str:
    """Return the target of a transition for a reader: `Sleep`, or `back to Sleep`."""
    target = target_of(machine, transition)
    if target is None:
        return "nothing to go back to"
    return f"back to {target.name}" if transition.target is BACK else target.name


def targets(machine: Fsm[Any], event: str) -> list[str]:
    """Return the names of the states that a change by `event` may lead to now, each once."""
    found = (target_of(machine, each) for each in leading(machine, event))
    return list(dict.fromkeys(each.name for each in found if each is not None))


def guards(machine: Fsm[Any], event: str) -> list[str]:
    found = [each.when for each in candidates(machine, event) if each.when is not None]
    return list(dict.fromkeys(map(function_text, found)))


def refusal(machine: Fsm[Any], event: str) -> str:
    own = guards(machine, event)
    return f"Refused by {', '.join(own) or 'the guards of a nested machine'}."


def prospect(machine: Fsm[Any], event: str) -> str:
    """Return what `event` would do, as `why` does, but without asking any guards."""
    if machine.is_changing or not guards(machine, event):
        return str(why(machine, event))
    heard = hear(machine, event, lambda inner: asked_inside(inner, event))
    if heard.outcome and heard.certain:
        return " ".join(heard.sentences)
    leads = f"{quote(event)} leads {', else '.join(_in_words(machine, event))}."
    return " ".join((*heard.sentences, leads, *about_actions(machine, event)))


def _in_words(machine: Fsm[Any], event: str) -> Iterator[str]:
    for each in candidates(machine, event):
        target = target_of(machine, each)
        back = "back " if each.target is BACK else ""
        where = f"{back}to {target.name!r}" if target is not None else "back to nothing"
        yield where if each.when is None else f"{where} if [{function_text(each.when)}]"


def takes_data(transition: Transition[Any]) -> bool:
    """Return True if its guard or its effect takes the data of the event."""
    functions = (transition.when, transition.do)
    return any(each is not None and not isinstance(each, Adapted) for each in functions)


def labelled(transitions: Sequence[Transition[Any]]) -> Iterator[tuple[Transition[Any], str]]:
    for number, each in enumerate(transitions, start=1):
        place = number if len(transitions) > 1 else 0
        guard, effect = (function_text(one) if one else "" for one in (each.when, each.do))
        yield each, label_line(EdgeLabel(each.event, place, guard, effect, each.suspend))
