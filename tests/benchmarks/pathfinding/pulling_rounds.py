"""Pulling the string tight: what `smooth` takes beside the search for the way."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from boards import Board, Pair, compiled_grid, far_pairs, pure_grid, random_board, winding_board
from path_rounds import Rounds, Work, measure

from fsmkit.pathfinding import Grid, smooth

PAIRS: Final = 6
SEARCH: Final = "search"
SMOOTH: Final = "smooth"


def pulling_rounds(rounds: int, make: Callable[[Board], Grid], seed: int) -> list[Rounds]:
    """Return the timings of `smooth` and of the search for its way, for some maps."""
    found: list[Rounds] = []
    for turns in (10, 20, 40):
        board = winding_board(turns)
        end = board.size - 1
        found.append(pulled(make(board), [((0, 0), (0, end))], f"winding, {turns} turns", rounds))
    for size in (256, 512):
        board = random_board(size, seed)
        pairs = far_pairs(board, PAIRS, seed)
        found.append(pulled(make(board), pairs, f"{size} x {size}, 25 % walls", rounds))
    return found


def pulled(grid: Grid, pairs: Sequence[Pair], title: str, rounds: int) -> Rounds:
    """Return the timings for some ways."""
    ways = [grid.find_path(*pair) for pair in pairs]
    assert all(way.reachable for way in ways)
    works: dict[str, Work] = {
        SEARCH: lambda: [grid.find_path(*pair) for pair in pairs],
        SMOOTH: lambda: [smooth(grid, way) for way in ways],
    }
    return measure(title, works, len(pairs), rounds)


MAKERS: Final = {"pure": pure_grid, "compiled": compiled_grid}
