"""CostMap: the cost and the place of every tile; and the dependents that follow its changes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from math import floor, inf, isfinite
from threading import RLock
from typing import Any, Protocol, Self
from weakref import WeakSet

from fsmkit.pathfinding.costs import checked_cost
from fsmkit.pathfinding.terrain import Terrain
from fsmkit.pathfinding.tile import Diagonals, Tile, checked_tile, crossed_tiles, is_on_map


class Dependent(Protocol):
    def follow(self, changes: Mapping[int, float]) -> None:
        """Note the costs that were set: index of a tile -> its cost; see `Terrain`."""


class CostMap:
    """A map of tiles, as searches, flow fields and pictures read it; `Grid` is the one to use."""

    def __init__(
        self, terrain: Terrain, tile_size: tuple[float, float], origin: tuple[float, float]
    ) -> None:
        self.terrain = terrain
        """The costs of the tiles, as searches read them. To change them use `set_cost`."""
        self.version = 0
        """The number of changes made to the map."""
        self.tile_size = tile_size
        """The width and the height of a tile, in the units of the game."""
        self.origin = origin
        """The position of the centre of the tile (0, 0)."""
        self._link()

    # What is where

    @property
    def width(self) -> int:
        """The number of columns."""
        return self.terrain.width

    @property
    def height(self) -> int:
        """The number of rows."""
        return self.terrain.height

    @property
    def size(self) -> tuple[int, int]:
        """The number of columns and of rows."""
        return self.terrain.size

    @property
    def diagonals(self) -> Diagonals:
        """The rule for diagonal steps."""
        return self.terrain.diagonals

    @property
    def has_diagonals(self) -> bool:
        """True if there are diagonal steps at all."""
        return self.diagonals is not Diagonals.NEVER

    def cost(self, tile: Tile) -> float:
        """Return the cost of entering `tile`; infinity for a wall and outside the map."""
        return self.terrain.costs[self.terrain.index(tile)] or inf if self._has(tile) else inf

    def is_free(self, tile: Tile) -> bool:
        """Return True if `tile` is on the map and not a wall."""
        return self._has(tile) and self.terrain.costs[self.terrain.index(tile)] > 0.0

    def center(self, tile: Tile) -> tuple[float, float]:
        """Return the position of the centre of a tile, in the units of the game.

        >>> from fsmkit.pathfinding import Grid
        >>> Grid(["..", ".."], tile_size=32, origin=(16, 16)).center((1, 0))
        (48.0, 16.0)
        """
        self._has(tile)  # raises unless it is a tile, inside or outside
        (x, y), (width, height), (left, top) = tile, self.tile_size, self.origin
        return left + x * width, top + y * height

    def tile_at(self, position: Sequence[float]) -> Tile:
        """Return the tile that a position lies on; it may be outside the map.

        Raises TypeError unless `position` is two numbers, or begins with them, ValueError unless
        they are finite.

        >>> from fsmkit.pathfinding import Grid
        >>> Grid(["..", ".."], tile_size=32, origin=(16, 16)).tile_at((63.9, 0.0))
        (1, 0)
        """
        (width, height), (left, top) = self.tile_size, self.origin
        try:
            x, y = (position[0] - left) / width, (position[1] - top) / height
        except (TypeError, LookupError):
            raise TypeError(f"Grid: a position must be two numbers, got {position!r}.") from None
        if not (isfinite(x) and isfinite(y)):
            raise ValueError(f"Grid: a position must be two finite numbers, got {position!r}.")
        return floor(x + 0.5), floor(y + 0.5)

    def is_clear(self, start: Sequence[float], end: Sequence[float]) -> bool:
        """Return True if no wall lies between two positions, and both are on the map.

        The line joins the centres of their tiles, as in `line_of_sight`: one that touches the
        corner of a wall is not clear. Raises the errors of `tile_at`.

        >>> from fsmkit.pathfinding import Grid
        >>> grid = Grid(["....", ".#..", "...."], tile_size=32)
        >>> grid.is_clear((0, 0), (96, 10)), grid.is_clear((0, 32), (96, 32))
        (True, False)
        """
        tiles = crossed_tiles(self.tile_at(start), self.tile_at(end))
        return all(map(self.is_free, tiles))

    # Changes

    def set_cost(self, tile: Tile, cost: float) -> None:
        """Set the cost of entering `tile`; 0 or infinity makes it a wall.

        A running search continues with the map as it was when it began; see its `is_outdated`.
        Raises ValueError for a tile outside the map, and for a cost that is not a number >= 0.
        """
        self.set_costs({self._checked(tile): cost})

    def set_costs(self, costs: Mapping[Tile, float]) -> None:
        """Set the costs of entering several tiles, as `set_cost` does: of all or, on errors, none.

        >>> from fsmkit.pathfinding import Grid
        >>> grid = Grid(["...", "..."])
        >>> grid.set_costs({(1, 0): 0, (1, 1): 5})
        >>> grid.cost((1, 0)), grid.cost((1, 1))
        (inf, 5.0)
        """
        if not isinstance(costs, Mapping):
            raise TypeError(f"Grid: costs must be a mapping of tiles to numbers, got {costs!r}.")
        self._change(
            {
                self.terrain.index(self._checked(tile)): checked_cost(
                    cost, f"Grid: the cost of the tile {tile}"
                )
                for tile, cost in costs.items()
            }
        )

    def _link(self) -> None:
        self._lock = RLock()  # dependents take their own lock after this one
        self._dependents: WeakSet[Dependent] = WeakSet()

    def _change(self, changes: Mapping[int, float]) -> None:
        """Set the costs at some indices; running searches keep the terrain as it was."""
        costs = self.terrain.costs
        changes = {index: cost for index, cost in changes.items() if costs[index] != cost}
        if not changes:
            return
        with self._lock:
            if len(self.terrain.readers):
                self.terrain = self.terrain.copy()
            for index, cost in changes.items():
                self.terrain.set_cost(index, cost)
            self.version += 1
            for dependent in tuple(self._dependents):
                dependent.follow(changes)

    def add_dependent(self, dependent: Dependent) -> None:
        """Let `dependent` follow the changes of this map as long as it lives."""
        with self._lock:
            self._dependents.add(dependent)

    @contextmanager
    def reading(self, reader: object) -> Iterator[Terrain]:
        """Yield the terrain, which stays as it is for `reader` while others change the map."""
        with self._lock:
            terrain = self.terrain
            terrain.readers.add(reader)
        try:
            yield terrain
        finally:
            terrain.readers.discard(reader)

    @contextmanager
    def held(self) -> Iterator[Terrain]:
        """Yield the terrain; changes of the map wait until the end."""
        with self._lock:
            yield self.terrain

    def _has(self, tile: Tile) -> bool:
        return is_on_map(tile, *self.size)

    def _checked(self, tile: Tile) -> Tile:
        return checked_tile(tile, *self.size)

    def __copy__(self) -> Self:
        """Return an independent map: changes to one do not affect the other."""
        other = object.__new__(type(self))
        with self._lock:
            state = {**self.__getstate__(), "terrain": self.terrain.copy()}
        other.__setstate__(state)
        return other

    def __getstate__(self) -> dict[str, Any]:
        state = self.__dict__.copy()
        del state["_lock"], state["_dependents"]
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._link()
