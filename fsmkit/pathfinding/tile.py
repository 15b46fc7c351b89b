"""Tile: a place on a map of tiles; and the rules for steps from corner to corner."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Set
from enum import Enum
from math import sqrt
from numbers import Integral
from typing import Any, Final, TypeAlias

Tile: TypeAlias = tuple[int, int]
"""Column and row, both counted from 0, from the upper left."""

DIAGONAL: Final = sqrt(2.0)
"""The length of a diagonal step."""


class Diagonals(Enum):
    """The rules for diagonal steps between two tiles that touch at a corner.

    >>> from fsmkit.pathfinding import Grid
    >>> [len(Grid(["..", ".."], diagonals=rule).find_path((0, 0), (1, 1))) for rule in Diagonals]
    [2, 3, 2, 2]
    """

    ALWAYS = "always"
    NEVER = "never"
    BOTH_FREE = "only if both tiles beside the corner are free"
    ONE_FREE = "only if at least one tile beside the corner is free"


MIN_FREE: Final = {
    Diagonals.ALWAYS: 0,
    Diagonals.ONE_FREE: 1,
    Diagonals.BOTH_FREE: 2,
    Diagonals.NEVER: 3,
}
"""The number of tiles beside a corner that have to be free; of two, three never are."""


def checked_tile(tile: Any, width: int, height: int) -> Tile:
    """Return a tile of a map of that size, from any pair of whole numbers.

    Raises TypeError unless `tile` is such a pair, ValueError if it is not on the map.

    >>> checked_tile([1, 0], width=3, height=3)
    (1, 0)
    """
    is_pair = isinstance(tile, Collection) and not isinstance(tile, Set | Mapping)
    if not (is_pair and len(tile) == 2 and all(isinstance(each, Integral) for each in tile)):
        raise TypeError(f"A tile must be (column, row), two whole numbers, got {tile!r}.")
    x, y = tile
    if not (0 <= x < width and 0 <= y < height):
        raise ValueError(
            f"A tile must be on the map of {width} columns and {height} rows, got {tile!r}. It is "
            "(column, row), counted from 0."
        )
    return int(x), int(y)


def is_on_map(tile: Tile, width: int, height: int) -> bool:
    """Return True if `tile` is on a map of that size; TypeError unless it is a pair of numbers."""
    try:
        x, y = tile
        return 0 <= x < width and 0 <= y < height
    except (TypeError, ValueError):
        raise TypeError(f"A tile must be (column, row), two whole numbers, got {tile!r}.") from None
