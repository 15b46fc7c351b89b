"""PythonSearch: A* over the tiles of a grid, in plain Python."""

from __future__ import annotations

from heapq import heappop, heappush
from math import inf

from fsmkit.pathfinding.grid_search import DIAGONAL_SAVING, GridSearch
from fsmkit.pathfinding.tile import Diagonals


class Workspace:
    """The lists that a search writes into, with a place for each tile."""

    def __init__(self, width: int, height: int) -> None:
        size = (width + 2) * (height + 2)
        self.costs = [inf] * size
        self.is_expanded = bytearray(size)
        longest = max(width, height) + 2
        self._distances = [*range(longest, 0, -1), *range(longest + 1)]

    def distances(self, place: int, number: int) -> list[int]:
        """Return how far each of the places from 0 to `number` - 1 is from `place`."""
        zero = len(self._distances) // 2
        return self._distances[zero - place : zero - place + number]


class PythonSearch(GridSearch):
    """A search in plain Python."""

    _workspace: Workspace

    def _begin(self) -> None:
        stride, rows = self.terrain.stride, self.terrain.height + 2
        goal_row, goal_column = divmod(self.goal, stride)
        self._costs = self._workspace.costs
        self._is_expanded = self._workspace.is_expanded
        self._came_from: dict[int, int] = {}  # knows the tiles that were found, to clean up
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
        columns, rows, cheapest = self._columns, self._rows, terrain.cheapest
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
        return self._costs[index]

    def _nearest(self) -> int:
        stride, columns, rows = self.terrain.stride, self._columns, self._rows

        def away(index: int) -> tuple[float, float, int]:
            dx, dy = columns[index % stride], rows[index // stride]
            return dx + dy + DIAGONAL_SAVING * min(dx, dy), self._costs[index], index

        return min((self.start, *self._came_from), key=away)

    def _way_to(self, index: int) -> list[int]:
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
