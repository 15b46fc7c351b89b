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
    """When one may go diagonally between two tiles that touch at a corner."""

    ALWAYS = "always"
    NEVER = "never"
    BOTH_FREE = "only if both tiles beside the corner are free"
    ONE_FREE = "only if at least one tile beside the corner is free"


class Grid:
    """A map of tiles.

    `tiles` is a text with a line for every row, in which the letters of `blocked` are walls and
    `costs` says what it costs to enter a tile with other letters (1 if not given); or rows of
    numbers, as lists or as an array with two dimensions: the cost of entering each tile, where 0,
    False and infinity are walls. A diagonal step costs as much times the square root of 2.

    `neighbours` is 4 or 8; with 8 `diagonals` says when one may cut a corner. Raises ValueError for
    rows of different lengths, no tiles at all, and costs that are negative or no numbers; TypeError
    for what is no map.

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
            raise ValueError(f"Grid: neighbours is 4 or 8, not {neighbours!r}.")
        if not isinstance(diagonals, Diagonals):
            raise TypeError(f"Grid: diagonals is a member of Diagonals, not {diagonals!r}.")
        rows = _rows_of_text(tiles, blocked, costs) if isinstance(tiles, str) else tiles
        self.diagonals = diagonals if neighbours == 8 else Diagonals.NEVER
        try:
            self._set_tiles([list(row) for row in rows])
        except TypeError:
            raise TypeError(
                f"Grid takes a text, or rows of numbers (a list of lists, an array), not {tiles!r}."
            ) from None

    @property
    def size(self) -> tuple[int, int]:
        """How many columns and rows it has."""
        return self.width, self.height

    @property
    def has_diagonals(self) -> bool:
        """Whether one may ever go diagonally."""
        return self.diagonals is not Diagonals.NEVER

    def cost(self, tile: Tile) -> float:
        """What it costs to enter `tile`; infinity for a wall and outside."""
        return self._costs[self._index(tile)] or inf if self._is_inside(tile) else inf

    def is_free(self, tile: Tile) -> bool:
        """Whether one can be there: `tile` is on the map and no wall."""
        return self._is_inside(tile) and self._costs[self._index(tile)] > 0.0

    def set_cost(self, tile: Tile, cost: float) -> None:
        """Let it cost that much to enter `tile`; 0 or infinity makes a wall of it.

        Searches that are under way go on as before. Raises ValueError for a tile outside the map.
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
        """The cheapest path, in `path` or in a new one.

        If there is no way, because of walls or since `goal` is a wall itself, it leads to the tile
        that is nearest to the goal as the crow walks. From a start that is a wall one may leave.
        `max_nodes` bounds how many tiles are expanded. Raises ValueError for tiles outside the map.
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
        """Begin a search that is carried on with `step`, over several frames; else the same."""
        self._check(start)
        self._check(goal)
        return GridSearch(AStarPath() if path is None else path, self, start, goal, max_nodes)

    def steps_from(self, index: int) -> tuple[tuple[int, float], ...]:
        """The tiles that one can step to from the tile at `index`, each with the cost of it.

        An index counts through the rows of the map with a wall around it. What is worked out once
        is kept, so the second search of the same place is faster.
        """
        known = self._steps.get(index)
        if known is None:
            known = self._steps[index] = tuple(self._work_out_steps(index))
        return known

    def index(self, tile: Tile) -> int:
        """The index of a tile; see `steps_from`."""
        return self._index(tile)

    def tile(self, index: int) -> Tile:
        """The tile at an index; see `steps_from`."""
        y, x = divmod(index, self.stride)
        return x - 1, y - 1

    def _set_tiles(self, rows: list[list[Any]]) -> None:
        self.height, self.width = len(rows), len(rows[0]) if rows else 0
        if not self.width:
            raise ValueError("Grid: there are no tiles. Give at least one row of one tile.")
        for y, row in enumerate(rows):
            if len(row) != self.width:
                raise ValueError(
                    f"Grid: row {y} has {len(row)} tiles, the first one {self.width}. "
                    "All rows are equally long."
                )
        self.stride = self.width + 2
        """How many indices there are from one row to the next."""
        wall = [0.0] * self.stride
        self._costs = [*wall]
        for y, row in enumerate(rows):
            self._costs += [0.0, *(_checked_cost(c, (x, y)) for x, c in enumerate(row)), 0.0]
        self._costs += wall
        self.cheapest = min((cost for cost in self._costs if cost), default=1.0)
        """What the cheapest tile costs to enter."""
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
            if costs[corner] and free >= LEAST_FREE[self.diagonals]:
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
            raise TypeError(f"A tile is (column, row), two whole numbers, not {tile!r}.")
        if not self._is_inside(tile):
            raise ValueError(
                f"{tile!r} is outside the map of {self.width} columns and {self.height} rows. "
                "A tile is (column, row), counted from 0."
            )


DIAGONAL: Final = sqrt(2.0)
LEAST_FREE: Final = {Diagonals.ALWAYS: 0, Diagonals.ONE_FREE: 1, Diagonals.BOTH_FREE: 2}
"""How many tiles beside a corner have to be free."""


def _rows_of_text(text: str, blocked: str, costs: Mapping[str, float] | None) -> list[list[float]]:
    costs = {} if costs is None else costs
    if not isinstance(costs, Mapping):
        raise TypeError(f"Grid: costs is a mapping of letters to numbers, not {costs!r}.")
    for letter in costs:
        if not isinstance(letter, str) or len(letter) != 1:
            raise ValueError(f"Grid: costs are for single letters, not for {letter!r}.")
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
        raise ValueError(f"Grid: the cost of the tile {tile} is a number >= 0, not {cost!r}.")
    return 0.0 if number == inf else number
