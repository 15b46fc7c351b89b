"""Tile: a place on a map; the rules for diagonal steps, and the tiles along a line or a path.

A tile has an index, too: it counts through the rows of the map with a wall around; see `Terrain`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from enum import Enum
from math import sqrt
from numbers import Integral
from typing import Any, Final, TypeAlias, overload

Tile: TypeAlias = tuple[int, int]
"""Column and row, both counted from 0, from the upper left."""

DIAGONAL: Final = sqrt(2.0)
"""The length of a diagonal step."""

DIAGONAL_SAVING: Final = DIAGONAL - 2.0
"""That length less the two steps around the corner."""


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
"""The number of tiles beside a corner that must be free; there are two, so 3 forbids the step."""


def checked_tile(tile: Any, width: int, height: int) -> Tile:
    """Return a tile of a map of that size, from any pair of integers.

    Raises TypeError unless `tile` is such a pair, ValueError if it is not on the map.

    >>> checked_tile([1, 0], width=3, height=3)
    (1, 0)
    """
    if not is_tile(tile):
        raise _not_a_tile(tile)
    x, y = tile
    if not (0 <= x < width and 0 <= y < height):
        raise ValueError(
            f"A tile must be on the map of {width} columns and {height} rows, got {tile!r}. It is "
            "(column, row), counted from 0."
        )
    return int(x), int(y)


def is_tile(value: Any) -> bool:
    """Return True for a pair of integers of any kind, on any map."""
    is_pair = isinstance(value, Collection) and not isinstance(value, Set | Mapping)
    return is_pair and len(value) == 2 and all(isinstance(each, Integral) for each in value)


def is_on_map(tile: Tile, width: int, height: int) -> bool:
    """Return True if `tile` is on a map of that size; TypeError unless it is a pair of numbers."""
    try:
        x, y = tile
        return 0 <= x < width and 0 <= y < height
    except (TypeError, ValueError):
        raise _not_a_tile(tile) from None


def _not_a_tile(value: object) -> TypeError:
    return TypeError(f"A tile must be (column, row), two integers, got {value!r}.")


def crossed_tiles(start: Tile, end: Tile) -> Iterator[Tile]:
    """Yield the tiles a straight line crosses, and both tiles beside a corner it passes through."""
    (x, y), (end_x, end_y) = start, end
    dx, dy = abs(end_x - x), abs(end_y - y)
    step_x, step_y = (1 if end_x > x else -1), (1 if end_y > y else -1)
    passed_x = passed_y = 0
    yield start
    while passed_x < dx or passed_y < dy:
        # The sign says which edge comes next: that of the column (< 0) or that of the row (> 0).
        lead = (1 + 2 * passed_x) * dy - (1 + 2 * passed_y) * dx
        if lead == 0:
            yield x + step_x, y
            yield x, y + step_y
        if lead <= 0:
            x += step_x
            passed_x += 1
        if lead >= 0:
            y += step_y
            passed_y += 1
        yield x, y


class TileSequence(Sequence[Tile]):
    """The tiles at some indices of a terrain, computed when they are first needed.

    Smoothing, for example, works on the indices and needs no tiles.

    >>> list(TileSequence([7, 8], size=(4, 3)))
    [(0, 0), (1, 0)]
    """

    __slots__ = ("_tiles", "indices", "size")

    def __init__(self, indices: Sequence[int], size: tuple[int, int]) -> None:
        self.indices = indices
        self.size = size
        """The columns and rows of the map."""
        self._tiles: list[Tile] | None = None

    @overload
    def __getitem__(self, place: int) -> Tile: ...
    @overload
    def __getitem__(self, place: slice) -> list[Tile]: ...
    def __getitem__(self, place: Any) -> Any:
        return self._all()[place]

    def __iter__(self) -> Iterator[Tile]:
        return iter(self._all())

    def __len__(self) -> int:
        return len(self.indices)

    def _all(self) -> list[Tile]:
        if self._tiles is None:
            stride = self.size[0] + 2
            self._tiles = [(index % stride - 1, index // stride - 1) for index in self.indices]
        return self._tiles
