"""The labels of a picture in the HTML-like language of DOT."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from typing import Final

from fsmkit.checking import Finding
from fsmkit.diagram.graph import ActionLine, Cluster, Edge, Label, Node
from fsmkit.diagram.theme import (
    ACTION_SIZE,
    EVENT_SIZE,
    NAME_SIZE,
    PANEL_SIZE,
    TITLE_SIZE,
    Theme,
)
from fsmkit.diagram.wording import (
    FOUND,
    JOINERS,
    NEVER_ENTERED,
    action_text,
    label_lines,
    lines_of,
    sign_of,
    stay_text,
    visible,
)
from fsmkit.terminal.console import width

KNOWN: Final = "…×●→"
"""Characters beyond Latin 1 whose width Graphviz knows well enough."""

SHARES: Final = (0.0, 0.58, 1.0)
"""Columns on a terminal -> the width of the letter, as a share of its size."""

WIDE_SHARES: Final = (0.0, 0.7, 1.0)
"""The same in a wide font."""

LINE_HEIGHT: Final = 1.2
"""Times the size of the letters."""

FIXED_AREA: Final = ' cellborder="0" fixedsize="true"'
"""Of a text whose width Graphviz does not know, so that it is centred by the width given."""

INDENT: Final = " " * 5

BAR_WIDTH: Final = 80
"""Points."""


def state_label(node: Node, theme: Theme) -> str:
    """Return the name of a state, notes, what is known about it, and its actions below a rule."""
    ink = theme.edge if _is_never_entered(node) else theme.ink
    rows = [
        _row(_text(line, NAME_SIZE, ink, bold=True), line, NAME_SIZE)
        for line in lines_of(node.name)
    ]
    quiet = [line for note in node.notes for line in lines_of(note)]
    if node.stay is not None:
        quiet.append(stay_text(node.stay))
    rows += [_row(_text(line, ACTION_SIZE, theme.soft), line, ACTION_SIZE) for line in quiet]
    if node.stay is not None and node.stay.share:
        rows.append(_share_bar(node.stay.share, theme))
    rows += _finding_rows(node.findings, theme, events=True)
    label = f"<tr><td>{_table(rows, padding=1)}</td></tr>"
    if node.actions:
        actions = [row for action in node.actions for row in _action_rows(action, theme)]
        label += f"<hr/><tr><td>{_table(actions, padding=1)}</td></tr>"
    return f'<table border="0" cellspacing="0" cellpadding="9" color="{theme.line}">{label}</table>'


def machine_label(cluster: Cluster, theme: Theme, *, outermost: bool) -> str:
    """Return the name of a machine, what was found about it, and captions."""
    size = TITLE_SIZE if outermost else PANEL_SIZE
    colour = theme.ink if outermost else theme.soft
    rows = [
        _row(_text(line, size, colour, bold=True), line, size, "left")
        for line in lines_of(cluster.title)
    ]
    quiet = [*_finding_rows(cluster.findings, theme, "left", events=True)]
    quiet += [
        _row(_text(line, ACTION_SIZE, theme.soft), line, ACTION_SIZE, "left")
        for line in cluster.captions
    ]
    if quiet:
        rows.append(f'<tr><td align="left">{_table(quiet, padding=1)}</td></tr>')
    return _table(rows, padding=4)


def edge_label(edge: Edge, theme: Theme, paper: str, *, senders: bool = False) -> str:
    """Return the events of an edge, one below the other, with all that is known about them.

    It has `paper` behind it, so that it can be read where it lies on other arrows.
    """
    rows = [row for label in edge.labels for row in _label_rows(label, theme, senders=senders)]
    inner = _table(rows, padding=1, paper=paper)
    return _table([f"<tr><td>{inner}</td></tr>"], padding=3)


def _label_rows(label: Label, theme: Theme, *, senders: bool) -> Iterator[str]:
    """Yield its lines: the event in ink, the rest quiet; all of one that was never taken."""
    sign = f"{sign_of(label)} " if senders and sign_of(label) else ""
    ink, soft = (theme.edge,) * 2 if label.taken == 0 else (theme.ink, theme.soft)
    *lines, last = label_lines(label)
    count = f" ×{label.taken}" if label.taken else ""
    for event, details in (*lines, (last[0], last[1] + count)):
        content = _escaped(sign) + _coloured(event, ink) + _escaped(details)
        text = f"{sign}{event}{details}"
        yield _row(_sized(content or " ", EVENT_SIZE, soft), text, EVENT_SIZE)
        sign = ""
    yield from _finding_rows(label.findings, theme)


def _finding_rows(
    findings: Iterable[Finding], theme: Theme, align: str = "center", *, events: bool = False
) -> Iterator[str]:
    """Yield a row for each code, with a dot in the colour of its severity."""
    counts = Counter(
        (each.severity, each.code, each.place.event if events else None) for each in findings
    )
    for (severity, code, event), count in counts.items():
        about = f" {visible(event)}" if event is not None else ""
        text = f"{code}{about}{f' ×{count}' if count > 1 else ''}"
        dot = _coloured(FOUND, theme.severities[severity])
        content = _sized(f"{dot} {_escaped(text)}", ACTION_SIZE, theme.soft)
        yield f'<tr><td align="{align}">{content}</td></tr>'


def _share_bar(share: float, theme: Theme) -> str:
    """Return a thin bar: the share of the time."""
    filled = max(1, round(share * BAR_WIDTH))
    parts = [(filled, theme.edge), (BAR_WIDTH - filled, theme.line)]
    cells = "".join(
        f'<td width="{width}" height="3" fixedsize="true" bgcolor="{colour}"></td>'
        for width, colour in parts
        if width
    )
    size = f'fixedsize="true" width="{BAR_WIDTH}" height="3"'
    bar = f'<table border="0" cellspacing="0" cellpadding="0" {size}><tr>{cells}</tr></table>'
    return f'<tr><td align="center">{bar}</td></tr>'


def _is_never_entered(node: Node) -> bool:
    return node.stay is not None and stay_text(node.stay) == NEVER_ENTERED


def plain_label(text: str, theme: Theme) -> str:
    """Return a text that is not a name: quiet, in italics."""
    return f"<i>{_text(text, EVENT_SIZE, theme.soft)}</i>"


def box_label(title: str, lines: Iterable[tuple[str, str]], theme: Theme) -> str:
    """Return a name, and below a rule lines, each a text in ink and a quiet one beside it.

    It has room for a font that is wider than Graphviz believes.
    """
    name = _wide_cell(_text(title, NAME_SIZE, theme.ink, bold=True), title, NAME_SIZE, "center")
    label = f"<tr><td>{_table([f'<tr>{name}</tr>'], padding=1)}</td></tr>"
    rows = [
        "<tr>"
        + _wide_cell(_text(head, ACTION_SIZE, theme.ink), head, ACTION_SIZE, "left")
        + _wide_cell(_text(rest, ACTION_SIZE, theme.soft), rest, ACTION_SIZE, "left")
        + "</tr>"
        for head, rest in lines
    ]
    if rows:
        label += f"<hr/><tr><td>{_table(rows, padding=2)}</td></tr>"
    return f'<table border="0" cellspacing="0" cellpadding="9" color="{theme.line}">{label}</table>'


def lines_label(lines: Iterable[str], theme: Theme) -> str:
    """Return lines at an arrow, with the page behind them."""
    rows = [_row(_text(line, EVENT_SIZE, theme.ink), line, EVENT_SIZE) for line in lines]
    inner = _table(rows, padding=1, paper=theme.page)
    return _table([f"<tr><td>{inner}</td></tr>"], padding=3)


def _action_rows(action: ActionLine, theme: Theme) -> Iterator[str]:
    for head, values in action_text(action, INDENT):
        content = _coloured(head, theme.ink) + (_escaped(values) or " ")
        yield _row(_sized(content, ACTION_SIZE, theme.soft), head + values, ACTION_SIZE, "left")


def _table(rows: Sequence[str], *, padding: int, paper: str = "") -> str:
    colour = f' bgcolor="{paper}"' if paper else ""
    table = f'<table border="0" cellspacing="0" cellpadding="{padding}"{colour}>'
    return f"{table}{''.join(rows)}</table>"


def _row(content: str, text: str, size: int, align: str = "center") -> str:
    """Return a row with one cell."""
    return f"<tr>{_cell(content, text, size, align)}</tr>"


def _cell(content: str, text: str, size: int, align: str) -> str:
    """Return a cell with room for `text`.

    Graphviz may not know the width of letters of other scripts, and so could not centre them.
    """
    if all(letter <= "ÿ" or letter in KNOWN for letter in text):
        return f'<td align="{align}">{content}</td>'
    room = sum(SHARES[width(letter)] for letter in text if letter not in JOINERS) * size
    cell = f'<td align="left" balign="left">{content}</td>'
    if align == "left":
        return cell.replace("<td", f'<td width="{room:.0f}"', 1)
    area = f' width="{room:.0f}" height="{LINE_HEIGHT * size:.0f}"'
    table = f'<table border="0" cellspacing="0" cellpadding="0"{FIXED_AREA}{area}>'
    return f'<td align="{align}">{table}<tr>{cell}</tr></table></td>'


def _wide_cell(content: str, text: str, size: int, align: str) -> str:
    """Return a cell with room for `text` in a font that is wider than Graphviz believes."""
    room = round(sum(WIDE_SHARES[width(letter)] for letter in text) * size)
    cell = _cell(content, text, size, align)
    return (
        cell if cell.startswith("<td width") else f'<td width="{room}"' + cell.removeprefix("<td")
    )


def _text(text: str, size: int, colour: str, *, bold: bool = False) -> str:
    content = _escaped(text) or " "
    return _sized(f"<b>{content}</b>" if bold else content, size, colour)


def _sized(content: str, size: int, colour: str) -> str:
    return f'<font point-size="{size}" color="{colour}">{content}</font>'


def _coloured(text: str, colour: str) -> str:
    return f'<font color="{colour}">{_escaped(text)}</font>' if text else ""


def _escaped(text: str) -> str:
    return escape(text).replace("\\", "\\\\")  # otherwise \G would be the name of the graph
