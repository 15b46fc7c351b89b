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
    runs = f"{usage.runs} runs" if usage.runs > 1 else "A run"
    seconds = sum(
        node.stay.seconds or 0.0 for cluster in graph for node in cluster.nodes if node.stay
    )
    lasting = f" of {time_text(seconds)}" if usage.seconds else ""
    counts = {edge.taken for cluster in clusters_of(graph) for edge in cluster.all_edges}
    thick = "thick arrows were taken often" if len(counts - {0}) > 1 else ""
    grey = "grey ones never" if 0 in counts and thick else "grey arrows: never taken"
    meaning = ", ".join(part for part in (thick, grey * (0 in counts)) if part)
    yield f"{runs}{lasting}: {meaning}" if meaning else f"{runs}{lasting}"
