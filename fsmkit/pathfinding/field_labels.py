"""Labels: what a flow field knows of each tile, and the rule that makes it unique."""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from math import inf
from typing import Final, TypeAlias

from fsmkit.pathfinding.terrain import Terrain

Label: TypeAlias = tuple[float, int]
"""The cost of the way from a tile to a goal, and the number of its steps."""

Steps: TypeAlias = "tuple[array[int], array[int]]"
"""Columns and rows from the tile at each index to the one to go to next: -1, 0 or 1."""

LEAST_PATIENCE: Final = 1000

NO_WAY: Final[Label] = (inf, 0)
OUTSIDE: Final = -inf
"""The cost of a tile of the wall around the map: no way is better, so none is looked for."""


class Labels:
    """The label of each tile of a map, by its index; see `Terrain`.

    The label of a tile is the least of those that its steps give, and of its own as a goal: first
    by cost, then by the number of steps. So labels follow from the map alone, however they were
    worked out; and every step leads to a lesser one, even where a cost is so large that adding
    another does not change it.
    """

    def __init__(self, terrain: Terrain, goals: Mapping[int, float], limit: float) -> None:
        size = len(terrain.costs)
        self.patience = max(LEAST_PATIENCE, size // 16)
        """How often a repair may touch tiles: to work out all anew would soon be faster."""
        self.goals = tuple(goals)
        """The indices of the goals."""
        self.costs = array("d", [inf]) * size
        """The cost of the way from the tile at each index; infinity if there is none."""
        self.hops = array("i", [0]) * size
        """The number of steps of that way; 0 at a goal, and where there is none."""
        self.starts = array("d", [inf]) * size
        """The cost that a goal begins with; infinity for all other tiles."""
        self.limit = limit
        """The highest cost of a way."""
        for index, cost in goals.items():
            self.starts[index] = cost
        self._close_the_edge(terrain)

    def clear(self, terrain: Terrain) -> None:
        """Forget all labels."""
        size = len(self.costs)
        self.costs[:] = array("d", [inf]) * size  # in place: tables show them
        self.hops[:] = array("i", [0]) * size
        self._close_the_edge(terrain)

    def __getitem__(self, index: int) -> Label:
        return self.costs[index], self.hops[index]

    def __setitem__(self, index: int, label: Label) -> None:
        self.costs[index], self.hops[index] = label

    def of_goal(self, index: int, terrain: Terrain) -> Label:
        """Return the label of a tile as a goal; a goal in a wall is none."""
        is_goal = terrain.costs[index] > 0.0 and self.starts[index] <= self.limit
        return (self.starts[index], 0) if is_goal and self.starts[index] < inf else NO_WAY

    def best(self, index: int, terrain: Terrain) -> Label:
        """Return what the label of a tile must be, by those of its neighbours."""
        costs, hops = self.costs, self.hops
        cost, number = self.of_goal(index, terrain)
        for near, weight in terrain.steps_from(index):
            new = costs[near] + weight
            if new < cost or (new == cost < inf and hops[near] + 1 < number):
                cost, number = new, hops[near] + 1
        return (cost, number) if cost <= self.limit and cost < inf else NO_WAY

    def next(self, index: int, terrain: Terrain) -> int:
        """Return the index of the tile to go to next; its own at a goal and where there is no way.

        Of several the first of right, down, left, up, and the diagonals from the lower right one
        clockwise.
        """
        cost, number = self[index]
        if number:
            for near, weight in terrain.steps_from(index):
                if self.hops[near] == number - 1 and self.costs[near] + weight == cost:
                    return near
        return index

    def _close_the_edge(self, terrain: Terrain) -> None:
        stride, size = terrain.stride, len(self.costs)
        for index in (*range(stride), *range(size - stride, size)):
            self.costs[index] = OUTSIDE
        for index in range(0, size, stride):
            self.costs[index] = self.costs[index + stride - 1] = OUTSIDE
