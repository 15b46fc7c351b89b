"""Pulling the string tight: what `smooth` takes beside the search for the way."""

from __future__ import annotations

from collections.abc import Callable
from statistics import median
from typing import Final

from boards import Board, Pair, compiled_grid, far_pairs, pure_grid, random_board, winding_board
from path_rounds import measure

from fsmkit.pathfinding import Grid, smooth

PAIRS: Final = 6
SEARCH: Final = "search"
SMOOTH: Final = "smooth"


def pulling_shares(rounds: int, make: Callable[[Board], Grid], seed: int) -> dict[str, float]:
    """Return what share of its search `smooth` takes, for some maps; the median of the pairs."""
    shares: dict[str, float] = {}
    for turns in (10, 20, 40):
        board = winding_board(turns)
        end = board.size - 1
        shares[f"winding, {turns} turns"] = share(make(board), ((0, 0), (0, end)), rounds)
    for size in (256, 512):
        board = random_board(size, seed)
        grid = make(board)
        pairs = far_pairs(board, PAIRS, seed)
        shares[f"{size} x {size}, 25 % walls"] = median(share(grid, p, rounds) for p in pairs)
    return shares


def share(grid: Grid, pair: Pair, rounds: int) -> float:
    """Return what `smooth` takes, the search being 1."""
    way = grid.find_path(*pair)
    assert way.reachable
    works = {SEARCH: lambda: grid.find_path(*pair), SMOOTH: lambda: smooth(grid, way)}
    return measure("", works, 1, rounds).times(SMOOTH, SEARCH)


MAKERS: Final = {"pure": pure_grid, "compiled": compiled_grid}
