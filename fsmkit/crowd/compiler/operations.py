"""Translates names, fields, operators and conditions into those of compiled code."""

from __future__ import annotations

import ast
from enum import Enum, Flag
from typing import Any, Final, NoReturn, TypeAlias

from fsmkit.crowd.compiler.arithmetic import CHECKED, is_exact, literal
from fsmkit.crowd.compiler.binding import Binding, Place
from fsmkit.crowd.compiler.constants import is_number
from fsmkit.crowd.compiler.syntax_names import syntax_name
from fsmkit.crowd.packages import np
from fsmkit.crowd.source import MISSING, Source

Typed: TypeAlias = tuple[ast.expr, str]
"""An expression of compiled code, and the kind of its value."""

WHOLE: Final = frozenset({"bool", "int"})
"""The kinds of whole numbers. The others are "float" and "either".

"either" is a float that is a whole number in Python on one of two paths, as `max(0, x)` is. It has
the same value, but 0 has no sign then: `-max(0, x)` is 0.0 or -0.0.
"""

WIDE: Final = {"float": "np.float64", "int": "np.int64"}
"""Kind -> the type of compiled code, however small the numbers of a table are."""

TYPES: Final = {"either": "float"}
"""Kind -> the type of its values in compiled code, where that is called otherwise."""

ROLES: Final = ("agent", "world", "own")
"""The roles of the parameters of an action's function."""


