"""to_dot: a picture in the DOT language of Graphviz."""

from __future__ import annotations

from collections.abc import Iterator
from math import log1p, log10
from typing import Any, Final, Unpack

from attrs import define, evolve, field

from fsmkit import Fsm, FsmGroup
from fsmkit.diagram.arrangement import MANY_ARROWS, drawn_ends
from fsmkit.diagram.graph import (
    Cluster,
    Edge,
    Graph,
    GroupFrame,
    Reference,
    StateNode,
    clusters_of,
    edge_id,
)
from fsmkit.diagram.labels import edge_label, frame_label, machine_label, plain_label, state_label
from fsmkit.diagram.picture_options import PictureLook, PictureOptions, view_of
from fsmkit.diagram.wording import ANY_STATE, BACK_THERE, NO_STATES, any_of
from fsmkit.svg.theme import Theme

FONT: Final = "Helvetica"
"""Graphviz knows the width of its letters. Arial and Liberation Sans, which replace it where it is
missing, have the same widths."""

PENWIDTH: Final = 1.3
MAX_PENWIDTH: Final = 4.5
"""The width of the thickest arrow, which was taken some hundred times."""

TENFOLD: Final = 1.4
"""The growth of the thickest arrow for each factor of ten."""

BOUNDS: Final = {"nslimit": "2", "nslimit1": "2", "mclimit": "0.5"}
"""Bounds on the work for a big picture: rounds for each state, not seconds."""

MOST_LAYERED: Final = 150
"""A picture with more arrows, none of them shortened, is a cloud: layers might take minutes."""

CLOUD: Final = {
    "layout": "fdp", "overlap": "prism", "splines": "line", "K": "2", "sep": "+24",
    "outputorder": "edgesfirst",
}  # fmt: skip
"""States that are held together by straight arrows, as by springs."""

COMPACT: Final = {
    "graph": {"pad": "0.12", "nodesep": "0.2", "ranksep": "0.17"},
    "node": {"height": "0.36"},
    "edge": {"arrowsize": "0.65"},
}


def to_dot(machine: Fsm[Any] | FsmGroup, /, **options: Unpack[PictureOptions]) -> str:
    """Return `machine` in the DOT language of Graphviz, including the colours of the picture.

    This is what Graphviz lays out for `to_svg`, and it takes the same options.

    >>> from fsmkit import Fsm
    >>> fsm = Fsm("Lamp")
    >>> _ = fsm.add_state("Off").add_transition("PRESS", fsm.add_state("On"))
    >>> to_dot(fsm)[:7]
    'digraph'
    """
    view = view_of("to_dot", options, PictureOptions)
    return dot_of(view.arranged(view.graph(machine)), view.theme, view.look)


def dot_of(graph: Graph, theme: Theme, look: PictureLook | None = None) -> str:
    return "\n".join(DotWriter(theme, look or PictureLook()).lines(graph)) + "\n"


