"""Merges machines of the same shape into one picture."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from attrs import evolve

from fsmkit.diagram.graph import ActionLine, Cluster, Edge, Graph, Node, Reference

VARYING = "…"
"""The value of a parameter that differs between machines."""


def merged(clusters: Sequence[Cluster]) -> Graph:
    """Return the clusters, with those of the same shape merged into one.

    Machines have the same shape if they differ at most in their names, their current states and
    the values of their actions' parameters.
    """
    families: dict[Hashable, list[Cluster]] = {}
    for cluster in clusters:
        families.setdefault(_shape(cluster), []).append(cluster)
    return tuple(_as_one(family) for family in families.values())


def _shape(cluster: Cluster | Reference) -> Hashable:
    if isinstance(cluster, Reference):
        return cluster.title
    numbers = {node.id: number for number, node in enumerate(cluster.nodes)}
    return (
        cluster.count,
        tuple(_shape_of_node(node) for node in cluster.nodes),
        tuple(_shape_of_edge(edge, numbers) for edge in cluster.all_edges),
    )


def _shape_of_node(node: Node) -> Hashable:
    actions = tuple(
        (line.depth, line.name, tuple(name for name, _ in line.parameters)) for line in node.actions
    )
    return node.name, node.is_final, actions, tuple(map(_shape, node.runs))


def _shape_of_edge(edge: Edge, numbers: dict[str, int]) -> Hashable:
    return numbers.get(edge.source), numbers.get(edge.target), edge.labels


def _as_one(family: Sequence[Cluster]) -> Cluster:
    if len(family) == 1:
        return family[0]
    return evolve(
        family[0],
        names=tuple(dict.fromkeys(name for cluster in family for name in cluster.names)),
        count=sum(cluster.count for cluster in family),
        machines=tuple(name for cluster in family for name in cluster.machines),
        nodes=tuple(map(_node, zip(*(cluster.nodes for cluster in family), strict=True))),
    )


def _node(same: tuple[Node, ...]) -> Node:
    node = evolve(
        same[0],
        occupants=sum(node.occupants for node in same),
        suspended=sum(node.suspended for node in same),
        among=sum(node.among for node in same),
        actions=tuple(map(_action, zip(*(node.actions for node in same), strict=True))),
        runs=tuple(map(_inner, zip(*(node.runs for node in same), strict=True))),
    )
    own = (note for note in same[0].notes if note not in same[0].counts)
    return evolve(node, notes=(*node.counts, *own))


def _action(same: tuple[ActionLine, ...]) -> ActionLine:
    columns = zip(*(line.parameters for line in same), strict=True)
    parameters = tuple(
        column[0] if len(set(column)) == 1 else (column[0][0], VARYING) for column in columns
    )
    return evolve(same[0], parameters=parameters)


def _inner(same: tuple[Cluster | Reference, ...]) -> Cluster | Reference:
    clusters = [inner for inner in same if isinstance(inner, Cluster)]
    return _as_one(clusters) if clusters else same[0]
