"""CompiledSearch: A* over the tiles of a grid, by compiled code."""

from __future__ import annotations

from array import array
from math import ceil, inf

from fsmkit.pathfinding.compiled import kernel
from fsmkit.pathfinding.compiled.packages import np
from fsmkit.pathfinding.compiled.terrain import CompiledTerrain
from fsmkit.pathfinding.grid_search import GridSearch
from fsmkit.pathfinding.tile import Diagonals

NO_LIMIT = 2**62
FIRST_ROOM = 1024


class Workspace:
    """The arrays that a search writes into, with a place for each tile.

    Nothing has to be cleaned: each search has a number, and what it did not write does not count.
    Memory is used only for what was written.
    """

    def __init__(self, width: int, height: int) -> None:
        size = (width + 2) * (height + 2)
        self.nodes = np.zeros(size, kernel.NODE)
        self.heap = np.empty(FIRST_ROOM, kernel.ENTRY)
        self.found = np.empty(size, np.int32)
        self.state = np.zeros(5, np.int64)

    def grow(self) -> None:
        """Make room for twice as many entries in the heap."""
        self.heap = np.concatenate((self.heap, np.empty_like(self.heap)))


class CompiledSearch(GridSearch):
    """A search by compiled code."""

    terrain: CompiledTerrain
    _workspace: Workspace

    def _begin(self) -> None:
        space = self._workspace
        kernel.begin(space.nodes, space.heap, space.found, space.state, self.start)

    def _expand(self, nodes: float) -> None:
        terrain, space = self.terrain, self._workspace
        limit = NO_LIMIT if nodes >= NO_LIMIT else self.nodes + ceil(max(nodes, 0.0))
        while not kernel.expand(
            terrain.costs_array,
            terrain.exits,
            terrain.stride,
            terrain.diagonals is not Diagonals.NEVER,
            terrain.cheapest,
            self.goal,
            limit,
            space.nodes,
            space.heap,
            space.found,
            space.state,
        ):
            space.grow()
        self.nodes = int(space.state[kernel.EXPANDED])
        if not space.state[kernel.OPENED] or space.heap[0]["index"] == self.goal:
            self._finish()

    def _cost(self, index: int) -> float:
        node = self._workspace.nodes[index]
        is_found = node["stamp"] >= self._workspace.state[kernel.STAMP]
        return float(node["cost"]) if is_found else inf

    def _nearest(self) -> int:
        space = self._workspace
        return int(
            kernel.nearest(self.terrain.stride, self.goal, space.nodes, space.found, space.state)
        )

    def _way_to(self, index: int) -> array[int]:
        space = self._workspace
        number = kernel.way(space.nodes, self.start, index, space.found)
        return array("i", space.found[:number][::-1].tobytes())

    def _clean_up(self) -> None:
        """Do nothing: what another search has written does not count."""
