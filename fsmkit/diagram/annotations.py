"""Annotations of a picture: the findings of a check, the usage in recordings, and a legend."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final, Protocol, TypeAlias

from attrs import evolve

from fsmkit.checking import Finding
from fsmkit.diagram.graph import (
    Cluster,
    Edge,
    EdgeLabel,
    Graph,
    StateNode,
    Stay,
    changed,
    clusters_of,
)
from fsmkit.diagram.selection import PictureError
from fsmkit.diagram.wording import ACTION_SENDS, OUTSIDE_SENDS, names_text, time_text
from fsmkit.recording import Chronicle, Recording, Usage, usage_of

NUMBER: Final = re.compile(r" #\d+(?=/|$)")
"""The suffix that tells namesakes apart: `Guard #2` is a second `Guard`."""

SIGNS: Final = f"{OUTSIDE_SENDS} sent from outside, {ACTION_SENDS} sent by an action"
"""The signs of `senders=True`; events without one are sent by the machine itself."""

Edges: TypeAlias = tuple[Edge, ...]


class HasChronicle(Protocol):
    def chronicle(self) -> Chronicle: ...


Recorded: TypeAlias = "Usage | Chronicle | HasChronicle | str | Path"
"""A recording, or the path of one."""


def with_findings(graph: Graph, findings: Iterable[Finding]) -> Graph:
    """Return `graph` with each finding at its arrow, its state or its machine.

    Raises TypeError for anything that is not a finding, and ValueError for findings about machines
    that are not in the picture.
    """
    if isinstance(findings, str) or not isinstance(findings, Iterable):
        raise _no_findings(findings)
    checked = [_checked(finding, graph) for finding in findings]
    return changed(graph, lambda cluster: _marked(cluster, checked)) if checked else graph


def _no_findings(value: object) -> TypeError:
    return TypeError(f"findings must be what check() returned, or True, got {value!r}.")


def _checked(finding: object, graph: Graph) -> Finding:
    if not isinstance(finding, Finding):
        raise _no_findings(finding)
    machines = _machines(graph)
    if finding.place.machine not in machines:
        raise PictureError(
            f"findings: there is no machine {finding.place.machine!r} in the picture. The machines "
            f"are: {names_text(machines)}."
        )
    return finding


def _marked(cluster: Cluster, findings: Sequence[Finding]) -> Cluster:
    own = [finding for finding in findings if finding.place.machine in cluster.machines]
    if not own:
        return cluster
    names = {node.id: node.name for node in cluster.nodes}
    groups = {frame.id: frame.name for frame in cluster.frames}
    edges, rest = _at_arrows(cluster.edges, names, own)
    group_edges, rest = _at_arrows(cluster.group_edges, groups, rest)
    global_edges, rest = _at_arrows(cluster.global_edges, {}, rest)
    return evolve(
        cluster,
        edges=edges,
        group_edges=group_edges,
        global_edges=global_edges,
        nodes=tuple(
            evolve(node, findings=tuple(f for f in rest if f.place.state == node.name))
            for node in cluster.nodes
        ),
        findings=tuple(f for f in rest if f.place.state not in names.values()),
    )


def _at_arrows(
    edges: Edges, names: dict[str, str], findings: Sequence[Finding]
) -> tuple[Edges, list[Finding]]:
    """Return the arrows with the findings about their events, and the remaining findings.

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
        owner = place.group if place.state is None else place.state
        if place.event is None or (owner, place.event) not in last:
            rest.append(finding)
            continue
        _, number, index = last[owner, place.event]
        label = labels[number][index]
        labels[number][index] = evolve(label, findings=(*label.findings, finding))
    marked = (evolve(edge, labels=tuple(own)) for edge, own in zip(edges, labels, strict=True))
    return tuple(marked), rest


def usage_from(recordings: Recorded | Iterable[Recorded]) -> Usage:
    """Return the usage in one recording, or the sum over several.

    Raises TypeError for anything that is not a recording, and what loading a file raises.
    """
    is_one = isinstance(recordings, str | Path | Usage | Chronicle) or _has_chronicle(recordings)
    if is_one or not isinstance(recordings, Iterable):
        return _usage_from_one(recordings)
    return sum(map(_usage_from_one, recordings), Usage())


def _usage_from_one(recorded: Any) -> Usage:
    if isinstance(recorded, Usage):
        return recorded
    if isinstance(recorded, Chronicle):
        return usage_of(recorded)
    if isinstance(recorded, str | Path):
        recorded = Recording.load(recorded)
    if not _has_chronicle(recorded):
        raise TypeError(
            "recordings must be recordings, histories, chronicles, usages or paths of recordings, "
            f"got {recorded!r}."
        )
    return usage_of(recorded.chronicle())


def _has_chronicle(recorded: object) -> bool:
    return callable(getattr(recorded, "chronicle", None))


