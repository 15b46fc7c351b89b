"""Grid: a map of tiles, and the search in it, without an object for every tile."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Sized
from enum import Enum
from math import inf, sqrt
from numbers import Integral
from typing import Any, Final, TypeAlias

from fsmkit.pathfinding.grid_search import GridSearch
from fsmkit.pathfinding.path import AStarPath

Tile: TypeAlias = tuple[int, int]
"""Column and row, both counted from 0, from the upper left."""

BLOCKED: Final = "#@"
"""The letters of a text that are walls, unless others are given."""


class Diagonals(Enum):
    """The rules for diagonal steps between two tiles that touch at a corner."""

    ALWAYS = "always"
    NEVER = "never"
    BOTH_FREE = "only if both tiles beside the corner are free"
    ONE_FREE = "only if at least one tile beside the corner is free"


class Grid:
    """A map of tiles.

    `tiles` is a text with a line for every row, in which the letters of `blocked` are walls and
    `costs` holds the cost of entering a tile with another letter (1 if not given); or rows of
    numbers, as lists or as an array with two dimensions: the cost of entering each tile, where 0,
    False and infinity are walls. A diagonal step costs the square root of 2 times as much.

    `neighbours` is 4 or 8; with 8 `diagonals` is the rule for cutting corners. Raises ValueError
    for rows of different lengths, no tiles at all, and costs that are negative or not numbers;
    TypeError if `tiles` is not a map.

    >>> grid = Grid('''
    ... ..#.
    ... ..#.
    ... ....
    ... ''')
    >>> path = grid.find_path((0, 0), (3, 0))
    >>> list(path)
    [(0, 0), (1, 1), (1, 2), (2, 2), (3, 2), (3, 1), (3, 0)]
    """

    def __init__(
        self,
        tiles: str | Iterable[Sequence[Any]],
        *,
        neighbours: int = 8,
        diagonals: Diagonals = Diagonals.BOTH_FREE,
        blocked: str = BLOCKED,
        costs: Mapping[str, float] | None = None,
    ) -> None:
        if neighbours not in (4, 8):
            raise ValueError(f"Grid: neighbours must be 4 or 8, got {neighbours!r}.")
        if not isinstance(diagonals, Diagonals):
            raise TypeError(f"Grid: diagonals must be a member of Diagonals, got {diagonals!r}.")
        rows = _rows_of_text(tiles, blocked, costs) if isinstance(tiles, str) else tiles
        self.diagonals = diagonals if neighbours == 8 else Diagonals.NEVER
        try:
            self._set_tiles([list(row) for row in rows])
        except TypeError:
            raise TypeError(
                "Grid: tiles must be a text, or rows of numbers (a list of lists, an array), got "
                f"{tiles!r}."
            ) from None

    @property
    def size(self) -> tuple[int, int]:
        """The number of columns and of rows."""
        return self.width, self.height

    @property
    def has_diagonals(self) -> bool:
        """True if there are diagonal steps at all."""
        return self.diagonals is not Diagonals.NEVER

    def cost(self, tile: Tile) -> float:
        """Return the cost of entering `tile`; infinity for a wall and outside the map."""
        return self._costs[self._index(tile)] or inf if self._is_inside(tile) else inf

    def is_free(self, tile: Tile) -> bool:
        """Return True if `tile` is on the map and not a wall."""
        return self._is_inside(tile) and self._costs[self._index(tile)] > 0.0

    def set_cost(self, tile: Tile, cost: float) -> None:
        """Set the cost of entering `tile`; 0 or infinity makes it a wall.

        Searches under way go on as before. Raises ValueError for a tile outside the map.
        """
        self._check(tile)
        index = self._index(tile)
        self._costs[index] = _checked_cost(cost, tile)
        self.cheapest = min((each for each in self._costs if each), default=1.0)
        stride = self.stride
        for row in (index - stride, index, index + stride):
            for near in (row - 1, row, row + 1):
                self._steps.pop(near, None)

    def find_path(
        self,
        start: Tile,
        goal: Tile,
        *,
        path: AStarPath[Tile] | None = None,
        max_nodes: int | None = None,
    ) -> AStarPath[Tile]:
        """Return the cheapest path, in `path` or in a new one.

        If there is none, because of walls or because `goal` is a wall itself, it leads to the tile
        that is nearest to the goal if there were no walls. A path may start in a wall. `max_nodes`
        limits the tiles that are expanded. Raises ValueError for tiles outside the map.
        """
        search = self.begin(start, goal, path=path, max_nodes=max_nodes)
        search.run()
        return search.path

    def begin(
        self,
        start: Tile,
        goal: Tile,
        *,
        path: AStarPath[Tile] | None = None,
        max_nodes: int | None = None,
    ) -> GridSearch:
        """Begin the same search, to be carried on with `step` over several frames."""
        self._check(start)
        self._check(goal)
        return GridSearch(AStarPath() if path is None else path, self, start, goal, max_nodes)

    def steps_from(self, index: int) -> tuple[tuple[int, float], ...]:
        """Return the indices of the tiles one step from the tile at `index`, each with its cost.

        An index counts through the rows of the map with a wall around it. The result is kept, so
        that a second search of the same place is faster.
        """
        known = self._steps.get(index)
        if known is None:
            known = self._steps[index] = tuple(self._work_out_steps(index))
        return known

    def index(self, tile: Tile) -> int:
        """Return the index of a tile; see `steps_from`."""
        return self._index(tile)

    def tile(self, index: int) -> Tile:
        """Return the tile at an index; see `steps_from`."""
        y, x = divmod(index, self.stride)
        return x - 1, y - 1

    def _set_tiles(self, rows: list[list[Any]]) -> None:
        self.height, self.width = len(rows), len(rows[0]) if rows else 0
        if not self.width:
            raise ValueError("Grid: tiles must not be empty. Give at least one row of one tile.")
        for y, row in enumerate(rows):
            if len(row) != self.width:
                raise ValueError(
                    f"Grid: all rows must be equally long, got {len(row)} tiles in row {y} and "
                    f"{self.width} in the first."
                )
        self.stride = self.width + 2
        """The difference between the indices of one row and the next."""
        wall = [0.0] * self.stride
        self._costs = [*wall]
        for y, row in enumerate(rows):
            self._costs += [0.0, *(_checked_cost(c, (x, y)) for x, c in enumerate(row)), 0.0]
        self._costs += wall
        self.cheapest = min((cost for cost in self._costs if cost), default=1.0)
        """The cost of entering the cheapest tile."""
        self._steps: dict[int, tuple[tuple[int, float], ...]] = {}

    def _work_out_steps(self, index: int) -> Iterable[tuple[int, float]]:
        costs, stride = self._costs, self.stride
        for step in (1, stride, -1, -stride):
            if costs[index + step]:
                yield index + step, costs[index + step]
        if not self.has_diagonals:
            return
        for aside, ahead in ((1, stride), (-1, stride), (-1, -stride), (1, -stride)):
            corner = index + aside + ahead
            free = bool(costs[index + aside]) + bool(costs[index + ahead])
            if costs[corner] and free >= MIN_FREE[self.diagonals]:
                yield corner, costs[corner] * DIAGONAL

    def _index(self, tile: Tile) -> int:
        x, y = tile
        return (y + 1) * self.stride + x + 1

    def _is_inside(self, tile: Tile) -> bool:
        x, y = tile
        return 0 <= x < self.width and 0 <= y < self.height

    def _check(self, tile: Tile) -> None:
        is_pair = isinstance(tile, Sized) and len(tile) == 2
        if not is_pair or not all(isinstance(number, Integral) for number in tile):
            raise TypeError(f"A tile must be (column, row), two whole numbers, got {tile!r}.")
        if not self._is_inside(tile):
            raise ValueError(
                f"A tile must be on the map of {self.width} columns and {self.height} rows, got "
                f"{tile!r}. It is (column, row), counted from 0."
            )


DIAGONAL: Final = sqrt(2.0)
MIN_FREE: Final = {Diagonals.ALWAYS: 0, Diagonals.ONE_FREE: 1, Diagonals.BOTH_FREE: 2}
"""The number of tiles beside a corner that have to be free."""


def _rows_of_text(text: str, blocked: str, costs: Mapping[str, float] | None) -> list[list[float]]:
    costs = {} if costs is None else costs
    if not isinstance(costs, Mapping):
        raise TypeError(f"Grid: costs must be a mapping of letters to numbers, got {costs!r}.")
    for letter in costs:
        if not isinstance(letter, str) or len(letter) != 1:
            raise ValueError(f"Grid: costs must be for single letters, got {letter!r}.")
    return [
        [0.0 if letter in blocked else costs.get(letter, 1.0) for letter in line]
        for line in text.strip("\r\n").splitlines()
    ]


def _checked_cost(cost: Any, tile: Tile) -> float:
    try:
        number = float(cost)
    except (TypeError, ValueError):
        number = -1.0
    if not number >= 0.0:
        raise ValueError(f"Grid: the cost of the tile {tile} must be a number >= 0, got {cost!r}.")
    return 0.0 if number == inf else number
