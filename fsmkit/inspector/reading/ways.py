"""Ways: the transitions that an event may take now. Guards are named, never asked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from fsmkit import BACK, FINISHED, Fsm, FsmState, Transition
from fsmkit.core.words.quoting import quote
from fsmkit.diagram.graph import Label
from fsmkit.diagram.wording import function_text, label_line
from fsmkit.recording import why
from fsmkit.recording.asking.finishing import about_finished
from fsmkit.recording.asking.listening import hear


def ways(machine: Fsm[Any], event: str) -> Sequence[Transition[Any]]:
    """Return the transitions for `event` in the order of asking, up to one that is always taken."""
    state = machine.current_state
    if state is None:
        return ()
    return own_ways(state, event) + global_ways(machine, event)


def own_ways(state: FsmState[Any], event: str) -> tuple[Transition[Any], ...]:
    """Return those of `state`."""
    return state.transitions.get(event, ())


def global_ways(machine: Fsm[Any], event: str) -> tuple[Transition[Any], ...]:
    """Return the global ones, if the current state's own may let the event pass."""
    state = machine.current_state
    own = () if state is None else own_ways(state, event)
    return () if own and own[-1].when is None else machine.global_transitions.get(event, ())


def target_of(machine: Fsm[Any], way: Transition[Any]) -> FsmState[Any] | None:
    """Return the state that a way leads to now; None for `BACK` with nothing to go back to."""
    if isinstance(way.target, FsmState):
        return way.target
    return machine.suspended[-1] if machine.suspended else None


def targets(machine: Fsm[Any], event: str) -> list[str]:
    """Return the names of the states that a change by `event` may lead to now, each once."""
    state = machine.current_state
    own = own_ways(state, event) if state is not None else ()
    elsewhere = [way for way in global_ways(machine, event) if way.target is not state]
    found = (target_of(machine, way) for way in (*own, *elsewhere))
    return list(dict.fromkeys(each.name for each in found if each is not None))


def guards(machine: Fsm[Any], event: str) -> list[str]:
    """Return the texts of the guards that are asked about `event`, each once."""
    found = [way.when for way in ways(machine, event) if way.when is not None]
    return list(dict.fromkeys(map(function_text, found)))


def refusal(machine: Fsm[Any], event: str) -> str:
    """Return a sentence that names the guards which have refused `event`."""
    own = guards(machine, event)
    return f"Refused by {', '.join(own) or 'the guards of a nested machine'}."


def prospect(machine: Fsm[Any], event: str) -> str:
    """Return what `event` would do, as `why` does; but where there are guards, none is asked."""
    if machine.is_changing or not guards(machine, event):
        return str(why(machine, event))
    heard = hear(machine, event, lambda inner: why(inner, event))
    if heard.outcome and heard.certain:
        return " ".join(heard.sentences)
    leads = f"{quote(event)} leads {', else '.join(_ways_in_words(machine, event))}."
    waiting = about_finished(machine) if event == FINISHED else ()
    return " ".join((*heard.sentences, leads, *waiting))


def _ways_in_words(machine: Fsm[Any], event: str) -> Iterator[str]:
    for way in ways(machine, event):
        target = target_of(machine, way)
        back = "back " if way.target is BACK else ""
        where = f"{back}to {target.name!r}" if target is not None else "back to nothing"
        yield where if way.when is None else f"{where} if [{function_text(way.when)}]"


def labelled(transitions: Sequence[Transition[Any]]) -> Iterator[tuple[Transition[Any], str]]:
    """Yield the transitions of an event, each with the text beside its edge in one line."""
    for number, way in enumerate(transitions, start=1):
        place = number if len(transitions) > 1 else 0
        guard, effect = (function_text(each) if each else "" for each in (way.when, way.do))
        yield way, label_line(Label(way.event, place, guard, effect, way.suspend))
