"""Outline: states and transitions of a machine as plain data, and a machine made of it to draw."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final, TypeAlias

from fsmkit import BACK, Fsm, FsmState, Transition
from fsmkit.diagram.wording import function_text

Outline: TypeAlias = "dict[str, Any]"
"""`name`, `states` and `transitions` of a machine. Functions are kept as what they are called."""

ANY_STATE: Final = ""
"""The source of a global transition."""


def outline_of(machine: Fsm[Any]) -> Outline:
    """Return the outline of `machine`."""
    return {
        "name": machine.name,
        "states": [[state.name, state.final] for state in machine.states.values()],
        "transitions": [*map(list, _transitions(machine))],
    }


def drawable(outline: Outline) -> Fsm[Any]:
    """Return a machine with these states and transitions; it is there to be drawn."""
    machine = Fsm[Any](outline["name"])
    for name, final in outline["states"]:
        machine.add_state(name, final=final)
    for source, event, target, guard, effect, suspends in outline["transitions"]:
        leads = _leads(machine, source)
        leads(
            event,
            machine.states.get(target, BACK) if target is not None else BACK,
            when=_called(guard) if guard else None,
            do=_called(effect) if effect else None,
            suspend=suspends,
        )
    return machine


def _leads(machine: Fsm[Any], source: str) -> Callable[..., Transition[Any]]:
    if source == ANY_STATE:
        return machine.add_global_transition
    return machine.states[source].add_transition


def _transitions(machine: Fsm[Any]) -> Iterator[tuple[Any, ...]]:
    tables = {state.name: state.transitions for state in machine.states.values()}
    for source, table in {**tables, ANY_STATE: machine.global_transitions}.items():
        for transitions in table.values():
            for each in transitions:
                target = each.target.name if isinstance(each.target, FsmState) else None
                functions = (_text(each.when), _text(each.do))
                yield source, each.event, target, *functions, each.suspend


def _text(function: Callable[..., Any] | None) -> str:
    return "" if function is None else function_text(function)


def _called(text: str) -> Callable[..., Any]:
    """Return a function that is called `text` in a picture."""
    kind: Any = type(text, (), {"__call__": lambda self, state: None})  # noqa: ARG005
    function: Callable[..., Any] = kind()
    return function
