"""The texts of a picture in the HTML-like language of DOT."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from typing import Final

from fsmkit.diagram.graph import ActionLine, Edge, Node
from fsmkit.diagram.look import (
    ACTION_SIZE,
    EVENT_SIZE,
    NAME_SIZE,
    PANEL_SIZE,
    TITLE_SIZE,
    Look,
)
from fsmkit.diagram.wording import JOINERS, action_text, lines_of
from fsmkit.terminal.console import width

KNOWN: Final = "…×"
"""Signs beyond Latin 1 that are measured well enough."""

SHARES: Final = (0.0, 0.58, 1.0)
"""The width of a letter that takes so many columns on a terminal, as a share of its size."""

INDENT: Final = " " * 5


def state_label(node: Node, look: Look) -> str:
    """The name of a state, notes, and its actions below a rule."""
    rows = [
        _row(_text(line, NAME_SIZE, look.ink, bold=True), line, NAME_SIZE)
        for line in lines_of(node.name)
    ]
    for note in node.notes:
        rows += [
            _row(_text(line, ACTION_SIZE, look.soft), line, ACTION_SIZE) for line in lines_of(note)
        ]
    label = f"<tr><td>{_table(rows, padding=1)}</td></tr>"
    if node.actions:
        actions = [row for action in node.actions for row in _action_rows(action, look)]
        label += f"<hr/><tr><td>{_table(actions, padding=1)}</td></tr>"
    return f'<table border="0" cellspacing="0" cellpadding="9" color="{look.line}">{label}</table>'


def machine_label(title: str, look: Look, *, outermost: bool) -> str:
    """The name of a machine."""
    size = TITLE_SIZE if outermost else PANEL_SIZE
    colour = look.ink if outermost else look.soft
    rows = [
        _row(_text(line, size, colour, bold=True), line, size, "left") for line in lines_of(title)
    ]
    return _table(rows, padding=4)


def edge_label(edge: Edge, look: Look) -> str:
    """The events of an edge, one below the other."""
    lines = [line for event in edge.events for line in lines_of(event)]
    texts = "<br/>".join(_text(line, EVENT_SIZE, look.ink) for line in lines)
    return _table([_row(texts, max(lines, key=width), EVENT_SIZE)], padding=5)


def plain_label(text: str, look: Look) -> str:
    """What is no name: quiet, in italics."""
    return f"<i>{_text(text, EVENT_SIZE, look.soft)}</i>"


def _action_rows(action: ActionLine, look: Look) -> Iterator[str]:
    for head, values in action_text(action, INDENT):
        content = f'<font color="{look.ink}">{_escaped(head)}</font>{_escaped(values) or " "}'
        yield _row(_sized(content, ACTION_SIZE, look.soft), head + values, ACTION_SIZE, "left")


def _table(rows: Sequence[str], *, padding: int) -> str:
    return f'<table border="0" cellspacing="0" cellpadding="{padding}">{"".join(rows)}</table>'


def _row(content: str, text: str, size: int, align: str = "center") -> str:
    """A cell of its own, with room for `text`.

    Graphviz may not know how wide letters of other scripts are, and so not where the middle is.
    """
    if all(letter <= "ÿ" or letter in KNOWN for letter in text):
        return f'<tr><td align="{align}">{content}</td></tr>'
    room = sum(SHARES[width(letter)] for letter in text if letter not in JOINERS) * size
    return f'<tr><td align="left" balign="left" width="{room:.0f}">{content}</td></tr>'


def _text(text: str, size: int, colour: str, *, bold: bool = False) -> str:
    content = _escaped(text) or " "
    return _sized(f"<b>{content}</b>" if bold else content, size, colour)


def _sized(content: str, size: int, colour: str) -> str:
    return f'<font point-size="{size}" color="{colour}">{content}</font>'


def _escaped(text: str) -> str:
    return escape(text).replace("\\", "\\\\")  # or \G would be the name of the graph
