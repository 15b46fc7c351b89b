"""Many walkers at once: a field for all of them, kept up to date, and searches over threads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import cycle
from math import isclose
from random import Random
from typing import Final

from boards import Board, Pair, compiled_grid, far_pairs, pure_grid
from path_rounds import WALL_CLOCK, Rounds, Work, measure

from fsmkit.pathfinding import Grid, Tile

WALKERS: Final = (43, 200)
MAKERS: Final[dict[str, Callable[[Board], Grid]]] = {"compiled": compiled_grid, "pure": pure_grid}
SEARCHES: Final = "as many searches"
FIELD: Final = "one field, and all the ways"
ONLY_FIELD: Final = "one field alone"
NEW_FIELD: Final = "a new field"
UPDATED: Final = "the field updated"
THREADS: Final = "over threads"
IN_TURN: Final = "one after another"


def walker_rounds(board: Board, kinds: Sequence[str], rounds: int, seed: int) -> list[Rounds]:
    """Return the timings of fields and of many searches, for grids of these kinds."""
    found = []
    for kind in kinds:
        grid = MAKERS[kind](board)
        goal, starts = crowd_of(board, max(WALKERS), seed)
        for count in WALKERS:
            title = f"{kind}, {count} walkers to one goal"
            found.append(measure(title, to_one_goal(grid, starts[:count], goal), 1, rounds))
        title = f"{kind}, a field after one tile has changed"
        found.append(measure(title, after_a_change(board, grid, goal, seed), 1, rounds))
        pairs = far_pairs(board, 40, seed)
        title = f"{kind}, {len(pairs)} searches for far pairs"
        found.append(measure(title, over_threads(grid, pairs), 1, rounds, WALL_CLOCK))
    return found


def crowd_of(board: Board, count: int, seed: int) -> tuple[Tile, list[Tile]]:
    """Return a goal, and tiles from which there is a way to it."""
    rng, regions = Random(seed), board.regions
    goal = far_pairs(board, 1, seed)[0][1]
    return goal, rng.sample([tile for tile in regions if regions[tile] == regions[goal]], count)


def to_one_goal(grid: Grid, starts: Sequence[Tile], goal: Tile) -> dict[str, Work]:
    """Return the ways of all walkers by searches, and by a field; and the field without ways."""

    def by_field() -> list[float]:
        field = grid.field([goal])
        return [field.path(start).cost for start in starts]

    def by_searches() -> list[float]:
        return [grid.find_path(start, goal).cost for start in starts]

    for one, other in zip(by_field(), by_searches(), strict=True):
        assert isclose(one, other), f"{one} by the field, {other} by a search"
    return {SEARCHES: by_searches, FIELD: by_field, ONLY_FIELD: lambda: grid.field([goal])}


def after_a_change(board: Board, grid: Grid, goal: Tile, seed: int) -> dict[str, Work]:
    """Return a change of one tile, with a field that follows it, and with a new one."""
    tiles = [tile for tile in Random(seed).sample(board.tiles, 100) if tile != goal]
    changes = cycle([(tile, cost) for tile in tiles for cost in (5.0, 1.0)])
    field = grid.field([goal])

    def follow() -> float:
        grid.set_cost(*next(changes))
        return field.cost(tiles[0])

    def anew() -> float:
        grid.set_cost(*next(changes))
        return grid.field([goal]).cost(tiles[0])

    for _ in range(6):
        follow()
        new = grid.field([goal])
        assert all(isclose(field.cost(tile), new.cost(tile)) for tile in tiles)
    return {NEW_FIELD: anew, UPDATED: follow}


def over_threads(grid: Grid, pairs: Sequence[Pair]) -> dict[str, Work]:
    """Return the same searches one after another, and over threads."""
    return {
        IN_TURN: lambda: grid.find_paths(pairs, threads=1),
        THREADS: lambda: grid.find_paths(pairs),
    }