@define
class DotWriter:
    theme: Theme
    look: PictureLook
    _most: int = field(default=0, init=False)
    """The largest number of times that an arrow was taken."""
    _is_arranged: bool = field(default=False, init=False)
    """True if arrows have been shortened."""

    def lines(self, graph: Graph) -> Iterator[str]:
        theme = self.theme
        edges = [edge for cluster in clusters_of(graph) for edge in cluster.all_edges]
        self._most = max((edge.taken or 0 for edge in edges), default=0)
        self._is_arranged = any(cluster.tags for cluster in clusters_of(graph))
        yield from first_lines(theme)
        yield from self._layout(len(edges))
        if any(node.place for cluster in clusters_of(graph) for node in cluster.nodes):
            yield "  graph" + bracketed(inputscale="72")
        if len(graph) == 1:
            title = f"<{machine_label(graph[0], theme, outermost=True)}>"
            yield "  graph" + bracketed(
                "" if self.look.is_compact else title, id=graph[0].id, class_="machine"
            )
            yield from _indented(self._content(graph[0], 0))
        else:
            for cluster in graph:
                yield from _indented(self._cluster(cluster, 1, outermost=True))
        yield "}"

    def _cluster(self, cluster: Cluster, depth: int, *, outermost: bool = False) -> Iterator[str]:
        yield f"subgraph {cluster.id} {{"
        yield "  graph" + bracketed(
            f"<{machine_label(cluster, self.theme, outermost=outermost)}>",
            id=cluster.id, class_="machine", style="rounded,filled", margin="14",
            color=self.theme.line, fillcolor=self.theme.paper(depth),
        )  # fmt: skip
        yield from _indented(self._content(cluster, depth))
        yield "}"

    def _content(self, cluster: Cluster, depth: int) -> Iterator[str]:
        yield from self._beginning(cluster)
        if any(not edge.tail for edge in cluster.global_edges):
            yield self._small_node(cluster.any_state, ANY_STATE, "any-state")
        yield from self._states(cluster)
        if any(edge.target == cluster.back and not edge.head for edge in cluster.all_edges):
            yield self._small_node(cluster.back, BACK_THERE, "back")
        for tag in cluster.tags:
            yield self._small_node(tag.id, tag.text, tag.kind)
        paper = self.theme.paper(depth)
        for edge in cluster.edges:
            yield self._edge(edge, "", paper, "transition")
        frames = {frame.id: frame for frame in cluster.frames}
        for edge in cluster.group_edges:
            yield self._edge(*_out_of(frames[edge.source], edge), paper, "transition grouped")
        for edge in cluster.global_edges:
            yield self._edge(edge, "", paper, "transition global", style="dashed")
        for node in cluster.nodes:
            for inner in node.runs:
                if isinstance(inner, Cluster):
                    yield from self._cluster(inner, depth + 1)
                yield self._run(node, inner)

    def _states(self, cluster: Cluster) -> Iterator[str]:
        framed = {id_ for frame in cluster.frames for id_ in frame.inside}
        yield from (self._state(node) for node in cluster.nodes if node.id not in framed)
        for frame in cluster.frames:
            yield from self._frame(frame, cluster)

    def _frame(self, frame: GroupFrame, cluster: Cluster) -> Iterator[str]:
        """Yield a group of states around those that it has, and the tag that its arrows need."""
        edges = [edge for edge in cluster.group_edges if edge.source == frame.id]
        tags = []
        if any(frame.tail_of(edge) == frame.tag for edge in edges):
            tags.append(self._small_node(frame.tag, any_of(frame.name), "any-state"))
        if not frame.inside:
            yield from tags
        else:
            yield f"subgraph {frame.id} {{"
            yield "  graph" + bracketed(
                f"<{frame_label(frame.name, self.theme)}>",
                id=frame.id, class_="group", style="rounded,dashed", margin="12",
                color=self.theme.edge,
            )  # fmt: skip
            inside = (node for node in cluster.nodes if node.id in frame.inside)
            yield from _indented(iter([*map(self._state, inside), *tags]))
            yield "}"

    def _beginning(self, cluster: Cluster) -> Iterator[str]:
        """Yield the dot that leads to the start state; links from outside end there as well."""
        theme, beginning = self.theme, beginning_id(cluster.id)
        if not cluster.nodes:
            yield _node(beginning, f"<{plain_label(NO_STATES, theme)}>", shape="plain", style="")
            return
        if not cluster.start:
            return
        yield _node(
            beginning, '""', class_="beginning", shape="circle", width="0.13", height="0.13",
            fillcolor=theme.start, color=theme.start,
        )  # fmt: skip
        yield f'"{beginning}" -> "{cluster.start}"' + bracketed(
            id=edge_id(beginning, cluster.start), class_="beginning", color=theme.start, weight="5"
        )
        for node in cluster.nodes:
            if node.started_by and not node.is_start:
                yield f'"{beginning}" -> "{node.id}"' + bracketed(
                    id=edge_id(beginning, node.id), class_="starts", color=theme.start,
                    style="dotted", penwidth="1.6",
                )  # fmt: skip

    def _state(self, node: StateNode) -> str:
        theme = self.theme
        attributes: dict[str, str] = {}
        if node.is_final:
            colour = theme.error if node.is_failure else theme.final
            attributes |= {"peripheries": "2", "color": colour}
        if node.occupants:
            fill = {"fillcolor": theme.current_card, "penwidth": "2.2"}
            attributes |= {"color": theme.current, **fill}
        elif node.suspended:
            attributes |= {"color": theme.current, "style": "rounded,filled,dashed"}
        if node.place is not None:
            x, y = node.place
            attributes["pos"] = f"{x:g},{-y:g}!"  # for `neato`, whose y leads up
        classes = " ".join(("state", *node.marks))
        return _node(node.id, f"<{state_label(node, theme)}>", class_=classes, **attributes)

    def _small_node(self, id_: str, text: str, kind: str) -> str:
        return _node(
            id_, f"<{plain_label(text, self.theme)}>", class_=kind,
            style="rounded" if kind == "stub" else "rounded,dashed",
            height="0.3", margin="0.12,0.02", color=self.theme.edge,
        )  # fmt: skip

    def _edge(self, edge: Edge, frame: str, paper: str, kind: str, **attributes: str) -> str:
        """Return an arrow; one that comes out of a frame begins at it."""
        if frame:
            attributes["ltail"] = frame
        if edge.suspends:
            kind += " suspends"
            attributes |= {"style": "dashed", "dir": "both", "arrowtail": "odot"}
        if edge.is_for_failures:
            kind += " failure"
            attributes["color"] = self.theme.error
        if edge.taken is not None:
            kind += "" if edge.taken else " never"
            attributes |= self._weight(edge.taken)
        if edge.id == self.look.taken:
            attributes |= {"color": self.theme.current, "penwidth": f"{2 * PENWIDTH}"}
        tail, head = drawn_ends(edge)
        label = ""
        if not self.look.is_compact:
            label = f"<{edge_label(edge, self.theme, paper, senders=self.look.senders)}>"
        return f'"{tail}" -> "{head}"' + bracketed(label, id=edge.id, class_=kind, **attributes)

    def _weight(self, taken: int) -> dict[str, str]:
        if not taken:
            return {"color": self.theme.line}
        thickest = min(MAX_PENWIDTH, PENWIDTH + TENFOLD * log10(self._most))
        share = log1p(taken) / log1p(self._most)
        return {"penwidth": f"{PENWIDTH + (thickest - PENWIDTH) * share:.1f}"}

    def _layout(self, arrows: int) -> Iterator[str]:
        if self.look.direction != "TB":
            yield "  graph" + bracketed(rankdir=self.look.direction)
        if self.look.is_compact:
            yield from (f"  {part}{bracketed(**look)}" for part, look in COMPACT.items())
        if arrows > MANY_ARROWS:
            yield "  graph" + bracketed(**BOUNDS)
        if arrows > MOST_LAYERED and not self._is_arranged:
            yield "  graph" + bracketed(**CLOUD)

    def _run(self, node: StateNode, inner: Cluster | Reference) -> str:
        beginning = beginning_id(inner.id)
        return f'"{node.id}" -> "{beginning}"' + bracketed(
            id=edge_id(node.id, inner.id), class_="runs", lhead=inner.id, style="dotted",
            arrowhead="odot", arrowsize="0.6", penwidth="1.6",
        )  # fmt: skip


