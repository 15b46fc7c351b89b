"""Translates names, fields, operators and conditions into those of compiled code."""

from __future__ import annotations

import ast
import math
from typing import Any, Final, NoReturn, TypeAlias

from fsmkit.crowd.arithmetic import CONSTANTS, literal
from fsmkit.crowd.binding import Binding, Place
from fsmkit.crowd.reading import MISSING, Source
from fsmkit.crowd.syntax_words import word

Typed: TypeAlias = tuple[ast.expr, str]
"""An expression of compiled code, and the kind of its value: float, int or bool."""

NUMBERS: Final = ("bool", "int", "float")

ROLES: Final = ("agent", "world", "own")
"""What the parameters of an action's function stand for."""


class Operations:
    """The operators in one function; `Expressions` adds what is called.

    `locals` are the kinds of its variables so far, by their names; `hoisted` is what has to be done
    before the statement that is being translated; `is_risky` whether that may raise.
    """

    def __init__(self, source: Source, binding: Binding, prefix: str) -> None:
        self.source = source
        self.binding = binding
        self.prefix = prefix
        self.roles: dict[str, str] = dict(zip(source.parameters, ROLES, strict=False))
        """Parameter -> what it stands for."""
        self.locals: dict[str, str] = {}
        self.hoisted: list[ast.stmt] = []
        self.is_risky = False
        self._conditional = 0

    def typed(self, node: ast.expr) -> Typed:
        """Translate an expression. Raises SubsetError for what cannot be compiled."""
        method: Any = getattr(self, f"_{type(node).__name__.lower()}", None)
        if method is None:
            self.refuse(
                node,
                f"{word(node)} cannot be compiled.",
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
        return cast(*self.typed(node), "bool")

    def place(self, node: ast.expr) -> Place | None:
        """The column or number that an attribute stands for; None if it is none."""
        if not isinstance(node, ast.Attribute) or not isinstance(node.value, ast.Name):
            return None
        role = self.role(node.value)
        if role is None:
            return None
        found: Place | None = getattr(self.binding, role)(node.attr)
        if found is None:
            self.refuse(node, *self._unknown(node.attr, role))
        return found

    def role(self, node: ast.expr) -> str | None:
        """What a name stands for: agent, world or own; None for any other."""
        if not isinstance(node, ast.Name) or node.id in self.locals:
            return None
        return self.roles.get(node.id)

    def load(self, place: Place) -> Typed:
        """The value that is at a place."""
        value = ast.parse(place.text, mode="eval").body
        return (called("np.float64", value) if place.is_narrow else value), place.kind

    def local(self, name: str) -> str:
        """What a variable is called in compiled code."""
        return f"{self.prefix}{name}"

    def made_up(self, name: str) -> str:
        """A variable of compiled code that the function does not have."""
        while name in self.source.function.__code__.co_varnames:
            name += "_"
        return self.local(name)

    def refuse(self, node: ast.AST, what: str, instead: str) -> NoReturn:
        """Raise the error for a part that cannot be compiled."""
        raise self.source.refuse(node, what, instead)

    def kind(self, node: ast.expr) -> str:
        """The kind of an expression, without anything being done for it."""
        hoisted, risky = list(self.hoisted), self.is_risky
        kind = self.typed(node)[1]
        self.hoisted, self.is_risky = hoisted, risky
        return kind

    # What it may be

    def _constant(self, node: ast.Constant) -> Typed:
        if type(node.value) not in (bool, int, float):
            self.refuse(
                node, f"{node.value!r} is no number.",
                "Columns hold numbers: give each text a number, or make it a state."
                if isinstance(node.value, str) else "Values are numbers.",
            )  # fmt: skip
        return ast.Constant(node.value), type(node.value).__name__

    def _name(self, node: ast.Name) -> Typed:
        if node.id in self.locals:
            return ast.Name(self.local(node.id)), self.locals[node.id]
        if node.id in self.roles:
            self.refuse(
                node, f"{node.id!r} stands for all of its fields.", f"Name one: {node.id}.FIELD."
            )
        return self._number(node, self.source.meaning(node.id), node.id)

    def _attribute(self, node: ast.Attribute) -> Typed:
        place = self.place(node)
        if place is not None:
            return self.load(place)
        if not isinstance(node.value, ast.Name):
            self.refuse(node, f"{ast.unparse(node)} is no field.", "Fields are numbers.")
        owner = self.source.meaning(node.value.id)
        if owner is math and node.attr in CONSTANTS:
            return constant(CONSTANTS[node.attr]), "float"
        return self._number(node, getattr(owner, node.attr, MISSING), ast.unparse(node))

    def _binop(self, node: ast.BinOp) -> Typed:
        left, left_kind = self.typed(node.left)
        right, right_kind = self.typed(node.right)
        kinds = {left_kind, right_kind}
        op = node.op
        if isinstance(op, (ast.BitAnd, ast.BitOr, ast.BitXor)) and "float" not in kinds:
            return ast.BinOp(left, op, right), "bool" if kinds == {"bool"} else "int"
        if isinstance(op, ast.Pow):
            self.refuse(node, "powers are rounded otherwise in compiled code.", "Write x * x.")
        if not isinstance(op, (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod)):
            self.refuse(node, f"{word(op)} cannot be compiled.", "Use arithmetic.")
        if isinstance(op, (ast.Div, ast.FloorDiv, ast.Mod)) and not _is_nonzero(right):
            self.is_risky = True
        is_float = "float" in kinds or isinstance(op, ast.Div)
        return ast.BinOp(left, op, right), "float" if is_float else "int"

    def _unaryop(self, node: ast.UnaryOp) -> Typed:
        if isinstance(node.op, ast.Not):
            return self.test(node), "bool"
        value, kind = self.typed(node.operand)
        if isinstance(node.op, ast.Invert) and kind == "float":
            self.refuse(node, "`~` is for whole numbers.", "Use `not` or `-`.")
        kind_of_result = join(kind, "int")
        return ast.UnaryOp(node.op, cast(value, kind, kind_of_result)), kind_of_result

    def _compare(self, node: ast.Compare) -> Typed:
        allowed = (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq)
        for op in node.ops:
            if not isinstance(op, allowed):
                self.refuse(
                    node,
                    f"{word(op)} cannot be compiled.",
                    "Compare numbers with < <= > >= == !=.",
                )
        left, _ = self.typed(node.left)
        first, *others = node.comparators
        values = [self.typed(first)[0]]
        self._conditional += 1
        values += [self.typed(each)[0] for each in others]
        self._conditional -= 1
        return ast.Compare(left, node.ops, values), "bool"

    def _boolop(self, node: ast.BoolOp) -> Typed:
        if {self.kind(each) for each in node.values} != {"bool"}:
            self.refuse(
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

    # Help

    def _both(self, node: ast.BoolOp) -> ast.expr:
        first, *others = node.values
        values = [self.test(first)]
        self._conditional += 1
        values += [self.test(each) for each in others]
        self._conditional -= 1
        return ast.BoolOp(node.op, values)

    def _number(self, node: ast.expr, value: Any, name: str) -> Typed:
        if type(value) in (bool, int, float):
            return constant(value), type(value).__name__
        if value is MISSING:
            self.refuse(
                node, f"there is no {name!r} here, or not on every way.",
                "Check the spelling, or give it a value first.",
            )  # fmt: skip
        return self.refuse(
            node, f"{name!r} is {value!r}, no number.",
            "Numbers from outside are constants; what changes is a field of the world.",
        )  # fmt: skip

    def _unknown(self, name: str, role: str) -> tuple[str, str]:
        binding = self.binding
        what, known = {
            "agent": ("the agents have", list(binding.columns.record.kinds)),
            "world": ("the world has", ["dt", *binding.columns.world.kinds]),
            "own": ("the action has", [*binding.action.given, *binding.memory]),
        }[role]
        others = ", ".join(dict.fromkeys(known)) or "none"
        return f"{what} no field {name!r}.", f"There are: {others}."


def join(one: str, other: str) -> str:
    """The kind that holds values of both."""
    return max(one, other, key=NUMBERS.index)


def cast(value: ast.expr, kind: str, wanted: str) -> ast.expr:
    """`value` as one of another kind; a float is never made an int so."""
    if kind == wanted:
        return value
    if wanted == "bool":
        return ast.Compare(value, [ast.NotEq()], [ast.Constant(0)])
    return called("np.float64" if wanted == "float" else "np.int64", value)


def called(name: str, *values: ast.expr) -> ast.expr:
    """A call of a function of compiled code."""
    return ast.Call(ast.parse(name, mode="eval").body, list(values), [])


def constant(value: float) -> ast.expr:
    """A number of compiled code."""
    return ast.parse(literal(value), mode="eval").body


def _is_nonzero(value: ast.expr) -> bool:
    if isinstance(value, ast.UnaryOp):
        return _is_nonzero(value.operand)
    return isinstance(value, ast.Constant) and value.value != 0
