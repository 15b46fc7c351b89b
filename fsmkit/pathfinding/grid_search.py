"""GridSearch: a search from one tile of a map to another, and the lists it writes into."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from heapq import heappop, heappush
from math import inf
from sys import float_info
from typing import Any, Self

from fsmkit.pathfinding.cost_map import CostMap
from fsmkit.pathfinding.search import AStarPath, Search
from fsmkit.pathfinding.tile import DIAGONAL_SAVING, Diagonals, Tile, TileSequence


class SearchLists:
    def __init__(self, width: int, height: int) -> None:
        size = (width + 2) * (height + 2)
        self.costs = [inf] * size
        self.is_expanded = bytearray(size)
        longest = max(width, height) + 2
        self._distances = [*range(longest, 0, -1), *range(longest + 1)]

    def distances(self, place: int, number: int) -> list[int]:
        """Return the distance of each place from 0 to `number` - 1 from `place`."""
        zero = len(self._distances) // 2
        return self._distances[zero - place : zero - place + number]


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

    grid: Any  # a Grid, whose module imports this one
    """The map that is searched."""

    _workspace: Any
    """What it writes into while it is under way."""

    def __init__(
        self, path: AStarPath[Tile], grid: CostMap, start: Tile, goal: Tile, max_nodes: int | None
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
        self._workspace = self.grid.engine.borrow()
        self._begin()

    @property
    def is_outdated(self) -> bool:
        """True if the map has changed since the search began: begin another one to use it."""
        return bool(self.version != self.grid.version)

    def _finish(self, *, gave_up: bool = False) -> None:
        reached = self.terrain.costs[self.goal] > 0.0 and self._cost(self.goal) < inf
        last = self.goal if reached else self._nearest()
        way = TileSequence(self._way_to(last), self.terrain.size)
        self._conclude(way, self._cost(last), reachable=reached, gave_up=gave_up)
        self.terrain.readers.discard(self)
        self._clean_up()
        self.grid.engine.give_back(self._workspace)
        del self._workspace

    def _begin(self) -> None:
        stride, rows = self.terrain.stride, self.terrain.height + 2
        goal_row, goal_column = divmod(self.goal, stride)
        self._costs = self._workspace.costs
        self._is_expanded = self._workspace.is_expanded
        self._came_from: dict[int, int] = {}  # also the tiles that were found, for the clean-up
        self._columns = self._workspace.distances(goal_column, stride)
        self._rows = self._workspace.distances(goal_row, rows)
        self._costs[self.start] = 0.0
        self._tie = 0
        self._opened = [(0.0, 0, self.start)]

    def _expand(self, nodes: float) -> None:
        """Run the inner loop. For speed it uses local variables and hardly calls anything."""
        terrain, goal, stride = self.terrain, self.goal, self.terrain.stride
        costs, came_from, is_expanded = self._costs, self._came_from, self._is_expanded
        opened, steps, work_out = self._opened, terrain.steps, terrain.steps_from
        columns, rows, cheapest = self._columns, self._rows, self._least
        saving = 0.0 if terrain.diagonals is Diagonals.NEVER else cheapest * DIAGONAL_SAVING
        tie, expanded = self._tie, 0
        while opened and expanded < nodes:
            _, _, index = heappop(opened)
            if is_expanded[index]:
                continue
            if index == goal:
                opened.clear()
                break
            is_expanded[index] = 1
            expanded += 1
            cost = costs[index]
            for near, weight in steps[index] if index in steps else work_out(index):
                new = cost + weight
                if new < costs[near]:
                    costs[near] = new
                    came_from[near] = index
                    dx, dy = columns[near % stride], rows[near // stride]
                    shorter = dx if dx < dy else dy  # noqa: FURB136  # min() is a call
                    tie -= 1  # of equally good tiles the last is expanded first
                    rest = cheapest * (dx + dy) + saving * shorter
                    heappush(opened, (new + rest, tie, near))
        while opened and is_expanded[opened[0][2]]:
            heappop(opened)
        self._tie = tie
        self.nodes += expanded
        if not opened or opened[0][2] == goal:
            self._finish()

    def _cost(self, index: int) -> float:
        """Return the cost of the best way found to the tile at `index`; infinity if none was."""
        return float(self._costs[index])

    def _nearest(self) -> int:
        """Return the tile nearest to the goal if there were no walls, of those that were found.

        Of equally near ones the cheapest, then the first on the map.
        """
        stride, columns, rows = self.terrain.stride, self._columns, self._rows

        def away(index: int) -> tuple[float, float, int]:
            dx, dy = columns[index % stride], rows[index // stride]
            return dx + dy + DIAGONAL_SAVING * min(dx, dy), self._costs[index], index

        return min((self.start, *self._came_from), key=away)

    def _way_to(self, index: int) -> Sequence[int]:
        way = [index]
        while index != self.start:
            index = self._came_from[index]
            way.append(index)
        return way[::-1]

    def _clean_up(self) -> None:
        costs, is_expanded = self._costs, self._is_expanded
        for index in (self.start, *self._came_from):
            costs[index] = inf
            is_expanded[index] = 0
        del self._costs, self._is_expanded

    def __copy__(self) -> Self:
        return deepcopy(self, {id(each): each for each in (self.grid, self.terrain)})

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        if not self.is_over:
            self.terrain.readers.add(self)
