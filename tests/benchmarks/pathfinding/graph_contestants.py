"""The contestants on a graph: many places in the plane, each joined with its six nearest."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import dist
from random import Random
from typing import Final, NamedTuple

from tile_contestants import ASTAR, COMPILED, PYTHON

from fsmkit.pathfinding import AStar, AStarPath, euclidean

NEIGHBOURS: Final = 6
Place = tuple[float, float]
FindNodes = Callable[[int, int], Sequence[int]]
"""Finds the way between two nodes, by their numbers."""


@dataclass(eq=False)
class Roads:
    """Places in the plane, and the ways between them: as long as they are apart, there and back."""

    places: list[Place]
    edges: list[tuple[int, int, float]]

    def near(self) -> list[dict[int, float]]:
        """Return for each place those that it is joined with, and how far they are."""
        found: list[dict[int, float]] = [{} for _ in self.places]
        for here, there, length in self.edges:
            found[here][there] = length
        return found

    def length_of(self, way: Sequence[int]) -> float:
        """Return the length of a way."""
        return sum(dist(self.places[a], self.places[b]) for a, b in pairwise(way))


def random_roads(count: int, seed: int) -> Roads:
    """Return places at random, each joined with its nearest; ImportError without SciPy."""
    from scipy.spatial import KDTree

    rng = Random(seed)
    places = [(rng.random(), rng.random()) for _ in range(count)]
    _, nearest = KDTree(places).query(places, NEIGHBOURS + 1)
    pairs = {
        (here, int(there)) for here, row in enumerate(nearest) for there in row if there != here
    }
    both = sorted(pairs | {(there, here) for here, there in pairs})
    return Roads(places, [(a, b, dist(places[a], places[b])) for a, b in both])


def far_nodes(roads: Roads, count: int, seed: int) -> list[tuple[int, int]]:
    """Return pairs from the left tenth to the right one, with a way between them."""
    rng, near = Random(seed), roads.near()
    joined, waiting = {0}, [0]
    while waiting:
        new = near[waiting.pop()].keys() - joined
        joined |= new
        waiting += new
    lefts = [node for node in joined if roads.places[node][0] < 0.1]
    rights = [node for node in joined if roads.places[node][0] > 0.9]
    return [(rng.choice(sorted(lefts)), rng.choice(sorted(rights))) for _ in range(count)]


class GraphContestant(NamedTuple):
    """One way of finding ways in a graph."""

    kind: str
    make: Callable[[Roads], FindNodes]


def fsmkit_astar(roads: Roads) -> FindNodes:
    graph: AStar[Place] = AStar()
    nodes = [graph.add(place) for place in roads.places]
    for here, there, length in roads.edges:
        nodes[here].add_path(nodes[there], length)
    numbers = {place: number for number, place in enumerate(roads.places)}
    path: AStarPath[Place] = AStarPath()

    def find(start: int, goal: int) -> list[int]:
        graph.resolve_path(path, nodes[start], nodes[goal], euclidean)
        return [numbers[place] for place in path]

    return find


def networkx_astar(roads: Roads) -> FindNodes:
    import networkx

    graph = networkx.DiGraph()
    graph.add_weighted_edges_from(roads.edges)
    places = roads.places
    return lambda start, goal: networkx.astar_path(
        graph, start, goal, lambda a, b: dist(places[a], places[b])
    )


def rustworkx_astar(roads: Roads) -> FindNodes:
    import rustworkx

    graph = rustworkx.PyDiGraph()
    graph.add_nodes_from(range(len(roads.places)))
    graph.add_edges_from(roads.edges)
    places = roads.places
    return lambda start, goal: rustworkx.digraph_astar_shortest_path(
        graph,
        start,
        lambda node: node == goal,
        float,
        lambda node: dist(places[node], places[goal]),
    )


def astar_function(roads: Roads) -> FindNodes:
    from astar import find_path

    places, near = roads.places, roads.near()

    def find(start: int, goal: int) -> list[int]:
        found = find_path(
            start,
            goal,
            neighbors_fnct=near.__getitem__,
            heuristic_cost_estimate_fnct=lambda a, b: dist(places[a], places[b]),
            distance_between_fnct=lambda a, b: near[a][b],
        )
        return list(found or ())

    return find


def scipy_dijkstra(roads: Roads) -> FindNodes:
    import numpy
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import dijkstra

    starts, ends, lengths = (numpy.array(column) for column in zip(*roads.edges, strict=True))
    graph = csr_array((lengths, (starts, ends)), shape=(len(roads.places),) * 2)

    def find(start: int, goal: int) -> list[int]:
        _, before = dijkstra(graph, indices=start, return_predecessors=True)
        way = [goal]
        while way[-1] != start:
            way.append(int(before[way[-1]]))
        return way[::-1]

    return find


def w9_astar(roads: Roads) -> FindNodes:
    from w9_pathfinding.envs import Graph
    from w9_pathfinding.pf import AStar as TheirAStar

    graph = Graph(len(roads.places), directed=True, coordinates=[list(p) for p in roads.places])
    graph.add_edges([list(edge) for edge in roads.edges])
    finder = TheirAStar(graph)
    return finder.find_path


GRAPH_CONTESTANTS: Final[dict[str, GraphContestant]] = {
    ASTAR: GraphContestant(PYTHON, fsmkit_astar),
    "networkx": GraphContestant(PYTHON, networkx_astar),
    "astar": GraphContestant(PYTHON, astar_function),
    "rustworkx": GraphContestant(COMPILED, rustworkx_astar),
    "scipy dijkstra": GraphContestant(COMPILED, scipy_dijkstra),
    "w9-pathfinding": GraphContestant(COMPILED, w9_astar),
}
