"""The quiet lines below the title of a picture, which say what its marks mean."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from attrs import evolve

from fsmkit.diagram.graph import Graph, clusters_of
from fsmkit.diagram.wording import ACTION_SENDS, OUTSIDE_SENDS, time_text
from fsmkit.recording import Usage

SIGNS: Final = f"{OUTSIDE_SENDS} sent from outside, {ACTION_SENDS} sent by an action"
"""What `senders=True` shows; events without a sign the machine sends itself."""


def with_legend(graph: Graph, usage: Usage | None, *, senders: bool) -> Graph:
    """Return `graph` with as many lines as are needed, at the first machine."""
    lines = (*_lines(graph, usage), *([SIGNS] if senders else []))
    if not graph or not lines:
        return graph
    first, *others = graph
    return (evolve(first, captions=(*first.captions, *lines)), *others)


def _lines(graph: Graph, usage: Usage | None) -> Iterator[str]:
    if usage is None:
        return
    counts = {edge.taken for cluster in clusters_of(graph) for edge in cluster.all_edges}
    parts = []
    if usage.runs:
        runs = "A run" if usage.runs == 1 else f"{usage.runs} runs"
        parts.append(f"{runs} of {time_text(_seconds(graph))}" if usage.seconds else runs)
    if len(counts - {0}) > 1:
        parts.append("thick arrows were taken often" + ", grey ones never" * (0 in counts))
    elif 0 in counts:
        parts.append("grey arrows were never taken")
    if parts:
        yield ": ".join(parts)


def _seconds(graph: Graph) -> float:
    """Return how long the outermost machines were running."""
    stays = (node.stay for cluster in graph for node in cluster.nodes)
    return sum(stay.seconds or 0.0 for stay in stays if stay is not None)
