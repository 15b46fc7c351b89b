"""to_svg and to_png: pictures that Graphviz lays out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from html import escape, unescape
from typing import Any, Final

from typing_extensions import Unpack

from fsmkit import Fsm, FsmGroup
from fsmkit.diagram.dot import dot_of
from fsmkit.diagram.graph import Cluster, Graph
from fsmkit.diagram.ids import edge_id
from fsmkit.diagram.layout import Draw, svg_of
from fsmkit.diagram.lifting import with_labels_on_top
from fsmkit.diagram.options import Look, PictureOptions, view
from fsmkit.diagram.png import png_of
from fsmkit.diagram.theme import Theme
from fsmkit.diagram.tooltips import about_edge, about_state, bundled_ways, finding_text
from fsmkit.diagram.wording import ANY_STATE, BACK_THERE, visible

COMMENT: Final = re.compile(r"<!--.*?-->\s*", re.DOTALL)
PART: Final = re.compile(r'(<g id="([^"]*)"[^>]*>\s*<title>)[^<]*')
ROOT_STYLE: Final = "max-width:100%;height:auto"


def to_svg(machine: Fsm[Any] | FsmGroup, /, **options: Unpack[PictureOptions]) -> str:
    """Return `machine` as an SVG picture with tooltips. The options are `PictureOptions`.

    Its elements have the ids of `fsmkit.diagram.ids`, and classes: `machine`, `state` with its
    marks `start`, `current`, `suspended` and `final`, `transition`, `suspends` for those that do,
    `never` for those that recordings never took, `any-state`, `global` for the transitions from
    there, `back` for where those to `BACK` lead, `runs` for the link between a state and a machine
    in it, and `stub` and `bundle` for the tags of big pictures.

    Raises ValueError for a state or a machine that does not exist, and ImportError if there is no
    Graphviz, see `fsmkit.diagram`.

    >>> from fsmkit import Fsm
    >>> fsm = Fsm("Lamp")
    >>> _ = fsm.add_state("Off").add_transition("PRESS", fsm.add_state("On"))
    >>> to_svg(fsm, direction="LR")[:4]
    '<svg'
    """
    wishes = view("to_svg", options, PictureOptions)
    return drawn(wishes.arranged(wishes.graph(machine)), wishes.theme, wishes.look)


def to_png(machine: Fsm[Any] | FsmGroup, /, **options: Unpack[PictureOptions]) -> bytes:
    r"""Return `machine` as a PNG picture, large enough for print. Otherwise like `to_svg`.

    graphviz-pure brings Latin, Greek and Cyrillic letters. Others are drawn with the fonts of the
    computer; those that it has not are written as their code points, such as `\u5de1`, and there is
    a UserWarning.

    >>> from fsmkit import Fsm
    >>> fsm = Fsm("Lamp")
    >>> _ = fsm.add_state("Off").add_transition("PRESS", fsm.add_state("On"))
    >>> to_png(fsm)[1:4]
    b'PNG'
    """
    wishes = view("to_png", options, PictureOptions)
    return png_of(dot_of(wishes.arranged(wishes.graph(machine)), wishes.theme, wishes.look))


def drawn(graph: Graph, theme: Theme, look: Look | None = None, draw: Draw = svg_of) -> str:
    """Return the model of a picture as SVG; `draw` lays it out."""
    look = look or Look()
    names = ", ".join(cluster.title for cluster in graph)
    svg = finished(draw(dot_of(graph, theme, look)), dict(_tooltips(graph)), names, theme)
    return with_labels_on_top(svg) if look.labels_on_top else svg


def finished(svg: str, tooltips: Mapping[str, str], name: str, theme: Theme) -> str:
    """Return the SVG of Graphviz with a name and tooltips, ready to be embedded in a page.

    `tooltips` maps the ids of parts to texts.
    """
    svg = COMMENT.sub("", svg[svg.index("<svg") :])
    svg = PART.sub(lambda part: part[1] + _words(tooltips.get(unescape(part[2]), "")), svg)
    kind = f"fsmkit-diagram {theme.name}"
    root = f'<svg class="{kind}" role="img" aria-label="{_words(name)}" style="{ROOT_STYLE}"'
    return svg.replace("<svg", root, 1)


def _tooltips(graph: Graph) -> Iterator[tuple[str, str]]:
    for cluster in graph:
        for each in cluster.with_nested():
            yield each.id, "\n".join((each.title, *map(finding_text, each.findings)))
            yield from _tooltips_inside(each)


def _tooltips_inside(cluster: Cluster) -> Iterator[tuple[str, str]]:
    names = {node.id: node.name for node in cluster.nodes}
    bundled = bundled_ways(cluster)
    for node in cluster.nodes:
        yield node.id, "\n".join((*about_state(node), *bundled.get(node.name, ())))
        for inner in node.runs:
            yield edge_id(node.id, inner.id), f"{node.name} runs {inner.title}"
    names |= {cluster.any_state: ANY_STATE, cluster.back: BACK_THERE}
    for tag in cluster.tags:
        yield tag.id, ", ".join(tag.names) or names.get(tag.leads_to, tag.text)
    for edge in cluster.all_edges:
        sources = ", ".join(edge.sources) or names[edge.source]
        yield edge.id, "\n".join(about_edge(edge, f"{sources} → {names[edge.target]}"))


def _words(text: str) -> str:
    return escape("\n".join(map(visible, text.split("\n"))))
