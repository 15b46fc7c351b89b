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


def with_legend(graph: Graph, recorded: str, *, senders: bool) -> Graph:
    """Return `graph` with as many lines as are needed, at the first machine.

    `recorded` is what `runs_text` returned; empty without recordings.
    """
    lines = (*_lines(graph, recorded), *([SIGNS] if senders else []))
    if not graph or not lines:
        return graph
    first, *others = graph
    return (evolve(first, captions=(*first.captions, *lines)), *others)


def runs_text(graph: Graph, usage: Usage) -> str:
    """Return how many runs of what length were recorded, such as `3 runs of 42 s`."""
    runs = "A run" if usage.runs == 1 else f"{usage.runs} runs"
    stays = (node.stay for cluster in graph for node in cluster.nodes)
    seconds = sum(stay.seconds or 0.0 for stay in stays if stay is not None)
    return f"{runs} of {time_text(seconds)}" if usage.seconds else runs * bool(usage.runs)


def _lines(graph: Graph, recorded: str) -> Iterator[str]:
    counts = {edge.taken for cluster in clusters_of(graph) for edge in cluster.all_edges}
    if len(counts - {0, None}) > 1:
        meaning = "thick arrows were taken often" + ", grey ones never" * (0 in counts)
    else:
        meaning = "grey arrows were never taken" if 0 in counts else ""
    if line := ": ".join(filter(None, (recorded, meaning))):
        yield line
