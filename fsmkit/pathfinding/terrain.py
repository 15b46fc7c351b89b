"""Terrain: what a search knows about a map: the cost of every tile, and the steps between them."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from heapq import heapify, heappop, heappush
from operator import index as whole
from typing import Any
from weakref import WeakSet

from fsmkit.pathfinding.tile import DIAGONAL, MIN_FREE, Diagonals, Tile


class Terrain:
    """The cost of entering each tile, and the steps between them.

    A tile has an index: it counts through the rows of the map with a wall around it, so that no
    search has to look for the edge. `readers` are the running searches: as long as there is one, a
    map does not change its terrain, but changes a copy and uses that from then on.
    """

    def __init__(self, costs: array[float], width: int, height: int, diagonals: Diagonals) -> None:
        self.costs = costs
        """The cost of the tile at each index; 0 for a wall."""
        self.width = width
        self.height = height
        self.stride = width + 2
        """The difference between the indices of one row and the next."""
        self.diagonals = diagonals
        self.min_free = MIN_FREE[diagonals]
        self.readers: WeakSet[Any] = WeakSet()
        self.steps: dict[int, tuple[tuple[int, float], ...]] = {}
        """The cache of `steps_from`."""
        self._tally = CostTally(costs)
        self.cheapest = self._tally.cheapest()
        """The cost of entering the cheapest tile; 1 if all are walls."""

    def copy(self) -> Terrain:
        """Return a copy without readers."""
        other = self.__class__.__new__(self.__class__)
        other.__dict__.update(
            vars(self),
            costs=self.costs[:],
            readers=WeakSet(),
            steps=self.steps.copy(),
            _tally=self._tally.copy(),
        )
        return other

    @property
    def size(self) -> tuple[int, int]:
        """The columns and rows of the map."""
        return self.width, self.height

    def index(self, tile: Tile) -> int:
        x, y = tile
        return (whole(y) + 1) * self.stride + whole(x) + 1  # a small integer of numpy overflows

    def tile(self, index: int) -> Tile:
        y, x = divmod(index, self.stride)
        return x - 1, y - 1

    def set_cost(self, index: int, cost: float) -> None:
        self._tally.replace(self.costs[index], cost)
        self.cheapest = self._tally.cheapest()
        self.costs[index] = cost
        for row in (index - self.stride, index, index + self.stride):
            for near in (row - 1, row, row + 1):
                self.steps.pop(near, None)

    def steps_from(self, index: int) -> tuple[tuple[int, float], ...]:
        """Return the indices of the tiles one step from the tile at `index`, each with its cost.

        They are cached, so that a second search of the same place is faster.
        """
        known = self.steps.get(index)
        if known is None:
            known = self.steps[index] = tuple(self._compute_steps(index))
        return known

    def _compute_steps(self, index: int) -> Iterator[tuple[int, float]]:
        costs, stride = self.costs, self.stride
        for step in (1, stride, -1, -stride):
            if cost := costs[index + step]:
                yield index + step, cost
        if self.diagonals is Diagonals.NEVER:
            return
        for aside, ahead in ((1, stride), (-1, stride), (-1, -stride), (1, -stride)):
            cost = costs[index + aside + ahead]
            free = bool(costs[index + aside]) + bool(costs[index + ahead])
            if cost and free >= self.min_free:
                yield index + aside + ahead, cost * DIAGONAL

    def __getstate__(self) -> dict[str, Any]:
        kept = ("costs", "width", "height", "diagonals")
        return {name: getattr(self, name) for name in kept}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(**state)  # type: ignore[misc]


def walled(rows: Sequence[array[float]]) -> array[float]:
    wall = array("d", bytes(8 * (len(rows[0]) + 2)))
    costs = wall[:]
    for row in rows:
        costs.append(0.0)
        costs.extend(row)
        costs.append(0.0)
    return costs + wall


class CostTally:
    """The number of tiles of each cost, so that the cheapest is known without a scan.

    >>> tally = CostTally([2.0, 3.0, 0.0])
    >>> tally.replace(2.0, 5.0)
    >>> tally.cheapest()
    3.0
    """

    def __init__(self, costs: Iterable[float]) -> None:
        self._numbers = Counter(costs)
        del self._numbers[0.0]
        self._queue = list(self._numbers)  # all present costs, and some obsolete ones
        heapify(self._queue)

    def copy(self) -> CostTally:
        other = CostTally(())
        other._numbers, other._queue = self._numbers.copy(), self._queue.copy()
        return other

    def replace(self, before: float, after: float) -> None:
        """Count a tile of cost `before` as one of cost `after`; 0 is a wall and does not count."""
        if before:
            self._numbers[before] -= 1
        if after:
            if after not in self._numbers:
                heappush(self._queue, after)
            self._numbers[after] += 1

    def cheapest(self) -> float:
        """Return the lowest cost; 1 if all tiles are walls."""
        while self._queue and not self._numbers[self._queue[0]]:
            del self._numbers[heappop(self._queue)]
        return self._queue[0] if self._queue else 1.0
