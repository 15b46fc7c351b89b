"""to_mermaid: a picture in the language of Mermaid, which many pages and tools can draw."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final, Unpack

from attrs import evolve

from fsmkit import Fsm, FsmGroup
from fsmkit.diagram import wording
from fsmkit.diagram.graph import Cluster, Edge, EdgeLabel, Graph, GroupFrame, StateNode
from fsmkit.diagram.picture_options import MermaidOptions, PictureLook, view_of
from fsmkit.svg.theme import LIGHT
from fsmkit.terminal.console import printable

INDENT: Final = "\u00a0" * 3
"""Ordinary blanks at the beginning of a line would be lost."""

STYLES: Final = {
    "current": (
        f"fill:{LIGHT.current_card},stroke:{LIGHT.current},stroke-width:3px,color:{LIGHT.ink}"
    ),
    "failure": f"stroke:{LIGHT.error},stroke-width:2px",
    "suspended": f"stroke:{LIGHT.current},stroke-width:2px,stroke-dasharray:5 3",
    "any": "fill:none,stroke-dasharray:4 3,font-style:italic",
}

RESERVED: Final = re.compile(r"(?<![A-Za-z0-9])[_.-]|[_.-](?![A-Za-z0-9])|[!-,/:-@[-^`{-~]")
"""ASCII characters with a meaning in Mermaid or Markdown, at least at the edge of a word."""


def to_mermaid(machine: Fsm[Any] | FsmGroup, /, **options: Unpack[MermaidOptions]) -> str:
    """Return `machine` as a `stateDiagram-v2` of Mermaid, for README files, wikis and notebooks.

    It takes the options of `to_svg` except `dark` and `bundled`.

    >>> from fsmkit import Fsm
    >>> fsm = Fsm("Lamp")
    >>> _ = fsm.add_state("Off").add_transition("PRESS", fsm.add_state("On"))
    >>> print(to_mermaid(fsm), end="")
    stateDiagram-v2
        accTitle: Lamp
        state "Off" as Lamp__Off
        state "On" as Lamp__On
        [*] --> Lamp__Off
        Lamp__Off --> Lamp__On : PRESS
    """
    view = view_of("to_mermaid", options, MermaidOptions)
    return mermaid_of(view.graph(machine), view.look)


def mermaid_of(graph: Graph, look: PictureLook) -> str:
    return "\n".join(_lines(graph, look)) + "\n"


def _lines(graph: Graph, look: PictureLook) -> Iterator[str]:
    yield "stateDiagram-v2"
    if look.direction != "TB":
        yield f"    direction {look.direction}"
    if graph:
        yield f"    accTitle: {', '.join(_escaped(printable(cluster.title)) for cluster in graph)}"
    for cluster in graph:
        yield from _indented(
            _content(cluster, look) if len(graph) == 1 else _machine(cluster, look)
        )
    yield from _indented(_marks(graph))


def _machine(cluster: Cluster, look: PictureLook) -> Iterator[str]:
    yield f"state {_quoted(cluster.title)} as {cluster.id} {{"
    yield from _indented(_content(cluster, look))
    yield "}"


def _content(cluster: Cluster, look: PictureLook) -> Iterator[str]:
    yield from _states(cluster, look)
    if not cluster.nodes:
        yield f'state "{wording.NO_STATES}" as {cluster.id}_empty'
    if cluster.global_edges:
        yield f'state "{wording.ANY_STATE}" as {cluster.any_state}'
    if cluster.leads_back:
        yield f'state "{wording.BACK_THERE}" as {cluster.back}'
    for node in cluster.nodes:
        if node.is_start:
            yield f"[*] --> {node.id}"
        elif node.started_by:
            yield f"[*] --> {node.id} : {_escaped(wording.started_text(node))}"
        own = (edge for edge in cluster.edges if edge.source == node.id)
        yield from (_transition(edge, look) for edge in own)
        if node.is_final:
            yield f"{node.id} --> [*]"
    for edge in cluster.group_edges:
        yield _transition(evolve(edge, source=_source(edge, cluster)), look)
    yield from (_transition(edge, look) for edge in cluster.global_edges)


def _states(cluster: Cluster, look: PictureLook) -> Iterator[str]:
    framed = {id_ for frame in cluster.frames for id_ in frame.inside}
    for node in cluster.nodes:
        if node.id not in framed:
            yield from _state(node, look)
    for frame in cluster.frames:
        yield from _group(frame, cluster, look)


def _group(frame: GroupFrame, cluster: Cluster, look: PictureLook) -> Iterator[str]:
    """Yield a group as a composite state, and the state that arrows into it come from."""
    if frame.inside:
        yield f"state {_quoted(frame.name)} as {frame.id} {{"
        for node in cluster.nodes:
            if node.id in frame.inside:
                yield from _indented(_state(node, look))
        yield "}"
    if frame.tag in _tags(cluster):
        yield f"state {_quoted(wording.any_of(frame.name))} as {frame.tag}"


def _tags(cluster: Cluster) -> list[str]:
    """Return the ids of the states that stand for groups: Mermaid cannot draw an arrow inwards."""
    tags = (_source(edge, cluster) for edge in cluster.group_edges)
    return [tag for tag in dict.fromkeys(tags) if any(tag == each.tag for each in cluster.frames)]


def _source(edge: Edge, cluster: Cluster) -> str:
    """Return the id of the state that an arrow of a group comes from."""
    frame = next(frame for frame in cluster.frames if frame.id == edge.source)
    return frame.tag if frame.tail_of(edge) == frame.tag else frame.id


def _state(node: StateNode, look: PictureLook) -> Iterator[str]:
    """Yield a state with its actions in it, or beside it if it contains machines."""
    opening = f"state {_quoted(node.name)} as {node.id}"
    lines = [*map(_text, (*node.notes, *wording.annotation_lines(node))), *_actions(node)]
    if not node.runs:
        yield opening
        yield from (f"{node.id} : {line}" for line in lines)
        return
    yield f"{opening} {{"
    for inner in node.runs:
        if isinstance(inner, Cluster):
            yield from _indented(_machine(inner, look))
        else:
            yield f"    state {_quoted(f'{inner.title} (see there)')} as {node.id}__{inner.id}"
    yield "}"
    if lines:
        yield f"note right of {node.id} : {'<br/>'.join(lines)}"


def _transition(edge: Edge, look: PictureLook) -> str:
    lines = [line for label in edge.labels for line in _label(label, look)]
    return f"{edge.source} --> {edge.target} : {'<br/>'.join(map(_escaped, lines))}"


def _label(label: EdgeLabel, look: PictureLook) -> Iterator[str]:
    *lines, last = [f"{event}{more}" for event, more in wording.label_lines(label)]
    lines.append(last if label.taken is None else f"{last} ×{label.taken}")
    sign = wording.sign_of(label) if look.senders else ""
    yield f"{sign} {lines[0]}" if sign else lines[0]
    yield from lines[1:]
    yield from map(wording.finding_code, label.findings)


def _actions(node: StateNode) -> Iterator[str]:
    for action in node.actions:
        for head, values in wording.action_text(action, INDENT):
            yield _escaped(f"{head}{values}")


def _marks(graph: Graph) -> Iterator[str]:
    clusters = [each for cluster in graph for each in cluster.with_nested()]
    current = [node.id for cluster in clusters for node in cluster.nodes if node.occupants]
    suspended = [node.id for cluster in clusters for node in cluster.nodes if node.suspended]
    failures = [node.id for cluster in clusters for node in cluster.nodes if node.is_failure]
    none = [cluster.any_state for cluster in clusters if cluster.global_edges]
    none += [cluster.back for cluster in clusters if cluster.leads_back]
    none += [tag for cluster in clusters for tag in _tags(cluster)]
    marked = {"current": current, "failure": failures, "suspended": suspended, "any": none}
    for name, ids in marked.items():
        if ids:
            yield f"classDef {name} {STYLES[name]}"
            yield f"class {','.join(ids)} {name}"


def _quoted(text: str) -> str:
    return f'"{_text(text)}"'


def _text(text: str) -> str:
    return "<br/>".join(map(_escaped, wording.lines_of(text)))


def _escaped(line: str) -> str:
    escaped = RESERVED.sub(lambda sign: f"#{ord(sign[0])};", line)
    return escaped.replace("#36;", "#36;#8203;")  # two dollar signs in a row would begin a formula


def _indented(lines: Iterator[str]) -> Iterator[str]:
    for line in lines:
        yield f"    {line}"
