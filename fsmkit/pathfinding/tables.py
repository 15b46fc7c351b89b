"""Tables: numbers for each tile, as an array of numpy where that is installed."""

from __future__ import annotations

from array import array
from typing import Any


def array_of(values: array[Any], width: int, height: int) -> Any:
    """Return the numbers of a map with a wall around it as an array: shape (height, width).

    It is read-only, without the wall, and shows what is in `values` at any time. None without
    numpy.
    """
    try:
        import numpy as np
    except ImportError:
        return None
    whole = np.frombuffer(values, values.typecode).reshape(height + 2, width + 2)
    inner = whole[1:-1, 1:-1]
    inner.flags.writeable = False
    return inner


def lists_of(values: array[Any], width: int, height: int) -> list[list[Any]]:
    """Return them as lists, row by row.

    >>> lists_of(array("d", [0, 0, 0, 0, 5, 0, 0, 0, 0]), 1, 1)
    [[5.0]]
    """
    starts = (row * (width + 2) + 1 for row in range(1, height + 1))
    return [values[start : start + width].tolist() for start in starts]
