"""FlowField: the cheapest way to a goal from every tile of a map, for many walkers at once."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from math import inf
from threading import RLock
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from fsmkit.pathfinding.costs import float_of, shown
from fsmkit.pathfinding.field_labels import Labels, Steps
from fsmkit.pathfinding.path import AStarPath
from fsmkit.pathfinding.tables import array_of, lists_of
from fsmkit.pathfinding.tile import Tile, checked_tile, is_on_map
from fsmkit.pathfinding.tile_sequence import TileSequence

if TYPE_CHECKING:
    from fsmkit.pathfinding.engines import Engine
    from fsmkit.pathfinding.grid import Grid
    from fsmkit.pathfinding.terrain import Terrain


class FlowField:
    r"""The cheapest way to the nearest goal, from every tile. Made by `Grid.field`.

    It is also known as a Dijkstra map. One field serves any number of walkers: each looks up the
    tile to go to next. When the map changes, the field works out again, the next time it is read,
    the tiles whose way is another one now, and no others; where these are many it begins anew.
    `update` does so at once.

    Of equally cheap ways it takes one with the fewest steps; of the tiles to go to next that are
    left, the first of right, down, left, up, lower right, lower left, upper left, upper right.

    >>> from fsmkit.pathfinding import Grid
    >>> field = Grid("...\n.#.\n...").field([(2, 0)])
    >>> field.cost((0, 0)), field.next((0, 0))
    (2.0, (1, 0))
    >>> field.grid.set_cost((1, 0), 0)
    >>> field.cost((0, 0)), list(field.path((0, 0)))[:3]
    (6.0, [(0, 0), (0, 1), (0, 2)])
    """

    def __init__(
        self,
        grid: Grid,
        goals: Iterable[Tile] | Mapping[Tile, float],
        max_cost: float | None,
        engine: Engine,
    ) -> None:
        self.grid = grid
        self.goals = MappingProxyType(_checked_goals(goals, grid))
        """The goals: tile -> the cost to begin with; read-only."""
        self.max_cost = _checked_limit(max_cost)
        """The highest cost of a way, or None."""
        self._engine = engine
        self._lock = RLock()
        self._changes: list[Mapping[int, float]] = []  # not taken over yet
        grid.add_dependent(self)
        with grid.reading(self) as terrain:
            self._labels = self._fresh_labels(terrain)
            self.repaired = engine.settle(self._labels, terrain)
        """The number of tiles worked out by the last update, or at first."""
        self._steps: Steps | None = None  # until somebody asks for them
        self._tables: dict[str, Any] = {}

    def cost(self, tile: Tile) -> float:
        """Return the cost of the way from `tile` to a goal, with the cost that this begins with.

        Infinity where there is no way, and outside the map. In a wall it is the cost of the best
        step out of it, and of the way from there.
        """
        if not is_on_map(tile, *self.grid.size):
            return inf
        with self._settled() as terrain:
            return self._labels.costs[terrain.index(tile)]

    def next(self, tile: Tile) -> Tile | None:
        """Return the tile to go to next; None at a goal, where there is no way, and outside.

        A goal from which the way to another is cheaper than the cost that it begins with is not
        the end: the way leads on.
        """
        if not is_on_map(tile, *self.grid.size):
            return None
        with self._settled() as terrain:
            here = int(terrain.index(tile))
            there = self._labels.next(here, terrain)
        return None if there == here else terrain.tile(there)

    def path(self, start: Tile) -> AStarPath[Tile]:
        """Return the way from `start` to a goal; an empty path where there is none.

        Its cost is that of its steps, without the cost that the goal begins with. Raises ValueError
        for a tile outside the map.
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

        An array of numpy where that is installed: read-only, and always the same one, in which
        changes appear. Else lists, made anew each time.
        """
        self.update()
        return self._table("costs", self._labels.costs)

    @property
    def steps(self) -> tuple[Any, Any]:
        """The columns and the rows from each tile to the one to go to next: two such tables.

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
        """Take over what has changed on the map since it was last read."""
        if not self._changes:
            return
        with self._lock:  # another thread that reads meanwhile waits
            if changes := self._changes[:]:
                with self.grid.reading(self) as terrain:
                    self._repair(terrain, {index for change in changes for index in change})
                del self._changes[: len(changes)]

    def follow(self, changes: Mapping[int, float]) -> None:
        """Take note of a change of the map; called by the grid."""
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

    def _fresh_labels(self, terrain: Terrain) -> Labels:
        starts = {terrain.index(tile): cost for tile, cost in self.goals.items()}
        return Labels(terrain, starts, inf if self.max_cost is None else self.max_cost)

    def _table(self, name: str, values: array[Any]) -> Any:
        if name not in self._tables:
            self._tables[name] = array_of(values, *self.grid.size)
        shown = self._tables[name]
        return lists_of(values, *self.grid.size) if shown is None else shown

    @contextmanager
    def _settled(self) -> Iterator[Terrain]:
        """Give the terrain that the labels fit, while other threads can change neither."""
        self.update()  # what takes long does not make those wait who change the map
        with self._lock, self.grid.held() as terrain:
            self.update()
            yield terrain

    def _way_from(self, tile: Tile) -> tuple[TileSequence, float] | None:
        """Return the tiles of the way from `tile`, and its cost; None if there is none."""
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
        return _field_of, (self.grid, dict(self.goals), self.max_cost)


def _field_of(grid: Grid, goals: Mapping[Tile, float], max_cost: float | None) -> FlowField:
    return grid.field(goals, max_cost=max_cost)


def _checked_goals(goals: Any, grid: Grid) -> dict[Tile, float]:
    try:
        given = goals.items() if isinstance(goals, Mapping) else ((tile, 0.0) for tile in goals)
        costs = {checked_tile(tile, *grid.size): cost for tile, cost in given}
    except TypeError:
        raise TypeError(
            "Grid: the goals of a field must be tiles, (column, row), or a mapping of tiles to the "
            f"costs that they begin with, got {goals!r}. Give a single one as [(column, row)]."
        ) from None
    return {tile: _checked_start(cost, tile) for tile, cost in costs.items()}


def _checked_start(cost: Any, tile: Tile) -> float:
    if not 0.0 <= (number := float_of(cost)) < inf:
        raise ValueError(
            f"Grid: the cost that the goal {tile} begins with must be a finite number >= 0, got "
            f"{shown(cost)}."
        )
    return number


def _checked_limit(max_cost: Any) -> float | None:
    if max_cost is None:
        return None
    if not (number := float_of(max_cost)) >= 0.0:
        raise ValueError(f"Grid: max_cost must be a number >= 0 or None, got {shown(max_cost)}.")
    return number
