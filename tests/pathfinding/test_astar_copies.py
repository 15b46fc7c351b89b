"""Copies and pickles of graphs, however long their chains are, with handles and searches."""

import pickle
from collections.abc import Callable
from copy import copy, deepcopy
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import pytest

from fsmkit.pathfinding import AStar, AStarPath, NodeHandle, manhattan

Tile = tuple[int, int]


def pickled(thing: Any) -> Any:
    return pickle.loads(pickle.dumps(thing))


WAYS = pytest.mark.parametrize("copied", [deepcopy, pickled])


def chain(length: int) -> tuple[AStar[Tile], list[NodeHandle[Tile]]]:
    graph: AStar[Tile] = AStar()
    nodes = [graph.add((number, 0)) for number in range(length)]
    for here, there in pairwise(nodes):
        here.add_path(there, 1.0)
        there.add_path(here, 2.0)
    return graph, nodes


def found(graph: AStar[Any], start: NodeHandle[Any], goal: NodeHandle[Any]) -> tuple[Any, ...]:
    path: AStarPath[Any] = AStarPath()
    graph.resolve_path(path, start, goal, manhattan)
    return path[0], path[-1], len(path), path.cost, path.nodes


@WAYS
@pytest.mark.parametrize("length", [5_000, pytest.param(100_000, marks=pytest.mark.long)])
def test_a_long_chain_is_copied_whole(copied: Callable[[Any], Any], length: int) -> None:
    graph, nodes = chain(length)
    twin = copied(graph)
    first, *_, last = twin
    assert (len(twin), twin.version) == (length, graph.version)
    assert found(twin, first, last) == found(graph, nodes[0], nodes[-1])
    assert found(twin, last, first) == found(graph, nodes[-1], nodes[0])


@WAYS
def test_a_copy_is_independent_and_complete(copied: Callable[[Any], Any]) -> None:
    graph, nodes = chain(4)
    twin = copied(graph)
    second = list(twin)[1]
    twin.remove(second)
    third = twin.add((9, 9))
    third.add_path(next(iter(twin)), 3)
    assert [len(node.paths) for node in nodes] == [1, 2, 2, 1]
    assert [[(n.position, w) for n, w in node.paths.items()] for node in twin] == [
        [], [((3, 0), 1.0)], [((2, 0), 2.0)], [((0, 0), 3.0)],
    ]  # fmt: skip
    with pytest.raises(ValueError, match="is not .* a node of this graph"):
        twin.remove(nodes[0])
    with pytest.raises(ValueError, match="is not .* a node of the same graph"):
        nodes[0].add_path(third, 1.0)


@pytest.mark.slow
@WAYS
def test_handles_in_a_dict_are_handles_of_the_copy(copied: Callable[[Any], Any]) -> None:
    graph, nodes = chain(3_000)
    removed = graph.add((0, 9))
    removed.add_path(nodes[0], 1.0)
    graph.remove(removed)
    world = {"handles": {node.position: node for node in nodes}, "removed": removed, "map": graph}
    for order in (["handles", "removed", "map"], ["map", "removed", "handles"]):
        twin = copied({name: world[name] for name in order})
        assert list(twin["handles"].values()) == list(twin["map"])
        assert found(twin["map"], twin["handles"][0, 0], twin["handles"][2999, 0])[2] == 3_000
        assert (twin["removed"].position, dict(twin["removed"].paths)) == ((0, 9), {})
        assert twin["removed"] not in twin["map"]


class Place:
    """A position that keeps its handle, and a search that begins there."""

    def __init__(self, x: int) -> None:
        self.x = x
        self.node: NodeHandle[Place]
        self.search: Any = None


@dataclass(frozen=True)
class Distance:
    factor: float

    def __call__(self, position: Place, goal: Place) -> float:
        return self.factor * abs(position.x - goal.x)


