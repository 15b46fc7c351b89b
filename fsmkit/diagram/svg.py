"""to_svg, to_png and show: pictures that Graphviz lays out, with tooltips."""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping
from html import escape, unescape
from typing import Any, Final, Unpack

from attrs import frozen

from fsmkit import Fsm, FsmGroup
from fsmkit.checking import Finding
from fsmkit.diagram.dot import beginning_id
from fsmkit.diagram.geometry import PicturePoint
from fsmkit.diagram.graph import Cluster, Edge, EdgeLabel, Graph, StateNode, edge_id
from fsmkit.diagram.layout import Draw, png_of, svg_of, with_labels_on_top
from fsmkit.diagram.picture_options import PictureLook, PictureOptions, view_of
from fsmkit.diagram.placement import placed
from fsmkit.diagram.text import text_of, to_text
from fsmkit.diagram.wording import ANY_STATE, BACK_THERE, label_line, stay_text
from fsmkit.svg.elements import words
from fsmkit.svg.theme import Theme

WHOLE: Final = sys.maxsize
"""The columns for a text that is not shortened."""

COMMENT: Final = re.compile(r"<!--.*?-->\s*", re.DOTALL)
PART: Final = re.compile(r'(<g id="([^"]*)"[^>]*>\s*<title>)[^<]*')
ROOT_STYLE: Final = "max-width:100%;height:auto"


def to_svg(machine: Fsm[Any] | FsmGroup, /, **options: Unpack[PictureOptions]) -> str:
    """Return `machine` as an SVG picture with tooltips. The options are `PictureOptions`.

    Its elements have the ids of `fsmkit.diagram.graph`, and classes: `machine`, `state` with its
    marks `start`, `current`, `suspended`, `final` and `failure`, `transition`, `suspends` for those
    that do, `failure` for those that only `FAILED` takes, `never` for those that recordings never
    took, `any-state`, `global` for the transitions from there, `back` for where those to `BACK`
    lead, `runs` for the link between a state and a machine in it, `starts` for the arrows to where
    `start=` begins, and `stub` and `bundle` for the tags of big pictures.

    Raises ValueError for a state or a machine that does not exist, and ImportError if there is no
    Graphviz, see `fsmkit.diagram`.

    >>> from fsmkit import Fsm
    >>> fsm = Fsm("Lamp")
    >>> _ = fsm.add_state("Off").add_transition("PRESS", fsm.add_state("On"))
    >>> to_svg(fsm, direction="LR")[:4]
    '<svg'
    """
    view = view_of("to_svg", options, PictureOptions)
    return drawn(view.arranged(view.graph(machine)), view.theme, view.look)


def to_png(machine: Fsm[Any] | FsmGroup, /, **options: Unpack[PictureOptions]) -> bytes:
    r"""Return `machine` as a PNG picture, large enough for print. Otherwise like `to_svg`.

    graphviz-pure brings Latin, Greek and Cyrillic letters. Others are drawn with the fonts of the
    computer; those that it lacks are written as their code points, such as `\u5de1`, with a
    UserWarning.

    >>> from fsmkit import Fsm
    >>> fsm = Fsm("Lamp")
    >>> _ = fsm.add_state("Off").add_transition("PRESS", fsm.add_state("On"))
    >>> to_png(fsm)[1:4]
    b'PNG'
    """
    view = view_of("to_png", options, PictureOptions)
    return png_of(placed(view.arranged(view.graph(machine)), view.theme, view.look, svg_of).dot)