class Operations:
    """The operators in one function; `Expressions` adds calls.

    `locals` are the kinds of its variables so far, by their names; `hoisted` are the statements to
    run before the one that is being translated; `is_risky` is True if that may raise.
    """

    def __init__(self, source: Source, binding: Binding, prefix: str) -> None:
        self.source = source
        self.binding = binding
        self.prefix = prefix
        self.roles: dict[str, str] = dict(zip(source.parameters, ROLES, strict=False))
        """Parameter -> its role."""
        self.locals: dict[str, str] = {}
        self.types: dict[str, str] = {}
        """Variable -> the type that it had first, which has its name in compiled code."""
        self.constants: dict[str, Any] = {}
        """Variables of loops that are written out -> what they stand for in this turn."""
        self.mixed: set[str] = set()
        """Variables that are of one kind on one path, and of another on another."""
        self.hoisted: list[ast.stmt] = []
        self.is_risky = False
        self._conditional = 0

    def typed(self, node: ast.expr) -> Typed:
        """Translate an expression. Raises SubsetError if it cannot be compiled."""
        method: Any = getattr(self, f"_{type(node).__name__.lower()}", None)
        if method is None:
            self._refuse_syntax(node)
        translated: Typed = method(node)
        return translated

    def test(self, node: ast.expr) -> ast.expr:
        """Translate a condition: a number is true if it is not 0."""
        if isinstance(node, ast.BoolOp):
            return self._both(node)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return ast.UnaryOp(ast.Not(), self.test(node.operand))
        return cast(*self.typed(node), "bool")

    def place(self, node: ast.expr) -> Place | None:
        """Return the column or number that an attribute stands for; None if there is none."""
        if not isinstance(node, ast.Attribute) or not isinstance(node.value, ast.Name):
            return None
        role = self.role(node.value)
        if role is None:
            return None
        found: Place | None = getattr(self.binding, role)(node.attr)
        if found is None:
            self.refuse(node, *self._unknown(node.attr, role))
        return found

    def title(self, node: ast.expr) -> str:
        """Return a place for messages, with the field if it is a parameter that stands for one."""
        text = ast.unparse(node)
        if isinstance(node, ast.Attribute) and self.role(node.value) == "own":
            field = self.binding.action.definition.parameters.get(node.attr)
            if isinstance(field, str):
                return f"{text}, the field {field!r},"
        return text

    def role(self, node: ast.expr) -> str | None:
        """Return the role of a name: agent, world or own; None for any other."""
        if not isinstance(node, ast.Name) or node.id in self.locals:
            return None
        return self.roles.get(node.id)

    def load(self, place: Place) -> Typed:
        """Return the value at a place."""
        value = ast.parse(place.text, mode="eval").body
        return (called("np.float64", value) if place.is_float32 else value), place.kind

    def local(self, name: str) -> str:
        """Return the name of a variable in compiled code."""
        return f"{self.prefix}{name}"

    def variable(self, name: str, kind: str) -> str:
        """Return the name in compiled code of a variable that has a value of that kind.

        It is another one for each type: else numba would give it one type for all paths that meet,
        also for those that have returned already.
        """
        stored = TYPES.get(kind, kind)
        is_first = self.types.setdefault(name, stored) == stored
        return self.local(name) if is_first else self.new_local(f"{name}_{stored}")

    def unused(self, name: str) -> str:
        """Return `name`, or one like it, that is not a variable of the function."""
        while name in self.source.function.__code__.co_varnames:
            name += "_"
        return name

    def new_local(self, name: str) -> str:
        """Return a variable of compiled code that the function does not have."""
        return self.local(self.unused(name))

    def refuse(self, node: ast.AST, what: str, instead: str) -> NoReturn:
        """Raise the error for a part that cannot be compiled."""
        raise self.source.refuse(node, what, instead)

    def refuse_power(self, node: ast.AST, exponent: ast.expr) -> NoReturn:
        """Raise the error for a power, with its replacement."""
        self.refuse(
            node, "powers are rounded differently in compiled code.",
            "Write x * x." if isinstance(_constant(exponent), int)
            else "Write math.sqrt(x) for a square root, math.exp(y * math.log(x)) for others.",
        )  # fmt: skip

    def kind(self, node: ast.expr) -> str:
        """Return the kind of an expression, without side effects."""
        hoisted, risky = list(self.hoisted), self.is_risky
        kind = self.typed(node)[1]
        self.hoisted, self.is_risky = hoisted, risky
        return kind

    # Kinds of expressions

    def _constant(self, node: ast.Constant) -> Typed:
        if type(node.value) not in (bool, int, float):
            self.refuse(
                node, f"{node.value!r} is not a number.",
                "Write math.inf or math.nan." if node.value in ("inf", "-inf", "nan")
                else "Columns hold numbers: give each str a number, or make it a state."
                if isinstance(node.value, str) else "Values are numbers.",
            )  # fmt: skip
        return self.number(node, node.value, str(node.value))

    def _name(self, node: ast.Name) -> Typed:
        if node.id in self.constants:
            return self.number(node, self.constants[node.id], node.id)
        if node.id in self.locals:
            kind = self.locals[node.id]
            return ast.Name(self.variable(node.id, kind)), kind
        if node.id in self.roles:
            self.refuse(
                node, f"{node.id!r} stands for all of its fields.", f"Name one: {node.id}.FIELD."
            )
        return self.number(node, self.source.meaning(node.id), node.id)

    def _attribute(self, node: ast.Attribute) -> Typed:
        place = self.place(node)
        if place is not None and place.is_table:
            self.refuse(
                node, f"{ast.unparse(node)} is a table.",
                f"Write {ast.unparse(node)}[row, column], or {ast.unparse(node)}[number].",
            )  # fmt: skip
        if place is not None:
            return self.load(place)
        is_called = not isinstance(node.value, (ast.Name, ast.Attribute))
        if is_called or self.place(node.value) is not None:
            self.refuse(node, f"{ast.unparse(node)} is not a field.", "Fields are numbers.")
        return self.number(node, self.outside(node), ast.unparse(node))

    def _binop(self, node: ast.BinOp) -> Typed:
        left, right, op = self.typed(node.left), self.typed(node.right), node.op
        kinds = {left[1], right[1]}
        if isinstance(op, (ast.BitAnd, ast.BitOr, ast.BitXor)) and kinds <= WHOLE:
            return ast.BinOp(left[0], op, right[0]), join(*kinds)
        if isinstance(op, ast.Pow):
            self.refuse_power(node, node.right)
        if not isinstance(op, (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod)):
            self.refuse(node, f"{syntax_name(op)} cannot be compiled.", "Use arithmetic.")
        if isinstance(op, (ast.Div, ast.FloorDiv, ast.Mod)) and not is_nonzero(right[0]):
            self.is_risky = True
        if "float" in kinds:
            return ast.BinOp(left[0], op, right[0]), "float"
        if isinstance(op, ast.Div):
            return ast.BinOp(self.exact(*left), op, self.exact(*right)), "float"
        if kinds <= WHOLE:
            return self._whole_result(op, left, right)
        if isinstance(op, (ast.Mult, ast.FloorDiv, ast.Mod)) and not _keeps_zero(op, left, right):
            self._refuse_either(node)
        return ast.BinOp(self.exact(*left), op, self.exact(*right)), "either"

    def _whole_result(self, op: ast.operator, left: Typed, right: Typed) -> Typed:
        name = CHECKED.get(type(op))
        is_safe = {left[1], right[1]} == {"bool"} or (
            isinstance(op, ast.FloorDiv) and _is_positive(right[0])
        )
        if name is None or is_safe:
            return ast.BinOp(cast(*left, "int"), op, cast(*right, "int")), "int"
        self.is_risky = True
        return called(name, cast(*left, "int"), cast(*right, "int")), "int"

    def _unaryop(self, node: ast.UnaryOp) -> Typed:
        if isinstance(node.op, ast.Not):
            return self.test(node), "bool"
        value, kind = self.typed(node.operand)
        if isinstance(node.op, ast.Invert) and kind != "int":
            self.refuse(node, "`~` is for whole numbers.", "Use `not` or `-`.")
        if isinstance(node.op, ast.USub) and kind == "either":
            self._refuse_either(node)
        if isinstance(node.op, ast.USub) and kind == "int" and not _is_positive(value):
            return self._whole_result(ast.Sub(), (ast.Constant(0), "int"), (value, kind))
        whole = cast(value, kind, "int") if kind == "bool" else value
        return ast.UnaryOp(node.op, whole), "int" if kind == "bool" else kind

    def _compare(self, node: ast.Compare) -> Typed:
        allowed = (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq)
        for op in node.ops:
            if not isinstance(op, allowed):
                self.refuse(
                    node,
                    f"{syntax_name(op)} cannot be compiled.",
                    "Compare numbers with < <= > >= == !=.",
                )
        first, second, *others = node.left, *node.comparators
        typed = [self.typed(first), self.typed(second)]
        self._conditional += 1
        typed += [self.typed(each) for each in others]
        self._conditional -= 1
        are_whole = {kind for _, kind in typed} <= WHOLE
        left, *values = (each[0] if are_whole else self.exact(*each) for each in typed)
        return ast.Compare(left, node.ops, values), "bool"

    def _boolop(self, node: ast.BoolOp) -> Typed:
        if {self.kind(each) for each in node.values} != {"bool"}:
            self.refuse(
                node, "`and` and `or` of numbers return one of the numbers.",
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
        body, orelse = self.joined(body, body_kind, kind), self.joined(orelse, orelse_kind, kind)
        return ast.IfExp(test, body, orelse), kind

    # Helpers

    def _both(self, node: ast.BoolOp) -> ast.expr:
        first, *others = node.values
        values = [self.test(first)]
        self._conditional += 1
        values += [self.test(each) for each in others]
        self._conditional -= 1
        return ast.BoolOp(node.op, values)

    def exact(self, value: ast.expr, kind: str) -> ast.expr:
        """Return a whole number that meets floats as a float, if that holds it exactly."""
        number = _constant(value.operand if isinstance(value, ast.UnaryOp) else value)
        if kind != "int" or (number is not None and is_exact(number)):
            return value
        self.is_risky = True
        return called("_exact", value)

    def joined(self, value: ast.expr, kind: str, wanted: str) -> ast.expr:
        """Return `value` as one of the kind that two paths have in common."""
        if wanted != "either":
            return cast(value, kind, wanted)
        return cast(self.exact(value, kind), kind, "float")

    def outside(self, node: ast.expr) -> Any:
        """Return the value of a name, or `module.name`, outside the function; or MISSING."""
        if isinstance(node, ast.Name) and node.id in self.constants:
            return self.constants[node.id]
        if isinstance(node, ast.Name) and node.id not in self.locals and node.id not in self.roles:
            return self.source.meaning(node.id)
        if isinstance(node, ast.Attribute):
            owner = self.outside(node.value)
            return MISSING if owner is MISSING else getattr(owner, node.attr, MISSING)
        return MISSING

    def _refuse_syntax(self, node: ast.expr) -> NoReturn:
        self.refuse(
            node,
            f"{syntax_name(node)} cannot be compiled.",
            "Use arithmetic, comparisons, conditions, math, fields and local numbers.",
        )

    def _refuse_either(self, node: ast.expr) -> NoReturn:
        self.refuse(
            node, f"`{ast.unparse(node)}` uses a value that is now a whole number, now a "
            "fraction: only as a fraction does 0 have a sign.",
            "Make it a fraction on all paths: write 0.0 for 0, or float(...).",
        )  # fmt: skip

    def number(self, node: ast.AST, value: Any, name: str) -> Typed:
        """Return a constant. Raises SubsetError for what is no number; `name` is for messages."""
        if type(value) is int and not -(2**63) <= value < 2**63:
            self.refuse(
                node, f"{name} is too large: whole numbers have 64 bits.", "Make it a float."
            )
        if type(value) in (bool, int, float):
            return constant(value), type(value).__name__
        if is_number(value):
            return self.number(node, int(value), name)
        return self._refuse_value(node, value, name)

    def _refuse_value(self, node: ast.AST, value: Any, name: str) -> NoReturn:
        """Raise the error for what is outside the function and is no number."""
        if value is MISSING and name in self.mixed:
            self.refuse(
                node, f"{name!r} is of one kind where a loop or a turn is left early, and of "
                "another kind elsewhere.", "Make it a fraction in all places: write 0.0 for 0.",
            )  # fmt: skip
        if value is MISSING:
            self.refuse(
                node, f"there is no {name!r} here, or not on every path.",
                "Check the spelling, or give it a value first.",
            )  # fmt: skip
        if isinstance(value, np.generic):
            self.refuse(node, f"{name!r} is {value!r}, of numpy.", f"Write {name}.item() instead.")
        if isinstance(value, Flag) and isinstance(value, int):
            self.refuse(node, f"{name!r} is a member of a Flag.", f"Write {name}.value.")
        if isinstance(value, Enum):
            self.refuse(
                node, f"{name!r} is a member of an Enum.",
                "Make that an IntEnum, whose members are numbers.",
            )  # fmt: skip
        if isinstance(value, (tuple, range)):
            self.refuse(node, f"{name!r} is a {type(value).__name__}.", "Read one of its numbers.")
        self.refuse(
            node, f"{name!r} is not a number but {value!r}.",
            "Numbers from outside are constants; make values that change fields of the world.",
        )  # fmt: skip

    def _unknown(self, name: str, role: str) -> tuple[str, str]:
        binding = self.binding
        what, known = {
            "agent": ("the agents have", list(binding.columns.record.kinds)),
            "world": ("the world has", ["dt", *binding.columns.world.fields]),
            "own": ("the action has", [*binding.action.definition.parameters, *binding.memory]),
        }[role]
        others = ", ".join(dict.fromkeys(known)) or "none"
        return f"{what} no field {name!r}.", f"Known fields: {others}."


def join(*kinds: str) -> str:
    """Return the kind that holds values of all these."""
    if len(set(kinds)) == 1:
        return kinds[0]
    return "int" if WHOLE.issuperset(kinds) else "either"


def cast(value: ast.expr, kind: str, wanted: str) -> ast.expr:
    """Convert `value` to another kind, but never a float to an int."""
    if kind == wanted or (kind == "either" and wanted == "float"):
        return value
    if wanted == "bool":
        return ast.Compare(value, [ast.NotEq()], [ast.Constant(0)])
    return called("np.float64" if wanted == "float" else "np.int64", value)


def called(name: str, *values: ast.expr) -> ast.expr:
    """Return a call of a function of compiled code."""
    return ast.Call(ast.parse(name, mode="eval").body, list(values), [])


def constant(value: float) -> ast.expr:
    """Return a number of compiled code."""
    return ast.parse(literal(value), mode="eval").body


def _constant(value: ast.expr) -> float | None:
    """Return the number in a literal; None if it is not one."""
    number = value.value if isinstance(value, ast.Constant) else None
    return number if isinstance(number, (int, float)) else None


def is_nonzero(value: ast.expr) -> bool:
    """Return True for a number other than 0."""
    if isinstance(value, ast.UnaryOp):
        return is_nonzero(value.operand)
    return bool(_constant(value))


def _keeps_zero(op: ast.operator, left: Typed, right: Typed) -> bool:
    """Return True if a 0 results in the same 0, whether it is a whole number or a fraction."""
    factors = (left, right) if isinstance(op, ast.Mult) else (right,)
    return any(_is_positive(value) for value, _ in factors)


def _is_positive(value: ast.expr) -> bool:
    number = _constant(value)
    return number is not None and number > 0
