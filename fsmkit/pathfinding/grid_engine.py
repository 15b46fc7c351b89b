"""GridEngine: searches maps and computes flow fields; and Labels, which a flow field consists of.

This is the engine in plain Python; `compiled.compiled_engine` gives the same results, to the last
bit. At the end is `pull`, the string pulling of both: numba compiles the same text.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from heapq import heapify, heappop, heappush
from math import inf
from typing import Any, Final, TypeAlias, TypeVar

from attrs import define, field

from fsmkit.pathfinding.grid_search import GridSearch, SearchLists
from fsmkit.pathfinding.terrain import Terrain
from fsmkit.pathfinding.tile import DIAGONAL, Diagonals

Label: TypeAlias = tuple[float, int]
"""The cost of the way from a tile to a goal, and the number of its steps."""

StepTables: TypeAlias = "tuple[array[int], array[int]]"
"""Columns and rows from the tile at each index to the next: -1, 0 or 1."""

LEAST_PATIENCE: Final = 1000

NO_WAY: Final[Label] = (inf, 0)
OUTSIDE: Final = -inf
"""The cost of a tile of the wall around the map: nothing is better, so no search goes there."""


class Labels:
    """The label of each tile of a map, by its index; see `Terrain`.

    The label of a tile is the least of those that its steps give, and of its own as a goal: first
    by cost, then by the number of steps. So labels follow from the map alone, however they were
    computed; and every step leads to a lesser one, even where a cost is so large that adding
    another does not change it.
    """

    def __init__(self, terrain: Terrain, goals: Mapping[int, float], limit: float) -> None:
        size = len(terrain.costs)
        self.patience = max(LEAST_PATIENCE, size // 16)
        """How often a repair may touch tiles: beyond that, computing all is soon faster."""
        self.goals = tuple(goals)
        """The indices of the goals."""
        self.costs = array("d", [inf]) * size
        """The cost of the way from the tile at each index; infinity if there is none."""
        self.hops = array("i", [0]) * size
        """The number of steps of that way; 0 at a goal, and where there is none."""
        self.starts = array("d", [inf]) * size
        """The initial cost of a goal; infinity for all other tiles."""
        self.limit = limit
        """The highest cost of a way."""
        for index, cost in goals.items():
            self.starts[index] = cost
        self._close_the_edge(terrain)

    def clear(self, terrain: Terrain) -> None:
        size = len(self.costs)
        self.costs[:] = array("d", [inf]) * size  # in place: tables show them
        self.hops[:] = array("i", [0]) * size
        self._close_the_edge(terrain)

    def __getitem__(self, index: int) -> Label:
        return self.costs[index], self.hops[index]

    def __setitem__(self, index: int, label: Label) -> None:
        self.costs[index], self.hops[index] = label

    def of_goal(self, index: int, terrain: Terrain) -> Label:
        is_goal = terrain.costs[index] > 0.0 and self.starts[index] <= self.limit
        return (self.starts[index], 0) if is_goal and self.starts[index] < inf else NO_WAY

    def best(self, index: int, terrain: Terrain) -> Label:
        costs, hops = self.costs, self.hops
        cost, number = self.of_goal(index, terrain)
        for near, weight in terrain.steps_from(index):
            new = costs[near] + weight
            if new < cost or (new == cost < inf and hops[near] + 1 < number):
                cost, number = new, hops[near] + 1
        return (cost, number) if cost <= self.limit and cost < inf else NO_WAY

    def next(self, index: int, terrain: Terrain) -> int:
        """Return the index of the next tile; its own at a goal and where there is no way.

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


