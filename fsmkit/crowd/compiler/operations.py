"""Translates names, fields, operators and conditions of a function into compiled code."""

from __future__ import annotations

import ast
from enum import Enum, Flag
from typing import Any, Final, NoReturn, TypeAlias

from attrs import define, field

from fsmkit.crowd.agent_functions import MISSING, FunctionSource
from fsmkit.crowd.compiler.arithmetic import CHECKED, is_number, literal, outside_value
from fsmkit.crowd.compiler.columns import Binding, Operand
from fsmkit.crowd.packages import np

NAMES: Final = {
    "List": "a list", "Dict": "a dictionary", "Set": "a set", "Tuple": "a tuple",
    "Subscript": "an index", "Slice": "a slice", "JoinedStr": "an f-string", "Lambda": "a lambda",
    "ListComp": "a list comprehension", "DictComp": "a dictionary comprehension",
    "SetComp": "a set comprehension", "GeneratorExp": "a generator", "NamedExpr": "`:=`",
    "Await": "`await`", "Yield": "`yield`", "YieldFrom": "`yield`", "Starred": "`*`",
    "In": "`in`", "NotIn": "`not in`", "Is": "`is`", "IsNot": "`is not`",
    "LShift": "`<<`", "RShift": "`>>`", "MatMult": "`@`",
    "BitAnd": "`&` of floats", "BitOr": "`|` of floats", "BitXor": "`^` of floats",
    "For": "a loop", "While": "a loop", "AsyncFor": "a loop", "Break": "`break`",
    "Continue": "`continue`", "With": "`with`", "AsyncWith": "`with`", "Try": "`try`",
    "TryStar": "`try`", "Raise": "`raise`", "Assert": "`assert`", "Import": "an import",
    "ImportFrom": "an import", "FunctionDef": "a function inside a function",
    "AsyncFunctionDef": "a function inside a function", "ClassDef": "a class",
    "Global": "`global`", "Nonlocal": "`nonlocal`", "Delete": "`del`", "Match": "`match`",
    "AnnAssign": "a variable without a value",
}  # fmt: skip


def syntax_name(node: ast.AST) -> str:
    """Return the name of `node` in English.

    >>> syntax_name(ast.parse("for x in y: pass").body[0])
    'a loop'
    """
    name = type(node).__name__
    return NAMES.get(name, name)


Typed: TypeAlias = tuple[ast.expr, str]
"""An expression of compiled code, and the kind of its value."""

WHOLE: Final = frozenset({"bool", "int"})
"""The kinds of integers. The others are "float" and "either".

"either" is a float that is an int in Python on one of two paths, as `max(0, x)` is. Its value is
the same, but the sign of 0 is unknown: `-max(0, x)` is 0 or -0.0.
"""

TYPES: Final = {"either": "float"}
"""Kind -> the type of its values in compiled code, where the name differs."""

ROLES: Final = ("agent", "world", "own")
"""The roles of the parameters of an action's function."""


