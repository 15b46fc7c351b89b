"""GridSearch: A* over the tiles of a grid."""

from __future__ import annotations

from heapq import heappop, heappush
from math import inf, sqrt
from typing import TYPE_CHECKING, Final

from fsmkit.pathfinding.path import AStarPath
from fsmkit.pathfinding.search import Search

if TYPE_CHECKING:
    from fsmkit.pathfinding.grid import Grid

DIAGONAL_SAVING: Final = sqrt(2.0) - 2.0
"""The cost of a diagonal step less that of the two steps around the corner."""


class GridSearch(Search[tuple[int, int]]):
    """A search from one tile to another. Made by `Grid.begin`.

    The estimate is the octile distance, or the Manhattan distance without diagonals, times the
    cost of the cheapest tile. It is consistent: no tile is expanded twice.
    """

    def __init__(
        self,
        path: AStarPath[tuple[int, int]],
        grid: Grid,
        start: tuple[int, int],
        goal: tuple[int, int],
        max_nodes: int | None,
    ) -> None:
        super().__init__(path, max_nodes)
        size = grid.stride * (grid.height + 2)
        self.grid = grid
        self.start = grid.index(start)
        self.goal = grid.index(goal)
        self._costs = [inf] * size
        self._came_from = [0] * size
        self._is_expanded = bytearray(size)
        self._costs[self.start] = 0.0
        self._tie = 0
        self._opened = [(0.0, 0, self.start)]
        self._columns = [abs(x - goal[0] - 1) for x in range(grid.stride)]
        self._rows = [abs(y - goal[1] - 1) for y in range(grid.height + 2)]

    def _expand(self, nodes: float) -> None:
        """Run the inner loop. For speed it uses local variables and hardly calls anything."""
        grid, goal, stride = self.grid, self.goal, self.grid.stride
        costs, came_from, is_expanded = self._costs, self._came_from, self._is_expanded
        opened, steps, work_out = self._opened, self.grid._steps, self.grid.steps_from
        columns, rows, cheapest = self._columns, self._rows, grid.cheapest
        saving = cheapest * (DIAGONAL_SAVING if grid.has_diagonals else 0.0)
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

    def _finish(self, *, gave_up: bool = False) -> None:
        self.is_over = True
        reached = self._costs[self.goal] < inf
        last = self.goal if reached else self._nearest()
        self.path.fill(
            self._way_to(last),
            self._costs[last],
            reachable=reached,
            nodes=self.nodes,
            gave_up=gave_up,
        )

    def _nearest(self) -> int:
        """Return the tile nearest to the goal, of those to which a way was found."""
        stride, columns, rows = self.grid.stride, self._columns, self._rows

        def away(index: int) -> tuple[float, float]:
            dx, dy = columns[index % stride], rows[index // stride]
            return dx + dy + DIAGONAL_SAVING * min(dx, dy), self._costs[index]

        return min((index for index, cost in enumerate(self._costs) if cost < inf), key=away)

    def _way_to(self, index: int) -> list[tuple[int, int]]:
        way = [self.grid.tile(index)]
        while index != self.start:
            index = self._came_from[index]
            way.append(self.grid.tile(index))
        return way[::-1]