class GridEngine:
    """Searches maps in plain Python; `CompiledEngine` does the same, compiled."""

    compiled = False
    terrain: type[Terrain] = Terrain
    """The kind of terrain that it searches."""
    search: type[GridSearch] = GridSearch
    workspace: Callable[[int, int], Any] = SearchLists
    """What one search at a time writes into, for a map of some columns and rows."""

    def __init__(self, width: int, height: int) -> None:
        self._make = partial(self.workspace, width, height)
        self._spare: list[Any] = []

    def borrow(self) -> Any:
        """Return a clean workspace; safe to call from several threads.

        Making one takes time in proportion to the map, even for a short way, so searches give
        theirs back, clean. One that is dropped half-way keeps its own.
        """
        try:
            return self._spare.pop()
        except IndexError:
            return self._make()

    def give_back(self, workspace: Any) -> None:
        """Take back a workspace that is clean."""
        self._spare.append(workspace)

    def __getstate__(self) -> dict[str, Any]:
        return {"_make": self._make, "_spare": []}  # a copy starts with none

    def pull(self, terrain: Terrain, way: Sequence[int]) -> tuple[list[int], list[float]]:
        corners, limits = [0] * len(way), [0.0] * len(way)
        number = pull(terrain.costs, terrain.stride, way, corners, limits)
        return corners[:number], limits[:number]

    def map(
        self,
        search: Callable[[GivenT], ResultT],
        given: Sequence[GivenT],
        threads: int | None,  # noqa: ARG002  # unused: only one thread runs Python at a time
    ) -> list[ResultT]:
        return [search(each) for each in given]

    def settle(self, labels: Labels, terrain: Terrain) -> int:
        """Compute all labels, from cleared ones; return the number of tiles that have a way.

        Dijkstra's algorithm (1959), from the goals against the direction of the steps. A wall gets
        the label of the best step out of it, and leads nowhere.
        """
        opened = []
        for index in labels.goals:
            if (label := labels.of_goal(index, terrain)) != NO_WAY:
                labels[index] = label
                opened.append((*label, index))
        heapify(opened)
        costs, hops, limit, found = labels.costs, labels.hops, labels.limit, 0
        tiles = terrain.costs
        while opened:
            cost, number, index = heappop(opened)
            if cost != costs[index] or number != hops[index]:
                continue  # a better way from it has been found since
            found += 1
            number += 1
            for near, weight in steps_to(index, terrain):
                new = cost + weight
                if new > limit or new > costs[near]:
                    continue
                if new < costs[near] or number < hops[near]:
                    costs[near] = new
                    hops[near] = number
                    if tiles[near]:
                        heappush(opened, (new, number, near))
        return found

    def repair(
        self, labels: Labels, terrain: Terrain, changed: Collection[int]
    ) -> Collection[int] | None:
        """Repair the labels after the costs of some tiles have changed; return the tiles touched.

        None if it gave up because there are too many: then clear the labels and settle them.

        The algorithm is DynamicSWSF-FP (Ramalingam and Reps, 1996), for several changes at once. A
        label that is too good is removed, one that is not good enough is set, in the order of the
        labels; so no tile is touched more than twice, and none whose label stays the same.
        """
        if len(changed) > labels.patience:
            return None
        repairing = Repair(labels, terrain)
        for index in around(changed, terrain.stride):
            if labels.costs[index] != OUTSIDE:
                repairing.look_at(index)
        repairing.run()
        return set(repairing.touched) if len(repairing.touched) <= labels.patience else None

    def walk(self, labels: Labels, terrain: Terrain, start: int) -> tuple[Sequence[int], float]:
        way, cost = [start], 0.0
        while (there := labels.next(way[-1], terrain)) != way[-1]:
            cost += dict(terrain.steps_from(way[-1]))[there]
            way.append(there)
        return way, cost

    def find_steps(
        self, labels: Labels, terrain: Terrain, steps: StepTables, near: Collection[int] | None
    ) -> None:
        """Write the steps to the next tiles: from the tiles around `near`, or from all."""
        dx, dy = steps
        indices = range(len(labels.costs)) if near is None else around(near, terrain.stride)
        for index in indices:
            (x, y), there = terrain.tile(index), terrain.tile(labels.next(index, terrain))
            dx[index], dy[index] = there[0] - x, there[1] - y


@define
class Repair:
    """A repair under way: a queue of tiles whose labels do not fit those around them."""

    labels: Labels
    terrain: Terrain
    touched: list[int] = field(factory=list, init=False)
    """The indices of the tiles touched; some of them twice."""
    _opened: list[tuple[float, int, int]] = field(factory=list, init=False)

    def look_at(self, index: int) -> None:
        best, label = self.labels.best(index, self.terrain), self.labels[index]
        if best != label:
            heappush(self._opened, (*min(best, label), index))

    def run(self) -> None:
        """Touch tiles until all labels fit, or too many were touched."""
        while self._opened and len(self.touched) <= self.labels.patience:
            cost, number, index = heappop(self._opened)
            label, best = self.labels[index], self.labels.best(index, self.terrain)
            if min(best, label) != (cost, number):
                self.look_at(index)  # the tiles around it have changed since it was queued
            elif best != label:
                self.labels[index] = best if best < label else NO_WAY
                self.touched.append(index)
                self.look_at(index)
                self._look_around(index, label)

    def _look_around(self, index: int, old: Label) -> None:
        label, limit = self.labels[index], self.labels.limit
        for near, weight in steps_to(index, self.terrain):
            offered = after(label, weight, limit)
            if offered < self.labels[near]:
                heappush(self._opened, (*offered, near))
            elif self.labels[near] == after(old, weight, limit):
                self.look_at(near)  # its way leads over this tile


