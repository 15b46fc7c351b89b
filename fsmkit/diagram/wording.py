"""The texts of pictures: names, actions and values."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from fsmkit.core.functions import described
from fsmkit.diagram.graph import ActionLine, Label
from fsmkit.terminal.console import cut, width

ANY_STATE: Final = "any state"
NO_STATES: Final = "no states"
BACK_THERE: Final = "back"
SUSPENDS: Final = "(suspends)"

MAX_LINE_COLUMNS: Final = 46
MAX_FUNCTION_COLUMNS: Final = 40
MAX_LABEL_COLUMNS: Final = 30
"""A label gets a further line rather than a longer one."""

JOINERS: Final = "\u200c\u200d"
"""Characters that are invisible, but part of a letter or an emoji."""

CLOSING: Final = {"(": ")", "[": "]", "{": "}", "<": ">", "'": "'", '"': '"'}


def visible(text: str) -> str:
    r"""Return `text` in one line, with escapes such as `\n` for invisible characters.

    >>> print(visible("two\nlines"))
    two\nlines
    """
    return "".join(c if c.isprintable() or c in JOINERS else ascii(c)[1:-1] for c in text)


def one_line(name: str) -> str:
    """Return a name in one line; a blank one in quotes."""
    return visible(name if name.strip() else repr(name))


def lines_of(name: str) -> list[str]:
    """Return the lines of a name; a blank one in quotes."""
    return [visible(line) for line in name.split("\n")] if name.strip() else [one_line(name)]


def abbreviated(text: str, columns: int) -> str:
    """Return `text`, or as much of it as there is room for, with an ellipsis.

    Brackets and quotes around it stay closed.

    >>> abbreviated("[1, 2, 3, 4, 5]", 10), abbreviated("Transform(position=(0.0, 0.0))", 20)
    ('[1, 2, 3…]', 'Transform(…)')
    """
    if width(text) <= columns:
        return text
    if call := re.match(r"([\w.]+)\(", text):
        return f"{abbreviated(call[1], columns - 3)}(…)"
    end = CLOSING.get(text[0], "")
    end = end if text.endswith(end) else ""
    text = text[: 2 * columns]
    while width(text) > columns - 1 - len(end):
        text = text[:-1]
    return f"{text}…{end}"


def function_text(function: Callable[..., Any]) -> str:
    """Return what a guard or an effect is called: its name, or what a lambda returns.

    >>> function_text(lambda state: state.context.ammo > 0)
    'state.context.ammo > 0'
    """
    text = described(function)
    try:
        node = ast.parse(text, mode="eval").body
    except SyntaxError:  # <lambda>
        return visible(text)
    body = ast.get_source_segment(text, node.body) if isinstance(node, ast.Lambda) else None
    return visible(body or text)


def label_lines(label: Label) -> Iterator[tuple[str, str]]:
    """Yield the lines beside an edge, each in two parts: the event, and guard, effect and mark.

    >>> list(label_lines(Label("HIT", guard="is_armoured", effect="lose_all_that_armour")))
    [('HIT', ' [is_armoured]'), ('', '/ lose_all_that_armour')]
    """
    *others, first = _placed(lines_of(label.event), label)
    yield from ((line, "") for line in others)
    more = ""
    for part in _details(label, MAX_FUNCTION_COLUMNS):
        if width(first) + width(more) + width(part) >= MAX_LABEL_COLUMNS:
            yield first, more
            first, more = "", part
        else:
            more = f"{more} {part}"
    yield first, more


def label_line(label: Label, columns: int = MAX_FUNCTION_COLUMNS) -> str:
    """Return the same in one line. The guard and the effect get `columns` each.

    >>> label_line(Label("HIT", guard="is_armoured", suspends=True))
    'HIT [is_armoured] (suspends)'
    """
    event, *_ = _placed([one_line(label.event)], label)
    return " ".join((event, *_details(label, columns)))


def _placed(lines: Sequence[str], label: Label) -> list[str]:
    """Return the lines of the event, with its place in front."""
    return [f"{label.place}. {lines[0]}", *lines[1:]] if label.place else [*lines]


def _details(label: Label, columns: int) -> Iterator[str]:
    if label.guard:
        yield f"[{cut(label.guard, columns)}]"
    if label.effect:
        yield f"/ {cut(label.effect, columns)}"
    if label.suspends:
        yield SUSPENDS


def action_text(action: ActionLine, indent: str) -> Iterator[tuple[str, str]]:
    """Yield the lines of an action, each in two parts: its name or an indent, and parameters."""
    head = f"{indent * action.depth}{action.name}"
    first, *others = _wrapped(action.parameters, MAX_LINE_COLUMNS - width(action.name))
    yield (f"{head}  ", first) if first else (head, "")
    yield from ((indent * (action.depth + 1), line) for line in others)


def _wrapped(parameters: Sequence[tuple[str, str]], room: int) -> Iterator[str]:
    """Yield the parameters in as many lines as needed; at least one, perhaps empty."""
    text = ""
    for name, value in parameters:
        parameter = f"{name}={value}"
        if text and width(text) + width(parameter) + 2 > room:
            yield f"{text},"
            text, room = "", MAX_LINE_COLUMNS
        text = f"{text}, {parameter}" if text else parameter
    yield text
