"""If-conversion: rewrites statements with branches so that they select among values instead.

Every branch is computed, and after each `if` the value of the one that counts is selected
(J. R. Allen, K. Kennedy, C. Porterfield, J. Warren, "Conversion of Control Dependence to Data
Dependence", POPL 1983). A processor executes such statements for several agents at once.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from typing import Any, Final, TypeAlias

from fsmkit.crowd.compiler.operations import called, is_nonzero

Values: TypeAlias = dict[str, ast.expr]
"""The name of a variable or a column -> the name or number that stands for its value."""

LEFT: Final = "left"
"""True for an agent that is left to the update loop, which handles the rare cases."""

PLAIN: Final = frozenset(
    {"abs", "math.copysign", "math.fabs", "math.isfinite", "math.isinf", "math.isnan",
     "np.float64", "np.int64"}
)  # fmt: skip
"""Functions without a branch."""

INSTEAD: Final[Mapping[str, str]] = {
    "_min": "_select({b} < {a}, {b}, {a})", "_max": "_select({b} > {a}, {b}, {a})",
    "_plus": "{a} + {b}", "_minus": "{a} - {b}", "_times": "{a} * {b}",
    "_abs": "_select({a} < 0, -{a}, {a})", "_exact": "np.float64({a})", "_sqrt": "math.sqrt({a})",
}  # fmt: skip
"""Functions of compiled code -> the same without branches and errors."""

RISKS: Final[Mapping[str, str]] = {
    "_plus": "({a} ^ {a} + {b}) & ({b} ^ {a} + {b}) < 0",
    "_minus": "({a} ^ {b}) & ({a} ^ {a} - {b}) < 0",
    "_times": "abs(np.float64({a}) * np.float64({b})) > 9e18",
    "_abs": "{a} == -9223372036854775808",
    "_exact": "({a} > 9007199254740992) | ({a} < -9007199254740992)",
    "_sqrt": "{a} < 0.0",
}
"""The conditions on which they may raise an error; `_times` and `_exact` do not always."""


class BranchNeededError(Exception):
    """Something cannot be done without branches."""


class IfConverter:
    """Rewrites statements into `done`. Raises BranchNeededError if that is not possible.

    `columns` are read first and not written: `values` has the new values of those in `written`.
    Every value has a name of its own that ends with a number; `taken` are other names.
    """

    def __init__(self, columns: Mapping[str, bool], taken: Collection[str]) -> None:
        self.done: list[ast.stmt] = []
        self.values: Values = {LEFT: ast.Constant(False)}
        self.written: set[str] = set()
        self._columns = columns
        """True for those that are stored with 32 bits."""
        self._taken = taken
        self._numbers: Counter[str] = Counter()
        for column in columns:
            self.values[column] = self._named(column, _parsed(f"{column}[i]"))

    def block(self, statements: list[ast.stmt]) -> None:
        """Rewrite statements."""
        for statement in statements:
            self._by_kind(statement)

    def _by_kind(self, node: ast.AST) -> Any:
        method: Any = getattr(self, f"_{type(node).__name__.lower()}", None)
        if method is None:
            raise BranchNeededError
        return method(node)

    # Statements

    def _pass(self, _node: ast.Pass) -> None:
        pass

    def _expr(self, node: ast.Expr) -> None:
        self.done.append(node)  # it represents a comment

    def _if(self, node: ast.If) -> None:
        when = self._test(node.test)
        self._either(when, lambda: self.block(node.body), lambda: self.block(node.orelse))

    def _assign(self, node: ast.Assign) -> None:
        target, value = node.targets[0], self._value(node.value)
        if isinstance(target, ast.Name):
            self.values[target.id] = self._named(target.id, value)
        elif isinstance(target, ast.Subscript) and ast.unparse(target.value) in self._columns:
            column = ast.unparse(target.value)
            stored = called("np.float32", value) if self._columns[column] else value
            self.values[column] = self._named(column, stored)
            self.written.add(column)

    def _augassign(self, node: ast.AugAssign) -> None:
        if ast.unparse(node.target) != LEFT:
            raise BranchNeededError
        self._leave_if(self._value(node.value))

    def _leave_if(self, risk: ast.expr) -> None:
        before = self.values[LEFT]
        is_first = isinstance(before, ast.Constant)
        left = risk if is_first else ast.BinOp(before, ast.BitOr(), risk)
        self.values[LEFT] = self._named(LEFT, left)

    def _either(
        self, when: ast.expr, body: Callable[[], object], orelse: Callable[[], object]
    ) -> None:
        """Rewrite both branches, and keep the values of the one that counts."""
        before = dict(self.values)
        body()
        one, self.values = self.values, before
        orelse()
        other = self.values
        self.values = {name: self._kept(when, name, one, other) for name in one | other}

    def _kept(self, when: ast.expr, name: str, one: Values, other: Values) -> ast.expr:
        if name not in one or name not in other:  # the other branch does not read it
            return one.get(name) or other[name]
        value, instead = one[name], other[name]
        if ast.unparse(value) == ast.unparse(instead):
            return value
        return self._named(name, selected(when, value, instead))

    def _named(self, name: str, value: ast.expr) -> ast.expr:
        """Give `value` a name of its own unless it has one."""
        if isinstance(value, (ast.Name, ast.Constant)):
            return value
        self._numbers[name] += 1
        numbered = f"{name}_{self._numbers[name]}"
        if numbered in self._taken:
            return self._named(name, value)
        self.done.append(ast.Assign([ast.Name(numbered, ast.Store())], value, lineno=0))
        return ast.Name(numbered)

    # Expressions

    def _value(self, node: ast.expr) -> ast.expr:
        value: ast.expr = self._by_kind(node)
        return value

    def _test(self, node: ast.expr) -> ast.expr:
        return self._named("when", self._value(node))

    def _name(self, node: ast.Name) -> ast.expr:
        return self.values.get(node.id, node)

    def _subscript(self, node: ast.Subscript) -> ast.expr:
        column = ast.unparse(node.value)
        if column not in self.values:  # a table
            raise BranchNeededError
        return self.values[column]

    def _constant(self, node: ast.Constant) -> ast.expr:
        return node

    def _attribute(self, node: ast.Attribute) -> ast.expr:
        return node  # math.inf

    def _unaryop(self, node: ast.UnaryOp) -> ast.expr:
        return ast.UnaryOp(node.op, self._value(node.operand))

    def _binop(self, node: ast.BinOp) -> ast.expr:
        if isinstance(node.op, (ast.FloorDiv, ast.Mod)):
            raise BranchNeededError
        left, right = self._value(node.left), self._value(node.right)
        if isinstance(node.op, ast.Div) and not is_nonzero(right):
            right = self._named("divisor", right)
            self._leave_if(ast.Compare(right, [ast.Eq()], [ast.Constant(0)]))
        return ast.BinOp(left, node.op, right)

    def _boolop(self, node: ast.BoolOp) -> ast.expr:
        first, *others = node.values
        rest = others[0] if len(others) == 1 else ast.BoolOp(node.op, others)
        return self._both(node.op, self._test(first), rest)

    def _compare(self, node: ast.Compare) -> ast.expr:
        left, right = self._value(node.left), self._value(node.comparators[0])
        if len(node.ops) == 1:
            return ast.Compare(left, node.ops, [right])
        middle = self._named("middle", right)
        first = self._named("when", ast.Compare(left, node.ops[:1], [middle]))
        rest = ast.Compare(middle, node.ops[1:], node.comparators[1:])
        return self._both(ast.And(), first, rest)

    def _both(self, op: ast.boolop, first: ast.expr, rest: ast.expr) -> ast.expr:
        """Rewrite `first and rest`, or `or`; an error in `rest` counts in one branch only."""
        value: list[ast.expr] = []
        branches: list[Callable[[], object]] = [
            lambda: value.append(self._value(rest)),
            lambda: None,
        ]
        is_and = isinstance(op, ast.And)
        self._either(first, *(branches if is_and else reversed(branches)))
        return ast.BinOp(first, ast.BitAnd() if is_and else ast.BitOr(), value[0])

    def _ifexp(self, node: ast.IfExp) -> ast.expr:
        when = self._test(node.test)
        values: list[ast.expr] = []
        self._either(
            when,
            lambda: values.append(self._value(node.body)),
            lambda: values.append(self._value(node.orelse)),
        )
        return selected(when, *values)

    def _call(self, node: ast.Call) -> ast.expr:
        name = ast.unparse(node.func)
        if name not in PLAIN and name not in INSTEAD:
            raise BranchNeededError
        values = [self._value(each) for each in node.args]
        if name in PLAIN:
            return called(name, *values)
        names = [ast.unparse(self._named("value", value)) for value in values]
        texts = dict(zip("ab", names, strict=False))
        if name in RISKS:
            self._leave_if(_parsed(RISKS[name].format(**texts)))
        return _parsed(INSTEAD[name].format(**texts))


def selected(when: ast.expr, value: ast.expr, instead: ast.expr) -> ast.expr:
    """Return the expression that selects one of two values."""
    return called("_select", when, value, instead)


def _parsed(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body
