"""A* on a map of 256 by 256 tiles, a quarter of them walls: `run.py` in this folder.

Every contestant gets the map, or the graph of it, beforehand, by its best interface, and has to
find the same pairs of tiles again and again. They take turns in every round. The paths have to be
equally long; tcod cuts corners and counts in its own way, so its paths are only asked to exist. A
contestant that is not installed is left out.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from importlib.util import find_spec
from itertools import pairwise
from math import sqrt
from random import Random
from statistics import median
from time import perf_counter
from typing import Any, Final

from fsmkit.pathfinding import AStar, AStarPath, Grid, Tile, octile

SIZE: Final = 256
WALLS: Final = 0.25
PAIRS: Final = 12
Find = Callable[[Tile, Tile], float]


def make_map(seed: int) -> list[list[int]]:
    rng = Random(seed)
    return [[int(rng.random() >= WALLS) for _ in range(SIZE)] for _ in range(SIZE)]


def make_pairs(grid: Grid, seed: int) -> list[tuple[Tile, Tile]]:
    """Pairs of tiles far apart, with a way between them."""
    rng = Random(seed)
    pairs: list[tuple[Tile, Tile]] = []
    while len(pairs) < PAIRS:
        start = rng.randrange(SIZE // 4), rng.randrange(SIZE)
        goal = SIZE - 1 - rng.randrange(SIZE // 4), rng.randrange(SIZE)
        if grid.is_free(start) and grid.is_free(goal) and grid.find_path(start, goal).reachable:
            pairs.append((start, goal))
    return pairs


def edges(rows: list[list[int]]) -> list[tuple[Tile, Tile, float]]:
    grid = Grid(rows)
    free = [(x, y) for y in range(SIZE) for x in range(SIZE) if rows[y][x]]
    return [
        (tile, grid.tile(near), weight)
        for tile in free
        for near, weight in grid.steps_from(grid.index(tile))
    ]


def fsmkit_grid(rows: list[list[int]]) -> Find:
    grid = Grid(rows)
    path: AStarPath[Tile] = AStarPath()
    return lambda start, goal: grid.find_path(start, goal, path=path).cost


def fsmkit_astar(rows: list[list[int]]) -> Find:
    graph: AStar[Tile] = AStar()
    nodes = {tile: graph.add(tile) for tile in dict.fromkeys(edge[0] for edge in edges(rows))}
    for here, there, weight in edges(rows):
        nodes[here].add_path(nodes[there], weight)
    path: AStarPath[Tile] = AStarPath()

    def find(start: Tile, goal: Tile) -> float:
        graph.resolve_path(path, nodes[start], nodes[goal], octile)
        return path.cost

    return find


def length_of(path: list[Any]) -> float:
    return sum(sqrt(2) if a[0] != b[0] and a[1] != b[1] else 1.0 for a, b in pairwise(path))


def networkx_contestant(rows: list[list[int]]) -> Find:
    import networkx

    graph = networkx.DiGraph()
    graph.add_weighted_edges_from(edges(rows))
    return lambda start, goal: length_of(networkx.astar_path(graph, start, goal, octile))


def rustworkx_contestant(rows: list[list[int]]) -> Find:
    import rustworkx

    graph = rustworkx.PyDiGraph()
    tiles = list(dict.fromkeys(edge[0] for edge in edges(rows)))
    nodes = dict(zip(tiles, graph.add_nodes_from(tiles), strict=True))
    graph.add_edges_from([(nodes[a], nodes[b], weight) for a, b, weight in edges(rows)])

    def find(start: Tile, goal: Tile) -> float:
        found = rustworkx.digraph_astar_shortest_path(
            graph, nodes[start], lambda tile: tile == goal, float, lambda tile: octile(tile, goal)
        )
        return length_of([graph[index] for index in found])

    return find


def pathfinding_contestant(rows: list[list[int]]) -> Find:
    from pathfinding.core.diagonal_movement import DiagonalMovement
    from pathfinding.core.grid import Grid as TheirGrid
    from pathfinding.finder.a_star import AStarFinder

    grid = TheirGrid(matrix=rows)
    finder = AStarFinder(diagonal_movement=DiagonalMovement.only_when_no_obstacle)

    def find(start: Tile, goal: Tile) -> float:
        grid.cleanup()
        path, _ = finder.find_path(grid.node(*start), grid.node(*goal), grid)
        return length_of([(node.x, node.y) for node in path])

    return find


def astar_contestant(rows: list[list[int]]) -> Find:
    from astar import find_path

    near: dict[Tile, dict[Tile, float]] = {}
    for here, there, weight in edges(rows):
        near.setdefault(here, {})[there] = weight

    def find(start: Tile, goal: Tile) -> float:
        found = find_path(
            start,
            goal,
            neighbors_fnct=near.__getitem__,
            heuristic_cost_estimate_fnct=octile,
            distance_between_fnct=lambda a, b: near[a][b],
        )
        return length_of(list(found or ()))

    return find


def tcod_contestant(rows: list[list[int]]) -> Find:
    import numpy
    import tcod.path

    costs = numpy.array(rows, dtype=numpy.int8)
    graph = tcod.path.SimpleGraph(cost=costs, cardinal=70, diagonal=99)

    def find(start: Tile, goal: Tile) -> float:
        finder = tcod.path.Pathfinder(graph)
        finder.add_root((start[1], start[0]))
        return float(len(finder.path_to((goal[1], goal[0]))) > 1)

    return find


CONTESTANTS: Final[dict[str, tuple[str, Callable[[list[list[int]]], Find]]]] = {
    "fsmkit Grid": ("fsmkit", fsmkit_grid),
    "fsmkit AStar": ("fsmkit", fsmkit_astar),
    "networkx": ("networkx", networkx_contestant),
    "pathfinding": ("pathfinding", pathfinding_contestant),
    "astar": ("astar", astar_contestant),
    "rustworkx (compiled)": ("rustworkx", rustworkx_contestant),
    "tcod (compiled)": ("tcod", tcod_contestant),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    rows = make_map(7)
    pairs = make_pairs(Grid(rows), 7)
    finders = {
        name: make(rows) for name, (package, make) in CONTESTANTS.items() if find_spec(package)
    }
    taken: dict[str, list[float]] = {name: [] for name in finders}
    for _ in range(rounds):
        for name, find in finders.items():
            begun = perf_counter()
            lengths = [find(*pair) for pair in pairs]
            taken[name].append((perf_counter() - begun) / PAIRS * 1e3)
            check(name, lengths, [finders["fsmkit Grid"](*pair) for pair in pairs])
    ours = median(taken["fsmkit Grid"])
    print("| package | milliseconds per path | times |\n| --- | ---: | ---: |")
    for name, figures in taken.items():
        print(f"| {name} | {median(figures):.2f} | {median(figures) / ours:.2f} |")


def check(name: str, lengths: list[float], expected: list[float]) -> None:
    """Raise unless the paths are as long as they have to be."""
    for length, right in zip(lengths, expected, strict=True):
        if "tcod" not in name and abs(length - right) > 1e-6:
            raise AssertionError(f"{name} found a path of length {length} instead of {right}")


if __name__ == "__main__":
    main()
