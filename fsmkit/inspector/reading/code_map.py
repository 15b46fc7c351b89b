"""CodeMap: the lines of everything in the drawing of a machine, by the ids of its parts."""

from __future__ import annotations

from itertools import chain
from typing import Any

from fsmkit import Fsm
from fsmkit.diagram.ids import any_state_id, edge_id, state_id, target_id
from fsmkit.inspector.reading.code import Code, Line
from fsmkit.tooling.nesting import MachineNames
from fsmkit.tooling.run_state import places


def code_map(machine: Fsm[Any], code: Code) -> dict[str, Any]:
    """Return the lines of the states, of the transitions, and of the actions by state and place.

    Of the machine and those nested in it; what is not known is left out.
    """
    states: dict[str, Line] = {}
    edges: dict[str, list[Line]] = {}
    actions: dict[str, dict[str, list[Line]]] = {}
    for name, each, _ in MachineNames().add([machine]):
        _add_ways(edges, name, any_state_id(name), each, code)
        for state in each.states.values():
            identity = state_id(name, state.name)
            if (line := code.of_state(state)) is not None:
                states[identity] = line
            _add_ways(edges, name, identity, state, code)
            lines = {place: list(code.of_action(action)) for place, action in places(state)}
            if any(lines.values()):
                actions[identity] = {place: own for place, own in lines.items() if own}
    return {"states": states, "edges": edges, "actions": actions}


def _add_ways(edges: dict[str, list[Line]], name: str, source: str, owner: Any, code: Code) -> None:
    ways = owner.global_transitions if isinstance(owner, Fsm) else owner.transitions
    for way in chain.from_iterable(ways.values()):
        for line in code.of_transition_parts(owner, way):
            own = edges.setdefault(edge_id(source, target_id(name, way)), [])
            own.append({**line, "event": way.event})