@WAYS
@pytest.mark.parametrize("first", ["graph", "place", "node", "search"])
def test_positions_that_know_their_nodes_and_searches_are_copied_in_any_order(
    copied: Callable[[Any], Any], first: str
) -> None:
    graph: AStar[Place] = AStar()
    places = [Place(x) for x in range(2_000)]
    for place in places:
        place.node = graph.add(place)
    for here, there in pairwise(places):
        here.node.add_path(there.node, 1.0)
    search = graph.begin(AStarPath(), places[0].node, places[-1].node, Distance(0.5))
    search.step(10)
    places[7].search = search
    graph.remove(places[1_500].node)
    things = {"graph": graph, "place": places[7], "node": places[7].node, "search": search}
    twin = copied(things[first])
    place = {
        "graph": lambda: list(twin)[7].position,
        "place": lambda: twin,
        "node": lambda: twin.position,
        "search": lambda: next(node.position for node in twin.graph if node.position.search),
    }[first]()
    assert place.node.position is place
    assert place.search.graph.version == graph.version
    assert (len(place.search.graph), place.search.is_outdated) == (1_999, True)
    assert place.search.start.position.node is place.search.start
    place.search.graph.remove(place.search.goal)  # the copied search keeps its graph as well
    place.search.run()
    search.run()
    ways = [[place.x for place in each.path] for each in (search, place.search)]
    assert ways == [list(range(2_000))] * 2
    assert search.path.nodes == place.search.path.nodes == 1_999


@pytest.mark.parametrize("copied", [deepcopy, pickled, copy])
def test_a_search_under_way_is_copied_and_both_continue_alone(copied: Callable[[Any], Any]) -> None:
    graph, nodes = chain(50)
    search = graph.begin(AStarPath(), nodes[0], nodes[-1], manhattan)
    search.step(5)
    nodes[30].remove_path(nodes[31])
    twin = copied(search)
    nodes[20].remove_path(nodes[21])
    assert (twin.nodes, twin.is_outdated, twin.is_over) == (5, True, False)
    twin.run()
    assert (len(twin.path), search.is_over, len(search.path)) == (50, False, 0)
    search.run()
    assert (list(search.path), search.nodes) == (list(twin.path), twin.nodes)
    again = copied(search)
    assert (again.step(), list(again.path)) == (True, list(search.path))


def test_neither_a_graph_nor_a_handle_has_a_shallow_copy() -> None:
    graph, nodes = chain(2)
    with pytest.raises(TypeError, match=r"Copy it with copy.deepcopy\(\)"):
        copy(graph)
    with pytest.raises(TypeError, match=r"Copy them with copy.deepcopy\(\)"):
        copy(nodes[0])


class World(AStar[Tile]):
    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name
        self.capital = self.add((0, 0))


@WAYS
def test_a_class_of_ones_own_is_copied_with_what_it_adds(copied: Callable[[Any], Any]) -> None:
    twin = copied(World("Erde"))
    assert (type(twin), twin.name, list(twin)) == (World, "Erde", [twin.capital])


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_every_protocol_of_pickle_that_knows_slots_will_do(protocol: int) -> None:
    graph, nodes = chain(3)
    search = graph.begin(AStarPath(), nodes[0], nodes[2], manhattan)
    twin = pickle.loads(pickle.dumps([graph, search, nodes], protocol))
    twin[2][1].remove_path(twin[2][2])
    twin[1].run()
    assert twin[1].path.reachable


@pytest.mark.parametrize("copied", [deepcopy, pickled, copy])
def test_paths_are_copied(copied: Callable[[Any], Any]) -> None:
    graph, nodes = chain(3)
    path: AStarPath[Tile] = AStarPath()
    graph.resolve_path(path, nodes[0], nodes[2], manhattan)
    twin = copied(path)
    path.clear()
    assert (list(twin), twin.cost, twin.reachable, twin.nodes) == (
        [(0, 0), (1, 0), (2, 0)], 2.0, True, 2,
    )  # fmt: skip
