"""If-conversion: rewrites statements with branches so that they select among values instead.

Both branches are computed, and after each `if` the values of the one that counts are selected
(J. R. Allen, K. Kennedy, C. Porterfield, J. Warren, "Conversion of Control Dependence to Data
Dependence", POPL 1983). A processor executes such statements for several agents at once.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Final, TypeAlias, TypeVar

from attrs import define, field

from fsmkit.crowd.compiler.operations import called, is_nonzero

T = TypeVar("T")

CurrentValues: TypeAlias = dict[str, ast.expr]
"""The name of a variable or column -> the name or number that stands for its value."""

LEFT: Final = "left"
"""The variable that is true for an agent left to the update loop, which handles rare cases."""

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
"""The conditions under which they may raise; `_times` and `_exact` do not always."""


MAX_STEPS: Final = 20_000
"""The most parts of statements that are rewritten: unrolled loops may have many."""


class BranchNeededError(Exception):
    """A statement needs branches: agents that reach it are left to the update loop."""


class TooLongError(Exception):
    """The statements without branches would be far too many for a sweep."""


@define(eq=False)
class IfConverter:
    """Rewrites statements into `done`. Raises BranchNeededError if every agent would be left.

    `columns` are read first and not written: `values` has their new values. Every value has a name
    of its own that ends with a number; `taken` are names of other things. Calls of `functions` are
    inlined. One of the `variables` without a value was assigned in a branch that is left.
    """

    _columns: Mapping[str, bool]
    """True for those that are stored with 32 bits."""
    _taken: Collection[str]
    _functions: Mapping[str, ast.FunctionDef]
    _variables: Collection[str] = ()
    done: list[ast.stmt] = field(factory=list, init=False)
    values: CurrentValues = field(factory=lambda: {LEFT: ast.Constant(False)}, init=False)
    _numbers: Counter[str] = field(factory=Counter, init=False)
    _steps: int = field(default=0, init=False)

    def __attrs_post_init__(self) -> None:
        for column in self._columns:
            self.values[column] = self._named(column, parsed(f"{column}[i]"))

    def block(self, statements: list[ast.stmt]) -> None:
        for statement in statements:
            self._by_kind(statement)

    def _by_kind(self, node: ast.AST) -> Any:
        self._steps += 1
        if self._steps > MAX_STEPS:
            raise TooLongError
        method: Any = getattr(self, f"_{type(node).__name__.lower()}", None)
        if method is None:
            raise BranchNeededError
        return method(node)

    # Statements

    def _pass(self, _node: ast.Pass) -> None:
        pass

    def _expr(self, node: ast.Expr) -> None:
        if isinstance(node.value, ast.Constant):  # it represents a comment
            self.done.append(node)

    def _if(self, node: ast.If) -> None:
        when = self._test(node.test)
        self._either(when, lambda: self.block(node.body), lambda: self.block(node.orelse))

    def _returned(self, statements: Sequence[ast.stmt]) -> ast.expr:
        first, *rest = statements
        if isinstance(first, ast.Return) and first.value is not None:
            return self._value(first.value)
        if isinstance(first, ast.If) and _returns(first):
            return self._chosen(
                self._test(first.test),
                lambda: self._returned([*first.body, *rest]),
                lambda: self._returned([*first.orelse, *rest]),
            )
        self._by_kind(first)
        return self._returned(rest)

    def _assign(self, node: ast.Assign) -> None:
        target, value = node.targets[0], self._value(node.value)
        if isinstance(target, ast.Name):
            self.values[target.id] = self._named(target.id, value)
        elif isinstance(target, ast.Subscript) and ast.unparse(target.value) in self._columns:
            column = ast.unparse(target.value)
            stored = called("np.float32", value) if self._columns[column] else value
            self.values[column] = self._named(column, stored)

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
        self, when: ast.expr, body: Callable[[], T], orelse: Callable[[], T]
    ) -> tuple[T | None, T | None]:
        """Rewrite both branches, and select the values of the one that counts.

        Returns their results; None for a branch that needs branches itself: its agents are left.
        """
        before = self.values
        result, one = self._tried(before, body)
        instead, other = self._tried(before, orelse)
        if one is not None and other is not None:
            self.values = {name: self._kept(when, name, one, other) for name in one | other}
        elif one is not None:
            self.values = one
            self._leave_if(ast.UnaryOp(ast.Not(), when))
        elif other is not None:
            self.values = other
            self._leave_if(when)
        else:
            raise BranchNeededError
        return result, instead

    def _tried(
        self, values: CurrentValues, branch: Callable[[], T]
    ) -> tuple[T | None, CurrentValues | None]:
        self.values, before = dict(values), len(self.done)
        try:
            return branch(), self.values
        except BranchNeededError:
            del self.done[before:]
            return None, None

    def _kept(
        self, when: ast.expr, name: str, one: CurrentValues, other: CurrentValues
    ) -> ast.expr:
        if name not in one or name not in other:  # the other branch does not read it
            return one.get(name) or other[name]
        value, instead = one[name], other[name]
        if ast.unparse(value) == ast.unparse(instead):
            return value
        return self._named(name, selected(when, value, instead))

    def _named(self, name: str, value: ast.expr) -> ast.expr:
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
        if node.id in self._variables and node.id not in self.values:
            raise BranchNeededError
        return self.values.get(node.id, node)

    def _subscript(self, node: ast.Subscript) -> ast.expr:
        column = ast.unparse(node.value)
        if column not in self._columns:  # a table
            raise BranchNeededError
        return self.values[column]

    def _constant(self, node: ast.expr) -> ast.expr:
        return node

    _attribute = _constant  # math.inf

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
        """Rewrite `first and rest`, or `or`; an error in `rest` counts only if it is evaluated."""
        is_and = isinstance(op, ast.And)
        decided = ast.Constant(not is_and)
        branches = [lambda: self._value(rest), lambda: decided]
        values = self._either(first, *(branches if is_and else branches[::-1]))
        value_of_rest = values[0 if is_and else 1]
        if value_of_rest is None:
            return decided
        return ast.BinOp(first, ast.BitAnd() if is_and else ast.BitOr(), value_of_rest)

    def _ifexp(self, node: ast.IfExp) -> ast.expr:
        return self._chosen(
            self._test(node.test), lambda: self._value(node.body), lambda: self._value(node.orelse)
        )

    def _chosen(
        self, when: ast.expr, body: Callable[[], ast.expr], orelse: Callable[[], ast.expr]
    ) -> ast.expr:
        value, instead = self._either(when, body, orelse)
        if value is None or instead is None:
            [chosen] = [each for each in (value, instead) if each is not None]
            return chosen
        return selected(when, value, instead)

    def _call(self, node: ast.Call) -> ast.expr:
        name = ast.unparse(node.func)
        if name in self._functions:
            return self._inlined(self._functions[name], node.args)
        if name not in PLAIN and name not in INSTEAD:
            raise BranchNeededError
        values = [self._value(each) for each in node.args]
        if name in PLAIN:
            return called(name, *values)
        names = [ast.unparse(self._named("value", value)) for value in values]
        texts = dict(zip("ab", names, strict=False))
        if name in RISKS:
            self._leave_if(parsed(RISKS[name].format(**texts)))
        return parsed(INSTEAD[name].format(**texts))

    def _inlined(self, function: ast.FunctionDef, arguments: Sequence[ast.expr]) -> ast.expr:
        parameters = [each.arg for each in function.args.args]
        given = {
            parameter: self._named(parameter, self._value(argument))
            for parameter, argument in zip(parameters, arguments, strict=True)
            if parameter not in ("notes", "place")
        }
        outer = self.values
        self.values = {**outer, **given}
        value = self._returned(function.body)
        self.values = {**outer, LEFT: self.values[LEFT]}
        return value


def selected(when: ast.expr, value: ast.expr, instead: ast.expr) -> ast.expr:
    return called("_select", when, value, instead)


def parsed(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


def _returns(statement: ast.stmt) -> bool:
    return any(isinstance(each, ast.Return) for each in ast.walk(statement))
