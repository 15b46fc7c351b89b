"""Selects a part of a picture: one machine, some levels, or a state and its neighbours."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from attrs import evolve

from fsmkit.core.words.suggestions import did_you_mean
from fsmkit.diagram.graph import (
    Cluster,
    Edge,
    Graph,
    Reference,
    StateNode,
    changed,
    clusters_of,
    with_inner,
)
from fsmkit.diagram.wording import names_text


class PictureError(ValueError):
    """An option of a picture has a wrong value, or names something that does not exist."""


def unknown(option: str, kind: str, name: str, known: Iterable[str]) -> PictureError:
    names = list(dict.fromkeys(known))
    meant = did_you_mean(name, names)
    return PictureError(
        f"{option}: there is no {kind} {name!r}. {meant}The {kind}s are: {names_text(names)}."
    )


def one_machine(graph: Graph, name: str) -> Graph:
    """Return the machine called `name` alone, with those inside it.

    A nested one may be called by its own name, if there is only one. Raises ValueError if there is
    no such machine, or if several have the name.
    """
    clusters = [*clusters_of(graph)]
    by_full_name = [cluster for cluster in clusters if name in cluster.machines]
    found = by_full_name or [cluster for cluster in clusters if name in cluster.names]
    machines = [machine for cluster in clusters for machine in cluster.machines]
    if not found:
        raise unknown("machine", "machine", name, machines)
    if len(found) > 1:
        raise PictureError(
            f"machine: {len(found)} machines are called {name!r}. Say which: "
            f"{names_text(cluster.machines[0] for cluster in found)}."
        )
    return (found[0],)


def to_depth(graph: Graph, depth: int) -> Graph:
    """Return `graph` with machines down to `depth` only; 0 leaves the outermost ones.

    A state has a line for each machine that it runs and that is not drawn.
    """
    return tuple(_cut(cluster, depth) for cluster in graph)


def around_state(graph: Graph, name: str, radius: int) -> Graph:
    """Return the state called `name` and those within `radius` arrows of it, in either direction.

    Raises ValueError if there is no such state, or if several machines have one.
    """
    clusters = [*clusters_of(graph)]
    found = [each for each in clusters if any(node.name == name for node in each.nodes)]
    if not found:
        raise unknown("around", "state", name, (n.name for each in clusters for n in each.nodes))
    if len(found) > 1:
        machines = names_text(each.machines[0] for each in found)
        raise PictureError(
            f"around: there is a state {name!r} in {machines}. Say which with machine=."
        )
    here = {node.id for node in found[0].nodes if node.name == name}
    return (_captioned(_only(found[0], _near(found[0], here, radius)), name, of=found[0]),)


def around_current(graph: Graph, current: Collection[str], radius: int) -> Graph:
    """Return `graph` with the `current` states, by id, and those within `radius` arrows of them.

    Where a global transition leads is one arrow away. A machine that is in none of them is shown
    around its start. Of machines inside other states only the names remain.
    """
    return tuple(_around_current(cluster, current, radius) for cluster in graph)


def without_loose_ends(graph: Graph) -> Graph:
    """Return `graph` with every reference leading to a machine that is in the picture.

    A machine drawn for several has the ids of all of them. If a machine is not there, the states
    that run it have a line about it.
    """
    ids: dict[str, str] = {}
    for cluster in clusters_of(graph):
        ids |= dict.fromkeys(cluster.ids, cluster.id)
    return changed(graph, lambda cluster: _tied(cluster, ids))


def _tied(cluster: Cluster, ids: dict[str, str]) -> Cluster:
    if not any(isinstance(inner, Reference) for node in cluster.nodes for inner in node.runs):
        return cluster
    nodes = []
    for node in cluster.nodes:
        runs: dict[Cluster | Reference, None] = {}
        lost = []
        for inner in node.runs:
            if isinstance(inner, Cluster):
                runs[inner] = None
            elif inner.id in ids:
                runs[evolve(inner, id=ids[inner.id])] = None
            else:
                lost.append(f"runs {inner.title}")
        nodes.append(evolve(node, runs=tuple(runs), notes=(*node.notes, *lost)))
    return evolve(cluster, nodes=tuple(nodes))


def _cut(cluster: Cluster, depth: int) -> Cluster:
    nodes = (
        with_inner(node, lambda inner: _cut(inner, depth - 1)) if depth > 0 else _closed(node)
        for node in cluster.nodes
    )
    return evolve(cluster, nodes=tuple(nodes))


def _closed(node: StateNode) -> StateNode:
    """Return a state that names the machines it runs, instead of showing them."""
    inside = (f"runs {inner.title}" for inner in node.runs)
    return evolve(node, runs=(), notes=(*node.notes, *inside))


def _around_current(cluster: Cluster, current: Collection[str], radius: int) -> Cluster:
    here = {node.id for node in cluster.nodes if node.id in current} or {cluster.start}
    anywhere = {edge.target for edge in cluster.global_edges} if radius > 0 else set[str]()
    only = _only(cluster, _near(cluster, here, radius) | anywhere)
    nodes = tuple(
        with_inner(node, lambda inner: _around_current(inner, current, radius))
        if node.id in here
        else _closed(node)
        for node in only.nodes
    )
    around = evolve(only, nodes=nodes)
    names = ", ".join(node.name for node in cluster.nodes if node.id in here)
    is_whole = len(nodes) == len(cluster.nodes)
    return around if is_whole else _captioned(around, names, of=cluster)


def _near(cluster: Cluster, ids: set[str], radius: int) -> set[str]:
    near = set(ids)
    for _ in range(radius):
        reached = {
            end
            for edge in _local_edges(cluster)
            if not near.isdisjoint((edge.source, edge.target))
            for end in (edge.source, edge.target)
        }
        near |= reached - {cluster.back}
    return near


def _local_edges(cluster: Cluster) -> Iterator[Edge]:
    """Yield the arrows of states, also those that a group has for each of them."""
    yield from cluster.edges
    ids = {node.name: node.id for node in cluster.nodes}
    frames = {frame.id: frame for frame in cluster.frames}
    for edge in cluster.group_edges:
        for state in frames[edge.source].states:
            yield evolve(edge, source=ids[state])


def _only(cluster: Cluster, kept: set[str]) -> Cluster:
    ends = {*kept, cluster.back}
    nodes = tuple(node for node in cluster.nodes if node.id in kept)
    names = {node.name for node in nodes}
    frames = (
        evolve(
            frame,
            states=tuple(name for name in frame.states if name in names),
            inside=tuple(id_ for id_ in frame.inside if id_ in kept),
        )
        for frame in cluster.frames
    )
    found = tuple(frame for frame in frames if frame.states)
    return evolve(
        cluster,
        nodes=nodes,
        frames=found,
        group_edges=_between(cluster.group_edges, {frame.id for frame in found}, ends),
        edges=_between(cluster.edges, kept, ends),
        global_edges=_between(cluster.global_edges, {cluster.any_state}, ends),
    )


def _captioned(cluster: Cluster, names: str, *, of: Cluster) -> Cluster:
    caption = f"Around {names}: {len(cluster.nodes)} of {len(of.nodes)} states"
    return evolve(cluster, captions=(*cluster.captions, caption))


def _between(edges: Sequence[Edge], sources: set[str], targets: set[str]) -> tuple[Edge, ...]:
    return tuple(edge for edge in edges if edge.source in sources and edge.target in targets)