@frozen(repr=False)
class NotebookPicture:
    """A picture that shows itself: as SVG in a notebook, as text elsewhere."""

    svg: str
    text: str

    def _repr_svg_(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        return self.text


def show(machine: Fsm[Any] | FsmGroup, /, **options: Unpack[PictureOptions]) -> NotebookPicture:
    """Return a picture of `machine` as it is now, for the last line of a notebook cell.

    Its `svg` is the picture; printed, it is that of `to_text`. The options are those of `to_svg`.
    Raises ImportError if there is no Graphviz, see `to_svg`.

    >>> from fsmkit import Fsm
    >>> fsm = Fsm("Lamp")
    >>> _ = fsm.add_state("Off").add_transition("PRESS", fsm.add_state("On"))
    >>> show(fsm)
    Lamp
    ├─○ Off  (start)
    │   └─ PRESS ─→ On
    └─○ On
    """
    view = view_of("show", options, PictureOptions)
    graph = view.graph(machine)
    svg = drawn(view.arranged(graph), view.theme, view.look)
    return NotebookPicture(svg, text_of(graph, view.look))


def bundle(machines: Fsm[Any] | FsmGroup) -> dict[str, str]:
    """Return what a notebook shows for machines in the last line of a cell.

    It maps MIME types to contents, for IPython: the picture, or without Graphviz the text of
    `to_text`. A console still shows their `repr`.
    """
    try:
        return {"image/svg+xml": show(machines).svg}
    except ImportError:
        return {"text/html": f"<pre>{escape(to_text(machines))}</pre>"}


def drawn(graph: Graph, theme: Theme, look: PictureLook | None = None, draw: Draw = svg_of) -> str:
    return drawn_with_places(graph, theme, look, draw)[0]


def drawn_with_places(
    graph: Graph, theme: Theme, look: PictureLook | None = None, draw: Draw = svg_of
) -> tuple[str, Mapping[str, PicturePoint]]:
    """Return a picture as SVG, and the places of the states in it, by their ids."""
    look = look or PictureLook()
    names = ", ".join(cluster.title for cluster in graph)
    picture = placed(graph, theme, look, draw)
    svg = finished(picture.svg, dict(_tooltips(graph)), names, theme)
    return with_labels_on_top(svg) if look.labels_on_top else svg, picture.places


def finished(svg: str, tooltips: Mapping[str, str], name: str, theme: Theme) -> str:
    """Return the SVG of Graphviz with a name and tooltips, ready to be embedded in a page.

    `tooltips` maps the ids of parts to texts.
    """
    svg = COMMENT.sub("", svg[svg.index("<svg") :])
    svg = PART.sub(lambda part: part[1] + words(tooltips.get(unescape(part[2]), "")), svg)
    kind = f"fsmkit-diagram {theme.name}"
    root = f'<svg class="{kind}" role="img" aria-label="{words(name)}" style="{ROOT_STYLE}"'
    return svg.replace("<svg", root, 1)


def _tooltips(graph: Graph) -> Iterator[tuple[str, str]]:
    for cluster in graph:
        for each in cluster.with_nested():
            yield each.id, "\n".join((each.title, *map(_finding_text, each.findings)))
            yield from _tooltips_inside(each)


def _tooltips_inside(cluster: Cluster) -> Iterator[tuple[str, str]]:
    names = {node.id: node.name for node in cluster.nodes}
    bundled = _bundled_transitions(cluster)
    for node in cluster.nodes:
        yield node.id, "\n".join((*_about_state(node), *bundled.get(node.name, ())))
        if node.started_by:
            hosts = " and ".join(node.started_by)
            tooltip = f"{cluster.title} may start in {node.name}, by {hosts}"
            yield edge_id(beginning_id(cluster.id), node.id), tooltip
        for inner in node.runs:
            yield edge_id(node.id, inner.id), f"{node.name} runs {inner.title}"
    names |= {cluster.any_state: ANY_STATE, cluster.back: BACK_THERE}
    names |= {frame.id: frame.name for frame in cluster.frames}
    for frame in cluster.frames:
        yield frame.id, f"{frame.name}: {', '.join(frame.states)}"
        yield frame.tag, ", ".join(frame.states)
    for tag in cluster.tags:
        yield tag.id, ", ".join(tag.names) or names.get(tag.leads_to, tag.text)
    for edge in cluster.all_edges:
        sources = ", ".join(edge.sources) or names[edge.source]
        yield edge.id, "\n".join(_about_edge(edge, f"{sources} → {names[edge.target]}"))


def _about_state(node: StateNode) -> Iterator[str]:
    yield node.name
    if node.stay is not None:
        yield stay_text(node.stay)
    yield from map(_finding_text, node.findings)


def _about_edge(edge: Edge, ends: str) -> Iterator[str]:
    yield f"{ends}: {', '.join(label_line(label, WHOLE) for label in edge.labels)}"
    for label in edge.labels:
        if known := ", ".join(_known(label)):
            yield f"{label.event}: {known}"
        yield from map(_finding_text, label.findings)


def _bundled_transitions(cluster: Cluster) -> dict[str, list[str]]:
    """Return for each state the transitions that a bundle shows elsewhere: `LOST → Idle`."""
    names = {node.id: node.name for node in cluster.nodes}
    transitions: defaultdict[str, list[str]] = defaultdict(list)
    for edge in cluster.edges:
        for source in edge.sources:
            labels = ", ".join(label_line(label, WHOLE) for label in edge.labels)
            transitions[source].append(f"{labels} → {names.get(edge.target, BACK_THERE)}")
    return transitions


def _finding_text(finding: Finding) -> str:
    return f"{finding.severity} {finding.code}: {finding.message} {finding.advice}"


def _known(label: EdgeLabel) -> Iterator[str]:
    if label.taken is not None:
        yield f"taken {_times(label.taken)}"
    if label.refused:
        yield f"refused {_times(label.refused)}"
    if label.sent:
        yield from (f"sent {_times(count)} by {who or 'code outside'}" for who, count in label.sent)
    elif label.senders:
        yield f"sent by {' and '.join(label.senders)}"
    elif label.origin == "outside":
        yield "sent from outside"


def _times(count: int) -> str:
    return {0: "never", 1: "once", 2: "twice"}.get(count, f"{count} times")
