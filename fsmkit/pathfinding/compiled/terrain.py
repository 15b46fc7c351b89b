"""CompiledTerrain: a terrain as arrays, with the ways out of each tile."""

from __future__ import annotations

from array import array

from fsmkit.pathfinding.compiled import kernel
from fsmkit.pathfinding.compiled.packages import np
from fsmkit.pathfinding.terrain import Terrain
from fsmkit.pathfinding.tile import Diagonals


class CompiledTerrain(Terrain):
    """A terrain as arrays."""

    def __init__(self, costs: array[float], width: int, height: int, diagonals: Diagonals) -> None:
        super().__init__(costs, width, height, diagonals)
        self.costs_array = np.frombuffer(costs)
        """The same costs; both use one memory."""
        self.exits = np.zeros(len(costs), np.uint8)
        """The directions in which one may leave the tile at each index, as bits."""
        self._find_exits(self.stride + 1, len(costs) - self.stride - 2)

    def copy(self) -> CompiledTerrain:
        """Return a copy without readers."""
        other = super().copy()
        assert isinstance(other, CompiledTerrain)
        other.costs_array, other.exits = np.frombuffer(other.costs), self.exits.copy()
        return other

    def set_cost(self, index: int, cost: float) -> None:
        """Set the cost of the tile at an index."""
        super().set_cost(index, cost)
        for middle in (index - self.stride, index, index + self.stride):
            if self.stride < middle < len(self.exits) - self.stride:
                self._find_exits(middle - 1, middle + 1)

    def _find_exits(self, first: int, last: int) -> None:
        kernel.find_exits(self.costs_array, self.exits, self.stride, self.min_free, first, last)
