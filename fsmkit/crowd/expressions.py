"""Translates the expressions in a function into those of compiled code."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable
from functools import reduce
from typing import Any, Final

from fsmkit.crowd import randomness
from fsmkit.crowd.arithmetic import ARITY, CONSTANTS, REFUSED_MATH, RISKY_MATH, SAFE_MATH
from fsmkit.crowd.binding import Binding, Place
from fsmkit.crowd.reading import MISSING, Source, source_of

Typed = tuple[ast.expr, str]
"""An expression of compiled code, and the kind of its value: float, int or bool."""

NUMBERS: Final = ("bool", "int", "float")


class Expressions:
    """The expressions of one function.

    `locals` are the kinds of its variables so far, by their names; `hoisted` is what has to be done
    before the statement that is being translated; `is_risky` whether that may raise.
    """

    def __init__(
        self, source: Source, binding: Binding, prefix: str, helper: Callable[[Any, Any], Any]
    ) -> None:
        self.source = source
        self.binding = binding
        self.prefix = prefix
        self.helper = helper
        """Compiles a function that is called: gives its name, and the kind of its value."""
        self.locals: dict[str, str] = {}
        self.hoisted: list[ast.stmt] = []
        self.is_risky = False
        self.draws = 0
        self._conditional = 0

    def typed(self, node: ast.expr) -> Typed:
        """Translate an expression. Raises SubsetError for what cannot be compiled."""
        method: Any = getattr(self, f"_{type(node).__name__.lower()}", None)
        if method is None:
            raise self.source.refuse(
                node,
                f"{_word(node)} cannot be compiled.",
                "What can be: arithmetic, comparisons, conditions, math, fields and local numbers.",
            )
        translated: Typed = method(node)
        return translated

    def test(self, node: ast.expr) -> ast.expr:
        """Translate a condition: a number is one if it is not 0."""
        if isinstance(node, ast.BoolOp):
            return self._both(node)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return ast.UnaryOp(ast.Not(), self.test(node.operand))
        value, kind = self.typed(node)
        return value if kind == "bool" else _compare(value, ast.NotEq(), ast.Constant(0))

    def place(self, node: ast.expr) -> Place | None:
        """The column or number that an attribute stands for; None if it is none."""
        if not isinstance(node, ast.Attribute) or not isinstance(node.value, ast.Name):
            return None
        name = node.value.id
        if name not in self.source.parameters or name in self.locals:
            return None
        position = self.source.parameters.index(name)
        find = (self.binding.agent, self.binding.world, self.binding.own)[position]
        found = find(node.attr)
        if found is None:
            raise self.source.refuse(node, *self._unknown(node, position))
        return found

    # What it may be

    def _constant(self, node: ast.Constant) -> Typed:
        if type(node.value) not in (bool, int, float):
            raise self.source.refuse(
                node, f"{node.value!r} is no number.",
                "Columns hold numbers: give each text a number, or make it a state."
                if isinstance(node.value, str) else "Values are numbers.",
            )  # fmt: skip
        return ast.Constant(node.value), type(node.value).__name__

    def _name(self, node: ast.Name) -> Typed:
        if node.id in self.locals:
            return ast.Name(f"{self.prefix}{node.id}"), self.locals[node.id]
        if node.id in self.source.parameters:
            raise self.source.refuse(
                node, f"{node.id!r} stands for all of its fields.", f"Name one: {node.id}.FIELD."
            )
        return self._number(node, self.source.meaning(node.id), node.id)

    def _attribute(self, node: ast.Attribute) -> Typed:
        place = self.place(node)
        if place is not None:
            return ast.parse(place.text, mode="eval").body, place.kind
        if isinstance(node.value, ast.Name):
            owner = self.source.meaning(node.value.id)
            if owner is math and node.attr in CONSTANTS:
                return _constant(CONSTANTS[node.attr]), "float"
            return self._number(node, getattr(owner, node.attr, MISSING), ast.unparse(node))
        raise self.source.refuse(node, f"{ast.unparse(node)} is no field.", "Fields are numbers.")

    def _binop(self, node: ast.BinOp) -> Typed:
        left, left_kind = self.typed(node.left)
        right, right_kind = self.typed(node.right)
        kinds = {left_kind, right_kind}
        op = node.op
        if isinstance(op, (ast.BitAnd, ast.BitOr, ast.BitXor)) and "float" not in kinds:
            return ast.BinOp(left, op, right), "bool" if kinds == {"bool"} else "int"
        if isinstance(op, ast.Pow):
            raise self.source.refuse(
                node, "powers are rounded otherwise in compiled code.", "Write x * x."
            )
        if not isinstance(op, (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod)):
            raise self.source.refuse(node, f"{_word(op)} cannot be compiled.", "Use arithmetic.")
        if isinstance(op, (ast.Div, ast.FloorDiv, ast.Mod)) and not _is_nonzero(right):
            self.is_risky = True
        is_float = "float" in kinds or isinstance(op, ast.Div)
        return ast.BinOp(left, op, right), "float" if is_float else "int"

    def _unaryop(self, node: ast.UnaryOp) -> Typed:
        if isinstance(node.op, ast.Not):
            return self.test(node), "bool"
        value, kind = self.typed(node.operand)
        if isinstance(node.op, ast.Invert) and kind == "float":
            raise self.source.refuse(node, "~ is for whole numbers.", "Use `not` or `-`.")
        return ast.UnaryOp(node.op, value), "int" if kind == "bool" else kind

    def _compare(self, node: ast.Compare) -> Typed:
        allowed = (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq)
        for op in node.ops:
            if not isinstance(op, allowed):
                raise self.source.refuse(
                    node,
                    f"{_word(op)} cannot be compiled.",
                    "Compare numbers with < <= > >= == !=.",
                )
        left, _ = self.typed(node.left)
        with_conditions = len(node.ops) > 1
        self._conditional += with_conditions
        others = [self.typed(each)[0] for each in node.comparators]
        self._conditional -= with_conditions
        return ast.Compare(left, node.ops, others), "bool"

    def _boolop(self, node: ast.BoolOp) -> Typed:
        kinds = {self._kind(each) for each in node.values}
        if kinds != {"bool"}:
            raise self.source.refuse(
                node, "`and` and `or` of numbers are one of the numbers.",
                "Compare them: `a > 0 and b > 0`.",
            )  # fmt: skip
        return self._both(node), "bool"

    def _ifexp(self, node: ast.IfExp) -> Typed:
        test = self.test(node.test)
        self._conditional += 1
        body, body_kind = self.typed(node.body)
        orelse, orelse_kind = self.typed(node.orelse)
        self._conditional -= 1
        kind = join(body_kind, orelse_kind)
        return ast.IfExp(test, cast(body, body_kind, kind), cast(orelse, orelse_kind, kind)), kind

    def _call(self, node: ast.Call) -> Typed:
        called = self._called(node)
        if node.keywords or any(isinstance(each, ast.Starred) for each in node.args):
            raise self.source.refuse(
                node, f"{ast.unparse(node)} gives arguments by name.", "Give them by position."
            )
        if called is randomness.random or called is randomness.uniform:
            return self._random(node, called)
        builtin: Any = getattr(self, f"_call_{getattr(called, '__name__', '')}", None)
        if builtin is not None and getattr(called, "__module__", "") == "builtins":
            return builtin(node)  # type: ignore[no-any-return]
        if getattr(called, "__module__", "") == "math":
            return self._math(node, called.__name__)
        if hasattr(called, "__code__"):
            return self._helper(node, called)
        raise self.source.refuse(
            node, f"{ast.unparse(node.func)}() cannot be compiled.",
            "What can be called: functions of math, abs, min, max, round, int, float, bool, "
            "random, uniform, and functions of your own that are made of the same.",
        )  # fmt: skip

    # Calls

    def _called(self, node: ast.Call) -> Any:
        function = node.func
        if isinstance(function, ast.Name) and function.id not in self.locals:
            called = self.source.meaning(function.id)
        elif isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name):
            if function.value.id in self.source.parameters:
                raise self.source.refuse(
                    node, f"{ast.unparse(function)}() is a method.", "Fields are numbers."
                )
            called = getattr(self.source.meaning(function.value.id), function.attr, MISSING)
        else:
            called = MISSING
        if called is MISSING:
            raise self.source.refuse(
                node, f"there is no function {ast.unparse(function)}().", "Check the spelling."
            )
        return called

    def _arguments(self, node: ast.Call, count: int) -> list[Typed]:
        if len(node.args) != count:
            raise self.source.refuse(
                node, f"{ast.unparse(node.func)}() takes {count} here, not {len(node.args)}.",
                "Give it as many.",
            )  # fmt: skip
        return [self.typed(each) for each in node.args]

    def _call_abs(self, node: ast.Call) -> Typed:
        [(value, kind)] = self._arguments(node, 1)
        return _called("abs", value), "int" if kind == "bool" else kind

    def _call_float(self, node: ast.Call) -> Typed:
        [(value, kind)] = self._arguments(node, 1)
        return cast(value, kind, "float"), "float"

    def _call_bool(self, node: ast.Call) -> Typed:
        [(value, kind)] = self._arguments(node, 1)
        return cast(value, kind, "bool"), "bool"

    def _call_int(self, node: ast.Call) -> Typed:
        [(value, kind)] = self._arguments(node, 1)
        return self._whole("_int", value, kind)

    def _call_round(self, node: ast.Call) -> Typed:
        [(value, kind)] = self._arguments(node, 1)
        return self._whole("_round", value, kind)

    def _call_min(self, node: ast.Call) -> Typed:
        return self._least("_min", node)

    def _call_max(self, node: ast.Call) -> Typed:
        return self._least("_max", node)

    def _least(self, name: str, node: ast.Call) -> Typed:
        if len(node.args) < 2:
            raise self.source.refuse(node, f"{name[1:]}() takes numbers here.", "Give it two.")
        typed = [self.typed(each) for each in node.args]
        kind = max((kind for _, kind in typed), key=NUMBERS.index)
        first, *others = (cast(value, each, kind) for value, each in typed)
        return reduce(lambda least, other: _called(name, least, other), others, first), kind

    def _whole(self, name: str, value: ast.expr, kind: str) -> Typed:
        if kind != "float":
            return cast(value, kind, "int"), "int"
        self.is_risky = True
        return _called(name, value), "int"

    def _math(self, node: ast.Call, name: str) -> Typed:
        if name in REFUSED_MATH:
            raise self.source.refuse(node, REFUSED_MATH[name], "")
        if name not in SAFE_MATH and name not in RISKY_MATH:
            known = ", ".join(sorted({*SAFE_MATH, *RISKY_MATH}))
            raise self.source.refuse(
                node, f"math.{name} cannot be compiled.", f"Of math there are: {known}."
            )
        values = [cast(*each, "float") for each in self._arguments(node, ARITY.get(name, 1))]
        if name in RISKY_MATH:
            if RISKY_MATH[name] == "int" and self._kind(node.args[0]) != "float":
                return cast(values[0], "float", "int"), "int"
            self.is_risky = True
            return _called(f"_{name}", *values), RISKY_MATH[name]
        return ast.Call(ast.Attribute(ast.Name("math"), name), values, []), SAFE_MATH[name]

    def _helper(self, node: ast.Call, called: Any) -> Typed:
        compiled = self.helper(source_of(called), [self._argument(each) for each in node.args])
        self.is_risky = self.is_risky or compiled.is_risky
        return ast.Call(ast.Name(compiled.name), compiled.values, []), compiled.kind

    def _argument(self, node: ast.expr) -> tuple[str, Any]:
        """An argument of a function of the user's: the agent, the world, or a number."""
        parameters = self.source.parameters
        if isinstance(node, ast.Name) and node.id in parameters and node.id not in self.locals:
            return ("agent", "world", "own")[parameters.index(node.id)], node
        return "number", self.typed(node)

    def _random(self, node: ast.Call, called: Any) -> Typed:
        agent, *bounds = node.args or [node]
        parameters = self.source.parameters
        if not isinstance(agent, ast.Name) or not parameters or agent.id != parameters[0]:
            raise self.source.refuse(
                node, f"{called.__name__}() takes the agent first.",
                f"Write {called.__name__}({parameters[0] if parameters else 'agent'}...).",
            )  # fmt: skip
        if self._conditional:
            raise self.source.refuse(
                node, f"{called.__name__}() is drawn or not, within one expression.",
                "Draw it into a variable first.",
            )  # fmt: skip
        values = [self.typed(each) for each in bounds]
        name = f"{self.prefix}draw{self.draws}"
        self.draws += 1
        self.hoisted += ast.parse(f"{name} = _draw(seed, ids[i], step, call)\ncall += 1").body
        drawn = ast.Name(name)
        if called is randomness.random:
            return drawn, "float"
        if len(values) != 2:
            raise self.source.refuse(node, "uniform() takes low and high.", "Give it both.")
        low, high = (cast(*each, "float") for each in values)
        span = ast.BinOp(ast.BinOp(high, ast.Sub(), low), ast.Mult(), drawn)
        return ast.BinOp(low, ast.Add(), span), "float"

    # Help

    def _both(self, node: ast.BoolOp) -> ast.expr:
        first, *others = node.values
        values = [self.test(first)]
        self._conditional += 1
        values += [self.test(each) for each in others]
        self._conditional -= 1
        return ast.BoolOp(node.op, values)

    def _kind(self, node: ast.expr) -> str:
        """The kind of an expression, without anything being done for it."""
        hoisted, draws, risky = list(self.hoisted), self.draws, self.is_risky
        kind = self.typed(node)[1]
        self.hoisted, self.draws, self.is_risky = hoisted, draws, risky
        return kind

    def _number(self, node: ast.expr, value: Any, name: str) -> Typed:
        if type(value) in (bool, int, float):
            return _constant(value), type(value).__name__
        if value is MISSING:
            raise self.source.refuse(
                node, f"there is no {name!r} here, or not on every way.",
                "Check the spelling, or give it a value first.",
            )  # fmt: skip
        raise self.source.refuse(
            node, f"{name!r} is {value!r}, no number.",
            "Numbers from outside are constants; what changes is a field of the world.",
        )  # fmt: skip

    def _unknown(self, node: ast.Attribute, position: int) -> tuple[str, str]:
        binding = self.binding
        what, known = (
            ("the agents", list(binding.columns.record.kinds)),
            ("the world", ["dt", *binding.columns.world.kinds]),
            ("the action", [*binding.action.given, *binding.memory]),
        )[position]
        return (
            f"{what} have no field {node.attr!r}."
            if position == 0
            else f"{what} has no field {node.attr!r}.",
            f"There are: {', '.join(known) or 'none'}.",
        )


