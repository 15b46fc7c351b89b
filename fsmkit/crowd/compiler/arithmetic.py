"""Arithmetic in compiled code: functions that give the same bits as Python, and their text."""

from __future__ import annotations

import ast
import math
from collections.abc import Mapping
from typing import Final

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
"""Functions of `math` that raise for some numbers; in compiled code `_sqrt` and so on do."""

ARITY: Final[Mapping[str, int]] = {"atan2": 2, "copysign": 2}

REFUSED_MATH: Final[Mapping[str, tuple[str, str]]] = {
    "hypot": (
        "math.hypot is rounded differently in compiled code.",
        "Write math.sqrt(x * x + y * y).",
    ),
    "dist": ("math.dist takes tuples.", "Write math.sqrt(x * x + y * y)."),
    "pow": ("powers are rounded differently in compiled code.", "Write x * x."),
}
"""Functions of `math` that are missing -> the reason, and what to write instead."""

CHECKED: Final[Mapping[type[ast.operator], str]] = {
    ast.Add: "_plus", ast.Sub: "_minus", ast.Mult: "_times", ast.FloorDiv: "_floor_divided",
}  # fmt: skip
"""Operators of whole numbers whose result may exceed 64 bits -> the function that checks it."""


def is_exact(value: float) -> bool:
    """Return True if a float holds a whole number exactly."""
    return int(float(value)) == value


def literal(value: float) -> str:
    """Return a number as it is written in code, even if Python has no literal for it.

    >>> literal(-math.inf), literal(0.1), literal(True)
    ('-math.inf', '0.1', 'True')
    """
    if isinstance(value, float) and not math.isfinite(value):
        return "math.nan" if math.isnan(value) else "math.inf" if value > 0 else "-math.inf"
    return repr(value)


COMPILED: Final = """
@njit
def _within(i, size):
    if i < 0 or i >= size:
        raise IndexError("the row or the column is outside the table")
    return i


@njit
def _from_end(i, size):
    if i < -size or i >= size:
        raise IndexError("tuple index out of range")
    return i + size if i < 0 else i


@njit
def _min(a, b):
    return b if b < a else a


@njit
def _max(a, b):
    return b if b > a else a


@njit
def _plus(a, b):
    total = a + b
    if (a ^ total) & (b ^ total) < 0:
        raise OverflowError("the sum is too large for a whole number of 64 bits")
    return total


@njit
def _minus(a, b):
    total = a - b
    if (a ^ b) & (a ^ total) < 0:
        raise OverflowError("the difference is too large for a whole number of 64 bits")
    return total


@njit
def _times(a, b):
    product = a * b
    if abs(np.float64(a) * np.float64(b) - np.float64(product)) > 1e18:  # else it is rounding
        raise OverflowError("the product is too large for a whole number of 64 bits")
    return product


@njit
def _floor_divided(a, b):
    return _minus(0, a) if b == -1 else a // b


@njit
def _abs(a):
    return _minus(0, a) if a < 0 else a


@njit
def _exact(a):
    nearest = np.float64(a)
    if nearest == 9223372036854775808.0 or np.int64(nearest) != a:
        raise OverflowError("no float holds this whole number exactly; write float(...)")
    return nearest


@njit
def _int(x):
    if math.isnan(x):
        raise ValueError("cannot convert float NaN to integer")
    if not -9223372036854775808.0 <= x < 9223372036854775808.0:
        raise OverflowError("too large for a whole number of 64 bits")
    return np.int64(x)


@njit
def _trunc(x):
    return _int(x)


@njit
def _floor(x):
    return _int(np.floor(x)) if math.isfinite(x) else _int(x)


@njit
def _ceil(x):
    return _int(np.ceil(x)) if math.isfinite(x) else _int(x)


@njit
def _round(x):
    return _int(np.rint(x)) if math.isfinite(x) else _int(x)


@njit
def _sqrt(x):
    if x < 0.0:
        raise ValueError("math domain error")
    return math.sqrt(x)


@njit
def _log(x):
    if x <= 0.0:
        raise ValueError("math domain error")
    return math.log(x)


@njit
def _log2(x):
    if x <= 0.0:
        raise ValueError("math domain error")
    return math.log2(x)


@njit
def _log10(x):
    if x <= 0.0:
        raise ValueError("math domain error")
    return math.log10(x)


@njit
def _exp(x):
    result = math.exp(x)
    if math.isinf(result) and not math.isinf(x):
        raise OverflowError("math range error")
    return result


@njit
def _sin(x):
    if math.isinf(x):
        raise ValueError("math domain error")
    return math.sin(x)


@njit
def _cos(x):
    if math.isinf(x):
        raise ValueError("math domain error")
    return math.cos(x)


@njit
def _tan(x):
    if math.isinf(x):
        raise ValueError("math domain error")
    return math.tan(x)


@njit
def _asin(x):
    if x < -1.0 or x > 1.0:
        raise ValueError("math domain error")
    return math.asin(x)


@njit
def _acos(x):
    if x < -1.0 or x > 1.0:
        raise ValueError("math domain error")
    return math.acos(x)
"""
"""Functions for a compiled module that raise the same errors as Python."""
