"""to_text: a picture made of characters, for the terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final, Unpack

from fsmkit import Fsm, FsmGroup
from fsmkit.diagram import wording
from fsmkit.diagram.graph import Cluster, Edge, Graph, GroupFrame, StateNode
from fsmkit.diagram.picture_options import PictureLook, TextOptions, view_of
from fsmkit.terminal.console import printable, width

ASCII: Final = str.maketrans("─│├└→○◐●×…►•·", "-|++>o@*x.>*-")
"""ASCII replacements for the characters of a picture, for `str.translate`."""

INDENT: Final = "  "


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


def text_of(graph: Graph, look: PictureLook) -> str:
    return "\n\n".join("\n".join(_machine(cluster, look)) for cluster in graph)


def _machine(cluster: Cluster, look: PictureLook) -> Iterator[str]:
    names = {node.id: wording.one_line(node.name) for node in cluster.nodes}
    names[cluster.back] = f"({wording.BACK_THERE})"
    branches = [list(_state(node, cluster, names, look)) for node in cluster.nodes]
    for frame in cluster.frames:
        own = [edge for edge in cluster.group_edges if edge.source == frame.id]
        branches.append([*_group(frame, _tree(_transitions(own, names, look)))])
    if cluster.global_edges:
        global_ones = _tree(_transitions(cluster.global_edges, names, look))
        branches.append([f" {wording.ANY_STATE}", *(f"{INDENT}{line}" for line in global_ones)])
    yield printable(cluster.title)
    yield from cluster.captions
    yield from map(wording.finding_code, cluster.findings)
    yield from _tree(branches or [[f" {wording.NO_STATES}"]])


def _group(frame: GroupFrame, transitions: Iterator[str]) -> Iterator[str]:
    """Yield a group with its states, then its transitions."""
    members = ", ".join(map(wording.one_line, frame.states)) or "no states"
    yield f" {wording.any_of(frame.name)}: {members}"
    yield from (f"{INDENT}{line}" for line in transitions)


def _state(
    node: StateNode, cluster: Cluster, names: dict[str, str], look: PictureLook
) -> Iterator[str]:
    shown = [*node.marks, *filter(None, [wording.started_text(node)])]
    marks = f"  ({', '.join(shown)})" if shown else ""
    sign = "●" if node.occupants else "◐" if node.suspended else "○"
    yield f"{sign} {names[node.id]}{marks}"
    edges = [edge for edge in cluster.edges if edge.source == node.id]
    branches = _transitions(edges, names, look)
    for inner in node.runs:
        if isinstance(inner, Cluster):
            title, *lines = _machine(inner, look)
            branches.append([f" runs {title}", *(f"{INDENT}{line}" for line in lines)])
        else:
            branches.append([f" runs {printable(inner.title)}, see there"])
    rail = "│ " if branches else INDENT
    for line in (*node.notes, *wording.annotation_lines(node)):
        yield f"{INDENT}{rail}{printable(line)}"
    for action in node.actions:
        yield from (
            f"{INDENT}{rail}{head}{values}" for head, values in wording.action_text(action, INDENT)
        )
    yield from (f"{INDENT}{line}" for line in _tree(branches))


def _transitions(
    edges: Sequence[Edge], names: dict[str, str], look: PictureLook
) -> list[list[str]]:
    lines = [(text, names[target]) for text, target in _labelled(edges, look)]
    columns = max((width(text) for text, _ in lines), default=0)
    return [[f" {text} {'─' * (columns - width(text))}─→ {target}"] for text, target in lines]


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


def _tree(branches: Sequence[Sequence[str]]) -> Iterator[str]:
    for number, (first, *others) in enumerate(branches, start=1):
        is_last = number == len(branches)
        yield f"{'└' if is_last else '├'}─{first}"
        yield from (f"{' ' if is_last else '│'} {line}".rstrip() for line in others)
