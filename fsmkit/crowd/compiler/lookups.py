"""Translates lookups: in tables of the world, in constant tuples, and by `in`."""

from __future__ import annotations

import ast
import math
from collections.abc import Sequence
from enum import EnumMeta
from functools import reduce
from typing import Any, Final

from fsmkit.crowd.agent_functions import MISSING
from fsmkit.crowd.compiler.arithmetic import MAX_MEMBERS, constant_value, is_number, members
from fsmkit.crowd.compiler.columns import Operand
from fsmkit.crowd.compiler.operations import WHOLE, Operations, Typed, called, cast, constant, join
from fsmkit.crowd.packages import np

CHANGEABLE: Final = (list, dict, set, bytearray)
"""Types of values that may change after the crowd was made, and so are not constant."""


WIDE: Final = {"float": "np.float64", "int": "np.int64"}
"""Kind -> the type in compiled code, however small the numbers of a table are."""


class Lookups(Operations):
    def constant(self, node: ast.expr) -> Any:
        """Return the value of a constant expression, a number or a tuple; or MISSING."""
        return constant_value(node, self.outside)

    def members(self, node: ast.expr) -> tuple[Any, ...] | None:
        return members(self.constant(node))

    def refuse_changeable(self, node: ast.expr) -> None:
        value, what, instead = self.outside(node), "", "a Table of the world"
        if isinstance(value, np.ndarray):
            what = "an array of numpy"
        if isinstance(value, CHANGEABLE):
            what, instead = f"a {type(value).__name__}", f"a tuple, or {instead}"
        if what:
            name = ast.unparse(node)
            self.refuse(node, f"{name} is {what}, which may change.", f"Make it {instead}.")

    def _subscript(self, node: ast.Subscript) -> Typed:
        value = self.constant(node)
        if value is not MISSING:
            return self.number(node, value, ast.unparse(node))
        operand = self.operand(node.value)
        if operand is not None and operand.is_table:
            return self._cell(node, operand)
        base, indices = self._indexed(node)
        if (table := self.operand(base)) is not None and table.is_table:
            name = ast.unparse(base)
            self.refuse(node, f"{name} is read by row and column.", f"Write {name}[row, column].")
        self.refuse_changeable(base)
        if isinstance(base, ast.List):
            self.refuse(node, f"{ast.unparse(base)} is a list.", "Write a tuple: (1, 2)[...].")
        for each in indices:
            if isinstance(each, ast.Slice):
                self._refuse_syntax(each)
        rows = self.constant(base)
        if not isinstance(rows, tuple):
            self._refuse_syntax(node)
        return self._item(node, rows, indices)

    # Tables

    def _cell(self, node: ast.Subscript, operand: Operand) -> Typed:
        name = ast.unparse(node.value)
        axes = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if len(axes) > 2:
            self.refuse(node, f"{name} is read by row and column.", f"Write {name}[row, column].")
        field = operand.text.removeprefix("world_")
        known = self.binding.columns.dimensions.setdefault(field, len(axes))
        if known != len(axes):
            self.refuse(
                node, f"world.{field} is read by one number in one place, and by row and column in "
                "another.", "A table has either one dimension or two: make two tables of it.",
            )  # fmt: skip
        table = self.load(operand)[0]
        self.is_risky = True
        indices: list[ast.expr] = []
        for axis, each in enumerate(axes):
            size = ast.Subscript(ast.Attribute(table, "shape"), ast.Constant(axis))
            indices.append(called("_within", self._index(each), size))
        cell = ast.Subscript(table, ast.Tuple(indices) if len(indices) > 1 else indices[0])
        return (cell if operand.kind == "bool" else called(WIDE[operand.kind], cell)), operand.kind

    def _index(self, node: ast.expr) -> ast.expr:
        value, kind = self.typed(node)
        if kind not in WHOLE:
            self.refuse(
                node,
                f"{ast.unparse(node)} is a float and cannot be a row or column.",
                "Write int(...).",
            )
        return cast(value, kind, "int")

    # Constant tuples

    def _indexed(self, node: ast.expr) -> tuple[ast.expr, list[ast.expr]]:
        """Return the base and the indices: `rows` and `a, b` of `rows[a][b]`."""
        if not isinstance(node, ast.Subscript):
            return node, []
        base, indices = self._indexed(node.value)
        return base, [*indices, node.slice]

    def _item(self, node: ast.Subscript, rows: Any, indices: Sequence[ast.expr]) -> Typed:
        """Translate an index of a tuple; negative ones count from the end, as in Python."""
        shape, numbers = _shape(rows), list(_flat(rows))
        name = ast.unparse(node)
        if shape is None or not numbers or not all(map(is_number, numbers)):
            self.refuse(
                node, f"{name} does not read a number for every index.",
                "A constant tuple has numbers, or tuples of numbers that are equally long.",
            )  # fmt: skip
        if len(numbers) > MAX_MEMBERS:
            self.refuse(
                node, f"{name} reads one of {len(numbers)} constants, which must be at most "
                f"{MAX_MEMBERS}.", "Make it a Table of the world.",
            )  # fmt: skip
        if len(indices) != len(shape):
            self.refuse(
                node, f"{name} is {'not a number' if len(indices) < len(shape) else 'no tuple'}.",
                f"Write {len(shape)} {'index' if len(shape) == 1 else 'indices'}.",
            )  # fmt: skip
        place: ast.expr = ast.Constant(0)
        for each, size in zip(indices, shape, strict=True):
            length = ast.Constant(size)
            index = called("_from_end", self._index(each), length)
            begin = ast.BinOp(place, ast.Mult(), length)
            is_first = isinstance(place, ast.Constant)
            place = index if is_first else ast.BinOp(begin, ast.Add(), index)
        self.is_risky = True
        typed = [self.number(node, each, name) for each in numbers]
        kind = join(*(kind for _, kind in typed))
        values = [self.joined(*each, kind) for each in typed]
        return ast.Subscript(ast.Tuple(values), place), kind

    # Members

    def _compare(self, node: ast.Compare) -> Typed:
        if not any(isinstance(op, (ast.In, ast.NotIn)) for op in node.ops):
            return super()._compare(node)
        if len(node.ops) > 1:
            self.refuse(node, "`in` cannot be chained.", "Write both conditions, with `and`.")
        found = self._is_member(node, node.left, node.comparators[0])
        is_not = isinstance(node.ops[0], ast.NotIn)
        return (ast.UnaryOp(ast.Not(), found) if is_not else found), "bool"

    def _is_member(self, node: ast.Compare, left: ast.expr, among: ast.expr) -> ast.expr:
        """Translate `left in among`; all members are evaluated, as in Python."""
        value = self.typed(left)
        numbers = self.constant(among)
        if isinstance(numbers, EnumMeta):
            self.refuse(
                node, f"{ast.unparse(among)} is a class, whose members depend on the version of "
                "Python.", "Name its members: `x in (A, B)`.",
            )  # fmt: skip
        if isinstance(numbers, range) and numbers.step == 1 and value[1] in WHOLE:
            ends = [constant(numbers.start), constant(numbers.stop)]
            return ast.Compare(ends[0], [ast.LtE(), ast.Lt()], [value[0], ends[1]])
        found = [self._equal(value, each) for each in self._members_of(node, value, among)]
        return reduce(lambda one, other: ast.BinOp(one, ast.BitOr(), other), found)

    def _members_of(self, node: ast.Compare, value: Typed, among: ast.expr) -> list[Typed]:
        self.refuse_changeable(among)
        numbers = members(self.constant(among))
        if numbers is not None:
            typed = [self.number(node, each, ast.unparse(among)) for each in numbers]
            if any(math.isnan(each) for each in numbers):
                self.refuse(node, "nan is equal to nothing.", "Write math.isnan(...).")
        elif isinstance(among, (ast.Tuple, ast.List, ast.Set)):
            typed = [self.typed(each) for each in among.elts]
            if value[1] not in WHOLE and any(kind not in WHOLE for _, kind in typed):
                self.refuse(
                    node, f"`{ast.unparse(node)}` looks for a float among other floats.",
                    "Write `x == a or x == b`.",
                )  # fmt: skip
        else:
            self.refuse(
                node, f"`{ast.unparse(node)}`: {ast.unparse(among)} is not constant.",
                "Write `x in (1, 2)`, or compare numbers with < <= > >= == !=.",
            )  # fmt: skip
        if not 0 < len(typed) <= MAX_MEMBERS:
            self.refuse(
                node, f"{ast.unparse(among)} must have 1 to {MAX_MEMBERS} members, got "
                f"{len(typed)}.", "Compare with < and >, or take a Table of the world.",
            )  # fmt: skip
        return typed

    def _equal(self, one: Typed, other: Typed) -> ast.expr:
        are_whole = {one[1], other[1]} <= WHOLE
        left, right = (each[0] if are_whole else self.exact(*each) for each in (one, other))
        return ast.Compare(left, [ast.Eq()], [right])


def _shape(rows: Any) -> tuple[int, ...] | None:
    """Return the lengths of nested tuples; None if they are ragged."""
    if not isinstance(rows, tuple):
        return ()
    inner = {_shape(row) for row in rows}
    [shape] = inner if len(inner) == 1 else [None]
    return None if shape is None else (len(rows), *shape)


def _flat(rows: Any) -> Sequence[Any]:
    return [each for row in rows for each in _flat(row)] if isinstance(rows, tuple) else [rows]
