"""Chart: a machine as it is drawn, and the parts of the drawing that stand for where it is."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import count
from typing import Any, Final

from fsmkit import Fsm
from fsmkit.diagram.graph import Graph
from fsmkit.diagram.ids import any_state_id, edge_id, machine_id, state_id
from fsmkit.diagram.reading import read
from fsmkit.diagram.svg import drawn
from fsmkit.diagram.theme import DARK, LIGHT
from fsmkit.tooling.nesting import MachineNames, inner_machines


class Chart:
    """The picture of one machine. Its parts go by the ids of `fsmkit.diagram.ids`."""

    def __init__(self, machine: Fsm[Any], names: Mapping[Fsm[Any], str]) -> None:
        self.machine = machine
        self.names = names
        """The names that the machines have for the page."""
        self._drawn: dict[Fsm[Any], str] = {}
        self._shape: object = None
        self.version = 0
        """Another one when states, transitions or machines have come or gone."""
        self.update()

    @property
    def machines(self) -> tuple[Fsm[Any], ...]:
        """The machine and those inside it."""
        return tuple(self._drawn)

    def update(self) -> None:
        """See whether the definition has changed."""
        shape = [_shape(machine) for machine in machines_of(self.machine)]
        if shape != self._shape:
            self._shape = shape
            self._drawn = self._read_roster()
            self.version = next(_versions)

    def state(self, machine: Fsm[Any], state: str) -> str:
        """The id of a state."""
        return state_id(self._drawn[machine], state)

    def transition(self, machine: Fsm[Any], source: str, target: str, event: str) -> str:
        """The id of the edge along which `event` has led."""
        name = self._drawn[machine]
        own = machine.states[source].transitions if source in machine.states else {}
        beginning = state_id(name, source) if event in own else any_state_id(name)
        return edge_id(beginning, state_id(name, target))

    def lit(self) -> list[str]:
        """The ids of the current states, from the outer to the inner ones."""
        return [
            self.state(machine, machine.current_state.name)
            for machine in self._drawn
            if machine.current_state is not None
        ]

    def read(self) -> tuple[Graph, dict[str, Any]]:
        """The model to draw, and what its parts are. To be called on the loop's side."""
        nodes: dict[str, Any] = {}
        edges: dict[str, Any] = {}
        clusters: dict[str, Any] = {}
        for machine, name in self._drawn.items():
            own = self.names[machine]
            clusters.setdefault(
                machine_id(name), {"machine": own, "title": machine.name, "inside": None}
            )
            first = next(iter(machine.states), None)
            for state in machine.states.values():
                identity = state_id(name, state.name)
                nodes[identity] = {
                    "machine": own,
                    "state": state.name,
                    "final": state.final,
                    "start": state.name == first,
                }
                self._add_edges(edges, own, identity, name, state.transitions)
                for action in state.actions:
                    for inner in action.machines:
                        clusters[machine_id(self._drawn[inner])] = {
                            "machine": self.names[inner],
                            "title": inner.name,
                            "inside": identity,
                        }
            self._add_edges(edges, own, any_state_id(name), name, machine.global_transitions)
        return read(self.machine), {"nodes": nodes, "edges": edges, "clusters": clusters}

    @staticmethod
    def _add_edges(
        edges: dict[str, Any], own: str, source: str, name: str, transitions: Mapping[str, Any]
    ) -> None:
        for event, target in transitions.items():
            target_id = state_id(name, target.name)
            edge = edges.setdefault(
                edge_id(source, target_id),
                {"machine": own, "events": [], "source": source, "target": target_id},
            )
            edge["events"].append(event)

    def _read_roster(self) -> dict[Fsm[Any], str]:
        roster = MachineNames()
        list(roster.add([self.machine]))
        return roster.names


def lay_out(graph: Graph, *, dark: bool) -> str:
    """The picture as SVG. It takes a while, and knows no machine: for the server's side."""
    return drawn(graph, DARK if dark else LIGHT)


def machines_of(machine: Fsm[Any]) -> list[Fsm[Any]]:
    """The machine and those inside it, each once."""
    found = [machine]
    for each in found:
        found += dict.fromkeys(inner for inner in inner_machines(each) if inner not in found)
    return found


def _shape(machine: Fsm[Any]) -> object:
    """All that is drawn of a machine."""
    states = [
        (
            state.name,
            state.final,
            tuple(state.transitions.items()),
            tuple(inner for action in state.actions for inner in action.machines),
        )
        for state in machine.states.values()
    ]
    return machine, tuple(machine.global_transitions.items()), states


_versions: Final = count(1)
"""No two drawings have the same, of whatever machines they are."""
