"""Constants: the values that expressions have whenever they are evaluated: numbers and tuples."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from enum import Enum, EnumMeta, Flag
from typing import Any, Final, TypeAlias

from fsmkit.crowd.source import MISSING

Outside: TypeAlias = Callable[[ast.expr], Any]
"""Returns what a name, or `module.name`, stands for; MISSING if that may change."""

MAX_MEMBERS: Final = 100
"""The most values in a tuple: they are written out in compiled code."""

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
    """Return the value of an expression; MISSING unless it is the same at all times.

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
        return _all(tuple(constant_value(each, outside) for each in node.elts), tuple)
    if isinstance(node, ast.UnaryOp) and type(node.op) in OPERATORS:
        return _worked_out(OPERATORS[type(node.op)], [constant_value(node.operand, outside)])
    if isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
        sides = [constant_value(each, outside) for each in (node.left, node.right)]
        return _worked_out(OPERATORS[type(node.op)], sides)
    if isinstance(node, ast.Call):
        return _called(node, outside)
    if isinstance(node, ast.Subscript) and not isinstance(node.slice, ast.Slice):
        return _worked_out(
            operator.getitem,
            [constant_value(node.value, outside), constant_value(node.slice, outside)],
        )
    return MISSING


def _called(node: ast.Call, outside: Outside) -> Any:
    function = outside(node.func)
    if not any(function is each for each in FUNCTIONS):
        return MISSING
    names = [each.arg for each in node.keywords if each.arg is not None]
    values = [*node.args, *(each.value for each in node.keywords)]
    given = [constant_value(each, outside) for each in values]
    count = len(node.args)
    made = _all(
        given,
        lambda known: function(*known[:count], **dict(zip(names, known[count:], strict=True))),
    )
    is_iterator = any(function is each for each in (enumerate, zip, reversed))
    return tuple(made) if is_iterator and made is not MISSING else made


def _worked_out(function: Callable[..., Any], values: list[Any]) -> Any:
    """Return what an operator makes of numbers, and of tuples by their places."""
    return _all(values, lambda known: function(*known))


def _all(values: Any, made: Callable[[Any], Any]) -> Any:
    """Return what is made of values; MISSING if one is no number, tuple or the like, or long."""
    for value in values:
        is_row = isinstance(value, (tuple, range))
        if not (is_row or is_number(value) or _is_int_enum(value)):
            return MISSING
        if is_row and len(value) > 100 * MAX_MEMBERS:
            return MISSING
    return made(values)


def is_number(value: Any) -> bool:
    """Return True for a number of Python, and for a member of an IntEnum."""
    if isinstance(value, Enum):
        return isinstance(value, int) and not isinstance(value, Flag)
    return type(value) in (bool, int, float)


def members(value: Any) -> tuple[Any, ...] | None:
    """Return what a loop over a constant takes one after the other; None if there is none."""
    if isinstance(value, (tuple, range)) or _is_int_enum(value):
        return tuple(value) if len(value) <= 100 * MAX_MEMBERS else None
    return None


def _is_int_enum(value: Any) -> bool:
    return isinstance(value, EnumMeta) and issubclass(value, int) and not issubclass(value, Flag)
