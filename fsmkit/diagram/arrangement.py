"""Arranges the arrows of big pictures, so that each of them is short and can be followed.

What is drawn depends on the definition of the machine alone.

- Bundles: transitions for one event from many states to one are one arrow, from a tag
  "from 12 states".
- Stubs: an arrow back to the start, or back over more than one layer, ends at a tag with the name
  of the state. A layer consists of the states with the same number of arrows from the start. If
  many arrows remain, only those by which a state is reached first are drawn whole.
- Global transitions to several states come from a tag "any state" each.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Final

from attrs import evolve

from fsmkit.diagram.graph import (
    Cluster,
    Edge,
    EdgeLabel,
    Graph,
    Tag,
    bundle_id,
    changed,
    clusters_of,
    edge_id,
    tag_id,
)
from fsmkit.diagram.wording import ANY_STATE, BACK_THERE, one_line

MANY_ARROWS: Final = 60
"""By default, a picture with more arrows is arranged."""

LEAST_SOURCES: Final = 4
"""The number of states whose transitions are worth a bundle."""

MOST_LAYERS_BACK: Final = 1
"""The layers that an arrow may lead back."""

MOST_FOR_EACH: Final = 1.5
"""The arrows for each state; of more, only those by which states are reached first are whole."""


def arranged(graph: Graph, *, bundled: bool | None = None) -> Graph:
    """Return `graph` with bundles and stubs; by default only if it has more than 60 arrows."""
    if bundled is None:
        bundled = sum(len(cluster.all_edges) for cluster in clusters_of(graph)) > MANY_ARROWS
    if not bundled:
        return graph
    return changed(graph, lambda each: _with_short_global_edges(_with_stubs(_with_bundles(each))))


def _with_bundles(cluster: Cluster) -> Cluster:
    bundled = _bundles(cluster)
    if not bundled:
        return cluster
    alone = (
        evolve(edge, labels=tuple(x for x in edge.labels if (x, edge.target) not in bundled))
        for edge in cluster.edges
    )
    kept = [edge for edge in alone if edge.labels]
    names = {node.id: node.name for node in cluster.nodes}
    together: defaultdict[tuple[str, tuple[str, ...]], list[EdgeLabel]] = defaultdict(list)
    for (_, target), members in bundled.items():
        sources = tuple(names[edge.source] for edge, _ in members)
        together[target, sources].append(_bundle_label([label for _, label in members]))
    bundles, tags = [], []
    taken: Counter[str] = Counter()
    for (target, sources), labels in together.items():
        tag = bundle_id(cluster.any_state, target, labels[0].event)
        taken[tag] += 1
        tag += f"-{taken[tag]}" if taken[tag] > 1 else ""
        bundles.append(Edge(edge_id(tag, target), tag, target, tuple(labels), tag, sources=sources))
        tags.append(Tag(tag, "bundle", f"from {len(sources)} states", sources))
    return evolve(cluster, edges=(*kept, *bundles), tags=(*cluster.tags, *tags))


def _bundles(cluster: Cluster) -> dict[tuple[EdgeLabel, str], list[tuple[Edge, EdgeLabel]]]:
    """EdgeLabel and target -> the arrows that have them, where these are many."""
    same: defaultdict[tuple[EdgeLabel, str], list[tuple[Edge, EdgeLabel]]] = defaultdict(list)
    for edge in cluster.edges:
        for label in edge.labels:
            same[label, edge.target].append((edge, label))
    return {key: members for key, members in same.items() if len(members) >= LEAST_SOURCES}


def _bundle_label(labels: list[EdgeLabel]) -> EdgeLabel:
    counts = [label.taken for label in labels if label.taken is not None]
    sent: defaultdict[str, int] = defaultdict(int)
    for label in labels:
        for sender, count in label.sent:
            sent[sender] += count
    origins = {label.origin for label in labels}
    return evolve(
        labels[0],
        origin=labels[0].origin if len(origins) == 1 else "outside",
        senders=tuple(dict.fromkeys(kind for label in labels for kind in label.senders)),
        findings=tuple(finding for label in labels for finding in label.findings),
        taken=sum(counts) if counts else None,
        refused=sum(label.refused for label in labels),
        sent=tuple(sent.items()),
    )


def _with_stubs(cluster: Cluster) -> Cluster:
    layers, first = _layers(cluster)
    far = {edge.id for edge in cluster.edges if _leads_far_back(edge, layers, cluster)}
    between = [edge for edge in cluster.edges if _is_between(edge, cluster) and edge.id not in far]
    if len(between) > MOST_FOR_EACH * len(cluster.nodes):
        far |= {edge.id for edge in between if edge.id not in first}
    names = {node.id: f"→ {one_line(node.name)}" for node in cluster.nodes}
    names[cluster.back] = f"→ {BACK_THERE}"
    edges = (evolve(e, head=tag_id(e.id)) if e.id in far else e for e in cluster.edges)
    tags = (
        Tag(tag_id(edge.id), "stub", names[edge.target], leads_to=edge.target)
        for edge in cluster.edges
        if edge.id in far
    )
    return evolve(cluster, edges=tuple(edges), tags=(*cluster.tags, *tags))


def _is_between(edge: Edge, cluster: Cluster) -> bool:
    return not edge.tail and edge.target not in (edge.source, cluster.back)


def _leads_far_back(edge: Edge, layers: dict[str, int], cluster: Cluster) -> bool:
    if edge.target == cluster.back:
        return not edge.tail
    if not _is_between(edge, cluster):
        return False
    return (
        edge.target == cluster.start or layers[edge.source] - layers[edge.target] > MOST_LAYERS_BACK
    )


def _layers(cluster: Cluster) -> tuple[dict[str, int], set[str]]:
    """Return the layer of each state, and the ids of the arrows by which states are reached first.

    The layer is the number of arrows from the start, or from the first of the remaining states.
    Targets of global transitions are in the layer below the start.
    """
    leaving: defaultdict[str, list[Edge]] = defaultdict(list)
    for edge in cluster.edges:
        if _is_between(edge, cluster):
            leaving[edge.source].append(edge)
    layers: dict[str, int] = {}
    first: set[str] = set()
    near = [*cluster.global_edges, *cluster.group_edges]
    for node in cluster.nodes:
        wave = [] if node.id in layers else [node.id]
        layers |= dict.fromkeys(wave, 0)
        while wave:
            near += [edge for id_ in wave for edge in leaving[id_]]
            layer, wave = layers[wave[-1]] + 1, []
            for edge in near:
                if edge.target not in layers and edge.target != cluster.back:
                    layers[edge.target] = layer
                    wave.append(edge.target)
                    first.add(edge.id)
            near = []
    return layers, first


def _with_short_global_edges(cluster: Cluster) -> Cluster:
    if len(cluster.global_edges) < 2:
        return cluster
    tags = (Tag(tag_id(edge.id), "any-state", ANY_STATE) for edge in cluster.global_edges)
    edges = (evolve(edge, tail=tag_id(edge.id)) for edge in cluster.global_edges)
    return evolve(cluster, global_edges=tuple(edges), tags=(*cluster.tags, *tags))


def drawn_ends(edge: Edge) -> tuple[str, str]:
    return edge.tail or edge.source, edge.head or edge.target
