"""TileSequence: tiles on a way, worked out from their indices when they are first asked for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, overload

from fsmkit.pathfinding.tile import Tile


class TileSequence(Sequence[Tile]):
    """The tiles at some indices of a terrain; see `Terrain`.

    What goes on with the indices, as smoothing does, needs no tile for each of them.

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
