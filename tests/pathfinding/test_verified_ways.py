"""Ways on grids, verified: on published maps, and on random ones against Dijkstra.

In Python and compiled, in one go and in slices, with changes of the map between the slices. A
sample runs each time, all of it with `pytest -m long`.
"""

import os
from collections.abc import Callable, Iterator
from functools import cache
from heapq import heappop, heappush
from itertools import pairwise, product
from math import sqrt
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import pytest

from fsmkit.pathfinding import AStarPath, Diagonals, Grid, GridSearch, Tile

ORACLES = Path(os.environ.get("FSMKIT_ORACLES", Path(__file__).parents[3] / "shared" / "oracles"))
MAPS = sorted((ORACLES / "movingai").glob("*.map"))
needs_maps = pytest.mark.skipif(not MAPS, reason="the maps are not there (FSMKIT_ORACLES)")

SLICES = (1, 7, 100)
FREE_BESIDE = {
    Diagonals.ALWAYS: 0, Diagonals.ONE_FREE: 1, Diagonals.BOTH_FREE: 2, Diagonals.NEVER: 3,
}  # fmt: skip
"""The least number of free tiles beside a diagonal step; 3 for none at all."""

Rows = list[list[float]]


class Found(NamedTuple):
    """All that a search tells."""

    tiles: list[Tile]
    cost: str
    """To the last bit."""
    nodes: int
    reachable: bool


def found(path: AStarPath[Tile]) -> Found:
    return Found(list(path), path.cost.hex(), path.nodes, path.reachable)


@cache
def has_compiled() -> bool:
    try:
        return Grid("..", compiled=True).compiled
    except ImportError:
        return False


def grids(tiles: Any, **options: Any) -> list[Grid]:
    """Return the map searched in Python and, where that can be had, by compiled code."""
    kinds = [False, True] if has_compiled() else [False]
    return [Grid(tiles, compiled=kind, **options) for kind in kinds]


def in_slices(search: GridSearch, nodes: int, between: Callable[[], object] = bool) -> Found:
    while not search.step(nodes):
        between()
    return found(search.path)


def the_one_of(answers: list[Found]) -> Found:
    """Return what all searches have told alike."""
    for answer in answers[1:]:
        assert answer == answers[0]
    return answers[0]


def steps_of(rows: Rows, rule: Diagonals, tile: Tile) -> Iterator[tuple[Tile, float]]:
    """Yield the tiles that one may step to, and what that costs; written without the library."""

    def cost(x: int, y: int) -> float:
        return rows[y][x] if 0 <= y < len(rows) and 0 <= x < len(rows[0]) else 0.0

    x, y = tile
    for dx, dy in product((-1, 0, 1), repeat=2):
        entering = cost(x + dx, y + dy)
        if entering == 0.0 or (dx, dy) == (0, 0):
            continue
        if dx and dy:
            if (cost(x + dx, y) > 0.0) + (cost(x, y + dy) > 0.0) < FREE_BESIDE[rule]:
                continue
            entering *= sqrt(2.0)
        yield (x + dx, y + dy), entering


def dijkstra(rows: Rows, rule: Diagonals, start: Tile) -> dict[Tile, float]:
    """Return what it costs to get to each tile that can be reached (Dijkstra, 1959)."""
    costs: dict[Tile, float] = {}
    opened = [(0.0, start)]
    while opened:
        cost, tile = heappop(opened)
        if tile not in costs:
            costs[tile] = cost
            for near, entering in steps_of(rows, rule, tile):
                heappush(opened, (cost + entering, near))
    return costs


def verify(rows: Rows, rule: Diagonals, start: Tile, goal: Tile, answer: Found) -> None:
    """Raise unless the way is legal, costs what it claims, and is the cheapest."""
    costs = dijkstra(rows, rule, start)
    assert answer.reachable is (goal in costs and rows[goal[1]][goal[0]] > 0.0)
    assert answer.tiles[0] == start
    total = 0.0
    for here, there in pairwise(answer.tiles):
        total += dict(steps_of(rows, rule, here))[there]
    assert float.fromhex(answer.cost) == pytest.approx(total, rel=1e-12)
    assert total == pytest.approx(costs[answer.tiles[-1]], rel=1e-12)
    if answer.reachable:
        assert answer.tiles[-1] == goal
    else:
        assert away(answer.tiles[-1], goal) == pytest.approx(min(away(t, goal) for t in costs))


def away(tile: Tile, goal: Tile) -> float:
    dx, dy = abs(tile[0] - goal[0]), abs(tile[1] - goal[1])
    return dx + dy + (sqrt(2.0) - 2.0) * min(dx, dy)


# Published maps


def verify_published(path: Path, every: int) -> int:
    """Verify some scenarios of a map, and return how many; the maps have costs of 1 only."""
    tiles = "\n".join(path.read_text("ascii").splitlines()[4:])
    both = grids(tiles, blocked="@OTW")
    lines = path.with_suffix(".map.scen").read_text("ascii").splitlines()[1:]
    scenarios = [line.split() for line in lines if line][::-every]
    for row in scenarios:
        start, goal = (int(row[4]), int(row[5])), (int(row[6]), int(row[7]))
        answers = [found(grid.find_path(start, goal)) for grid in both]
        answers += [in_slices(grid.begin(start, goal), nodes) for grid in both for nodes in SLICES]
        answer = the_one_of(answers)
        assert float.fromhex(answer.cost) == pytest.approx(float(row[8]), abs=0.006)
        assert (answer.tiles[0], answer.tiles[-1], answer.reachable) == (start, goal, True)
        assert all(is_legal(both[0], here, there) for here, there in pairwise(answer.tiles))
    return len(scenarios)


