"""to_text: a picture made of characters, for the terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import Any, Final, Unpack

from fsmkit import Fsm, FsmGroup
from fsmkit.diagram import wording
from fsmkit.diagram.graph import Cluster, Edge, Graph, GroupFrame, StateNode
from fsmkit.diagram.picture_options import PictureLook, TextOptions, view_of
from fsmkit.terminal.console import printable, width, wrapped

ASCII: Final = str.maketrans("─│├└→○◐●×…►•·", "-|++>o@*x.>*-")
"""ASCII replacements for the characters of a picture, for `str.translate`."""

INDENT: Final = "  "
RAIL: Final = "│ "


def to_text(machine: Fsm[Any] | FsmGroup, /, **options: Unpack[TextOptions]) -> str:
    """Return `machine` as a tree of states, each with its outgoing events.

    It takes the options of `to_svg` that are not about its looks.

    >>> from fsmkit import Fsm
    >>> fsm = Fsm("Lamp")
    >>> _ = fsm.add_state("Off").add_transition("PRESS", fsm.add_state("On"))
    >>> fsm.start()
    >>> print(to_text(fsm))
    Lamp
    ├─● Off  (start, current)
    │   └─ PRESS ─→ On
    └─○ On
    """
    view = view_of("to_text", options, TextOptions)
    return text_of(view.graph(machine), view.look)


def text_of(graph: Graph, look: PictureLook, columns: int = sys.maxsize) -> str:
    """Return the text of a graph; a line that does not fit into the columns goes on below."""
    return "\n\n".join("\n".join(_machine(cluster, look, columns)) for cluster in graph)


def _machine(cluster: Cluster, look: PictureLook, room: int) -> Iterator[str]:
    names = {node.id: wording.one_line(node.name) for node in cluster.nodes}
    names[cluster.back] = f"({wording.BACK_THERE})"
    inside = room - len(RAIL)
    deeper = inside - len(INDENT) - len(RAIL)
    branches = [list(_state(node, cluster, names, look, inside)) for node in cluster.nodes]
    for frame in cluster.frames:
        own = [edge for edge in cluster.group_edges if edge.source == frame.id]
        transitions = [*tree(_transitions(own, names, look, deeper))]
        branches.append([*_group(frame, transitions, inside)])
    if cluster.global_edges:
        global_ones = tree(_transitions(cluster.global_edges, names, look, deeper))
        branches.append([f" {wording.ANY_STATE}", *(f"{INDENT}{line}" for line in global_ones)])
    yield from fitted(printable(cluster.title), room)
    for line in (*cluster.captions, *map(wording.finding_code, cluster.findings)):
        yield from fitted(line, room)
    yield from tree(branches or [[f" {wording.NO_STATES}"]])


def _group(frame: GroupFrame, transitions: list[str], room: int) -> Iterator[str]:
    """Yield a group with its states, then its transitions."""
    members = ", ".join(map(wording.one_line, frame.states)) or "no states"
    rail = f"{INDENT}{RAIL}" if transitions else INDENT * 2
    yield from fitted(f" {wording.any_of(frame.name)}: {members}", room, rail)
    yield from (f"{INDENT}{line}" for line in transitions)


def _state(
    node: StateNode, cluster: Cluster, names: dict[str, str], look: PictureLook, room: int
) -> Iterator[str]:
    shown = [*node.marks, *filter(None, [wording.started_text(node)])]
    marks = f"  ({', '.join(shown)})" if shown else ""
    sign = "●" if node.occupants else "◐" if node.suspended else "○"
    inside = room - len(INDENT) - len(RAIL)
    edges = [edge for edge in cluster.edges if edge.source == node.id]
    branches = _transitions(edges, names, look, inside)
    for inner in node.runs:
        if isinstance(inner, Cluster):
            title, *lines = _machine(inner, look, inside - len(INDENT))
            branches.append([f" runs {title}", *(f"{INDENT}{line}" for line in lines)])
        else:
            branches.append([*fitted(f" runs {printable(inner.title)}, see there", inside)])
    rail = f"{INDENT}{RAIL if branches else INDENT}"
    yield from fitted(f"{sign} {names[node.id]}{marks}", room, f"{rail}{INDENT}")
    for line in (*node.notes, *wording.annotation_lines(node)):
        yield from (f"{rail}{part}" for part in fitted(printable(line), inside))
    for action in node.actions:
        for head, values in wording.action_text(action, INDENT):
            yield from (f"{rail}{part}" for part in fitted(f"{head}{values}", inside))
    yield from (f"{INDENT}{line}" for line in tree(branches))


def _transitions(
    edges: Sequence[Edge], names: dict[str, str], look: PictureLook, room: int
) -> list[list[str]]:
    lines = [(text, names[target]) for text, target in _labelled(edges, look)]
    fitting = [text for text, target in lines if width(f" {text} ─→ {target}") <= room]
    columns = max(map(width, fitting), default=0)
    return [[*_transition(text, target, columns, room)] for text, target in lines]


def _transition(text: str, target: str, columns: int, room: int) -> Iterator[str]:
    """Yield a transition: its arrow begins in the same column as others, if there is room."""
    line = f" {text} {'─' * (columns - width(text))}─→ {target}"
    if width(line) > room:
        line = f" {text} ─→ {target}"
    yield from fitted(line, room, INDENT * 2)


def fitted(text: str, room: int, indent: str = INDENT) -> Iterator[str]:
    """Yield the line, or several, the others with an indent."""
    if width(text) <= room:
        yield text
        return
    content = text.lstrip()
    begin = " " * (len(text) - len(content))
    first, *others = wrapped(content, room - len(begin) - len(indent))
    yield begin + first
    yield from (f"{indent}{begin}{line}" for line in others)


def _labelled(edges: Sequence[Edge], look: PictureLook) -> Iterator[tuple[str, str]]:
    """Yield a line for each target with the events that just lead there, and one for each other.

    Transitions for the same event follow each other, in the order in which they are asked.
    """
    others = [(label, edge.target) for edge in edges for label in edge.labels if not label.is_plain]
    for edge in edges:
        plain = [
            wording.annotated_line(each, senders=look.senders)
            for each in edge.labels
            if each.is_plain
        ]
        if plain:
            yield ", ".join(plain), edge.target
        for event in dict.fromkeys(label.event for label in edge.labels if not label.is_plain):
            same = [pair for pair in others if pair[0].event == event]
            others = [pair for pair in others if pair[0].event != event]
            for label, target in sorted(same, key=lambda pair: pair[0].place):
                yield wording.annotated_line(label, senders=look.senders), target


def tree(branches: Sequence[Sequence[str]]) -> Iterator[str]:
    for number, (first, *others) in enumerate(branches, start=1):
        is_last = number == len(branches)
        yield f"{'└' if is_last else '├'}─{first}"
        yield from (f"{' ' if is_last else '│'} {line}".rstrip() for line in others)
