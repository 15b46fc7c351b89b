"""What recordings tell about the parts of a picture: how long, how often, by whom."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final, Protocol, TypeAlias

from attrs import evolve

from fsmkit.diagram.choosing import PictureError
from fsmkit.diagram.graph import Cluster, Edge, Graph, Label, Node, Stay, changed, clusters_of
from fsmkit.recording import Chronicle, Recording, Usage, usage_of

NUMBER: Final = re.compile(r" #\d+(?=/|$)")
"""What tells namesakes apart: `Guard #2` is a second `Guard`."""

CHANGED: Final = "changed"
REFUSED: Final = "refused"


class HasChronicle(Protocol):
    """A `History` or a `Recording`."""

    def chronicle(self) -> Chronicle:
        """Return what happened."""
        ...


Recorded: TypeAlias = "Usage | Chronicle | HasChronicle | str | Path"
"""What may be counted: also the path of a recording."""


def usage_from(recordings: Recorded | Iterable[Recorded]) -> Usage:
    """Return what was done in one recording, or in several together.

    Raises TypeError for what is no recording, and what loading a file raises.
    """
    if isinstance(recordings, str | Path | Usage | Chronicle) or _has_chronicle(recordings):
        return _usage_from_one(recordings)
    if not isinstance(recordings, Iterable):
        raise _no_recording(recordings)
    return sum(map(_usage_from_one, recordings), Usage())


def with_usage(graph: Graph, usage: Usage) -> Graph:
    """Return `graph` with what was done in the states and on the arrows.

    A namesake that is not in the picture counts for the machine that is: `Guard #2` for `Guard`.
    Raises ValueError if no machine of the recordings is in the picture.
    """
    machines = [name for cluster in clusters_of(graph) for name in cluster.machines]
    here = {name: _in_picture(name, machines) for name in usage.machines}
    if usage.machines and not any(here.values()):
        raise PictureError(
            f"recordings: none of their machines is in the picture: {_listed(usage.machines)}. The "
            f"machines of the picture are: {_listed(machines)}."
        )
    return changed(graph, lambda cluster: _Counts(cluster, usage, here).counted())


class _Counts:
    """What was done with the machines that one part of a picture stands for."""

    def __init__(self, cluster: Cluster, usage: Usage, here: dict[str, str]) -> None:
        self._cluster = cluster
        self._is_timed = bool(usage.seconds)
        self._seconds: defaultdict[str, float] = defaultdict(float)
        self._entered: Counter[str] = Counter()
        self._taken: Counter[tuple[str, str, str]] = Counter()
        """Source, event and the id of the target; what an arrow has counted is taken out."""
        self._refused: Counter[tuple[str, str]] = Counter()
        self._sent: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
        """State and event -> how often it changed the state, by sender."""
        self._read(usage, {name for name, own in here.items() if own in cluster.machines})

    def counted(self) -> Cluster:
        """Return the machine with these counts."""
        names = {node.id: node.name for node in self._cluster.nodes}
        edges = [self._edge(edge, [names[edge.source]]) for edge in self._cluster.edges]
        every = [*names.values()]
        return evolve(
            self._cluster,
            edges=tuple(edges),
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
                self._refused[place] += count * (sending.outcome == REFUSED)
                self._sent[place][sending.sender] += count * (sending.outcome == CHANGED)

    def _node(self, node: Node) -> Node:
        seconds, total = self._seconds[node.name], sum(self._seconds.values())
        share = seconds / total if total else 0.0
        entered = self._entered[node.name]
        return evolve(node, stay=Stay(entered, seconds if self._is_timed else None, share))

    def _edge(self, edge: Edge, sources: list[str]) -> Edge:
        labels = (self._label(label, edge.target, sources) for label in edge.labels)
        return evolve(edge, labels=tuple(labels))

    def _label(self, label: Label, target: str, sources: list[str]) -> Label:
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


def _usage_from_one(recorded: Any) -> Usage:
    if isinstance(recorded, Usage):
        return recorded
    if isinstance(recorded, Chronicle):
        return usage_of(recorded)
    if isinstance(recorded, str | Path):
        recorded = Recording.load(recorded)
    if not _has_chronicle(recorded):
        raise _no_recording(recorded)
    return usage_of(recorded.chronicle())


def _has_chronicle(recorded: object) -> bool:
    return callable(getattr(recorded, "chronicle", None))


def _no_recording(recorded: object) -> TypeError:
    return TypeError(
        f"recordings must be recordings, histories, chronicles, usages or paths of recordings, got "
        f"{recorded!r}."
    )


def _in_picture(machine: str, machines: list[str]) -> str:
    """Return the name of the machine that it counts for; empty if there is none."""
    if machine in machines:
        return machine
    namesake = NUMBER.sub("", machine)
    return namesake if namesake in machines else ""


def _listed(names: Iterable[str]) -> str:
    return ", ".join(map(repr, names))
