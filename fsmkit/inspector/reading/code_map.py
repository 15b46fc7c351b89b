"""CodeMap: the lines of everything that a machine is made of, for the page."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from typing import Any

from fsmkit import Fsm, FsmState
from fsmkit.inspector.reading.chart import machines_of
from fsmkit.inspector.reading.code import Code, Line
from fsmkit.tooling.run_state import places

GLOBAL = ""
"""The key of the global transitions, in the place of a state."""


def code_map(machine: Fsm[Any], names: Mapping[Fsm[Any], str], code: Code) -> dict[str, Any]:
    """Return the lines of a machine and those nested in it, each by its name.

    Of each its `states`, its `events`, by the state that has a transition for them, and its
    `actions`, by state and place. What is not known is left out.
    """
    return {names[each]: _lines_of(each, code) for each in machines_of(machine)}


def _lines_of(machine: Fsm[Any], code: Code) -> dict[str, Any]:
    states = {state.name: code.of_state(state) for state in machine.states.values()}
    events = {state.name: _of_events(state, code) for state in machine.states.values()}
    actions = {state.name: _of_actions(state, code) for state in machine.states.values()}
    return {
        "states": {name: line for name, line in states.items() if line is not None},
        "events": {**events, GLOBAL: _of_events(machine, code)},
        "actions": actions,
    }


def _of_events(owner: Fsm[Any] | FsmState[Any], code: Code) -> dict[str, list[Line]]:
    """Return the lines of the transitions for each event."""
    table = owner.global_transitions if isinstance(owner, Fsm) else owner.transitions
    found: dict[str, list[Line]] = {}
    for way in chain.from_iterable(table.values()):
        if lines := list(code.of_transition_parts(owner, way)):
            found.setdefault(way.event, []).extend(lines)
    return found


def _of_actions(state: FsmState[Any], code: Code) -> dict[str, list[Line]]:
    lines = {place: list(code.of_action(action)) for place, action in places(state)}
    return {place: own for place, own in lines.items() if own}
