"""Rows of loops: what a loop over a literal table does for one row, written out beside it.

    for state in (patrol, rest, chase):          for state in (patrol, chase):
        state.add_transition("STOP", off)    ->      state.add_transition("STOP", off)
                                                 rest.add_transition("STOP", off)

After that an edit can change what the loop has made for this row alone.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any, Final

from fsmkit.editing.draft import Draft, Patch
from fsmkit.editing.origins import bound_by
from fsmkit.editing.source import Replacement, SourceFile
from fsmkit.editing.trial import Trace

MOST_STATEMENTS: Final = 5
"""The largest body of a loop that is written out: more is no small edit."""


def row_of(edit: Any, draft: Draft) -> Iterator[Patch]:
    """Yield the ways to write out the row of a loop that made the part an edit is about."""
    trace: Trace = getattr(edit, "trace", lambda _: ())(draft)
    owner = getattr(edit, "source", None) or getattr(edit, "state", None)
    names = {str(owner or getattr(edit, "event", ""))}
    if owner is not None:
        names |= {each.name for each in draft.built.variables(draft.owner(owner))}
    for call in trace:
        source, node = draft.source(call.path), draft.node(call)
        loop = source.loop(node) if node is not None else None
        if isinstance(loop, ast.For):
            yield from _LoopRows(source, loop).written_out(names)
            return


class _LoopRows:
    def __init__(self, source: SourceFile, loop: ast.For) -> None:
        self._source = source
        self._loop = loop
        self._table = self._literal(loop.iter)
        self._rows = [*self._items(loop.iter)]

    def written_out(self, names: set[str]) -> Iterator[Patch]:
        is_small = len(self._loop.body) <= MOST_STATEMENTS and not self._loop.orelse
        is_plain = all(isinstance(each, (ast.Expr, ast.Assign)) for each in self._loop.body)
        if not (is_small and is_plain and len(self._rows) > 1):
            return
        mentioned = [n for n, row in enumerate(self._rows) if names & {*_mentioned(row)}]
        for number in mentioned or range(len(self._rows)):
            if (pieces := self._pieces(number)) is not None:
                yield Patch(self._source, pieces)

    def _pieces(self, number: int) -> list[Replacement] | None:
        source, loop = self._source, self._loop
        if len(self._rows) == 2:  # a loop over one row would be left
            codes = [self._body_for(row) for row in self._rows]
            whole = "\n".join(code for code in codes if code is not None)
            is_done = None not in codes
            return [source.instead(loop, whole)] if is_done else None
        code, less = self._body_for(self._rows[number]), self._without(number)
        if code is None or less is None:
            return None
        beside = source.line_above if number == 0 else source.line_below
        return [less, beside(loop, code)]

    # The table

    def _literal(self, node: ast.expr) -> ast.Tuple | ast.List | None:
        """Return the literal that an expression is, or that its name stands for."""
        if isinstance(node, (ast.Tuple, ast.List)):
            return node
        if not isinstance(node, ast.Name):
            return None
        bound = [bound_by(each) for each in ast.walk(self._source.tree)]
        values = [value for targets, value in bound if _is_name(targets, node.id)]
        found = values[0] if len(values) == 1 else None
        return found if isinstance(found, (ast.Tuple, ast.List)) else None

    def _items(self, node: ast.expr) -> Iterator[ast.expr]:
        table = self._literal(node)
        for each in table.elts if table is not None else ():
            if isinstance(each, ast.Starred):
                yield from self._items(each.value)
            else:
                yield each

    def _without(self, number: int) -> Replacement | None:
        """Return the piece that takes a row out of the table, or writes the others instead."""
        assert self._table is not None
        items, source, given = self._table.elts, self._source, self._loop.iter
        is_own = given is self._table or _times_used(source, given) == 1
        if is_own and items == self._rows:
            if number == 0:
                return source.between(items[0], items[1], "")
            return source.between_ends(items[number - 1], items[number], "")
        others = [each for n, each in enumerate(self._rows) if n != number]
        if not all(isinstance(each, ast.Name) for each in others):
            return None
        return source.replaced(given, f"({', '.join(map(source.text_of, others))})")

    # The body

    def _body_for(self, row: ast.expr) -> str | None:
        """Return the body of the loop as code for one row; None if that cannot be written."""
        source, body = self._source, self._loop.body
        meant = dict(_parts(self._loop.target, row))
        names = [node for each in body for node in ast.walk(each) if isinstance(node, ast.Name)]
        here = [name for name in names if name.id in meant]
        is_bound = meant.keys() == {*_mentioned(self._loop.target)}
        is_read = all(isinstance(name.ctx, ast.Load) for name in here)
        is_placed = all(source.text_of(name) == name.id for name in here)  # not so in f-strings
        return source.code_with(body, meant) if is_bound and is_read and is_placed else None


def _is_name(targets: list[ast.expr], name: str) -> bool:
    return [each.id for each in targets if isinstance(each, ast.Name)] == [name]


def _parts(target: ast.expr, value: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    """Yield the names that a loop gives to the parts of a row."""
    if isinstance(target, ast.Name):
        yield target.id, value
    elif isinstance(target, ast.Tuple) and isinstance(value, (ast.Tuple, ast.List)):
        for each, part in zip(target.elts, value.elts, strict=False):
            yield from _parts(each, part)


def _mentioned(row: ast.expr) -> Iterator[str]:
    for node in ast.walk(row):
        if isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def _times_used(source: SourceFile, node: ast.expr) -> int:
    name = node.id if isinstance(node, ast.Name) else ""
    return sum(
        isinstance(each, ast.Name) and each.id == name and isinstance(each.ctx, ast.Load)
        for each in ast.walk(source.tree)
    )
