"""Finding ways on a map of tiles: far pairs, near pairs, and near ones on a map not yet used."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import Any, Final

from boards import Board, Pair, far_pairs, length_of, near_pairs
from path_rounds import Rounds, Work, measure, measure_first, nothing_to_collect
from tile_contestants import TILE_CONTESTANTS, Find, TileContestant

from fsmkit.pathfinding import Diagonals, Tile

FAR_PAIRS: Final = 8
NEAR_PAIRS: Final = 60
SLOW: Final = 5
"""Rounds in which the near pairs are found on a fresh map, for one round of the others."""

Made = dict[str, tuple[Find, Callable[[Any], list[Tile]]]]


def tile_rounds(
    board: Board, contestants: dict[str, TileContestant], rounds: int, seed: int
) -> tuple[list[Rounds], list[str]]:
    """Return the timings on one map, and what is wrong with the ways that were found."""
    made: Made = {name: each.make(board) for name, each in contestants.items()}
    far, near = far_pairs(board, FAR_PAIRS, seed), near_pairs(board, NEAR_PAIRS, seed)
    wrong = [text for pairs in (far, near) for text in mistakes(board, made, pairs)]
    size = f"{board.size} x {board.size}"
    with nothing_to_collect():
        results = [
            measure(f"{size}, far pairs", turns(made, far), len(far), rounds),
            measure(f"{size}, near pairs", turns(made, near), len(near), rounds),
        ]
    fresh = {
        name: lambda make=each.make: turn(make(board)[0], near)  # type: ignore[misc]
        for name, each in contestants.items()
        if each.remembers
    }
    results.append(
        measure_first(f"{size}, near pairs, first time", fresh, len(near), rounds * SLOW)
    )
    return results, wrong


def turns(made: Made, pairs: Sequence[Pair]) -> dict[str, Work]:
    return {name: turn(find, pairs) for name, (find, _) in made.items()}


def turn(find: Find, pairs: Sequence[Pair]) -> Work:
    def work() -> None:
        for start, goal in pairs:
            find(start, goal)

    return work


def mistakes(board: Board, made: Made, pairs: Iterable[Pair]) -> list[str]:
    """Return what is wrong: a step that the rule forbids, other lengths by the same rule."""
    found: list[str] = []
    for start, goal in pairs:
        shortest: dict[tuple[Diagonals, float], float] = {}
        for name, (find, as_tiles) in made.items():
            contestant = TILE_CONTESTANTS[name]
            way = as_tiles(find(start, goal))
            if (
                way[:1] != [start]
                or way[-1:] != [goal]
                or not is_legal(board, way, contestant.rule)
            ):
                found.append(f"{name}: no way by its rule from {start} to {goal}")
                continue
            length = length_of(way, contestant.diagonal)
            right = shortest.setdefault((contestant.rule, contestant.diagonal), length)
            if abs(length - right) > contestant.tolerance:
                found.append(f"{name}: {length} from {start} to {goal} instead of {right}")
    return found


def is_legal(board: Board, way: Sequence[Tile], rule: Diagonals) -> bool:
    return all(board.allows(here, there, rule) for here, there in pairwise(way))
