"""to_dot: a picture in the DOT language of Graphviz."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from attrs import define

from fsmkit import Fsm, FsmGroup
from fsmkit.diagram.graph import Cluster, Edge, Graph, Node, Reference
from fsmkit.diagram.ids import edge_id
from fsmkit.diagram.labels import edge_label, machine_label, plain_label, state_label
from fsmkit.diagram.reading import read
from fsmkit.diagram.theme import DARK, FONT, LIGHT, Theme
from fsmkit.diagram.wording import ANY_STATE, BACK_THERE, NO_STATES


def to_dot(
    machine: Fsm[Any] | FsmGroup,
    *,
    actions: bool = False,
    dark: bool = False,
    notes: Mapping[str, str] | None = None,
) -> str:
    """Return `machine` in the DOT language of Graphviz, including the colours of the picture.

    `notes` maps names of states to additional lines. Raises ValueError if there is no such state.
    """
    return dot_of(read(machine, actions=actions, notes=notes), DARK if dark else LIGHT)


def dot_of(graph: Graph, theme: Theme) -> str:
    """Return the model of a picture in DOT."""
    return "\n".join(DotWriter(theme).lines(graph)) + "\n"


@define
class DotWriter:
    """Writes the lines of one picture."""

    theme: Theme

    def lines(self, graph: Graph) -> Iterator[str]:
        """Yield all lines, from first to last."""
        theme = self.theme
        yield "digraph fsm {"
        yield "  graph" + _attributes(
            bgcolor=theme.page, pad="0.3", nodesep="0.6", ranksep="0.5", compound="true",
            fontname=FONT, labelloc="t", labeljust="l", penwidth="1.2",
        )  # fmt: skip
        yield "  node" + _attributes(
            shape="box", style="rounded,filled", margin="0,0", height="0.5", penwidth="1.2",
            fontname=FONT, fillcolor=theme.card, color=theme.line,
        )  # fmt: skip
        yield "  edge" + _attributes(
            color=theme.edge, penwidth="1.3", arrowsize="0.75", fontname=FONT,
        )  # fmt: skip
        if len(graph) == 1:
            yield "  graph" + _attributes(
                f"<{machine_label(graph[0].title, theme, outermost=True)}>",
                id=graph[0].id, class_="machine",
            )  # fmt: skip
            yield from _indented(self._content(graph[0], 0))
        else:
            for cluster in graph:
                yield from _indented(self._cluster(cluster, 1, outermost=True))
        yield "}"

    def _cluster(self, cluster: Cluster, depth: int, *, outermost: bool = False) -> Iterator[str]:
        yield f"subgraph {cluster.id} {{"
        yield "  graph" + _attributes(
            f"<{machine_label(cluster.title, self.theme, outermost=outermost)}>",
            id=cluster.id, class_="machine", style="rounded,filled", margin="14",
            color=self.theme.line, fillcolor=self.theme.panel(depth),
        )  # fmt: skip
        yield from _indented(self._content(cluster, depth))
        yield "}"

    def _content(self, cluster: Cluster, depth: int) -> Iterator[str]:
        yield from self._beginning(cluster)
        if cluster.global_edges:
            yield _node(
                cluster.any_state, f"<{plain_label(ANY_STATE, self.theme)}>", class_="any-state",
                style="rounded,dashed", height="0.3", margin="0.12,0.02", color=self.theme.edge,
            )  # fmt: skip
        for node in cluster.nodes:
            yield self._state(node)
        if cluster.leads_back:
            yield _node(
                cluster.back, f"<{plain_label(BACK_THERE, self.theme)}>", class_="back",
                style="rounded,dashed", height="0.3", margin="0.12,0.02", color=self.theme.edge,
            )  # fmt: skip
        for edge in cluster.edges:
            yield self._edge(edge, "transition")
        for edge in cluster.global_edges:
            yield self._edge(edge, "transition global", style="dashed")
        for node in cluster.nodes:
            for inner in node.runs:
                if isinstance(inner, Cluster):
                    yield from self._cluster(inner, depth + 1)
                yield self._run(node, inner)

    def _beginning(self, cluster: Cluster) -> Iterator[str]:
        """Yield the dot that leads to the start state; links from outside end there as well."""
        theme, beginning = self.theme, _beginning_id(cluster.id)
        if not cluster.nodes:
            yield _node(beginning, f"<{plain_label(NO_STATES, theme)}>", shape="plain", style="")
            return
        yield _node(
            beginning, '""', class_="beginning", shape="circle", width="0.13", height="0.13",
            fillcolor=theme.start, color=theme.start,
        )  # fmt: skip
        start = cluster.nodes[0].id
        yield f'"{beginning}" -> "{start}"' + _attributes(
            id=edge_id(beginning, start), class_="beginning", color=theme.start, weight="5"
        )

    def _state(self, node: Node) -> str:
        theme = self.theme
        attributes: dict[str, str] = {}
        if node.is_final:
            attributes |= {"peripheries": "2", "color": theme.final}
        if node.occupants:
            attributes |= {
                "color": theme.current,
                "fillcolor": theme.current_card,
                "penwidth": "2.2",
            }
        elif node.suspended:
            attributes |= {"color": theme.current, "style": "rounded,filled,dashed"}
        classes = " ".join(("state", *node.marks))
        return _node(node.id, f"<{state_label(node, theme)}>", class_=classes, **attributes)

    def _edge(self, edge: Edge, kind: str, **attributes: str) -> str:
        if edge.suspends:
            kind += " suspends"
            attributes |= {"style": "dashed", "dir": "both", "arrowtail": "odot"}
        return f'"{edge.source}" -> "{edge.target}"' + _attributes(
            f"<{edge_label(edge, self.theme)}>", id=edge.id, class_=kind, **attributes
        )

    def _run(self, node: Node, inner: Cluster | Reference) -> str:
        """Return the link from a state to a machine that it runs."""
        beginning = _beginning_id(inner.id)
        return f'"{node.id}" -> "{beginning}"' + _attributes(
            id=edge_id(node.id, inner.id), class_="runs", lhead=inner.id, style="dotted",
            arrowhead="odot", arrowsize="0.6", penwidth="1.6",
        )  # fmt: skip


def _beginning_id(cluster_id: str) -> str:
    return f"{cluster_id}-beginning"


def _node(id_: str, label: str, **attributes: str) -> str:
    return f'"{id_}"' + _attributes(label, id=id_, **attributes)


def _attributes(label: str = "", **attributes: str) -> str:
    """Return attributes in brackets. A label is written as it is, in quotes or as `<HTML>`."""
    written = [f'{name.rstrip("_")}="{value}"' for name, value in attributes.items()]
    if label:
        written.append(f"label={label}")
    return f" [{' '.join(written)}]"


def _indented(lines: Iterator[str]) -> Iterator[str]:
    for line in lines:
        yield f"  {line}"
