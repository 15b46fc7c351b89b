"""Rewrites statements with branches as statements without any, which choose among values instead.

Every way is gone, and behind each `if` the value of the way that counts is selected (if-conversion:
J. R. Allen, K. Kennedy, C. Porterfield, J. Warren, "Conversion of Control Dependence to Data
Dependence", POPL 1983). A processor does such statements for several agents at once.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from typing import Final, TypeAlias

from fsmkit.crowd.operations import called, is_nonzero

Values: TypeAlias = dict[str, ast.expr]
"""The name of a variable or a column -> what has its value."""

LEFT: Final = "left"
"""Whether the agent is left over: what is not done here, such as raising an error, is to be done."""

PLAIN: Final = frozenset(
    {"abs", "math.copysign", "math.fabs", "math.isfinite", "math.isinf", "math.isnan",
     "np.float64", "np.int64"}
)  # fmt: skip
"""Functions that take no branch."""

INSTEAD: Final[Mapping[str, str]] = {
    "_min": "_select(b < a, b, a)", "_max": "_select(b > a, b, a)", "_sqrt": "math.sqrt(a)",
    "_plus": "a + b", "_minus": "a - b", "_times": "a * b",
    "_abs": "_select(a < 0, -a, a)", "_exact": "np.float64(a)",
}  # fmt: skip
"""Functions of compiled code -> the same without branches, and without raising anything."""

RISKS: Final[Mapping[str, str]] = {
    "_sqrt": "a < 0.0",
    "_plus": "(a ^ a + b) & (b ^ a + b) < 0",
    "_minus": "(a ^ b) & (a ^ a - b) < 0",
    "_times": "abs(np.float64(a) * np.float64(b)) > 9e18",
    "_abs": "a == -9223372036854775808",
    "_exact": "(a > 9007199254740992) | (a < -9007199254740992)",
}
"""When these raise. Some say so too often: then the agent is left over, and nothing is raised."""


class BranchNeededError(Exception):
    """Something cannot be done without branches."""


class Selecting(ast.NodeTransformer):
    """Rewrites one block of statements into `done`; raises BranchNeededError.

    Each name is given a value once, so there is a number behind it; `taken` are other names. Columns
    are read once, and written by nobody: `values` has what belongs in them at the end.
    """

    def __init__(self, columns: Mapping[str, bool], taken: Collection[str]) -> None:
        self.done: list[ast.stmt] = []
        self.values: Values = {LEFT: ast.Constant(False)}
        self.written: set[str] = set()
        """The columns that are to be written."""
        self._columns = columns
        """The columns; True for those kept with 32 bits."""
        self._taken = taken
        self._numbers: Counter[str] = Counter()

    def read(self, column: str) -> None:
        """Have the value of an agent in a column."""
        self.values[column] = self._named(column, ast.parse(f"{column}[i]", mode="eval").body)

    def block(self, statements: list[ast.stmt]) -> None:
        """Rewrite these statements."""
        for statement in statements:
            if isinstance(statement, ast.If):
                self._if(statement)
            elif isinstance(statement, ast.Assign):
                self._assign(statement)
            elif isinstance(statement, ast.AugAssign) and ast.unparse(statement.target) == LEFT:
                self._leave_if(self.visit(statement.value))
            elif isinstance(statement, ast.Expr):
                self.done.append(statement)  # it stands for a comment
            elif not isinstance(statement, ast.Pass):
                raise BranchNeededError

    def _if(self, node: ast.If) -> None:
        when = self._test(node.test)
        self._either(when, lambda: self.block(node.body), lambda: self.block(node.orelse))

    def _assign(self, node: ast.Assign) -> None:
        target, value = node.targets[0], self.visit(node.value)
        if isinstance(target, ast.Name):
            self.values[target.id] = self._named(target.id, value)
        elif isinstance(target, ast.Subscript) and ast.unparse(target.value) in self._columns:
            column = ast.unparse(target.value)
            narrow = called("np.float32", value) if self._columns[column] else value
            self.values[column] = self._named(column, narrow)
            self.written.add(column)

    def _either(
        self, when: ast.expr, body: Callable[[], object], orelse: Callable[[], object]
    ) -> None:
        """Go both ways, and keep the values of the one that counts."""
        before = dict(self.values)
        body()
        one, self.values = self.values, before
        orelse()
        other = self.values
        self.values = {name: self._kept(when, name, one, other) for name in one | other}

    def _kept(self, when: ast.expr, name: str, one: Values, other: Values) -> ast.expr:
        if name not in one or name not in other:  # nobody reads it who has gone the other way
            return one.get(name) or other[name]
        value, instead = one[name], other[name]
        if ast.unparse(value) == ast.unparse(instead):
            return value
        return self._named(name, selected(when, value, instead))

    def _test(self, node: ast.expr) -> ast.expr:
        return self._named("when", self.visit(node))

    def _named(self, name: str, value: ast.expr) -> ast.expr:
        """`value`, by a name of its own unless it has one."""
        if isinstance(value, (ast.Name, ast.Constant)):
            return value
        self._numbers[name] += 1
        numbered = f"{name}_{self._numbers[name]}"
        if numbered in self._taken:
            return self._named(name, value)
        self.done.append(ast.Assign([ast.Name(numbered, ast.Store())], value, lineno=0))
        return ast.Name(numbered)

    # Expressions

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self.values.get(node.id, node)

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        return self.values[ast.unparse(node.value)]

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        if isinstance(node.op, (ast.FloorDiv, ast.Mod)):
            raise BranchNeededError
        left, right = self.visit(node.left), self.visit(node.right)
        if isinstance(node.op, ast.Div) and not is_nonzero(right):
            right = self._named("divisor", right)
            self._leave_if(ast.Compare(right, [ast.Eq()], [ast.Constant(0)]))
        return ast.BinOp(left, node.op, right)

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.expr:
        first, *others = node.values
        rest = others[0] if len(others) == 1 else ast.BoolOp(node.op, others)
        return self._both(node.op, self._test(first), rest)

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        left, right = self.visit(node.left), self.visit(node.comparators[0])
        if len(node.ops) == 1:
            return ast.Compare(left, node.ops, [right])
        middle = self._named("middle", right)
        first = self._named("when", ast.Compare(left, node.ops[:1], [middle]))
        rest = ast.Compare(middle, node.ops[1:], node.comparators[1:])
        return self._both(ast.And(), first, rest)

    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
        when = self._test(node.test)
        values: list[ast.expr] = []
        self._either(
            when,
            lambda: values.append(self.visit(node.body)),
            lambda: values.append(self.visit(node.orelse)),
        )
        return selected(when, *values)

    def visit_Call(self, node: ast.Call) -> ast.expr:
        name = ast.unparse(node.func)
        if name not in PLAIN and name not in INSTEAD:
            raise BranchNeededError
        values = [self.visit(each) for each in node.args]
        if name in PLAIN:
            return ast.Call(node.func, values, [])
        given = {key: self._named("value", v) for key, v in zip("ab", values, strict=False)}
        if name in RISKS:
            self._leave_if(_filled(RISKS[name], given))
        return _filled(INSTEAD[name], given)

    def _both(self, op: ast.boolop, first: ast.expr, rest: ast.expr) -> ast.expr:
        """`first and rest`, or `or`: what `rest` might raise counts on one way only."""
        second: list[ast.expr] = []
        ways = lambda: second.append(self.visit(rest)), lambda: None  # noqa: E731
        body, orelse = ways if isinstance(op, ast.And) else reversed(ways)
        self._either(first, body, orelse)
        return ast.BinOp(first, ast.BitAnd() if isinstance(op, ast.And) else ast.BitOr(), second[0])

    def _leave_if(self, risk: ast.expr) -> None:
        before = self.values[LEFT]
        is_first = isinstance(before, ast.Constant)
        left = risk if is_first else ast.BinOp(before, ast.BitOr(), risk)
        self.values[LEFT] = self._named(LEFT, left)


def selected(when: ast.expr, value: ast.expr, instead: ast.expr) -> ast.expr:
    """One of two values."""
    return called("_select", when, value, instead)


class _Filled(ast.NodeTransformer):
    """Puts expressions in the place of names."""

    def __init__(self, values: Values) -> None:
        self._values = values

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self._values.get(node.id, node)


def _filled(template: str, values: Values) -> ast.expr:
    filled: ast.expr = _Filled(values).visit(ast.parse(template, mode="eval").body)
    return filled