def join(one: str, other: str) -> str:
    """The kind that holds values of both."""
    return max(one, other, key=NUMBERS.index)


def cast(value: ast.expr, kind: str, wanted: str) -> ast.expr:
    """`value` as one of another kind; a float is never made an int so."""
    if kind == wanted:
        return value
    if wanted == "bool":
        return _compare(value, ast.NotEq(), ast.Constant(0))
    return _called("np.float64" if wanted == "float" else "np.int64", value)


def _compare(left: ast.expr, op: ast.cmpop, right: ast.expr) -> ast.expr:
    return ast.Compare(left, [op], [right])


def _called(name: str, *values: ast.expr) -> ast.expr:
    return ast.Call(ast.parse(name, mode="eval").body, list(values), [])


def _constant(value: float) -> ast.expr:
    if isinstance(value, float) and not math.isfinite(value):
        name = "math.nan" if math.isnan(value) else "math.inf"
        constant = ast.parse(name, mode="eval").body
        return ast.UnaryOp(ast.USub(), constant) if value < 0 else constant
    if not isinstance(value, bool) and (value < 0 or math.copysign(1.0, value) < 0):
        return ast.UnaryOp(ast.USub(), ast.Constant(-value))
    return ast.Constant(value)


def _is_nonzero(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and value.value != 0


def _word(node: ast.AST) -> str:
    words = {
        "List": "a list", "Dict": "a dictionary", "Set": "a set", "Tuple": "a tuple",
        "Subscript": "an index", "JoinedStr": "a text", "Lambda": "a lambda",
        "ListComp": "a list comprehension", "GeneratorExp": "a generator", "Await": "await",
        "NamedExpr": ":=", "In": "`in`", "NotIn": "`not in`", "Is": "`is`", "IsNot": "`is not`",
        "LShift": "<<", "RShift": ">>", "MatMult": "@", "Starred": "*", "Yield": "yield",
        "For": "a loop", "While": "a loop", "With": "`with`", "Try": "`try`", "Raise": "`raise`",
        "Assert": "`assert`", "Import": "an import", "ImportFrom": "an import",
        "FunctionDef": "a function inside", "ClassDef": "a class", "Global": "`global`",
        "Nonlocal": "`nonlocal`", "Delete": "`del`", "Match": "`match`", "Break": "`break`",
        "Continue": "`continue`", "AsyncFor": "a loop",
    }  # fmt: skip
    return words.get(type(node).__name__, type(node).__name__)


word = _word
