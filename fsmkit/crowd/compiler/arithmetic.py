"""Numbers in compiled code: constants, and functions that give the same bits as Python.

A constant is an expression that always has the same value, a number or a tuple. The functions stand
here as Python, and are copied into the text of a compiled module.
"""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Mapping
from enum import Enum, EnumMeta, Flag
from inspect import getsource
from typing import Any, Final, TypeAlias

from fsmkit.crowd.agent_functions import MISSING
from fsmkit.crowd.packages import np

Outside: TypeAlias = Callable[[ast.expr], Any]
"""Returns the value of a name, or `module.name`; MISSING if it may change."""

MAX_MEMBERS: Final = 100
"""The most values in a tuple: they are spelled out in compiled code."""

OPERATORS: Final[Mapping[type[ast.AST], Callable[..., Any]]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod, ast.Div: operator.truediv,
    ast.USub: operator.neg, ast.UAdd: operator.pos, ast.Invert: operator.invert,
}  # fmt: skip

FUNCTIONS: Final = (
    range, len, min, max, sum, abs, int, float, bool, tuple, enumerate, zip, reversed,
)  # fmt: skip
"""Functions whose results are constant if their arguments are."""

ERRORS: Final = (ArithmeticError, LookupError, TypeError, ValueError, AttributeError)


def constant_value(node: ast.expr, outside: Outside) -> Any:
    """Return the value of an expression; MISSING unless it is always the same.

    >>> constant_value(ast.parse("(1, 2 + 3)[1]", mode="eval").body, lambda _: MISSING)
    5
    """
    try:
        return _value(node, outside)
    except ERRORS:
        return MISSING


def _value(node: ast.expr, outside: Outside) -> Any:
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, (ast.Name, ast.Attribute)):
        return outside(node)
    if isinstance(node, (ast.Tuple, ast.List, ast.Set)):
        return _result(lambda *items: items, [constant_value(e, outside) for e in node.elts])
    if isinstance(node, ast.UnaryOp) and type(node.op) in OPERATORS:
        return _result(OPERATORS[type(node.op)], [constant_value(node.operand, outside)])
    if isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
        sides = [constant_value(each, outside) for each in (node.left, node.right)]
        return _result(OPERATORS[type(node.op)], sides)
    if isinstance(node, ast.Call):
        return _called(node, outside)
    if isinstance(node, ast.Subscript) and not isinstance(node.slice, ast.Slice):
        parts = [constant_value(each, outside) for each in (node.value, node.slice)]
        return _result(operator.getitem, parts)
    return MISSING


def _called(node: ast.Call, outside: Outside) -> Any:
    function = outside(node.func)
    if not any(function is each for each in FUNCTIONS):
        return MISSING
    names = [each.arg for each in node.keywords if each.arg is not None]
    values = [*node.args, *(each.value for each in node.keywords)]
    given = [constant_value(each, outside) for each in values]
    count = len(node.args)
    made = _result(
        lambda *known: function(*known[:count], **dict(zip(names, known[count:], strict=True))),
        given,
    )
    is_iterator = any(function is each for each in (enumerate, zip, reversed))
    return tuple(made) if is_iterator and made is not MISSING else made


def _result(function: Callable[..., Any], values: list[Any]) -> Any:
    """Return what a function makes of values; MISSING if one is not a constant, or too long."""
    for value in values:
        if isinstance(value, (tuple, range)):
            is_fit = len(value) <= 100 * MAX_MEMBERS
        else:
            is_fit = is_number(value) or _is_int_enum(value)
        if not is_fit:
            return MISSING
    return function(*values)


def outside_value(node: ast.expr, value_of: Callable[[str], Any]) -> Any:
    """Return the value of a name, or `module.name`; MISSING for anything else."""
    if isinstance(node, ast.Name):
        return value_of(node.id)
    if isinstance(node, ast.Attribute):
        owner = outside_value(node.value, value_of)
        return MISSING if owner is MISSING else getattr(owner, node.attr, MISSING)
    return MISSING


def is_number(value: Any) -> bool:
    """Return True for a Python number, and for a member of an IntEnum."""
    if isinstance(value, Enum):
        return isinstance(value, int) and not isinstance(value, Flag)
    return type(value) in (bool, int, float)


def members(value: Any) -> tuple[Any, ...] | None:
    if isinstance(value, (tuple, range)) or _is_int_enum(value):
        return tuple(value) if len(value) <= 100 * MAX_MEMBERS else None
    return None


def _is_int_enum(value: Any) -> bool:
    return isinstance(value, EnumMeta) and issubclass(value, int) and not issubclass(value, Flag)


SAFE_MATH: Final[Mapping[str, str]] = {
    "atan": "float", "atan2": "float", "copysign": "float", "degrees": "float", "fabs": "float",
    "isfinite": "bool", "isinf": "bool", "isnan": "bool", "radians": "float", "tanh": "float",
}  # fmt: skip
"""Functions of `math` that never raise -> the kind of their result."""

RISKY_MATH: Final[Mapping[str, str]] = {
    "sqrt": "float", "sin": "float", "cos": "float", "tan": "float", "asin": "float",
    "acos": "float", "exp": "float", "log": "float", "log2": "float", "log10": "float",
    "floor": "int", "ceil": "int", "trunc": "int",
}  # fmt: skip
"""Functions of `math` that raise for some numbers; compiled code calls `_sqrt` and so on."""

