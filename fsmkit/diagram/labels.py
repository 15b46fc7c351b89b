"""The labels of a picture in the HTML-like language of DOT."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from typing import Final

from fsmkit.checking import Finding
from fsmkit.diagram import wording
from fsmkit.diagram.graph import ActionLine, Cluster, Edge, EdgeLabel, StateNode
from fsmkit.svg.theme import Theme
from fsmkit.terminal.console import JOINERS, printable, width

TITLE_SIZE: Final = 18
PANEL_SIZE: Final = 12
NAME_SIZE: Final = 14
EVENT_SIZE: Final = 11
ACTION_SIZE: Final = 10

KNOWN: Final = "…×●→"
"""Characters beyond Latin 1 whose width Graphviz knows well enough."""

SHARES: Final = (0.0, 0.58, 1.0)
"""Columns on a terminal -> the width of the letter, as a share of its size."""

WIDE_SHARES: Final = (0.0, 0.7, 1.0)
"""The same in a wide font."""

LINE_HEIGHT: Final = 1.2
"""Times the size of the letters."""

FIXED_AREA: Final = ' cellborder="0" fixedsize="true"'
"""For a text whose width Graphviz does not know, so that it is centred by the width given."""

INDENT: Final = " " * 5

BAR_WIDTH: Final = 80
"""Points."""


def state_label(node: StateNode, theme: Theme) -> str:
    is_never_entered = (
        node.stay is not None and wording.stay_text(node.stay) == wording.NEVER_ENTERED
    )
    ink = theme.edge if is_never_entered else theme.ink
    rows = _text_rows(wording.lines_of(node.name), NAME_SIZE, ink, bold=True)
    quiet = [line for note in node.notes for line in wording.lines_of(note)]
    if node.stay is not None:
        quiet.append(wording.stay_text(node.stay))
    rows += _text_rows(quiet, ACTION_SIZE, theme.soft)
    if node.stay is not None and node.stay.share:
        rows.append(_share_bar(node.stay.share, theme))
    rows += _finding_rows(node.findings, theme, events=True)
    actions = [row for action in node.actions for row in _action_rows(action, theme)]
    return _card(rows, actions, theme, padding=1)


def machine_label(cluster: Cluster, theme: Theme, *, outermost: bool) -> str:
    size = TITLE_SIZE if outermost else PANEL_SIZE
    colour = theme.ink if outermost else theme.soft
    rows = _text_rows(wording.lines_of(cluster.title), size, colour, "left", bold=True)
    quiet = [*_finding_rows(cluster.findings, theme, "left", events=True)]
    quiet += _text_rows(cluster.captions, ACTION_SIZE, theme.soft, "left")
    if quiet:
        rows.append(f'<tr><td align="left">{_table(quiet, padding=1)}</td></tr>')
    return _table(rows, padding=4)


def frame_label(name: str, theme: Theme) -> str:
    """Return the name of a group of states, for its frame."""
    rows = _text_rows(wording.lines_of(name), EVENT_SIZE, theme.soft, "left", bold=True)
    return _table(rows, padding=2)


def edge_label(edge: Edge, theme: Theme, paper: str, *, senders: bool = False) -> str:
    """Return the events of an edge, one below the other, with all that is known about them.

    `paper` is the colour behind them, so that they are legible on top of other arrows.
    """
    rows = [row for label in edge.labels for row in _label_rows(label, theme, senders=senders)]
    return _backed(rows, paper)


def lines_label(lines: Iterable[str], theme: Theme) -> str:
    return _backed(_text_rows(lines, EVENT_SIZE, theme.ink), theme.page)


def plain_label(text: str, theme: Theme) -> str:
    return f"<i>{_text(text, EVENT_SIZE, theme.soft)}</i>"


def box_label(title: str, lines: Iterable[tuple[str, str]], theme: Theme) -> str:
    """Return a name, and below a rule lines, each a text in ink and a quiet one beside it.

    It has room for a font that is wider than Graphviz believes.
    """
    name = _wide_cell(_text(title, NAME_SIZE, theme.ink, bold=True), title, NAME_SIZE, "center")
    rows = [
        "<tr>"
        + _wide_cell(_text(head, ACTION_SIZE, theme.ink), head, ACTION_SIZE, "left")
        + _wide_cell(_text(rest, ACTION_SIZE, theme.soft), rest, ACTION_SIZE, "left")
        + "</tr>"
        for head, rest in lines
    ]
    return _card([f"<tr>{name}</tr>"], rows, theme, padding=2)


def _label_rows(label: EdgeLabel, theme: Theme, *, senders: bool) -> Iterator[str]:
    """Yield its lines: the event in ink, the rest quiet; all of one that was never taken."""
    sign = f"{wording.sign_of(label)} " if senders and wording.sign_of(label) else ""
    ink, soft = (theme.edge,) * 2 if label.taken == 0 else (theme.ink, theme.soft)
    *lines, last = wording.label_lines(label)
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
        about = f" {printable(event)}" if event is not None else ""
        text = f"{code}{about}{f' ×{count}' if count > 1 else ''}"
        dot = _coloured(wording.FOUND, theme.severities[severity])
        content = _sized(f"{dot} {_escaped(text)}", ACTION_SIZE, theme.soft)
        yield f'<tr><td align="{align}">{content}</td></tr>'


def _share_bar(share: float, theme: Theme) -> str:
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


def _action_rows(action: ActionLine, theme: Theme) -> Iterator[str]:
    for head, values in wording.action_text(action, INDENT):
        content = _coloured(head, theme.ink) + (_escaped(values) or " ")
        yield _row(_sized(content, ACTION_SIZE, theme.soft), head + values, ACTION_SIZE, "left")


def _card(head: Sequence[str], body: Sequence[str], theme: Theme, *, padding: int) -> str:
    label = f"<tr><td>{_table(head, padding=1)}</td></tr>"
    if body:
        label += f"<hr/><tr><td>{_table(body, padding=padding)}</td></tr>"
    return f'<table border="0" cellspacing="0" cellpadding="9" color="{theme.line}">{label}</table>'


def _backed(rows: Sequence[str], paper: str) -> str:
    return _table([f"<tr><td>{_table(rows, padding=1, paper=paper)}</td></tr>"], padding=3)


def _text_rows(
    lines: Iterable[str], size: int, colour: str, align: str = "center", *, bold: bool = False
) -> list[str]:
    return [_row(_text(line, size, colour, bold=bold), line, size, align) for line in lines]


def _table(rows: Sequence[str], *, padding: int, paper: str = "") -> str:
    colour = f' bgcolor="{paper}"' if paper else ""
    table = f'<table border="0" cellspacing="0" cellpadding="{padding}"{colour}>'
    return f"{table}{''.join(rows)}</table>"


def _row(content: str, text: str, size: int, align: str = "center") -> str:
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
    return cell if cell.startswith("<td width") else cell.replace("<td", f'<td width="{room}"', 1)


def _text(text: str, size: int, colour: str, *, bold: bool = False) -> str:
    content = _escaped(text) or " "
    return _sized(f"<b>{content}</b>" if bold else content, size, colour)


def _sized(content: str, size: int, colour: str) -> str:
    return f'<font point-size="{size}" color="{colour}">{content}</font>'


def _coloured(text: str, colour: str) -> str:
    return f'<font color="{colour}">{_escaped(text)}</font>' if text else ""


def _escaped(text: str) -> str:
    return escape(text).replace("\\", "\\\\")  # otherwise \G would be the name of the graph
