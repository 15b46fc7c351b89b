"""The labels of a picture in the HTML-like language of DOT."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from typing import Final

from fsmkit.diagram.graph import ActionLine, Edge, Node
from fsmkit.diagram.theme import (
    ACTION_SIZE,
    EVENT_SIZE,
    NAME_SIZE,
    PANEL_SIZE,
    TITLE_SIZE,
    Theme,
)
from fsmkit.diagram.wording import JOINERS, action_text, label_lines, lines_of
from fsmkit.terminal.console import width

KNOWN: Final = "…×"
"""Characters beyond Latin 1 whose width Graphviz knows well enough."""

SHARES: Final = (0.0, 0.58, 1.0)
"""Columns on a terminal -> the width of the letter, as a share of its size."""

INDENT: Final = " " * 5


def state_label(node: Node, theme: Theme) -> str:
    """Return the name of a state, notes, and its actions below a rule."""
    rows = [
        _row(_text(line, NAME_SIZE, theme.ink, bold=True), line, NAME_SIZE)
        for line in lines_of(node.name)
    ]
    for note in node.notes:
        rows += [
            _row(_text(line, ACTION_SIZE, theme.soft), line, ACTION_SIZE) for line in lines_of(note)
        ]
    label = f"<tr><td>{_table(rows, padding=1)}</td></tr>"
    if node.actions:
        actions = [row for action in node.actions for row in _action_rows(action, theme)]
        label += f"<hr/><tr><td>{_table(actions, padding=1)}</td></tr>"
    return f'<table border="0" cellspacing="0" cellpadding="9" color="{theme.line}">{label}</table>'


def machine_label(title: str, theme: Theme, *, outermost: bool) -> str:
    """Return the name of a machine."""
    size = TITLE_SIZE if outermost else PANEL_SIZE
    colour = theme.ink if outermost else theme.soft
    rows = [
        _row(_text(line, size, colour, bold=True), line, size, "left") for line in lines_of(title)
    ]
    return _table(rows, padding=4)


def edge_label(edge: Edge, theme: Theme) -> str:
    """Return the events of an edge, one below the other, with guards and effects."""
    lines = [line for label in edge.labels for line in label_lines(label)]
    if any(details for _, details in lines):
        rows = [_row(_label_line(*line, theme), "".join(line), EVENT_SIZE) for line in lines]
        return _table([f"<tr><td>{_table(rows, padding=1)}</td></tr>"], padding=4)
    texts = "<br/>".join(_text(event, EVENT_SIZE, theme.ink) for event, _ in lines)
    return _table(
        [_row(texts, max((event for event, _ in lines), key=width), EVENT_SIZE)], padding=5
    )


def plain_label(text: str, theme: Theme) -> str:
    """Return a text that is not a name: quiet, in italics."""
    return f"<i>{_text(text, EVENT_SIZE, theme.soft)}</i>"


def _label_line(event: str, details: str, theme: Theme) -> str:
    name = f'<font color="{theme.ink}">{_escaped(event)}</font>' if event else ""
    return _sized(name + _escaped(details) or " ", EVENT_SIZE, theme.soft)


def _action_rows(action: ActionLine, theme: Theme) -> Iterator[str]:
    for head, values in action_text(action, INDENT):
        content = f'<font color="{theme.ink}">{_escaped(head)}</font>{_escaped(values) or " "}'
        yield _row(_sized(content, ACTION_SIZE, theme.soft), head + values, ACTION_SIZE, "left")


def _table(rows: Sequence[str], *, padding: int) -> str:
    return f'<table border="0" cellspacing="0" cellpadding="{padding}">{"".join(rows)}</table>'


def _row(content: str, text: str, size: int, align: str = "center") -> str:
    """Return a row with one cell, with room for `text`.

    Graphviz may not know the width of letters of other scripts, and so could not centre them.
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
    return escape(text).replace("\\", "\\\\")  # otherwise \G would be the name of the graph
