"""The maps and the pairs of tiles, and what a way over them costs."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise, product
from math import sqrt
from random import Random
from typing import Final

from fsmkit.pathfinding import Diagonals, Grid, Tile

WALLS: Final = 0.25
"""The share of tiles that are walls, at random: as in the maps called random at movingai.com."""
NEAR: Final = 5
"""The tiles between the two ends of a near pair, along the rows or the columns."""
SIDES: Final = tuple(side for side in product((-1, 0, 1), repeat=2) if side != (0, 0))
FREE_BESIDE: Final = {
    Diagonals.ALWAYS: 0, Diagonals.ONE_FREE: 1, Diagonals.BOTH_FREE: 2, Diagonals.NEVER: 3,
}  # fmt: skip
"""The least number of free tiles beside the corner that a diagonal step passes; 3 for none."""

Pair = tuple[Tile, Tile]


@dataclass(eq=False)
class Board:
    """A square map: rows of 1 and, for walls, 0."""

    rows: list[list[int]]

    @property
    def size(self) -> int:
        """The number of rows, and of columns."""
        return len(self.rows)

    def is_free(self, tile: Tile) -> bool:
        """Return True if `tile` is on the map and not a wall."""
        x, y = tile
        return 0 <= x < self.size and 0 <= y < self.size and self.rows[y][x] > 0

    @cached_property
    def tiles(self) -> list[Tile]:
        """All free tiles."""
        return [tile for tile in product(range(self.size), repeat=2) if self.is_free(tile)]

    def allows(self, start: Tile, end: Tile, rule: Diagonals) -> bool:
        """Return True if one may step from one tile to the other."""
        (x, y), (u, v) = start, end
        if max(abs(u - x), abs(v - y)) != 1 or not self.is_free(end):
            return False
        beside = self.is_free((u, y)) + self.is_free((x, v))
        return x == u or y == v or beside >= FREE_BESIDE[rule]

    def steps(self, tile: Tile, rule: Diagonals) -> Iterator[tuple[Tile, float]]:
        """Yield the tiles that one may step to, and the length of the step."""
        x, y = tile
        for dx, dy in SIDES:
            if self.allows(tile, (x + dx, y + dy), rule):
                yield (x + dx, y + dy), sqrt(2.0) if dx and dy else 1.0

    @cached_property
    def edges(self) -> list[tuple[Tile, Tile, float]]:
        """All steps of the rule that fsmkit follows unless told otherwise."""
        return [
            (tile, near, length)
            for tile in self.tiles
            for near, length in self.steps(tile, Diagonals.BOTH_FREE)
        ]

    @cached_property
    def regions(self) -> dict[Tile, int]:
        """A number for each free tile, the same for all that can be reached from it."""
        found: dict[Tile, int] = {}
        for tile in self.tiles:
            waiting = deque([tile] if tile not in found else [])
            found.setdefault(tile, len(found))
            while waiting:
                here = waiting.popleft()
                for near, _ in self.steps(here, Diagonals.BOTH_FREE):
                    if near not in found:
                        found[near] = found[here]
                        waiting.append(near)
        return found


def random_board(size: int, seed: int) -> Board:
    """Return a map with a quarter of walls."""
    rng = Random(seed)
    return Board([[int(rng.random() >= WALLS) for _ in range(size)] for _ in range(size)])


def winding_board(turns: int) -> Board:
    """Return a map that is one long way, there and back, with `turns` turns."""
    size = 2 * turns + 1
    rows = [[1] * size for _ in range(size)]
    for turn in range(turns):
        rows[2 * turn + 1] = [0] * size
        rows[2 * turn + 1][-1 if turn % 2 == 0 else 0] = 1
    return Board(rows)


def far_pairs(board: Board, count: int, seed: int) -> list[Pair]:
    """Return pairs from the left quarter to the right one, with a way between them."""
    rng, regions, size = Random(seed), board.regions, board.size
    pairs: list[Pair] = []
    while len(pairs) < count:
        start = rng.randrange(size // 4), rng.randrange(size)
        goal = size - 1 - rng.randrange(size // 4), rng.randrange(size)
        if start in regions and regions[start] == regions.get(goal):
            pairs.append((start, goal))
    return pairs


def near_pairs(board: Board, count: int, seed: int) -> list[Pair]:
    """Return pairs that are five tiles apart, with a way between them."""
    rng, regions, size = Random(seed), board.regions, board.size
    pairs: list[Pair] = []
    while len(pairs) < count:
        start = rng.randrange(size), rng.randrange(size)
        aside = rng.randint(-NEAR, NEAR)
        goal = rng.choice(
            [(start[0] + NEAR, start[1] + aside), (start[0] + aside, start[1] - NEAR)]
        )
        if start in regions and regions[start] == regions.get(goal):
            pairs.append((start, goal))
    return pairs


def length_of(way: Sequence[Tile], diagonal: float = sqrt(2.0)) -> float:
    """Return the length of a way of single steps."""
    straight = sum(a == u or b == v for (a, b), (u, v) in pairwise(way))
    return straight + (len(way) - 1 - straight) * diagonal


def pure_grid(board: Board, rule: Diagonals = Diagonals.BOTH_FREE) -> Grid:
    """Return a grid that is searched in Python."""
    return Grid(board.rows, diagonals=rule, compiled=False)


def compiled_grid(board: Board, rule: Diagonals = Diagonals.BOTH_FREE) -> Grid:
    """Return a grid that is searched by compiled code; ImportError without numba."""
    return Grid(board.rows, diagonals=rule, compiled=True)
