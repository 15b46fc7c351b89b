"""GridSearch: a search from one tile of a grid to another."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from copy import deepcopy
from math import inf, sqrt
from sys import float_info
from typing import TYPE_CHECKING, Any, Final, Self

from fsmkit.pathfinding.path import AStarPath
from fsmkit.pathfinding.search import Search
from fsmkit.pathfinding.tile import Tile
from fsmkit.pathfinding.tile_sequence import TileSequence
from fsmkit.pathfinding.workspaces import Workspaces

if TYPE_CHECKING:
    from fsmkit.pathfinding.grid import Grid

DIAGONAL_SAVING: Final = sqrt(2.0) - 2.0
"""The length of a diagonal step less that of the two steps around the corner."""


class GridSearch(Search[Tile]):
    """A search from one tile to another. Made by `Grid.begin`.

    The estimate is the octile distance, or the Manhattan distance without diagonals, times the
    cost of the cheapest tile. It is consistent: no tile is expanded twice. Of tiles that look
    equally good the one found last is expanded first.

    >>> from fsmkit.pathfinding import Grid
    >>> search = Grid(["...", ".#.", "..."]).begin((0, 0), (2, 2))
    >>> search.step(1), search.step(100), search.path.cost
    (False, True, 4.0)
    """

    _workspace: Any
    """What it writes into while it is under way."""

    def __init__(
        self,
        path: AStarPath[Tile],
        grid: Grid,
        start: Tile,
        goal: Tile,
        max_nodes: int | None,
        *,
        workspaces: Workspaces[Any],
    ) -> None:
        super().__init__(path, max_nodes)
        self.grid = grid
        self.version = grid.version
        """The version of the map that is searched; see `Grid.version`."""
        self.terrain = grid.terrain
        self.start = self.terrain.index(start)
        self.goal = self.terrain.index(goal)
        self.terrain.readers.add(self)
        farthest = 2 * sum(self.terrain.size)
        self._least = min(self.terrain.cheapest, float_info.max / farthest)  # no estimate overflows
        self._workspaces = workspaces
        self._workspace = workspaces.borrow()
        self._begin()

    @property
    def is_outdated(self) -> bool:
        """True if the map has changed since the search began: begin another one to use it."""
        return self.version != self.grid.version

    def _finish(self, *, gave_up: bool = False) -> None:
        self.is_over = True
        reached = self.terrain.costs[self.goal] > 0.0 and self._cost(self.goal) < inf
        last = self.goal if reached else self._nearest()
        self.path.fill(
            TileSequence(self._way_to(last), self.terrain.size),
            self._cost(last),
            reachable=reached,
            nodes=self.nodes,
            gave_up=gave_up,
        )
        self.terrain.readers.discard(self)
        self._clean_up()
        self._workspaces.give_back(self._workspace)
        del self._workspace

    @abstractmethod
    def _begin(self) -> None:
        """Write the start into the workspace."""

    @abstractmethod
    def _cost(self, index: int) -> float:
        """Return the cost of the best way found to the tile at `index`; infinity if none was."""

    @abstractmethod
    def _nearest(self) -> int:
        """Return the tile nearest to the goal if there were no walls, of those that were found.

        Of equally near ones the cheapest, then the first on the map.
        """

    @abstractmethod
    def _way_to(self, index: int) -> Sequence[int]:
        """Return the indices of the tiles from the start to the one at `index`."""

    @abstractmethod
    def _clean_up(self) -> None:
        """Make the workspace clean for the next search, and let go of its parts."""

    def __copy__(self) -> Self:
        """Return a search that goes on by itself from here, and fills a path of its own."""
        shared = self.grid, self.terrain, self._workspaces
        return deepcopy(self, {id(each): each for each in shared})

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        if not self.is_over:
            self.terrain.readers.add(self)
