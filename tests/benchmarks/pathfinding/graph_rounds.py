"""Finding ways in a graph of many places in the plane."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from graph_contestants import FindNodes, GraphContestant, Roads, far_nodes
from path_rounds import Rounds, Work, measure, nothing_to_collect

PAIRS: Final = 4


def graph_rounds(
    roads: Roads, contestants: dict[str, GraphContestant], rounds: int, seed: int
) -> tuple[list[Rounds], list[str]]:
    """Return the timings, and what is wrong with the ways that were found."""
    made = {name: each.make(roads) for name, each in contestants.items()}
    pairs = far_nodes(roads, PAIRS, seed)
    wrong = mistakes(roads, made, pairs)
    title = f"graph of {len(roads.places):,} nodes, far pairs"
    with nothing_to_collect():
        works = {name: turn(find, pairs) for name, find in made.items()}
        return [measure(title, works, len(pairs), rounds)], wrong


def turn(find: FindNodes, pairs: Sequence[tuple[int, int]]) -> Work:
    def work() -> None:
        for start, goal in pairs:
            find(start, goal)

    return work


def mistakes(
    roads: Roads, made: dict[str, FindNodes], pairs: Sequence[tuple[int, int]]
) -> list[str]:
    """Return the ways that are not as long as the others'."""
    found: list[str] = []
    for start, goal in pairs:
        lengths = {name: roads.length_of(find(start, goal)) for name, find in made.items()}
        least = min(lengths.values())
        found += [
            f"{name}: {length} from {start} to {goal} instead of {least}"
            for name, length in lengths.items()
            if length > least + 1e-9
        ]
    return found