ARITY: Final[Mapping[str, int]] = {"atan2": 2, "copysign": 2}

REFUSED_MATH: Final[Mapping[str, tuple[str, str]]] = {
    "hypot": (
        "math.hypot is rounded differently in compiled code.",
        "Write math.sqrt(x * x + y * y).",
    ),
    "dist": ("math.dist takes tuples.", "Write math.sqrt(x * x + y * y)."),
    "pow": ("powers are rounded differently in compiled code.", "Write x * x."),
}
"""Functions of `math` that cannot be compiled -> the reason, and what to write instead."""

CHECKED: Final[Mapping[type[ast.operator], str]] = {
    ast.Add: "_plus", ast.Sub: "_minus", ast.Mult: "_times", ast.FloorDiv: "_floor_divided",
}  # fmt: skip
"""Operators on integers whose result may exceed 64 bits -> the function that checks it."""


def literal(value: float) -> str:
    """Return a number as source code, even if Python has no literal for it.

    >>> literal(-math.inf), literal(0.1), literal(True)
    ('-math.inf', '0.1', 'True')
    """
    if isinstance(value, float) and not math.isfinite(value):
        return "math.nan" if math.isnan(value) else "math.inf" if value > 0 else "-math.inf"
    return repr(value)


ROUNDING: Final = {"floor": "floor", "ceil": "ceil", "round": "rint"}
"""Functions that round -> those of numpy, whose results are floats."""

DOMAIN_ERRORS: Final = {
    "sqrt": "x < 0.0", "log": "x <= 0.0", "log2": "x <= 0.0", "log10": "x <= 0.0",
    "sin": "math.isinf(x)", "cos": "math.isinf(x)", "tan": "math.isinf(x)",
    "asin": "x < -1.0 or x > 1.0", "acos": "x < -1.0 or x > 1.0",
}  # fmt: skip
"""Functions of `math` -> the condition on which they raise ValueError."""


# Functions that compiled code calls, copied into its text. They raise the same errors as Python.


def _within(i: int, size: int) -> int:
    if i < 0 or i >= size:
        raise IndexError("the row or the column is outside the table")
    return i


def _from_end(i: int, size: int) -> int:
    if i < -size or i >= size:
        raise IndexError("tuple index out of range")
    return i + size if i < 0 else i


def _min(a: float, b: float) -> float:
    return b if b < a else a  # noqa: FURB136  # numba's min() differs for nan


def _max(a: float, b: float) -> float:
    return b if b > a else a  # noqa: FURB136


def _plus(a: int, b: int) -> int:
    total = a + b
    if (a ^ total) & (b ^ total) < 0:
        raise OverflowError("the sum is too large for a 64-bit integer")
    return total


def _minus(a: int, b: int) -> int:
    total = a - b
    if (a ^ b) & (a ^ total) < 0:
        raise OverflowError("the difference is too large for a 64-bit integer")
    return total


def _times(a: int, b: int) -> int:
    product = a * b
    if abs(np.float64(a) * np.float64(b) - np.float64(product)) > 1e18:  # else it is rounding
        raise OverflowError("the product is too large for a 64-bit integer")
    return product


def _floor_divided(a: int, b: int) -> int:
    return _minus(0, a) if b == -1 else a // b


def _abs(a: int) -> int:
    return _minus(0, a) if a < 0 else a


def _exact(a: int) -> float:
    nearest = np.float64(a)
    if nearest == 9223372036854775808.0 or np.int64(nearest) != a:
        raise OverflowError("no float holds this integer exactly; write float(...)")
    return nearest


def _int(x: float) -> Any:
    if math.isnan(x):
        raise ValueError("cannot convert float NaN to integer")
    if not -9223372036854775808.0 <= x < 9223372036854775808.0:
        raise OverflowError("too large for a 64-bit integer")
    return np.int64(x)


def _trunc(x: float) -> Any:
    return _int(x)


def _exp(x: float) -> float:
    result = math.exp(x)
    if math.isinf(result) and not math.isinf(x):
        raise OverflowError("math range error")
    return result


def text_of(function: Any, decorator: str = "") -> str:
    """Return the source of a function below a decorator, without annotations."""
    module = ast.parse(getsource(function))
    for each in ast.walk(module):
        if isinstance(each, ast.FunctionDef):
            each.returns = None
        elif isinstance(each, ast.arg):
            each.annotation = None
    return f"@{decorator}\n{ast.unparse(module)}" if decorator else ast.unparse(module)


ROUNDED: Final = """

@njit
def _{name}(x):
    return _int(np.{function}(x)) if math.isfinite(x) else _int(x)
"""

WITHIN_DOMAIN: Final = """

@njit
def _{name}(x):
    if {risk}:
        raise ValueError("math domain error")
    return math.{name}(x)
"""

BASIC: Final = (
    _within, _from_end, _min, _max, _plus, _minus, _times, _floor_divided, _abs, _exact, _int,
    _trunc, _exp,
)  # fmt: skip

COMPILED: Final = "".join(
    [
        "\n\n\n".join(text_of(each, "njit") for each in BASIC) + "\n",
        *(ROUNDED.format(name=name, function=function) for name, function in ROUNDING.items()),
        *(WITHIN_DOMAIN.format(name=name, risk=risk) for name, risk in DOMAIN_ERRORS.items()),
    ]
).strip()
"""Functions for a compiled module that raise the same errors as Python."""
