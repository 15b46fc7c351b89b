"""The line of source that a finding is about, with a mark under the part that it means."""

from __future__ import annotations

import ast
import tokenize
from collections.abc import Iterator
from functools import cached_property
from itertools import chain
from typing import Final

from attrs import define, field, frozen

from fsmkit.checking import Finding
from fsmkit.checking.finding import Place
from fsmkit.checking.ignores import ADDING, COMMENT
from fsmkit.terminal.console import Console, width

TRANSITIONS: Final = {"add_transition", "add_global_transition"}
DOTS: Final = "..."
LEAST_CONTEXT: Final = 10
"""The columns that what is before a mark keeps, however long both are."""


@frozen
class Excerpt:
    line: int
    text: str
    """The line, without its indentation and with blanks for tabs."""
    begin: int
    """The first character of `text` that is marked."""
    end: int
    column: int
    """The column of that character in the file; the first is 1."""

    def lines(self, console: Console, columns: int) -> Iterator[str]:
        """Yield the line and its mark, cut around the mark so that they fit."""
        number = f"{self.line} | "
        room = columns - len(number)
        before = console.shown(self.text[: self.begin])
        marked = console.shown(self.text[self.begin : self.end])
        after = console.shown(self.text[self.end :])
        least = min(width(marked) + len(DOTS) * bool(after), room - LEAST_CONTEXT)
        if width(before) + least > room:
            before = DOTS + before[len(DOTS) - (room - least) :]
        text = _cut(before + marked + after, room)
        mark = "^" * max(1, min(width(marked), width(text) - width(before)))
        yield console.styled(number, "faint") + text
        yield console.styled(f"{'| ':>{len(number)}}", "faint") + (
            " " * width(before) + console.styled(mark, "red")
        )


def _cut(text: str, columns: int) -> str:
    if width(text) <= columns:
        return text
    while text and width(text) > columns - len(DOTS):
        text = text[:-1]
    return text + DOTS


@define(eq=False)
class Excerpts:
    """The lines of findings; each file is read once."""

    _sources: dict[str, SourceLines | None] = field(factory=dict, init=False)

    def of(self, finding: Finding) -> Excerpt | None:
        """Return the line of a finding; None if it has none, or its file cannot be read."""
        place = finding.place.code
        if place is None:
            return None
        if place.file not in self._sources:
            self._sources[place.file] = _source(place.file)
        source = self._sources[place.file]
        return None if source is None else source.excerpt(finding, place.line)


def _source(file: str) -> SourceLines | None:
    try:
        with tokenize.open(file) as stream:
            text = stream.read()
        return SourceLines(text.split("\n"), ast.parse(text))
    except (OSError, SyntaxError, ValueError):
        return None


@define(eq=False, slots=False)
class SourceLines:
    _lines: list[str]
    _tree: ast.Module

    def excerpt(self, finding: Finding, line: int) -> Excerpt | None:
        if not 1 <= line <= len(self._lines):
            return None
        text = self._lines[line - 1].rstrip()
        begin, end = self._marked(finding, line, text)
        stripped = text.lstrip()
        indent = len(text) - len(stripped)
        begin, end = max(begin, indent), max(end, indent)
        return Excerpt(
            line, stripped.replace("\t", " "), begin - indent, end - indent, column=begin + 1
        )

    def _marked(self, finding: Finding, line: int, text: str) -> tuple[int, int]:
        """Return the first character that is marked, and the one after the last."""
        if finding.code == "unused-ignore" and (comment := COMMENT.search(text)):
            return comment.span()
        node = self._call(finding.place, line) or self._statement(line)
        if node is None:
            return 0, len(text)
        begin = self._offset(line, node.col_offset) if node.lineno == line else 0
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            chained = any(_method(each) in ADDING for each in ast.walk(node.func.value))
            if node.lineno != line or chained:
                assert node.func.end_col_offset is not None
                begin = self._offset(line, node.func.end_col_offset) - len(node.func.attr)
        if node.end_lineno == line and node.end_col_offset is not None:
            return begin, self._offset(line, node.end_col_offset)
        return begin, len(text)

    def _call(self, place: Place, line: int) -> ast.Call | None:
        """Return the only call on a line that may have added what the place is about."""
        calls = [call for call in self._calls if call.func.end_lineno == line]
        kinds = {"add_state", "add_group"}
        if place.action is not None:
            kinds = {"add_action"}
        elif place.event is not None and any(_method(call) in TRANSITIONS for call in calls):
            kinds = TRANSITIONS
        name = place.event if kinds is TRANSITIONS else place.state or place.group
        likely = [call for call in calls if _method(call) in kinds] or calls
        found = [call for call in likely if name in _texts(call)] or likely
        return found[0] if len(found) == 1 else None

    @cached_property
    def _calls(self) -> list[ast.Call]:
        return [
            node
            for node in ast.walk(self._tree)
            if isinstance(node, ast.Call) and _method(node) in ADDING
        ]

    def _statement(self, line: int) -> ast.stmt | None:
        around = (
            node
            for node in ast.walk(self._tree)
            if isinstance(node, ast.stmt) and node.lineno == line
        )
        return max(around, key=lambda node: node.col_offset, default=None)

    def _offset(self, line: int, offset: int) -> int:
        """Return the character at an offset in bytes."""
        return len(self._lines[line - 1].encode()[:offset].decode())


def _method(node: ast.AST) -> str | None:
    """Return the name of the method that a node calls."""
    return getattr(node.func, "attr", None) if isinstance(node, ast.Call) else None


def _texts(call: ast.Call) -> set[object]:
    arguments = chain(call.args, (keyword.value for keyword in call.keywords))
    return {each.value for each in arguments if isinstance(each, ast.Constant)}
