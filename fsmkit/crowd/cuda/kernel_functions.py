"""Functions for kernels, copied into their text, that give the same bits as the loops.

Three things differ on a card. A product and a sum may be fused into one operation that rounds once,
and so may a division by a power of two; numba-cuda has no option against that, but CUDA promises
never to fuse `__dmul_rn` and `__ddiv_rn` (CUDA Math API, "Double Precision Intrinsics"). `x % y` of
floats is not exact there, so `fmod` computes it, which is. And nothing can be raised: an agent that
would raise is marked in `left`, at its row, for the loops on the CPU.

No column, variable or function of a user has a name without an underscore.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, Final

from numba import cuda as numbas_cuda

from fsmkit.crowd.compiler.arithmetic import text_of
from fsmkit.crowd.packages import np

cuda: Any = numbas_cuda
"""`numba.cuda`, which numba-cuda, an optional package, replaces."""

RENAMED: Final[Mapping[str, str]] = {
    "np.floor": "floor", "np.ceil": "ceil", "np.rint": "rint", "math.exp": "exp",
    "math.radians": "radians", "math.degrees": "degrees",
}  # fmt: skip
"""Functions of the loops -> those of kernels, where they differ."""

BY_KIND: Final = """

def {name}(a, b, left, row):
    pass


@overload({name})
def {name}_by_kind(a, b, left, row):
    if has_fraction(a, b):
        return lambda a, b, left, row: {name}_fractions(a, b, left, row)
    return lambda a, b, left, row: {name}_integers(a, b, left, row)
"""

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
""" + "".join(BY_KIND.format(name=name) for name in ("floordivide", "modulo"))
"""The beginning of a module of kernels for a card."""


# Numba's simulator runs kernels as plain Python, with these instead of `ON_A_CARD`.

floor, ceil, rint, fmod = np.floor, np.ceil, np.rint, np.fmod


def device(function: Callable[..., Any]) -> Callable[..., Any]:
    def call(*arguments: Any) -> Any:  # as in compiled code, integers have 64 bits
        return function(*[np.int64(a) if type(a) is int else a for a in arguments])

    return call


def kernel(function: Callable[..., None]) -> Any:
    def quiet(*arguments: Any) -> None:
        with np.errstate(all="ignore"):
            function(*arguments)

    return cuda.jit(quiet)


def fraction(a: Any, b: Any) -> Any:
    return np.float64(a) / b


def exp(x: Any) -> Any:
    try:
        return math.exp(x)
    except OverflowError:
        return math.inf


def has_fraction(a: Any, b: Any) -> bool:
    return isinstance(a, float) or isinstance(b, float)


def multiply(a: Any, b: Any) -> Any:
    return a * b


def floordivide(a: Any, b: Any, left: Any, row: Any) -> Any:
    by_kind = floordivide_fractions if has_fraction(a, b) else floordivide_integers
    return by_kind(a, b, left, row)


def modulo(a: Any, b: Any, left: Any, row: Any) -> Any:
    by_kind = modulo_fractions if has_fraction(a, b) else modulo_integers
    return by_kind(a, b, left, row)


# Those of both


def divide(a: Any, b: Any, left: Any, row: Any) -> Any:
    if b == 0:
        left[row] = True
        return 0.0
    return fraction(a, b)


def floordivide_integers(a: Any, b: Any, left: Any, row: Any) -> Any:
    if b == 0:
        left[row] = True
        return np.int64(0)
    if b == -1:
        return -np.int64(a)
    return np.int64(a) // np.int64(b)


def modulo_integers(a: Any, b: Any, left: Any, row: Any) -> Any:
    if b == 0:
        left[row] = True
        return np.int64(0)
    if b == -1:
        return np.int64(0)
    return np.int64(a) % np.int64(b)


def floordivide_fractions(a: Any, b: Any, left: Any, row: Any) -> Any:
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


def modulo_fractions(a: Any, b: Any, left: Any, row: Any) -> Any:
    if b == 0:
        left[row] = True
        return 0.0
    rest = fmod(a, b)
    if rest == 0.0:
        return math.copysign(0.0, b)
    return rest + b if (b < 0.0) != (rest < 0.0) else rest


def radians(x: Any) -> Any:
    return multiply(x, math.pi / 180.0)


def degrees(x: Any) -> Any:
    return multiply(x, 180.0 / math.pi)


def cell1(table: Any, a: Any, left: Any, row: Any) -> Any:
    if a < 0 or a >= table.shape[0]:
        left[row] = True
        return 0
    return table[a]


def cell2(table: Any, a: Any, b: Any, left: Any, row: Any) -> Any:
    if a < 0 or a >= table.shape[0] or b < 0 or b >= table.shape[1]:
        left[row] = True
        return 0
    return table[a, b]


def gather(column: Any, rows: Any, cells: Any) -> None:
    k = cuda.grid(1)
    if k < rows.shape[0]:
        cells[k] = column[rows[k]]


def scatter(column: Any, rows: Any, cells: Any) -> None:
    k = cuda.grid(1)
    if k < rows.shape[0]:
        column[rows[k]] = cells[k]


SIMULATED: Final = "\n\n\n".join(
    [
        "\nfrom numba import cuda\n\nfloor, ceil, rint, fmod = np.floor, np.ceil, np.rint, np.fmod",
        *map(text_of, (device, kernel, fraction, exp, has_fraction, multiply, floordivide, modulo)),
    ]
)
"""The beginning of a module for the simulator."""

ON_DEVICE: Final = (
    divide, floordivide_integers, modulo_integers, floordivide_fractions, modulo_fractions, radians,
    degrees, cell1, cell2,
)  # fmt: skip

COMMON: Final = "\n\n\n".join(
    [
        *(text_of(each, "device") for each in ON_DEVICE),
        *(text_of(each, "kernel") for each in (gather, scatter)),
    ]
)
"""Functions for both, and kernels that select the rows of some agents."""
