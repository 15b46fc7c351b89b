"""Findings of a check, at the parts of a picture that they are about."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from attrs import evolve

from fsmkit.checking import Finding
from fsmkit.diagram.choosing import PictureError
from fsmkit.diagram.graph import Cluster, Edge, Graph, changed, clusters_of


def with_findings(graph: Graph, findings: Iterable[Finding]) -> Graph:
    """Return `graph` with each finding at its arrow, its state or its machine.

    Raises TypeError for anything that is not a finding, and ValueError for findings about machines
    that are not in the picture.
    """
    checked = [_checked(finding, graph) for finding in findings]
    return changed(graph, lambda cluster: _marked(cluster, checked)) if checked else graph


def no_finding(value: object) -> TypeError:
    """Return the error for what is no finding, or no list of findings."""
    return TypeError(f"findings must be what check() returned, or True, got {value!r}.")


def _checked(finding: object, graph: Graph) -> Finding:
    if not isinstance(finding, Finding):
        raise no_finding(finding)
    machines = [name for cluster in clusters_of(graph) for name in cluster.machines]
    if finding.place.machine not in machines:
        raise PictureError(
            f"findings: there is no machine {finding.place.machine!r} in the picture. The machines "
            f"are: {', '.join(map(repr, machines))}."
        )
    return finding


def _marked(cluster: Cluster, findings: Sequence[Finding]) -> Cluster:
    own = [finding for finding in findings if finding.place.machine in cluster.machines]
    if not own:
        return cluster
    names = {node.id: node.name for node in cluster.nodes}
    edges, rest = _at_arrows(cluster.edges, names, own)
    global_edges, rest = _at_arrows(cluster.global_edges, {}, rest)
    return evolve(
        cluster,
        edges=edges,
        global_edges=global_edges,
        nodes=tuple(
            evolve(node, findings=tuple(f for f in rest if f.place.state == node.name))
            for node in cluster.nodes
        ),
        findings=tuple(f for f in rest if f.place.state not in names.values()),
    )


def _at_arrows(
    edges: Sequence[Edge], names: dict[str, str], findings: Sequence[Finding]
) -> tuple[tuple[Edge, ...], list[Finding]]:
    """Return the arrows with the findings about their events, and the findings that are left.

    Of several transitions for an event the last one gets the finding.
    """
    labels = [[*edge.labels] for edge in edges]
    last: dict[tuple[str | None, str], tuple[int, int, int]] = {}
    for number, edge in enumerate(edges):
        for index, label in enumerate(edge.labels):
            key = (names.get(edge.source), label.event)
            last[key] = max(last.get(key, (0, 0, 0)), (label.place, number, index))
    rest = []
    for finding in findings:
        place = finding.place
        if place.event is None or (place.state, place.event) not in last:
            rest.append(finding)
            continue
        _, number, index = last[place.state, place.event]
        label = labels[number][index]
        labels[number][index] = evolve(label, findings=(*label.findings, finding))
    marked = (evolve(edge, labels=tuple(own)) for edge, own in zip(edges, labels, strict=True))
    return tuple(marked), rest
