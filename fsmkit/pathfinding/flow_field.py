"""FlowField: the cheapest way to a goal from every tile of a map, for many walkers at once."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from math import inf
from threading import RLock
from types import MappingProxyType
from typing import Any

from fsmkit.core.checks.arguments import shown
from fsmkit.pathfinding.cost_map import CostMap
from fsmkit.pathfinding.costs import float_of
from fsmkit.pathfinding.grid_engine import GridEngine, Labels, StepTables
from fsmkit.pathfinding.search import AStarPath
from fsmkit.pathfinding.terrain import Terrain
from fsmkit.pathfinding.tile import Tile, TileSequence, checked_tile, is_on_map


class FlowField:
    r"""The cheapest way to the nearest goal, from every tile. Made by `Grid.field`.

    It is also known as a Dijkstra map. One field serves any number of walkers: each looks up the
    next tile. When the map changes, the field is updated the next time it is read: only the tiles
    whose way has changed are computed again, or all of them where these are many. `update` does so
    at once.

    Of equally cheap ways it takes one with the fewest steps; of the next tiles that remain, the
    first of right, down, left, up, lower right, lower left, upper left, upper right.

    >>> from fsmkit.pathfinding import Grid
    >>> field = Grid("...\n.#.\n...").field([(2, 0)])
    >>> field.cost((0, 0)), field.next((0, 0))
    (2.0, (1, 0))
    >>> field.grid.set_cost((1, 0), 0)
    >>> field.cost((0, 0)), list(field.path((0, 0)))[:3]
    (6.0, [(0, 0), (0, 1), (0, 2)])
    """

    grid: Any  # a Grid, whose module imports this one
    """The map of the field."""

    def __init__(
        self,
        grid: CostMap,
        goals: Iterable[Tile] | Mapping[Tile, float],
        max_cost: float | None,
        engine: GridEngine,
    ) -> None:
        self.grid = grid
        self.goals = MappingProxyType(_checked_goals(goals, grid))
        """The goals: tile -> initial cost; read-only."""
        self.max_cost = _checked_limit(max_cost)
        """The highest cost of a way, or None."""
        self._engine = engine
        self._lock = RLock()
        self._changes: list[Mapping[int, float]] = []  # not applied yet
        grid.add_dependent(self)
        with grid.reading(self) as terrain:
            starts = {terrain.index(tile): cost for tile, cost in self.goals.items()}
            limit = inf if self.max_cost is None else self.max_cost
            self._labels = Labels(terrain, starts, limit)
            self.repaired = engine.settle(self._labels, terrain)
        """The number of tiles computed by the last update, or at first."""
        self._steps: StepTables | None = None  # until they are first read
        self._tables: dict[str, Any] = {}

    def cost(self, tile: Tile) -> float:
        """Return the cost of the way from `tile` to a goal, with the initial cost of that goal.

        Infinity where there is no way, and outside the map. In a wall it is the cost of the best
        step out of it, and of the way from there.
        """
        if not is_on_map(tile, *self.grid.size):
            return inf
        with self._settled() as terrain:
            return self._labels.costs[terrain.index(tile)]

    def next(self, tile: Tile) -> Tile | None:
        """Return the next tile; None at a goal, where there is no way, and outside the map.

        A way passes through a goal if going on to another costs less than its initial cost.
        """
        if not is_on_map(tile, *self.grid.size):
            return None
        with self._settled() as terrain:
            here = int(terrain.index(tile))
            there = self._labels.next(here, terrain)
        return None if there == here else terrain.tile(there)

    def path(self, start: Tile) -> AStarPath[Tile]:
        """Return the way from `start` to a goal; an empty path where there is none.

        Its cost is that of its steps, without the initial cost of the goal. Raises ValueError for a
        tile outside the map.
        """
        start = checked_tile(start, *self.grid.size)
        path: AStarPath[Tile] = AStarPath()
        if (found := self._way_from(start)) is not None:
            path.fill(*found, reachable=True)
        return path

    def goal_of(self, tile: Tile) -> Tile | None:
        """Return the goal that the way from `tile` leads to; None where there is no way.

        Takes time in proportion to the length of the way.
        """
        found = self._way_from(tile) if is_on_map(tile, *self.grid.size) else None
        return found[0][-1] if found is not None else None

    # As tables, for a crowd

    @property
    def costs(self) -> Any:
        """The costs of the ways from all tiles, as a table: shape (rows, columns).

        Where numpy is installed, a read-only array, always the same one, in which changes appear;
        otherwise new lists each time.
        """
        self.update()
        return self._table("costs", self._labels.costs)

    @property
    def steps(self) -> tuple[Any, Any]:
        """The columns and the rows from each tile to the next: two such tables.

        They hold -1, 0 and 1; both are 0 at a goal and where there is no way.

        >>> from fsmkit.pathfinding import Grid
        >>> dx, dy = Grid(["..", ".."]).field([(1, 0)]).steps
        >>> [list(map(int, row)) for row in dx], [list(map(int, row)) for row in dy]
        ([[1, 0], [1, 0]], [[0, 0], [-1, -1]])
        """
        self.update()
        if self._steps is None:
            none = array("b", bytes(len(self._labels.costs)))
            steps = none, none[:]
            with self._lock, self.grid.reading(self) as terrain:
                self._engine.find_steps(self._labels, terrain, steps, None)
                self._steps = steps
        dx, dy = self._steps
        return self._table("dx", dx), self._table("dy", dy)

    # Changes of the map

    def update(self) -> None:
        """Apply the changes of the map since the last update."""
        if not self._changes:
            return
        with self._lock:  # other threads that read wait here
            if changes := self._changes[:]:
                with self.grid.reading(self) as terrain:
                    self._repair(terrain, {index for change in changes for index in change})
                del self._changes[: len(changes)]

    def follow(self, changes: Mapping[int, float]) -> None:
        """Note a change of the map; called by the map."""
        self._changes.append(changes)

    # Inside

    def _repair(self, terrain: Terrain, changed: set[int]) -> None:
        engine, labels = self._engine, self._labels
        touched = engine.repair(labels, terrain, changed)
        if touched is None:
            labels.clear(terrain)
            self.repaired = engine.settle(labels, terrain)
        else:
            self.repaired = len(touched)
        if self._steps is not None:
            near = None if touched is None else {*touched, *changed}
            engine.find_steps(labels, terrain, self._steps, near)

    def _table(self, name: str, values: array[Any]) -> Any:
        if name not in self._tables:
            self._tables[name] = array_of(values, *self.grid.size)
        shown = self._tables[name]
        return lists_of(values, *self.grid.size) if shown is None else shown

    @contextmanager
    def _settled(self) -> Iterator[Terrain]:
        """Yield the terrain that the labels fit, while other threads can change neither."""
        self.update()  # a long update must not block threads that change the map
        with self._lock, self.grid.held() as terrain:
            self.update()
            yield terrain

    def _way_from(self, tile: Tile) -> tuple[TileSequence, float] | None:
        with self._settled() as terrain:
            start = terrain.index(tile)
            if self._labels.costs[start] == inf:
                return None
            way, cost = self._engine.walk(self._labels, terrain, start)
        return TileSequence(way, terrain.size), cost

    def __repr__(self) -> str:
        goals = "1 goal" if len(self.goals) == 1 else f"{len(self.goals)} goals"
        return f"<FlowField to {goals} on {self.grid!r}>"

    def __reduce__(self) -> Any:
        return FlowField, (self.grid, dict(self.goals), self.max_cost, self._engine)


def _checked_goals(goals: Any, grid: CostMap) -> dict[Tile, float]:
    try:
        given = goals.items() if isinstance(goals, Mapping) else ((tile, 0.0) for tile in goals)
        costs = {checked_tile(tile, *grid.size): cost for tile, cost in given}
    except TypeError:
        raise TypeError(
            "Grid: the goals of a field must be tiles, (column, row), or a mapping of tiles to "
            f"initial costs, got {goals!r}. Give a single one as [(column, row)]."
        ) from None
    return {tile: _checked_start(cost, tile) for tile, cost in costs.items()}


def _checked_start(cost: Any, tile: Tile) -> float:
    if not 0.0 <= (number := float_of(cost)) < inf:
        raise ValueError(
            f"Grid: the initial cost of the goal {tile} must be a finite number >= 0, got "
            f"{shown(cost)}."
        )
    return number


def _checked_limit(max_cost: Any) -> float | None:
    if max_cost is None:
        return None
    if not (number := float_of(max_cost)) >= 0.0:
        raise ValueError(f"Grid: max_cost must be a number >= 0 or None, got {shown(max_cost)}.")
    return number


def array_of(values: array[Any], width: int, height: int) -> Any:
    """Return the numbers of a map with a wall around it as an array: shape (height, width).

    It is read-only, without the wall, and a view of `values`. None without numpy.
    """
    try:
        import numpy as np
    except ImportError:
        return None
    whole = np.frombuffer(values, values.typecode).reshape(height + 2, width + 2)
    inner = whole[1:-1, 1:-1]
    inner.flags.writeable = False
    return inner


def lists_of(values: array[Any], width: int, height: int) -> list[list[Any]]:
    """Return them as lists, row by row.

    >>> lists_of(array("d", [0, 0, 0, 0, 5, 0, 0, 0, 0]), 1, 1)
    [[5.0]]
    """
    starts = (row * (width + 2) + 1 for row in range(1, height + 1))
    return [values[start : start + width].tolist() for start in starts]