@define(eq=False, slots=False)
class Operations:
    """The operators in one function; `Expressions` adds calls.

    `locals` maps its variables so far to their kinds; `hoisted` are statements to run before the
    one that is being translated; `is_risky` is True if that one may raise.
    """

    source: FunctionSource
    binding: Binding
    prefix: str
    roles: dict[str, str] = field(init=False)
    """Parameter -> its role."""
    locals: dict[str, str] = field(factory=dict, init=False)
    types: dict[str, str] = field(factory=dict, init=False)
    """Variable -> its first type, for which it keeps its name in compiled code."""
    constants: dict[str, Any] = field(factory=dict, init=False)
    """Variables of unrolled loops -> their value in this iteration."""
    mixed: set[str] = field(factory=set, init=False)
    """Variables whose kind differs between paths."""
    hoisted: list[ast.stmt] = field(factory=list, init=False)
    is_risky: bool = field(default=False, init=False)
    draws: int = field(default=0, init=False)
    """The random numbers that it has drawn so far."""
    _conditional: int = field(default=0, init=False)

    def __attrs_post_init__(self) -> None:
        self.roles = dict(zip(self.source.parameters, ROLES, strict=False))

    def typed(self, node: ast.expr) -> Typed:
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

    def operand(self, node: ast.expr) -> Operand | None:
        if not isinstance(node, ast.Attribute) or not isinstance(node.value, ast.Name):
            return None
        role = self.role(node.value)
        if role is None:
            return None
        found: Operand | None = getattr(self.binding, role)(node.attr)
        if found is None:
            self.refuse(node, *self._unknown(node.attr, role))
        return found

    def title(self, node: ast.expr) -> str:
        """Return the text of an operand for messages, with the field that a parameter names."""
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

    def load(self, operand: Operand) -> Typed:
        value = ast.parse(operand.text, mode="eval").body
        return (called("np.float64", value) if operand.is_float32 else value), operand.kind

    def local(self, name: str) -> str:
        return f"{self.prefix}{name}"

    def variable(self, name: str, kind: str) -> str:
        """Return the name in compiled code of a variable that has a value of that kind.

        It differs by type: otherwise numba would unify the types of all paths that meet, including
        paths that have returned already.
        """
        stored = TYPES.get(kind, kind)
        is_first = self.types.setdefault(name, stored) == stored
        return self.local(name) if is_first else self.new_local(f"{name}_{stored}")

    def unused(self, name: str) -> str:
        while name in self.source.function.__code__.co_varnames:
            name += "_"
        return name

    def new_local(self, name: str) -> str:
        return self.local(self.unused(name))

    def refuse(self, node: ast.AST, what: str, instead: str) -> NoReturn:
        raise self.source.refuse(node, what, instead)

    def refuse_power(self, node: ast.AST, exponent: ast.expr) -> NoReturn:
        self.refuse(
            node, "powers are rounded differently in compiled code.",
            "Write x * x." if isinstance(_constant(exponent), int)
            else "Write math.sqrt(x) for a square root, math.exp(y * math.log(x)) for others.",
        )  # fmt: skip

    def kind(self, node: ast.expr) -> str:
        before = list(self.hoisted), self.is_risky, self.draws
        kind = self.typed(node)[1]
        self.hoisted, self.is_risky, self.draws = before
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
        operand = self.operand(node)
        if operand is not None and operand.is_table:
            self.refuse(
                node, f"{ast.unparse(node)} is a table.",
                f"Write {ast.unparse(node)}[row, column], or {ast.unparse(node)}[number].",
            )  # fmt: skip
        if operand is not None:
            return self.load(operand)
        is_called = not isinstance(node.value, (ast.Name, ast.Attribute))
        if is_called or self.operand(node.value) is not None:
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
            self.refuse(node, "`~` needs an integer.", "Use `not` or `-`.")
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
        """Return an integer that meets floats as a float, checked to hold it exactly."""
        number = _constant(value.operand if isinstance(value, ast.UnaryOp) else value)
        if kind != "int" or (number is not None and int(float(number)) == number):
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

        def value_of(name: str) -> Any:
            if name in self.constants:
                return self.constants[name]
            is_own = name in self.locals or name in self.roles
            return MISSING if is_own else self.source.meaning(name)

        return outside_value(node, value_of)

    def _refuse_syntax(self, node: ast.expr) -> NoReturn:
        self.refuse(
            node,
            f"{syntax_name(node)} cannot be compiled.",
            "Use arithmetic, comparisons, conditions, math, fields and local numbers.",
        )

    def _refuse_either(self, node: ast.expr) -> NoReturn:
        self.refuse(
            node, f"`{ast.unparse(node)}` uses a value that is an int on one path and a "
            "float on another, where the sign of 0 differs.",
            "Make it a float on all paths: write 0.0 for 0, or float(...).",
        )  # fmt: skip

    def number(self, node: ast.AST, value: Any, name: str) -> Typed:
        """Return a constant. Raises SubsetError for any other value; `name` is for messages."""
        if type(value) is int and not -(2**63) <= value < 2**63:
            self.refuse(node, f"{name} is too large: integers have 64 bits.", "Make it a float.")
        if type(value) in (bool, int, float):
            return constant(value), type(value).__name__
        if is_number(value):
            return self.number(node, int(value), name)
        if value is MISSING and name in self.mixed:
            self.refuse(
                node, f"{name!r} has one kind where a loop or an iteration ends early, and "
                "another kind elsewhere.", "Make it a float everywhere: write 0.0 for 0.",
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
        return self.refuse(
            node, f"{name!r} is not a number but {value!r}.",
            "Numbers from outside are constants; values that change belong in fields of the world.",
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
    """Return the kind that holds values of all these kinds."""
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
    return ast.Call(ast.parse(name, mode="eval").body, list(values), [])


def constant(value: float) -> ast.expr:
    return ast.parse(literal(value), mode="eval").body


def _constant(value: ast.expr) -> float | None:
    number = value.value if isinstance(value, ast.Constant) else None
    return number if isinstance(number, (int, float)) else None


def is_nonzero(value: ast.expr) -> bool:
    if isinstance(value, ast.UnaryOp):
        return is_nonzero(value.operand)
    return bool(_constant(value))


def _keeps_zero(op: ast.operator, left: Typed, right: Typed) -> bool:
    """Return True if a 0 results in the same 0, whether it is an int or a float."""
    factors = (left, right) if isinstance(op, ast.Mult) else (right,)
    return any(_is_positive(value) for value, _ in factors)


def _is_positive(value: ast.expr) -> bool:
    number = _constant(value)
    return number is not None and number > 0