def after(label: Label, weight: float, limit: float) -> Label:
    """Return the label that a step with that cost gives, if it leads to a tile with `label`."""
    cost = label[0] + weight
    return (cost, label[1] + 1) if cost <= limit and cost < inf else NO_WAY


def steps_to(index: int, terrain: Terrain) -> Iterator[tuple[int, float]]:
    """Yield the index of each tile from which one step leads to `index`, and the cost of the step.

    They may be walls: a way may begin in one.
    """
    costs, stride = terrain.costs, terrain.stride
    cost = costs[index]
    if not cost:
        return
    for step in (1, stride, -1, -stride):
        yield index + step, cost
    if terrain.diagonals is Diagonals.NEVER:
        return
    cost *= DIAGONAL
    for aside, ahead in ((1, stride), (-1, stride), (-1, -stride), (1, -stride)):
        free = bool(costs[index + aside]) + bool(costs[index + ahead])
        if free >= terrain.min_free:
            yield index + aside + ahead, cost


def around(indices: Iterable[int], stride: int) -> set[int]:
    """Return the indices, and those of the eight tiles around each."""
    offsets = [row + step for row in (-stride, 0, stride) for step in (-1, 0, 1)]
    return {index + offset for index in indices for offset in offsets}


def pull(costs: Any, stride: int, way: Any, corners: Any, limits: Any) -> int:  # noqa: C901, PLR0912  # one piece, for numba
    """Write the places on `way` at which it really has to turn into `corners`; return how many.

    `costs` are those of a terrain and `way` indices in it. `limits` gets the cost of the cheapest
    tile between each corner and the one before it. From a corner it looks ahead twice as far each
    time, until the straight line is not free, and then between: so it takes time in proportion to
    the length of the way, up to a logarithmic factor.
    """
    number = here = 0
    while here < len(way) - 1:
        free, limit = here + 1, costs[way[here + 1]]
        step = way[free] - way[here]
        if abs(step) in (1, stride):  # along a row or a column the line crosses the way alone
            while (
                free + 1 < len(way)
                and way[free + 1] - way[free] == step
                and costs[way[free + 1]] == limit
            ):
                free += 1
        blocked, reach = len(way), 1
        while free + 1 < blocked:
            # Look ahead, or between what is free and what is blocked.
            probe = free + reach if blocked == len(way) else (free + blocked) // 2
            if probe >= blocked:
                probe = blocked - 1
            least = limit
            for place in range(free + 1, probe + 1):
                least = min(least, costs[way[place]])
            # Walk along the line, from one tile to the next that it crosses.
            index, end = way[here], way[probe]
            columns, rows = end % stride - index % stride, end // stride - index // stride
            aside = 1 if columns > 0 else -1
            ahead = stride if rows > 0 else -stride
            columns, rows = abs(columns), abs(rows)
            lead = rows - columns  # the sign says which edge comes next: a column's if negative
            is_free = True
            while index != end and is_free:
                is_corner = lead == 0
                if is_corner:
                    is_free = (
                        0.0 < costs[index + aside] <= least and 0.0 < costs[index + ahead] <= least
                    )
                if lead <= 0:
                    index += aside
                    lead += 2 * rows
                    if is_corner:
                        index += ahead
                        lead -= 2 * columns
                else:
                    index += ahead
                    lead -= 2 * columns
                is_free = is_free and 0.0 < costs[index] <= least
            if is_free:
                free, limit = probe, least
                reach *= 2
            else:
                blocked = probe
        corners[number], limits[number] = free, limit
        number += 1
        here = free
    return number


GivenT = TypeVar("GivenT")
ResultT = TypeVar("ResultT")