def is_legal(grid: Grid, start: Tile, end: Tile) -> bool:
    """Return True if one may step to the next tile, both tiles beside the corner being free."""
    (x, y), (u, v) = start, end
    beside = [(u, y), (x, v)]
    return max(abs(u - x), abs(v - y)) == 1 and all(map(grid.is_free, [end, *beside]))


@pytest.mark.slow
@needs_maps
def test_the_longest_scenarios_of_published_maps_are_solved_alike_in_all_ways() -> None:
    assert all(verify_published(path, every=20) for path in MAPS)


@needs_maps
@pytest.mark.long
@pytest.mark.parametrize("path", MAPS, ids=lambda path: path.stem)
def test_all_scenarios_of_published_maps_are_solved_alike_in_all_ways(path: Path) -> None:
    assert verify_published(path, every=1) >= 80


# Random maps

KINDS: list[list[float]] = [
    [0, 1, 1, 1], [0, 0, 1, 1], [1, 3], [0, 0.25, 1.5, 0.7], [0, 1, 1, 2, 5], [0, 1e-6, 1, 1e6],
]  # fmt: skip
"""The costs that the tiles of a map have, each as likely as another."""


class Case:
    """A random map, two of its tiles and a rule for corners; the same for the same seed."""

    def __init__(self, seed: int) -> None:
        self.rng = rng = Random(seed)
        self.kind = rng.choice(KINDS)
        most = 40 if seed % 10 == 9 else 14
        self.width, self.height = rng.randint(1, most), rng.randint(1, most)
        self.rule = list(Diagonals)[seed % 4]
        self.rows: Rows = [
            [float(rng.choice(self.kind)) for _ in range(self.width)] for _ in range(self.height)
        ]
        self.start, self.goal = self.tile(), self.tile()

    def tile(self) -> Tile:
        return self.rng.randrange(self.width), self.rng.randrange(self.height)

    def grids(self) -> list[Grid]:
        return grids([row[:] for row in self.rows], diagonals=self.rule)

    def changes(self) -> dict[Tile, float]:
        """Return new costs for some tiles, and take them over into `rows`."""
        tiles = [self.tile() for _ in range(self.rng.randint(1, 6))]
        found = {tile: float(self.rng.choice([*self.kind, 0, 0.1, 9])) for tile in tiles}
        for (x, y), cost in found.items():
            self.rows[y][x] = cost
        return found


def verify_random(seed: int) -> None:
    """Verify one map in one go and in slices."""
    case = Case(seed)
    answers: list[Found] = []
    for grid in case.grids():
        answers.append(found(grid.find_path(case.start, case.goal)))
        answers += [in_slices(grid.begin(case.start, case.goal), nodes) for nodes in SLICES]
    verify(case.rows, case.rule, case.start, case.goal, the_one_of(answers))


def verify_changing(seed: int) -> None:
    """Verify searches on a map that changes between their slices.

    A search continues with the map as it was when it began. One that is begun later, while the
    other is under way, has the map of that moment, and so has one that begins when all is over.
    """
    for kind in range(len(Case(seed).grids())):
        case = Case(seed)  # a new one, so that both kinds see the same changes
        grid = case.grids()[kind]
        under_way: list[tuple[GridSearch, Rows]] = []
        for _ in range(4):
            rows = [row[:] for row in case.rows]
            under_way.append((grid.begin(case.start, case.goal), rows))
            for search, _ in under_way:
                search.step(case.rng.randint(1, 9))
            grid.set_costs(case.changes())
        grid.begin(case.start, case.goal).step(3)  # and dropped
        grid.begin(case.start, case.goal).cancel()
        for search, rows in under_way:
            expected = found(Grid(rows, diagonals=case.rule, compiled=False).find_path(
                case.start, case.goal
            ))  # fmt: skip
            assert in_slices(search, case.rng.randint(1, 9)) == expected
            assert search.is_outdated or rows == case.rows
            verify(rows, case.rule, case.start, case.goal, expected)
        answer = found(grid.find_path(case.start, case.goal))
        verify(case.rows, case.rule, case.start, case.goal, answer)


def verify_masked(seed: int) -> None:
    """Verify the map as it is for one kind of walker, while the whole map changes."""
    case = Case(seed)
    allowed = [[case.rng.random() < 0.8 for _ in row] for row in case.rows]
    wholes = case.grids()
    masked = [grid.masked(allowed) for grid in wholes]
    for _ in range(3):
        rows = [
            [cost * may for cost, may in zip(row, flags, strict=True)]
            for row, flags in zip(case.rows, allowed, strict=True)
        ]
        answers = [found(grid.find_path(case.start, case.goal)) for grid in masked]
        verify(rows, case.rule, case.start, case.goal, the_one_of(answers))
        whole = the_one_of([found(grid.find_path(case.start, case.goal)) for grid in wholes])
        verify(case.rows, case.rule, case.start, case.goal, whole)
        changes = case.changes()
        for grid in wholes:
            grid.set_costs(changes)


VERIFYING = pytest.mark.parametrize(
    "verify_one",
    [verify_random, verify_changing, verify_masked],
    ids=lambda verify: verify.__name__,
)


@pytest.mark.slow
@VERIFYING
def test_some_ways_on_random_maps_are_the_cheapest(verify_one: Callable[[int], None]) -> None:
    for seed in range(150):
        verify_one(seed)


@pytest.mark.long
@VERIFYING
def test_many_ways_on_random_maps_are_the_cheapest(verify_one: Callable[[int], None]) -> None:
    for seed in range(150, 700):
        verify_one(seed)
