"""Tile: a place on a map of tiles; and the rules for steps from corner to corner."""

from __future__ import annotations

from collections.abc import Collection
from enum import Enum
from math import sqrt
from numbers import Integral
from typing import Any, Final, TypeAlias

Tile: TypeAlias = tuple[int, int]
"""Column and row, both counted from 0, from the upper left."""

DIAGONAL: Final = sqrt(2.0)
"""The length of a diagonal step."""


class Diagonals(Enum):
    """The rules for diagonal steps between two tiles that touch at a corner."""

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


def check_tile(tile: Any, width: int, height: int) -> None:
    """Raise TypeError unless `tile` is one, ValueError if it is not on a map of that size."""
    is_pair = isinstance(tile, Collection) and len(tile) == 2
    if not is_pair or not all(isinstance(number, Integral) for number in tile):
        raise TypeError(f"A tile must be (column, row), two whole numbers, got {tile!r}.")
    x, y = tile
    if not (0 <= x < width and 0 <= y < height):
        raise ValueError(
            f"A tile must be on the map of {width} columns and {height} rows, got {tile!r}. It is "
            "(column, row), counted from 0."
        )
