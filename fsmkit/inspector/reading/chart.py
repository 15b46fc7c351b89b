"""Chart: the drawing of a machine, and the parts of it that show the current state."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import chain, count
from typing import Any, Final, TypeAlias

from attrs import evolve, frozen

from fsmkit import Fsm, Transition
from fsmkit.diagram.arranging import arranged
from fsmkit.diagram.choosing import around_current
from fsmkit.diagram.graph import Cluster, Graph, changed, clusters_of
from fsmkit.diagram.ids import any_state_id, back_id, edge_id, machine_id, state_id, target_id
from fsmkit.diagram.layout import Draw, svg_of
from fsmkit.diagram.reading import read
from fsmkit.diagram.svg import drawn
from fsmkit.diagram.theme import DARK, LIGHT
from fsmkit.tooling.nesting import MachineNames, inner_machines

Transitions: TypeAlias = Mapping[str, Sequence[Transition[Any]]]


@frozen
class Extent:
    """What is drawn of a machine: all of it, or only the surroundings of its current states."""

    around: Collection[str] = ()
    """The ids of the current states."""
    radius: int = 0
    """How many arrows away the others may be; 0 draws all of them."""


class Chart:
    """The drawing of one machine. Its parts have the ids of `fsmkit.diagram.ids`."""

    def __init__(self, machine: Fsm[Any], names: Mapping[Fsm[Any], str]) -> None:
        self.machine = machine
        self.names = names
        """The names of the machines on the page."""
        self._drawn: dict[Fsm[Any], str] = {}
        self._shape: object = None
        self.version = 0
        """A new number whenever states, transitions or machines are added or removed."""
        self.update()

    @property
    def machines(self) -> tuple[Fsm[Any], ...]:
        """The machine and those nested in it."""
        return tuple(self._drawn)

    @property
    def size(self) -> int:
        """The number of states in all of them."""
        return sum(len(machine.states) for machine in self._drawn)

    def update(self) -> None:
        """Take a new version if the definition has changed."""
        shape = [_shape(machine) for machine in machines_of(self.machine)]
        if shape != self._shape:
            self._shape = shape
            self._drawn = self._read_names()
            self.version = next(_versions)

    def state(self, machine: Fsm[Any], state: str) -> str:
        """Return the id of a state."""
        return state_id(self._drawn[machine], state)

    def transition(
        self,
        machine: Fsm[Any],
        source: str,
        target: str | None,
        event: str,
        *,
        is_global: bool = False,
    ) -> str:
        """Return the id of the edge that `event` has taken to `target`; None stands for `BACK`."""
        name = self._drawn[machine]
        own = machine.states[source].transitions if source in machine.states else {}
        end = back_id(name) if target is None else state_id(name, target)
        is_own = not is_global and any(target_id(name, way) == end for way in own.get(event, ()))
        return edge_id(state_id(name, source) if is_own else any_state_id(name), end)

    def lit(self) -> list[str]:
        """Return the ids of the current states, from the outer to the inner ones."""
        return [
            self.state(machine, machine.current_state.name)
            for machine in self._drawn
            if machine.current_state is not None
        ]

    def dashed(self) -> list[str]:
        """Return the ids of the suspended states."""
        return [
            self.state(machine, state.name)
            for machine in self._drawn
            for state in machine.suspended
        ]

    def read(self, extent: Extent | None = None) -> tuple[Graph, dict[str, Any]]:
        """Return the graph to draw and the meaning of its parts. Runs in the loop's thread.

        The parts are those of the whole machine, whatever is drawn of it, and what stands for
        several of them in a big picture.
        """
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
        graph = _drawn(read(self.machine), extent or Extent())
        self._add_bundles(edges, graph)
        return graph, {"nodes": nodes, "edges": edges, "clusters": clusters}

    @staticmethod
    def _add_edges(
        edges: dict[str, Any], own: str, source: str, name: str, transitions: Transitions
    ) -> None:
        for way in chain.from_iterable(transitions.values()):
            target = target_id(name, way)
            edge = edges.setdefault(
                edge_id(source, target),
                {"machine": own, "events": [], "source": source, "target": target},
            )
            if way.event not in edge["events"]:
                edge["events"].append(way.event)

    def _add_bundles(self, edges: dict[str, Any], graph: Graph) -> None:
        """Add the edges that are drawn instead of several."""
        owners = {machine_id(name): self.names[machine] for machine, name in self._drawn.items()}
        for cluster in clusters_of(graph):
            for edge in cluster.edges:
                if edge.sources:
                    edges[edge.id] = {
                        "machine": owners[cluster.id],
                        "events": list(edge.events),
                        "source": edge.source,
                        "target": edge.target,
                        "sources": list(edge.sources),
                    }

    def _read_names(self) -> dict[Fsm[Any], str]:
        naming = MachineNames()
        list(naming.add([self.machine]))
        return naming.names


def _drawn(graph: Graph, extent: Extent) -> Graph:
    """Return what is drawn of a graph: the same for the same states, wherever the machine is."""
    if extent.radius:
        graph = around_current(graph, extent.around, extent.radius)
    return arranged(changed(graph, _unoccupied))


def _unoccupied(cluster: Cluster) -> Cluster:
    """Return the machine in no state: the page marks the current ones, and the suspended ones."""
    nodes = (evolve(node, occupants=0, suspended=0) for node in cluster.nodes)
    return evolve(cluster, nodes=tuple(nodes))


def lay_out(graph: Graph, *, dark: bool, draw: Draw = svg_of) -> str:
    """Return the drawing as SVG. Slow, and needs no machine: runs in the server's thread."""
    return drawn(graph, DARK if dark else LIGHT, draw=draw)


def machines_of(machine: Fsm[Any]) -> list[Fsm[Any]]:
    """Return the machine and those nested in it, each once."""
    found = [machine]
    for each in found:
        found += dict.fromkeys(inner for inner in inner_machines(each) if inner not in found)
    return found


def _shape(machine: Fsm[Any]) -> object:
    """Return everything that is drawn of a machine, to compare."""
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
"""Unique across the drawings of all machines."""
