"""Sums that do not depend on the order: 64-bit fixed point.

Numbers are rounded to multiples of a power of two that is chosen by the greatest of them and by
how many there are, so that no sum overflows. Whole numbers of that kind can be added in any order.
"""

from __future__ import annotations

from functools import lru_cache
from math import frexp
from typing import Any, Final

from fsmkit.crowd.packages import np

BITS: Final = 62
"""The bits of a sum: one less than a 64-bit integer has without its sign."""


def exponent_for(greatest: float, count: int) -> int:
    """Return the exponent of the power of two that numbers are multiplied with.

    `greatest` is the greatest absolute value of any, `count` how many are added at most.

    >>> exponent_for(1.0, 1000)
    51
    >>> exponent_for(0.0, 1000)
    0
    """
    return BITS - frexp(greatest)[1] - count.bit_length() if greatest else 0


@lru_cache
def factors(exponent: int) -> tuple[float, float]:
    """Return two factors that make 2.0**exponent, which may be beyond the range of a float."""
    half = exponent // 2
    return 2.0**half, 2.0 ** (exponent - half)


def fixed(values: Any, exponent: int) -> Any:
    """Return an array of floats as whole numbers of 2.0**-exponent, each rounded to nearest."""
    first, second = factors(exponent)
    return np.rint(values.astype(np.float64, copy=False) * first * second).astype(np.int64)


def ordered(values: Any) -> Any:
    """Return int64 keys that are ordered as the numbers are; `from_ordered` reverses it.

    Zero is positive, so that no order of the agents decides on its sign.
    """
    if values.dtype.kind != "f":
        return values.astype(np.int64)
    bits = (values.astype(np.float64) + 0.0).view(np.int64)
    return bits ^ ((bits >> 63) & 0x7FFFFFFFFFFFFFFF)


def from_ordered(keys: Any) -> Any:
    """Return the floats that `ordered` made keys of."""
    return (keys ^ ((keys >> 63) & 0x7FFFFFFFFFFFFFFF)).view(np.float64)
