"""SourceFile: the text of a file of Python code, where its calls stand, and pieces of it replaced.

An edit replaces pieces and prints nothing anew, so comments, layout, line ends and the encoding
stay as they are.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import accumulate
from pathlib import Path
from typing import NamedTuple, TypeAlias

from fsmkit.editing.refusal import RefusedEditError
from fsmkit.introspection.code_place import CodePlace

FunctionNode: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef | ast.Module
"""What has local names: a function, or the module for those at its top level."""


class CodeSpan(NamedTuple):
    """Where a piece of code stands: lines from 1, columns in bytes of UTF-8, as `ast` has them."""

    line: int
    column: int
    end_line: int
    end_column: int


class Replacement(NamedTuple):
    """Text for a part of a file, from one byte of its UTF-8 to another."""

    begin: int
    end: int
    text: str


class SourceFile:
    """A file of Python code. Raises RefusedEditError if it cannot be read as such."""

    def __init__(self, path: Path, content: bytes) -> None:
        self.path = path
        self.content = content
        try:
            self._encoding, _ = tokenize.detect_encoding(io.BytesIO(content).readline)
            self._text = content.decode(self._encoding)
            self.tree = ast.parse(self._text)
        except (SyntaxError, ValueError) as error:  # UnicodeDecodeError is a ValueError
            raise RefusedEditError(f"it is not Python: {error}", CodePlace(str(path), 1)) from error
        self._bytes = self._text.encode()
        self._lines = self._bytes.splitlines(keepends=True)
        self._starts = [0, *accumulate(map(len, self._lines))]

    @cached_property
    def _parents(self) -> dict[ast.AST, ast.AST]:
        return {child: node for node in ast.walk(self.tree) for child in ast.iter_child_nodes(node)}

    @cached_property
    def _calls(self) -> dict[tuple[int, int], ast.Call]:
        """Calls by the place of their closing parenthesis, where only one call ends."""
        calls = (node for node in ast.walk(self.tree) if isinstance(node, ast.Call))
        return {(end.end_line, end.end_column): call for call in calls for end in [span(call)]}

    @cached_property
    def newline(self) -> str:
        ends = re.findall("\r\n|\n|\r", self._text)
        return max(ends, key=ends.count, default="\n")

    @cached_property
    def _quote(self) -> str:
        """The quotation mark that most of its strings begin with."""
        tokens = tokenize.generate_tokens(io.StringIO(self._text).readline)
        starts = [token.string.lstrip("rRbBuUfF")[:1] for token in tokens if token.type == STRING]
        return "'" if starts.count("'") > starts.count('"') else '"'

    # What stands where

    def call(self, place: CodeSpan) -> ast.Call | None:
        """Return the call that ends where a frame was; None if that was no call of its own."""
        return self._calls.get((place.end_line, place.end_column))

    def statement(self, node: ast.AST) -> ast.stmt:
        """Return the innermost statement that a node is in."""
        while not isinstance(node, ast.stmt):
            node = self._parents[node]
        return node

    def statement_at(self, line: int) -> ast.stmt | None:
        """Return the innermost statement on a line."""
        found = [
            node
            for node in ast.walk(self.tree)
            if isinstance(node, ast.stmt) and node.lineno <= line <= (node.end_lineno or line)
        ]
        return max(found, key=lambda node: (node.lineno, node.col_offset), default=None)

    def function(self, node: ast.AST) -> FunctionNode:
        """Return the innermost function around a node, or the module."""
        while not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Module)):
            node = self._parents[node]
        return node

    def loop(self, node: ast.AST) -> ast.AST | None:
        """Return the innermost loop around a node in its function."""
        while not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Module)):
            if isinstance(node, LOOPS):
                return node
            node = self._parents[node]
        return None

    def parent(self, node: ast.AST) -> ast.AST:
        return self._parents[node]

    def in_body(self, node: ast.AST, function: FunctionNode) -> ast.stmt:
        """Return the statement of a function's body that a node is in."""
        while self._parents[node] is not function:
            node = self._parents[node]
        assert isinstance(node, ast.stmt)
        return node

    def place(self, node: ast.AST) -> CodePlace:
        return CodePlace(str(self.path), getattr(node, "lineno", 1))

    def is_in(self, node: ast.AST, piece: Replacement) -> bool:
        begin, end = self._range(node)
        return begin <= piece.begin and piece.end <= end

    def text_of(self, node: ast.AST) -> str:
        begin, end = self._range(node)
        return self._bytes[begin:end].decode()

    def comments(self) -> list[str]:
        tokens = tokenize.generate_tokens(io.StringIO(self._text).readline)
        return [token.string for token in tokens if token.type == tokenize.COMMENT]

    def comments_between(self, begin: int, end: int) -> list[str]:
        """Return the comments in a part of the file that is whole lines."""
        lines = io.StringIO(self._bytes[begin:end].decode().lstrip())
        try:
            found = list(tokenize.generate_tokens(lines.readline))
        except tokenize.TokenError:
            found = []
        return [token.string for token in found if token.type == tokenize.COMMENT]

    # Pieces

    def replaced(self, node: ast.AST, text: str) -> Replacement:
        return Replacement(*self._range(node), text)

    def before(self, node: ast.AST, text: str) -> Replacement:
        begin, _ = self._range(node)
        return Replacement(begin, begin, text)

    def behind(self, node: ast.AST, text: str) -> Replacement:
        _, end = self._range(node)
        return Replacement(end, end, text)

    def behind_alias(self, alias: ast.alias, text: str) -> Replacement:
        end = self._starts[(alias.end_lineno or alias.lineno) - 1] + (alias.end_col_offset or 0)
        return Replacement(end, end, text)

    def before_alias(self, alias: ast.alias, text: str) -> Replacement:
        begin = self._starts[alias.lineno - 1] + alias.col_offset
        return Replacement(begin, begin, text)

    def another_argument(self, call: ast.Call, text: str) -> Replacement:
        """Return the piece that adds an argument to a call, behind the others."""
        given = sorted((*call.args, *(each.value for each in call.keywords)), key=span)
        if given:
            return self.behind(given[-1], f", {text}")
        _, end = self._range(call)
        return Replacement(end - 1, end - 1, text)

    def line_above(self, statement: ast.stmt, code: str) -> Replacement:
        begin, _ = self._whole_lines(statement)
        return Replacement(begin, begin, self._indented(statement, code))

    def line_below(self, statement: ast.stmt, code: str) -> Replacement:
        _, end = self._whole_lines(statement, alone=False)
        is_cut = not self._bytes[:end].endswith((b"\n", b"\r"))
        return Replacement(end, end, self.newline * is_cut + self._indented(statement, code))

    def without(self, statement: ast.stmt) -> Replacement:
        """Return the piece that takes out the lines of a statement, with the comment behind it."""
        block = self._parents[statement]
        if any(getattr(block, body, None) == [statement] for body in BODIES):
            raise RefusedEditError("it is alone in its block", self.place(statement))
        return Replacement(*self._whole_lines(statement), "")

    def instead(self, statement: ast.stmt, code: str) -> Replacement:
        """Return the piece that writes other lines in the place of a statement."""
        return Replacement(*self._whole_lines(statement), self._indented(statement, code))

    def between(self, first: ast.AST, second: ast.AST, text: str) -> Replacement:
        """Return the piece from the beginning of a node to the beginning of another one."""
        return Replacement(self._range(first)[0], self._range(second)[0], text)

    def between_ends(self, first: ast.AST, second: ast.AST, text: str) -> Replacement:
        return Replacement(self._range(first)[1], self._range(second)[1], text)

    def moved_below(
        self, statement: ast.stmt, other: ast.stmt, change: Replacement
    ) -> list[Replacement]:
        """Return the pieces that put a statement, with a change in it, below another one."""
        begin, end = self._whole_lines(statement)
        _, below = self._whole_lines(other, alone=False)
        lines = (
            self._bytes[begin : change.begin],
            change.text.encode(),
            self._bytes[change.end : end],
        )
        return [Replacement(begin, end, ""), Replacement(below, below, b"".join(lines).decode())]

    def lines_of(self, statement: ast.stmt) -> str:
        begin, end = self._whole_lines(statement)
        return self._bytes[begin:end].decode()

    def code_with(self, body: Sequence[ast.stmt], meant: Mapping[str, ast.expr]) -> str:
        """Return statements of one block as code in which some names are other expressions."""
        indent = self._lines[body[0].lineno - 1][: body[0].col_offset].decode()
        codes = []
        for statement in body:
            begin, end = self._range(statement)
            pieces = [
                self.replaced(node, self._text_in_place(meant[node.id], node))
                for node in ast.walk(statement)
                if isinstance(node, ast.Name) and node.id in meant
            ]
            code = self._bytes[begin:end]
            for first, last, text in sorted(pieces, reverse=True):
                code = code[: first - begin] + text.encode() + code[last - begin :]
            codes.append(code.decode().replace(f"{self.newline}{indent}", "\n"))
        return "\n".join(codes)

    def _text_in_place(self, node: ast.expr, name: ast.Name) -> str:
        is_argument = isinstance(self._parents[name], (ast.Call, ast.keyword))
        text = self.text_of(node)
        return text if is_argument or isinstance(node, ATOMS) else f"({text})"

    def quoted(self, text: str) -> str:
        """Return a string as the file writes most of its own."""
        shown = repr(text)
        is_plain = not {"'", '"', "\\"}.intersection(shown[1:-1])
        return f"{self._quote}{shown[1:-1]}{self._quote}" if is_plain else shown

    def with_pieces(self, pieces: Iterable[Replacement]) -> bytes:
        """Return the content of the file with pieces replaced. Raises RefusedEditError."""
        content = self._bytes
        for begin, end, text in sorted(pieces, reverse=True):
            content = content[:begin] + text.encode() + content[end:]
        try:
            return content.decode().encode(self._encoding)
        except UnicodeEncodeError as error:
            letters = error.object[error.start : error.end]
            raise RefusedEditError(
                f"its encoding, {self._encoding}, has no {letters!r}", CodePlace(str(self.path), 1)
            ) from error

    def _range(self, node: ast.AST) -> tuple[int, int]:
        line, column, end_line, end_column = span(node)
        return self._starts[line - 1] + column, self._starts[end_line - 1] + end_column

    def _whole_lines(self, statement: ast.stmt, *, alone: bool = True) -> tuple[int, int]:
        line, column, end_line, end_column = span(statement)
        begin, end = self._starts[line - 1], self._starts[end_line]
        head = self._lines[line - 1][:column]
        tail = self._bytes[self._starts[end_line - 1] + end_column : end].strip()
        if head.strip() or (alone and tail and not tail.startswith(b"#")):
            raise RefusedEditError(
                "it shares its line with another statement", self.place(statement)
            )
        return begin, end

    def _indented(self, statement: ast.stmt, code: str) -> str:
        indent = self._lines[statement.lineno - 1][: statement.col_offset].decode()
        return "".join(f"{indent}{line}{self.newline}" for line in code.splitlines())


@lru_cache(maxsize=100)
def parsed(path: Path, content: bytes) -> SourceFile:
    """Return a file with a content. Raises RefusedEditError."""
    return SourceFile(path, content)


STRING = tokenize.STRING
ATOMS = (ast.Name, ast.Constant, ast.Attribute, ast.Call, ast.Subscript, ast.Tuple, ast.List)
"""Expressions that need no parentheses in another one."""
BODIES = ("body", "orelse", "finalbody")
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
LOOPS = (ast.For, ast.AsyncFor, ast.While, *COMPREHENSIONS)


def span(node: ast.AST) -> CodeSpan:
    """Return where an expression or a statement stands, its decorators left out."""
    assert isinstance(node, (ast.expr, ast.stmt))
    assert node.end_lineno is not None
    assert node.end_col_offset is not None
    return CodeSpan(node.lineno, node.col_offset, node.end_lineno, node.end_col_offset)


def names_bound(function: FunctionNode) -> Iterator[ast.Name]:
    """Yield the names that a function binds, those of functions inside it among them."""
    for node in ast.walk(function):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node
