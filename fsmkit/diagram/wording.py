"""Names, actions and values as they are written in pictures."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

from fsmkit import Fsm, FsmAction
from fsmkit.core.parameters import parameters, shown
from fsmkit.diagram.graph import ActionLine
from fsmkit.terminal.console import width

ANY_STATE: Final = "any state"
NO_STATES: Final = "no states"

VALUE_COLUMNS: Final = 26
LINE_COLUMNS: Final = 46

JOINERS: Final = "\u200c\u200d"
"""Invisible, and yet part of a letter or an emoji."""

CLOSING: Final = {"(": ")", "[": "]", "{": "}", "<": ">", "'": "'", '"': '"'}

ADDRESS: Final = re.compile(r"<(?:(?:[^<>]|<locals>)*\.)?(\w+) object at 0x[0-9A-Fa-f]+>")
"""What Python shows of an object that does not say what it is; another one in every run."""


def visible(text: str) -> str:
    r"""`text` in one line, with `\n` and the like for what cannot be seen.

    >>> print(visible("two\nlines"))
    two\nlines
    """
    return "".join(c if c.isprintable() or c in JOINERS else ascii(c)[1:-1] for c in text)


def one_line(name: str) -> str:
    """A name in one line; a blank one in quotes."""
    return visible(name if name.strip() else repr(name))


def lines_of(name: str) -> list[str]:
    """A name in as many lines as it has; a blank one in quotes."""
    return [visible(line) for line in name.split("\n")] if name.strip() else [one_line(name)]


def cut(text: str, columns: int) -> str:
    """`text`, or as much of it as there is room for, with an ellipsis.

    What is in brackets or quotes stays so.

    >>> cut("[1, 2, 3, 4, 5]", 10), cut("Transform(position=(0.0, 0.0))", 20)
    ('[1, 2, 3…]', 'Transform(…)')
    """
    if width(text) <= columns:
        return text
    if call := re.match(r"([\w.]+)\(", text):
        return f"{cut(call[1], columns - 3)}(…)"
    end = CLOSING.get(text[0], "")
    end = end if text.endswith(end) else ""
    text = text[: 2 * columns]
    while width(text) > columns - 1 - len(end):
        text = text[:-1]
    return f"{text}…{end}"


def action_lines(actions: Sequence[FsmAction[Any]], depth: int = 0) -> Iterator[ActionLine]:
    """The actions, each before those inside it."""
    for action in actions:
        yield ActionLine(depth, visible(type(action).__name__), tuple(_parameters(action)))
        yield from action_lines(action.children, depth + 1)


def action_text(action: ActionLine, indent: str) -> Iterator[tuple[str, str]]:
    """The lines of an action, each in two parts: its name or an indent, and parameters."""
    head = f"{indent * action.depth}{action.name}"
    first, *others = _wrapped(action.parameters, LINE_COLUMNS - width(action.name))
    yield (f"{head}  ", first) if first else (head, "")
    yield from ((indent * (action.depth + 1), line) for line in others)


def _wrapped(parameters: Sequence[tuple[str, str]], room: int) -> Iterator[str]:
    """The parameters in as many lines as they take; one at least, maybe empty."""
    text = ""
    for name, value in parameters:
        parameter = f"{name}={value}"
        if text and width(text) + width(parameter) + 2 > room:
            yield f"{text},"
            text, room = "", LINE_COLUMNS
        text = f"{text}, {parameter}" if text else parameter
    yield text


def _parameters(action: FsmAction[Any]) -> Iterator[tuple[str, str]]:
    children = {id(child) for child in action.children}
    for name, value in parameters(action).items():
        if not _is_among(children, value):
            yield name, _value(value)


def _is_among(children: set[int], value: object) -> bool:
    """Whether `value` is one of the children, or several of them: they have lines of their own."""
    if isinstance(value, (list, tuple)) and value:
        return all(id(member) in children for member in value)
    return id(value) in children


def _value(value: object) -> str:
    try:
        text = value.name if isinstance(value, Fsm) else shown(value)
    except Exception:  # a __repr__ of the user's that fails
        text = type(value).__name__
    text = re.sub(r" at 0x[0-9A-Fa-f]+", "", ADDRESS.sub(r"\1", visible(text)))
    return cut(text, VALUE_COLUMNS)