def with_usage(graph: Graph, usage: Usage) -> Graph:
    """Return `graph` with how often each state was entered, and each arrow taken.

    A namesake that is not in the picture counts for the machine that is: `Guard #2` for `Guard`.
    Raises ValueError if no machine of the recordings is in the picture.
    """
    machines = _machines(graph)
    here = {name: _counted_for(name, machines) for name in usage.machines}
    if usage.machines and not any(here.values()):
        raise PictureError(
            f"recordings: none of their machines is in the picture: {names_text(usage.machines)}. "
            f"The machines of the picture are: {names_text(machines)}."
        )
    return changed(graph, lambda cluster: _ClusterUsage(cluster, usage, here).shown())


class _ClusterUsage:
    def __init__(self, cluster: Cluster, usage: Usage, here: dict[str, str]) -> None:
        self._cluster = cluster
        self._is_timed = bool(usage.seconds)
        self._seconds: defaultdict[str, float] = defaultdict(float)
        self._entered: Counter[str] = Counter()
        self._taken: Counter[tuple[str, str, str]] = Counter()
        """Source, event and the id of the target; an arrow removes what it has counted."""
        self._refused: Counter[tuple[str, str]] = Counter()
        self._sent: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
        """State and event -> how often it changed the state, by sender."""
        self._read(usage, {name for name, own in here.items() if own in cluster.machines})

    def shown(self) -> Cluster:
        names = {node.id: node.name for node in self._cluster.nodes}
        edges = [self._edge(edge, [names[edge.source]]) for edge in self._cluster.edges]
        states = {frame.id: [*frame.states] for frame in self._cluster.frames}
        group_edges = [self._edge(edge, states[edge.source]) for edge in self._cluster.group_edges]
        every = [*names.values()]
        return evolve(
            self._cluster,
            edges=tuple(edges),
            group_edges=tuple(group_edges),
            global_edges=tuple(self._edge(edge, every) for edge in self._cluster.global_edges),
            nodes=tuple(map(self._node, self._cluster.nodes)),
        )

    def _read(self, usage: Usage, machines: set[str]) -> None:
        ids = {node.name: node.id for node in self._cluster.nodes}
        for name, seconds in usage.seconds.items():
            if name.machine in machines:
                self._seconds[name.state] += seconds
        for name, count in usage.entered.items():
            if name.machine in machines:
                self._entered[name.state] += count
        for way, count in usage.taken.items():
            if way.machine in machines:
                target = self._cluster.back if way.target is None else ids.get(way.target, "")
                self._taken[way.source, way.event, target] += count
        for sending, count in usage.sent.items():
            if sending.machine in machines:
                place = (sending.state, sending.event)
                self._refused[place] += count * (sending.outcome == "refused")
                self._sent[place][sending.sender] += count * (sending.outcome == "changed")

    def _node(self, node: StateNode) -> StateNode:
        seconds, total = self._seconds[node.name], sum(self._seconds.values())
        share = seconds / total if total else 0.0
        entered = self._entered[node.name]
        return evolve(node, stay=Stay(entered, seconds if self._is_timed else None, share))

    def _edge(self, edge: Edge, sources: list[str]) -> Edge:
        labels = (self._label(label, edge.target, sources) for label in edge.labels)
        return evolve(edge, labels=tuple(labels))

    def _label(self, label: EdgeLabel, target: str, sources: list[str]) -> EdgeLabel:
        taken = sum(self._taken.pop((source, label.event, target), 0) for source in sources)
        refused = sum(self._refused[source, label.event] for source in sources)
        senders: Counter[str] = Counter()
        for source in sources:
            senders += self._sent[source, label.event]
        is_by_action = label.origin == "outside" and any(senders)
        return evolve(
            label,
            taken=taken,
            refused=refused if label.guard else 0,
            sent=tuple(senders.items()) if taken else (),
            origin="action" if is_by_action else label.origin,
        )


def _counted_for(machine: str, machines: list[str]) -> str:
    """Return the machine of the picture that `machine` counts for; empty without one."""
    if machine in machines:
        return machine
    namesake = NUMBER.sub("", machine)
    return namesake if namesake in machines else ""


def _machines(graph: Graph) -> list[str]:
    return [name for cluster in clusters_of(graph) for name in cluster.machines]


def with_legend(graph: Graph, usage: Usage | None, *, senders: bool) -> Graph:
    """Return `graph` with lines below its title that say what its marks mean."""
    runs = _runs_text(usage) if usage is not None else ""
    lines = [": ".join(filter(None, (runs, _thickness_text(graph)))), SIGNS * senders]
    if not graph or not any(lines):
        return graph
    first, *others = graph
    return (evolve(first, captions=(*first.captions, *filter(None, lines))), *others)


def _runs_text(usage: Usage) -> str:
    """Return how many runs of what length were recorded, such as `3 runs of 42 s`."""
    runs = "A run" if usage.runs == 1 else f"{usage.runs} runs"
    return f"{runs} of {time_text(usage.time)}" if usage.seconds else runs * bool(usage.runs)


def _thickness_text(graph: Graph) -> str:
    counts = {edge.taken for cluster in clusters_of(graph) for edge in cluster.all_edges}
    if len(counts - {0, None}) > 1:
        return "thick arrows were taken often" + ", grey ones never" * (0 in counts)
    return "grey arrows were never taken" * (0 in counts)
