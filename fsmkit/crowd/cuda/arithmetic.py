"""Arithmetic on a card: functions for kernels that give the same bits as the loops, as text.

Three things differ there. A product and a sum may be fused into one operation that rounds once, a
division by a power of two likewise; numba-cuda has no option against that, but CUDA promises that
`__dmul_rn` and `__ddiv_rn` are never fused (CUDA Math API, "Double Precision Intrinsics"). `x % y`
of floats is not exact there, so it is made of `fmod`, which is. And nothing can be raised: an agent
that needs an error is marked in `left`, at its row, for the loops on the processor.

Names without an underscore are no names of columns, variables or functions of users.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

RENAMED: Final[Mapping[str, str]] = {
    "np.floor": "floor", "np.ceil": "ceil", "np.rint": "rint", "math.exp": "exp",
    "math.radians": "radians", "math.degrees": "degrees",
}  # fmt: skip
"""Functions of the loops -> those of kernels, where they differ."""

ON_A_CARD: Final = """
from numba import cuda
from numba.cuda import libdevice, types
from numba.cuda.extending import overload

device = cuda.jit(device=True)
kernel = cuda.jit(cache=True)
floor, ceil, rint = libdevice.floor, libdevice.ceil, libdevice.rint
exp, fmod, fraction = math.exp, libdevice.fmod, libdevice.ddiv_rn


def has_fraction(a, b):
    return isinstance(a, types.Float) or isinstance(b, types.Float)


def multiply(a, b):
    pass


@overload(multiply)
def multiply_by_kind(a, b):
    if has_fraction(a, b):
        return lambda a, b: libdevice.dmul_rn(a, b)
    return lambda a, b: a * b


def floordivide(a, b, left, row):
    pass


@overload(floordivide)
def floordivide_by_kind(a, b, left, row):
    if has_fraction(a, b):
        return lambda a, b, left, row: floordivide_fractions(a, b, left, row)
    return lambda a, b, left, row: floordivide_integers(a, b, left, row)


def modulo(a, b, left, row):
    pass


@overload(modulo)
def modulo_by_kind(a, b, left, row):
    if has_fraction(a, b):
        return lambda a, b, left, row: modulo_fractions(a, b, left, row)
    return lambda a, b, left, row: modulo_integers(a, b, left, row)
"""
"""The beginning of a module of kernels."""

SIMULATED: Final = """
from numba import cuda

floor, ceil, rint, fmod = np.floor, np.ceil, np.rint, np.fmod


def device(function):
    def call(*arguments):  # as in compiled code, integers have 64 bits
        return function(*[np.int64(a) if type(a) is int else a for a in arguments])

    return call


def kernel(function):
    def quiet(*arguments):
        with np.errstate(all="ignore"):
            function(*arguments)

    return cuda.jit(quiet)


def fraction(a, b):
    return np.float64(a) / b


def exp(x):
    try:
        return math.exp(x)
    except OverflowError:
        return math.inf


def has_fraction(a, b):
    return isinstance(a, float) or isinstance(b, float)


def multiply(a, b):
    return a * b


def floordivide(a, b, left, row):
    by_kind = floordivide_fractions if has_fraction(a, b) else floordivide_integers
    return by_kind(a, b, left, row)


def modulo(a, b, left, row):
    by_kind = modulo_fractions if has_fraction(a, b) else modulo_integers
    return by_kind(a, b, left, row)
"""
"""The same for the simulator of numba, which runs kernels as plain Python."""

COMMON: Final = """
@device
def divide(a, b, left, row):
    if b == 0:
        left[row] = True
        return 0.0
    return fraction(a, b)


@device
def floordivide_integers(a, b, left, row):
    if b == 0:
        left[row] = True
        return np.int64(0)
    if b == -1:
        return -np.int64(a)
    return np.int64(a) // np.int64(b)


@device
def modulo_integers(a, b, left, row):
    if b == 0:
        left[row] = True
        return np.int64(0)
    if b == -1:
        return np.int64(0)
    return np.int64(a) % np.int64(b)


@device
def floordivide_fractions(a, b, left, row):
    if b == 0:
        left[row] = True
        return 0.0
    rest = fmod(a, b)
    result = fraction(a - rest, b)
    if rest != 0.0 and (b < 0.0) != (rest < 0.0):
        result -= 1.0
    if result < 0.0 or result > 0.0:
        whole = floor(result)
        return whole + 1.0 if result - whole > 0.5 else whole
    return fraction(multiply(multiply(result, result), a), b)


@device
def modulo_fractions(a, b, left, row):
    if b == 0:
        left[row] = True
        return 0.0
    rest = fmod(a, b)
    if rest == 0.0:
        return math.copysign(0.0, b)
    return rest + b if (b < 0.0) != (rest < 0.0) else rest


@device
def radians(x):
    return multiply(x, math.pi / 180.0)


@device
def degrees(x):
    return multiply(x, 180.0 / math.pi)


@device
def cell1(table, a, left, row):
    if a < 0 or a >= table.shape[0]:
        left[row] = True
        return 0
    return table[a]


@device
def cell2(table, a, b, left, row):
    if a < 0 or a >= table.shape[0] or b < 0 or b >= table.shape[1]:
        left[row] = True
        return 0
    return table[a, b]


@kernel
def gather(column, rows, cells):
    k = cuda.grid(1)
    if k < rows.shape[0]:
        cells[k] = column[rows[k]]


@kernel
def scatter(column, rows, cells):
    k = cuda.grid(1)
    if k < rows.shape[0]:
        column[rows[k]] = cells[k]
"""
"""Functions of both, and kernels that pick the rows of some agents."""
