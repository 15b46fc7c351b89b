"""The tooltips of a picture: all that is known about a part, in full."""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterator
from typing import Final

from fsmkit.checking import Finding
from fsmkit.diagram.graph import Cluster, Edge, Label, Node
from fsmkit.diagram.wording import BACK_THERE, label_line, stay_text

WHOLE: Final = sys.maxsize
"""The columns for a text that is not shortened."""

OUTSIDE: Final = "code outside"


def about_state(node: Node) -> Iterator[str]:
    """Yield its name, and then a line for each thing that is known about it."""
    yield node.name
    if node.stay is not None:
        yield stay_text(node.stay)
    yield from map(finding_text, node.findings)


def about_edge(edge: Edge, ends: str) -> Iterator[str]:
    """Yield its ends and events, and then lines about each event."""
    yield f"{ends}: {', '.join(label_line(label, WHOLE) for label in edge.labels)}"
    for label in edge.labels:
        if known := ", ".join(_known(label)):
            yield f"{label.event}: {known}"
        yield from map(finding_text, label.findings)


def bundled_ways(cluster: Cluster) -> dict[str, list[str]]:
    """Return for each state the ways that a bundle shows elsewhere: `LOST → Idle`."""
    names = {node.id: node.name for node in cluster.nodes}
    ways: defaultdict[str, list[str]] = defaultdict(list)
    for edge in cluster.edges:
        for source in edge.sources:
            labels = ", ".join(label_line(label, WHOLE) for label in edge.labels)
            ways[source].append(f"{labels} → {names.get(edge.target, BACK_THERE)}")
    return ways


def finding_text(finding: Finding) -> str:
    """Return a finding without its place.

    >>> from fsmkit.checking import Place
    >>> place = Place("Guard", "Patrol")
    >>> finding_text(Finding("no-way-out", "warning", place, "Nothing leads out.", "Add one."))
    'warning no-way-out: Nothing leads out. Add one.'
    """
    return f"{finding.severity} {finding.code}: {finding.message} {finding.advice}"


def _known(label: Label) -> Iterator[str]:
    if label.taken is not None:
        yield f"taken {_times(label.taken)}"
    if label.refused:
        yield f"refused {_times(label.refused)}"
    if label.sent:
        yield from (f"sent {_times(count)} by {who or OUTSIDE}" for who, count in label.sent)
    elif label.senders:
        yield f"sent by {' and '.join(label.senders)}"
    elif label.origin == "outside":
        yield "sent from outside"


def _times(count: int) -> str:
    return {0: "never", 1: "once", 2: "twice"}.get(count, f"{count} times")
