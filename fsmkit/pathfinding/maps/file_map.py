"""FileMap: what a `Grid` is made of, read from a file."""

from __future__ import annotations

from math import inf
from typing import Any, TypeAlias, TypedDict

from attrs import frozen

from fsmkit.pathfinding.tile import Diagonals

Rows: TypeAlias = list[list[float]]
"""The cost of entering each tile, row by row; 0 for a wall."""


class GridOptions(TypedDict, total=False):
    """The options of a `Grid` that no file holds."""

    neighbours: int
    diagonals: Diagonals
    tile_size: float | tuple[float, float]
    """Instead of that of the file."""
    origin: tuple[float, float]
    """Instead of that of the file."""
    compiled: bool | None


@frozen
class FileMap:
    """The tiles of a map, and where they are."""

    rows: Rows
    tile_size: tuple[float, float]
    origin: tuple[float, float]
    """The centre of the first tile."""

    def options(self, given: GridOptions) -> GridOptions:
        """Return what a `Grid` gets beside the rows; `given` goes first."""
        options: GridOptions = {"tile_size": self.tile_size, "origin": self.origin}
        options.update(given)
        return options


def checked_cost(cost: Any, what: str) -> float:
    """Return a cost as a number, 0 for a wall; raise ValueError unless it is a number >= 0."""
    try:
        number = float(cost)
    except (TypeError, ValueError, OverflowError):
        number = -1.0
    if not number >= 0.0:
        raise ValueError(f"{what} must be a number >= 0 (0 for a wall), got {cost!r}.")
    return 0.0 if number == inf else number