def first_lines(theme: Theme) -> Iterator[str]:
    yield "digraph fsm {"
    yield "  graph" + bracketed(
        bgcolor=theme.page, pad="0.3", nodesep="0.6", ranksep="0.5", compound="true",
        fontname=FONT, labelloc="t", labeljust="l", penwidth="1.2",
    )  # fmt: skip
    yield "  node" + bracketed(
        shape="box", style="rounded,filled", margin="0,0", height="0.5", penwidth="1.2",
        fontname=FONT, fillcolor=theme.card, color=theme.line,
    )  # fmt: skip
    yield "  edge" + bracketed(
        color=theme.edge, penwidth=f"{PENWIDTH}", arrowsize="0.75", fontname=FONT,
    )  # fmt: skip


def _out_of(frame: GroupFrame, edge: Edge) -> tuple[Edge, str]:
    """Return an arrow of a group with the node that it is drawn from, and its frame if it is one.

    The arrow begins at the frame, but Graphviz needs a node inside.
    """
    tail = frame.tail_of(edge)
    return evolve(edge, tail=tail), frame.id if tail in frame.inside else ""


def beginning_id(cluster_id: str) -> str:
    return f"{cluster_id}-beginning"


def _node(id_: str, label: str, **attributes: str) -> str:
    return f'"{id_}"' + bracketed(label, id=id_, **attributes)


def bracketed(label: str = "", **attributes: str) -> str:
    """Return attributes in brackets. A label is written as it is, in quotes or as `<HTML>`."""
    written = [f'{name.rstrip("_")}="{value}"' for name, value in attributes.items()]
    if label:
        written.append(f"label={label}")
    return f" [{' '.join(written)}]"


def _indented(lines: Iterator[str]) -> Iterator[str]:
    for line in lines:
        yield f"  {line}"
