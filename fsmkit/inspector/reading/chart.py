"""StateChart: the drawing of a machine, and what its parts mean."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from itertools import count
from typing import Any, Final

from attrs import evolve, frozen

from fsmkit import Fsm
from fsmkit.diagram.arrangement import arranged
from fsmkit.diagram.geometry import PicturePoint
from fsmkit.diagram.graph import (
    Cluster,
    Edge,
    Graph,
    changed,
    clusters_of,
    edge_id,
    machine_id,
    source_id,
    state_id,
    taken_edge_id,
    target_id,
)
from fsmkit.diagram.layout import Draw, svg_of
from fsmkit.diagram.model_reader import read
from fsmkit.diagram.selection import around_current
from fsmkit.diagram.svg import drawn_with_places
from fsmkit.diagram.wording import label_line, label_lines
from fsmkit.introspection import walk
from fsmkit.introspection.nesting import MachineNames, inner_machines
from fsmkit.introspection.run_state import failed_actions
from fsmkit.svg.theme import DARK, LIGHT


@frozen
class DrawnExtent:
    around: Collection[str] = ()
    """The ids of the current states."""
    radius: int = 0
    """How many arrows away the others may be; 0 draws all of them."""


class StateChart:
    """The drawing of one machine. Its parts have the ids of `fsmkit.diagram.graph`."""

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
        return tuple(self._drawn)

    @property
    def size(self) -> int:
        return sum(len(machine.states) for machine in self._drawn)

    def update(self) -> None:
        shape = [_shape(machine) for machine in walk.machines(self.machine)]
        if shape != self._shape:
            self._shape = shape
            self._drawn = {each: name for name, each, _ in MachineNames().add([self.machine])}
            self.version = next(_versions)

    def state(self, machine: Fsm[Any], state: str) -> str:
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
        owner = None if is_global else machine.states.get(source)
        return taken_edge_id(self._drawn[machine], owner, target, event)

    def edge(self, machine: Fsm[Any], each: walk.OwnedTransition) -> str:
        """Return the id of the edge that a transition is drawn as."""
        name = self._drawn[machine]
        return edge_id(source_id(name, each.owner), target_id(name, each.transition))

    def lit(self) -> list[str]:
        """Return the ids of the current states, from the outer to the inner ones."""
        return [
            self.state(machine, machine.current_state.name)
            for machine in self._drawn
            if machine.current_state is not None
        ]

    def dashed(self) -> list[str]:
        return [
            self.state(machine, state.name)
            for machine in self._drawn
            for state in machine.suspended
        ]

    def failed(self) -> list[str]:
        """Return the ids of the current states in which an action has failed."""
        return [
            self.state(machine, machine.current_state.name)
            for machine in self._drawn
            if machine.current_state is not None and failed_actions(machine)
        ]

    def shading(self, amounts: Mapping[Fsm[Any], Mapping[str, float]]) -> dict[str, Any]:
        """Return two numbers from 0 to 1 for each state that has an amount, such as its seconds.

        The `shade` is relative to the largest amount of all machines, the `share` to all amounts of
        the same machine.
        """
        known = [
            {self.state(fsm, state): amount for state, amount in own.items() if state in fsm.states}
            for fsm, own in amounts.items()
        ]
        largest = max((amount for own in known for amount in own.values()), default=0.0)
        shade: dict[str, float] = {}
        share: dict[str, float] = {}
        for own in known if largest else ():
            whole = sum(own.values())
            shade |= {state: amount / largest for state, amount in own.items()}
            share |= {state: amount / whole for state, amount in own.items() if whole}
        return {"shade": shade, "share": share}

    def read(self, extent: DrawnExtent | None = None) -> tuple[Graph, dict[str, Any]]:
        """Return the graph to draw and the meaning of its parts. Runs in the loop's thread.

        The parts are those of the whole machine, whatever is drawn of it, and the bundles that
        stand for several edges in a big picture.
        """
        whole = read(self.machine)
        extent = extent or DrawnExtent()
        part = around_current(whole, extent.around, extent.radius) if extent.radius else whole
        graph = arranged(changed(part, _unoccupied))  # the same, whichever state is current
        owners = {machine_id(name): self.names[machine] for machine, name in self._drawn.items()}
        found = list(clusters_of(whole))
        inside = {run.id: node.id for each in found for node in each.nodes for run in node.runs}
        nodes = {
            node.id: {
                "machine": owners[each.id], "state": node.name,
                "final": node.is_final, "start": node.is_start,
            }
            for each in found
            for node in each.nodes
        }  # fmt: skip
        shown = {edge.id: edge for each in clusters_of(graph) for edge in each.all_edges}
        edges = {
            edge.id: _edge_part(owners[each.id], edge, shown.get(edge.id, edge))
            for each in found
            for edge in each.all_edges
        }
        groups = {
            edge.id: {**edges[edge.id], "sources": list(frame.states), "group": frame.name}
            for each in found
            for frame in each.frames
            for edge in each.group_edges
            if edge.source == frame.id
        }
        bundles = {
            edge.id: {**_edge_part(owners[each.id], edge, edge), "sources": list(edge.sources)}
            for each in clusters_of(graph)
            for edge in each.edges
            if edge.sources
        }
        clusters = {
            each.id: {
                "machine": owners[each.id], "title": each.names[0], "inside": inside.get(each.id),
            }
            for each in found
        }  # fmt: skip
        return graph, {
            "nodes": nodes,
            "edges": {**edges, **groups, **bundles},
            "clusters": clusters,
        }


def _edge_part(machine: str, edge: Edge, shown: Edge) -> dict[str, Any]:
    """Return the meaning of an edge; `shown` is the same with the labels that it is drawn with."""
    labels = [
        {
            "event": label.event, "rank": max(0, label.place - 1), "text": label_line(label),
            "lines": len([*label_lines(label)]),
        }
        for label in shown.labels
    ]  # fmt: skip
    return {
        "machine": machine, "events": list(edge.events), "source": edge.source,
        "target": edge.target, "labels": labels,
    }  # fmt: skip


def _unoccupied(cluster: Cluster) -> Cluster:
    """Return the cluster with no state occupied: the page marks current and suspended states."""
    nodes = (evolve(node, occupants=0, suspended=0) for node in cluster.nodes)
    return evolve(cluster, nodes=tuple(nodes))


def lay_out(
    graph: Graph, *, dark: bool, draw: Draw = svg_of
) -> tuple[str, Mapping[str, PicturePoint]]:
    """Return the drawing as SVG, and where the states are, as `KeptPlaces` keeps them.

    Slow, and needs no machine: runs in the server's thread.
    """
    return drawn_with_places(graph, DARK if dark else LIGHT, draw=draw)


def _shape(machine: Fsm[Any]) -> object:
    states = [
        (
            state.name, state.final, state.failed, tuple(walk.table(state).items()),
            tuple(inner_machines(state)),
        )
        for state in walk.states(machine)
    ]  # fmt: skip
    groups = [
        (group.name, group.states, tuple(walk.table(group).items()))
        for group in walk.groups(machine)
    ]
    return machine, tuple(walk.table(machine).items()), states, groups


_versions: Final = count(1)
"""Unique across the drawings of all machines."""
