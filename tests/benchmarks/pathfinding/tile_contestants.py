"""The contestants on maps of tiles. Each gets the map beforehand, by its best interface.

Not all have the same rule for corners, nor the same length of a diagonal step. Which, is written
beside each; ways are compared only with those of the same rule and the same measure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from math import sqrt
from typing import Any, Final, NamedTuple

from boards import Board, compiled_grid, pure_grid

from fsmkit.pathfinding import AStar, AStarPath, Diagonals, Tile, octile

Find = Callable[[Tile, Tile], Any]
"""Finds the way between two tiles, as the package returns it."""

GRID: Final = "fsmkit Grid"
PURE_GRID: Final = "fsmkit Grid, pure"
CUTTING_GRID: Final = "fsmkit Grid, cutting corners"
ASTAR: Final = "fsmkit AStar"
PYTHON: Final = "Python"
COMPILED: Final = "compiled"


class TileContestant(NamedTuple):
    """One way of finding ways on a map of tiles."""

    kind: str
    make: Callable[[Board], tuple[Find, Callable[[Any], list[Tile]]]]
    """Returns what finds a way, and what makes tiles of it, outside the timing."""
    rule: Diagonals = Diagonals.BOTH_FREE
    diagonal: float = sqrt(2.0)
    """What a diagonal step costs, a straight one being 1."""
    tolerance: float = 1e-6
    """By how much its ways may be longer: some count in whole numbers or in short floats."""
    remembers: bool = False
    """Whether a map that was searched before is searched faster."""


def as_they_are(way: Iterable[Tile]) -> list[Tile]:
    return list(way)


def with_rows_first(way: Any) -> list[Tile]:
    return [(int(x), int(y)) for y, x in way]


def grid(board: Board) -> Any:
    path: AStarPath[Tile] = AStarPath()
    made = compiled_grid(board)
    return lambda start, goal: made.find_path(start, goal, path=path), as_they_are


def grid_in_python(board: Board) -> Any:
    path: AStarPath[Tile] = AStarPath()
    made = pure_grid(board)
    return lambda start, goal: made.find_path(start, goal, path=path), as_they_are


def grid_cutting_corners(board: Board) -> Any:
    path: AStarPath[Tile] = AStarPath()
    made = compiled_grid(board, Diagonals.ALWAYS)
    return lambda start, goal: made.find_path(start, goal, path=path), as_they_are


def fsmkit_astar(board: Board) -> Any:
    graph: AStar[Tile] = AStar()
    nodes = {tile: graph.add(tile) for tile in board.tiles}
    for here, there, length in board.edges:
        nodes[here].add_path(nodes[there], length)
    path: AStarPath[Tile] = AStarPath()

    def find(start: Tile, goal: Tile) -> AStarPath[Tile]:
        graph.resolve_path(path, nodes[start], nodes[goal], octile)
        return path

    return find, as_they_are


def networkx_astar(board: Board) -> Any:
    import networkx

    graph = networkx.DiGraph()
    graph.add_weighted_edges_from(board.edges)
    return lambda start, goal: networkx.astar_path(graph, start, goal, octile), as_they_are


def rustworkx_astar(board: Board) -> Any:
    import rustworkx

    graph = rustworkx.PyDiGraph()
    tiles = board.tiles
    nodes = dict(zip(tiles, graph.add_nodes_from(tiles), strict=True))
    graph.add_edges_from([(nodes[a], nodes[b], length) for a, b, length in board.edges])

    def find(start: Tile, goal: Tile) -> Any:
        return rustworkx.digraph_astar_shortest_path(
            graph, nodes[start], lambda tile: tile == goal, float, lambda tile: octile(tile, goal)
        )

    return find, lambda way: [graph[index] for index in way]


def pathfinding_astar(board: Board) -> Any:
    from pathfinding.core.diagonal_movement import DiagonalMovement
    from pathfinding.core.grid import Grid as TheirGrid
    from pathfinding.core.heuristic import octile as their_octile
    from pathfinding.finder.a_star import AStarFinder

    theirs = TheirGrid(matrix=board.rows)
    finder = AStarFinder(
        heuristic=their_octile, diagonal_movement=DiagonalMovement.only_when_no_obstacle
    )

    def find(start: Tile, goal: Tile) -> Any:
        theirs.cleanup()
        return finder.find_path(theirs.node(*start), theirs.node(*goal), theirs)[0]

    return find, lambda way: [(node.x, node.y) for node in way]


def astar_function(board: Board) -> Any:
    from astar import find_path

    near: dict[Tile, dict[Tile, float]] = {tile: {} for tile in board.tiles}
    for here, there, length in board.edges:
        near[here][there] = length

    def find(start: Tile, goal: Tile) -> list[Tile]:
        found = find_path(
            start,
            goal,
            neighbors_fnct=near.__getitem__,
            heuristic_cost_estimate_fnct=octile,
            distance_between_fnct=lambda a, b: near[a][b],
        )
        return list(found or ())

    return find, as_they_are


def scipy_dijkstra(board: Board) -> Any:
    import numpy
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import dijkstra

    size = board.size
    edges = [(a[1] * size + a[0], b[1] * size + b[0], length) for a, b, length in board.edges]
    starts, ends, lengths = (numpy.array(column) for column in zip(*edges, strict=True))
    graph = csr_array((lengths, (starts, ends)), shape=(size * size, size * size))

    def find(start: Tile, goal: Tile) -> list[int]:
        begun, index = start[1] * size + start[0], goal[1] * size + goal[0]
        _, before = dijkstra(graph, indices=begun, return_predecessors=True)
        way = [index]
        while index != begun:
            index = int(before[index])
            way.append(index)
        return way[::-1]

    return find, lambda way: [(index % size, index // size) for index in way]


def tcod_pathfinder(board: Board) -> Any:
    import numpy
    import tcod.path

    costs = numpy.array(board.rows, dtype=numpy.int8)
    graph = tcod.path.SimpleGraph(cost=costs, cardinal=70, diagonal=99)

    def find(start: Tile, goal: Tile) -> Any:
        finder = tcod.path.Pathfinder(graph)
        finder.add_root(start[::-1])
        return finder.path_to(goal[::-1])

    return find, with_rows_first


def tcod_astar(board: Board) -> Any:
    import numpy
    import tcod.path

    finder = tcod.path.AStar(numpy.array(board.rows, dtype=numpy.int8), diagonal=sqrt(2.0))

    def find(start: Tile, goal: Tile) -> Any:
        return [start[::-1], *finder.get_path(*start[::-1], *goal[::-1])]

    return find, with_rows_first


def pyastar2d_path(board: Board) -> Any:
    import numpy
    import pyastar2d

    costs = numpy.array(board.rows, dtype=numpy.float32)
    costs[costs == 0.0] = numpy.inf

    def find(start: Tile, goal: Tile) -> Any:
        return pyastar2d.astar_path(costs, start[::-1], goal[::-1], allow_diagonal=True)

    return find, with_rows_first


def w9_astar(board: Board) -> Any:
    from w9_pathfinding.envs import DiagonalMovement
    from w9_pathfinding.envs import Grid as TheirGrid
    from w9_pathfinding.pf import AStar as TheirAStar

    theirs = TheirGrid(
        [[1 if free else -1 for free in row] for row in board.rows],
        diagonal_movement=DiagonalMovement.only_when_no_obstacle,
        diagonal_movement_cost_multiplier=sqrt(2.0),
    )
    finder = TheirAStar(theirs)
    return finder.find_path, as_they_are


WHOLE_NUMBERS: Final = 0.05
"""tcod reckons with 99 : 70 for the square root of 2, or with short floats."""

TILE_CONTESTANTS: Final[dict[str, TileContestant]] = {
    GRID: TileContestant(COMPILED, grid, remembers=True),
    PURE_GRID: TileContestant(PYTHON, grid_in_python, remembers=True),
    CUTTING_GRID: TileContestant(COMPILED, grid_cutting_corners, Diagonals.ALWAYS, remembers=True),
    ASTAR: TileContestant(PYTHON, fsmkit_astar),
    "networkx": TileContestant(PYTHON, networkx_astar),
    "pathfinding": TileContestant(PYTHON, pathfinding_astar),
    "astar": TileContestant(PYTHON, astar_function),
    "rustworkx": TileContestant(COMPILED, rustworkx_astar),
    "scipy dijkstra": TileContestant(COMPILED, scipy_dijkstra),
    "w9-pathfinding": TileContestant(COMPILED, w9_astar),
    "tcod Pathfinder": TileContestant(
        COMPILED, tcod_pathfinder, Diagonals.ALWAYS, tolerance=WHOLE_NUMBERS
    ),
    "tcod AStar": TileContestant(COMPILED, tcod_astar, Diagonals.ALWAYS, tolerance=WHOLE_NUMBERS),
    "pyastar2d": TileContestant(COMPILED, pyastar2d_path, Diagonals.ALWAYS, diagonal=1.0),
}
