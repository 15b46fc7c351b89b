"""Errors of the user's functions: raised to the caller, and the search continues after them."""

from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from fsmkit.pathfinding import AStar, AStarPath, GraphSearch, NodeHandle, manhattan

Tile = tuple[int, int]
Nodes = dict[Tile, NodeHandle[Tile]]


def field(size: int = 6) -> tuple[AStar[Tile], Nodes]:
    graph: AStar[Tile] = AStar()
    nodes = {(x, y): graph.add((x, y)) for x in range(size) for y in range(size)}
    for (x, y), node in nodes.items():
        for near in ((x + 1, y), (x, y + 1), (x - 1, y), (x, y - 1)):
            if near in nodes:
                node.add_path(nodes[near], 1 + (x * y) % 3)
    return graph, nodes


class Trap:
    """Functions of the user; some calls raise, the rest are in the journal."""

    def __init__(self, error: BaseException, chance: float = 0.0, seed: int = 0) -> None:
        self.error = error
        self.chance = chance
        self.rng = Random(seed)
        self.journal: list[Any] = []

    def spring(self, *call: Any) -> None:
        if self.rng.random() < self.chance:
            raise self.error
        self.journal.append(call)

    def estimate(self, position: Tile, goal: Tile) -> float:
        self.spring("estimate", position)
        return manhattan(position, goal)

    def is_reachable(self, position: Tile) -> bool:
        self.spring("is_reachable", position)
        return True

    def can_move(self, start: Tile, end: Tile) -> bool:
        self.spring("can_move", start, end)
        return (start[0] + 2 * end[1]) % 5 != 0 or start == (0, 0)


def result(path: AStarPath[Any]) -> tuple[Any, ...]:
    return list(path), path.cost, path.reachable, path.nodes, path.gave_up


def searched(trap: Trap, goal: Tile, slices: Callable[[], float]) -> tuple[tuple[Any, ...], int]:
    """Return the result, and how often an error came out of it."""
    graph, nodes = field()
    path: AStarPath[Tile] = AStarPath()
    search: GraphSearch[Tile] | None = None
    errors = 0
    while search is None or not search.is_over:
        try:
            if search is None:
                search = graph.begin(path, nodes[0, 0], nodes[goal], trap.estimate, trap)
            search.step(slices())
        except type(trap.error):
            errors += 1
    return result(path), errors


@pytest.mark.parametrize(
    "error", [ValueError("ours"), KeyboardInterrupt(), GeneratorExit()], ids=repr
)
@pytest.mark.parametrize("goal", [(5, 5), (3, 0), (0, 0)])
def test_after_any_error_a_search_continues_as_if_it_had_not_happened(
    error: BaseException, goal: Tile
) -> None:
    calm = Trap(error)
    expected, none = searched(calm, goal, lambda: 1)
    assert none == 0
    total = 0
    for seed in range(30):
        trap = Trap(error, 0.3, seed)
        found, errors = searched(trap, goal, lambda: trap.rng.randrange(1, 4))  # noqa: B023
        assert found == expected
        assert list(dict.fromkeys(trap.journal)) == list(dict.fromkeys(calm.journal))
        total += errors
    assert total > 30 * (goal != (0, 0))


def test_the_node_is_expanded_again_and_what_was_found_is_not_asked_for_again() -> None:
    graph: AStar[str] = AStar()
    start, *others = [graph.add(name) for name in "sabcg"]
    for weight, other in enumerate(others, 1):
        start.add_path(other, weight)
    asked: list[str] = []

    class Rules:
        def is_reachable(self, position: str) -> bool:
            return True

        def can_move(self, begin: str, end: str) -> bool:
            asked.append(end)
            if asked.count("c") == 1 and end == "c":
                raise LookupError("not now")
            return True

    search = graph.begin(AStarPath(), start, others[-1], lambda a, b: 0.0, Rules())
    with pytest.raises(LookupError, match="not now"):
        search.step()
    assert (asked, search.nodes, search.is_over) == ([*"abc"], 0, False)
    search.step()
    assert (asked, search.nodes) == ([*"abccg"], 1)
    search.run()
    assert result(search.path) == (["s", "g"], 4.0, True, 4, False)


@pytest.mark.parametrize("name", ["estimate", "is_reachable"])
def test_an_error_at_the_beginning_leaves_the_path_as_it_was(name: str) -> None:
    graph, nodes = field()
    path: AStarPath[Tile] = AStarPath()
    graph.resolve_path(path, nodes[0, 0], nodes[1, 0], manhattan)
    before = result(path)
    trap = Trap(ValueError("ours"))
    setattr(trap, name, lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        graph.resolve_path(path, nodes[0, 0], nodes[5, 5], trap.estimate, trap)
    assert result(path) == before


def test_a_search_can_be_cancelled_after_an_error_and_within_a_function() -> None:
    graph, nodes = field()
    trap = Trap(ValueError("ours"))
    search = graph.begin(AStarPath(), nodes[0, 0], nodes[5, 5], trap.estimate, trap)
    search.step(3)
    trap.chance = 1.0
    with pytest.raises(ValueError, match="ours"):
        search.step()
    search.cancel()
    assert (search.is_over, search.path.gave_up, search.nodes) == (True, True, 3)
    assert search.step()

    def estimate(position: Tile, goal: Tile) -> float:
        if position == (1, 1):
            search.cancel()
        return manhattan(position, goal)

    search = graph.begin(AStarPath(), nodes[0, 0], nodes[5, 5], estimate)
    search.run()
    assert (search.is_over, search.path.gave_up, search.path.reachable) == (True, True, False)
