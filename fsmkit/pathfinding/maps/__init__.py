"""Maps from files, images and those of the editor Tiled: what a `Grid` is made of."""

from __future__ import annotations

from typing import TypeAlias, TypedDict

from attrs import frozen

from fsmkit.pathfinding.tile import Diagonals

CostRows: TypeAlias = list[list[float]]
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
    rows: CostRows
    tile_size: tuple[float, float]
    origin: tuple[float, float]
    """The centre of the first tile."""

    def options(self, given: GridOptions) -> GridOptions:
        return {"tile_size": self.tile_size, "origin": self.origin, **given}
