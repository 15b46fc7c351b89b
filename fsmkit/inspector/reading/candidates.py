"""Candidates: the transitions that an event may take now. Guards are named, never asked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from fsmkit import BACK, FINISHED, Fsm, FsmState, Transition
from fsmkit.core.words.quoting import quote
from fsmkit.diagram.graph import EdgeLabel
from fsmkit.diagram.wording import function_text, label_line
from fsmkit.recording import why
from fsmkit.recording.why import about_finished, hear


def state_name(machine: Fsm[Any]) -> str | None:
    """Return the name of the current state; None if the machine is not running."""
    return machine.current_state.name if machine.current_state is not None else None


def candidates(machine: Fsm[Any], event: str) -> Sequence[Transition[Any]]:
    """Return the transitions for `event` in order, up to one without a guard."""
    state = machine.current_state
    return () if state is None else own_candidates(state, event) + global_candidates(machine, event)


def own_candidates(state: FsmState[Any], event: str) -> tuple[Transition[Any], ...]:
    return state.transitions.get(event, ())


def global_candidates(machine: Fsm[Any], event: str) -> tuple[Transition[Any], ...]:
    """Return the global transitions, if guards of the current state may let the event pass."""
    state = machine.current_state
    own = () if state is None else own_candidates(state, event)
    return () if own and own[-1].when is None else machine.global_transitions.get(event, ())


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
    state = machine.current_state
    own = own_candidates(state, event) if state is not None else ()
    others = [each for each in global_candidates(machine, event) if each.target is not state]
    found = (target_of(machine, each) for each in (*own, *others))
    return list(dict.fromkeys(each.name for each in found if each is not None))


def guards(machine: Fsm[Any], event: str) -> list[str]:
    """Return the texts of the guards that are asked about `event`, each once."""
    found = [each.when for each in candidates(machine, event) if each.when is not None]
    return list(dict.fromkeys(map(function_text, found)))


def refusal(machine: Fsm[Any], event: str) -> str:
    """Return a sentence that names the guards which have refused `event`."""
    own = guards(machine, event)
    return f"Refused by {', '.join(own) or 'the guards of a nested machine'}."


def prospect(machine: Fsm[Any], event: str) -> str:
    """Return what `event` would do, as `why` does, but without asking any guards."""
    if machine.is_changing or not guards(machine, event):
        return str(why(machine, event))
    heard = hear(machine, event, lambda inner: why(inner, event))
    if heard.outcome and heard.certain:
        return " ".join(heard.sentences)
    leads = f"{quote(event)} leads {', else '.join(_in_words(machine, event))}."
    waiting = about_finished(machine) if event == FINISHED else ()
    return " ".join((*heard.sentences, leads, *waiting))


def _in_words(machine: Fsm[Any], event: str) -> Iterator[str]:
    for each in candidates(machine, event):
        target = target_of(machine, each)
        back = "back " if each.target is BACK else ""
        where = f"{back}to {target.name!r}" if target is not None else "back to nothing"
        yield where if each.when is None else f"{where} if [{function_text(each.when)}]"


def labelled(transitions: Sequence[Transition[Any]]) -> Iterator[tuple[Transition[Any], str]]:
    """Yield the transitions of an event, each with the text beside its edge in one line."""
    for number, each in enumerate(transitions, start=1):
        place = number if len(transitions) > 1 else 0
        guard, effect = (function_text(one) if one else "" for one in (each.when, each.do))
        yield each, label_line(EdgeLabel(each.event, place, guard, effect, each.suspend))
