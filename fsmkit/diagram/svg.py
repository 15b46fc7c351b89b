"""to_svg and to_png: pictures that Graphviz lays out."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping
from html import escape, unescape
from typing import Any, Final

from fsmkit import Fsm, FsmGroup
from fsmkit.diagram.dot import dot_of, to_dot
from fsmkit.diagram.graph import Cluster, Graph
from fsmkit.diagram.ids import edge_id
from fsmkit.diagram.layout import png_of, svg_of
from fsmkit.diagram.reading import read
from fsmkit.diagram.theme import DARK, LIGHT, Theme
from fsmkit.diagram.wording import ANY_STATE, BACK_THERE, label_line, visible

COMMENT: Final = re.compile(r"<!--.*?-->\s*", re.DOTALL)
PART: Final = re.compile(r'(<g id="([^"]*)"[^>]*>\s*<title>)[^<]*')
WHOLE: Final = sys.maxsize
"""The columns for a text that is not shortened."""
ROOT_STYLE: Final = "max-width:100%;height:auto"


def to_svg(
    machine: Fsm[Any] | FsmGroup,
    *,
    actions: bool = False,
    dark: bool = False,
    notes: Mapping[str, str] | None = None,
) -> str:
    """Return `machine` as an SVG picture with tooltips.

    Its elements have the ids of `fsmkit.diagram.ids`, and classes: `machine`, `state` with its
    marks `start`, `current`, `suspended` and `final`, `transition`, `suspends` for those that do,
    `any-state`, `global` for the transitions from there, `back` for where those to `BACK` lead, and
    `runs` for the link between a state and a machine in it.

    `notes` maps names of states to additional lines. Raises ValueError if there is no such state,
    and ImportError if there is no Graphviz, see `fsmkit.diagram`.
    """
    return drawn(read(machine, actions=actions, notes=notes), DARK if dark else LIGHT)


def to_png(
    machine: Fsm[Any] | FsmGroup,
    *,
    actions: bool = False,
    dark: bool = False,
    notes: Mapping[str, str] | None = None,
) -> bytes:
    r"""Return `machine` as a PNG picture, large enough for print. Otherwise like `to_svg`.

    graphviz-pure has only Latin, Greek and Cyrillic letters. Unless there is also a `dot` on the
    PATH, others are written as their code points, such as `\u5de1`.
    """
    return png_of(to_dot(machine, actions=actions, dark=dark, notes=notes))


def drawn(graph: Graph, theme: Theme) -> str:
    """Return the model of a picture as SVG."""
    return _finished(svg_of(dot_of(graph, theme)), graph, theme.name)


def _finished(svg: str, graph: Graph, theme: str) -> str:
    """Return the SVG of Graphviz with tooltips, ready to be embedded in a page."""
    tooltips = dict(_tooltips(graph))
    svg = COMMENT.sub("", svg[svg.index("<svg") :])
    svg = PART.sub(lambda part: part[1] + _words(tooltips.get(unescape(part[2]), "")), svg)
    name = _words(", ".join(cluster.title for cluster in graph))
    root = (
        f'<svg class="fsmkit-diagram {theme}" role="img" aria-label="{name}" style="{ROOT_STYLE}"'
    )
    return svg.replace("<svg", root, 1)


def _tooltips(graph: Graph) -> Iterator[tuple[str, str]]:
    for cluster in graph:
        for each in cluster.with_nested():
            yield each.id, each.title
            yield from _tooltips_inside(each)


def _tooltips_inside(cluster: Cluster) -> Iterator[tuple[str, str]]:
    names = {node.id: node.name for node in cluster.nodes}
    for node in cluster.nodes:
        yield node.id, node.name
        for inner in node.runs:
            yield edge_id(node.id, inner.id), f"{node.name} runs {inner.title}"
    names |= {cluster.any_state: ANY_STATE, cluster.back: BACK_THERE}
    for edge in (*cluster.edges, *cluster.global_edges):
        events = ", ".join(label_line(label, WHOLE) for label in edge.labels)
        yield edge.id, f"{names[edge.source]} → {names[edge.target]}: {events}"


def _words(text: str) -> str:
    return escape(visible(text))
