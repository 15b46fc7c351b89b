"""Graphs that change: a search under way continues with the graph as it was when it began."""

import gc
from heapq import heappop, heappush
from itertools import pairwise
from math import inf
from random import Random
from typing import Any
from weakref import ref

import pytest

from fsmkit.pathfinding import AStar, AStarPath, GraphSearch, NodeHandle

Node = NodeHandle[Any]
Picture = dict[Node, dict[Node, float]]


def anywhere(position: object, goal: object) -> float:
    return 0.0


def chain(names: str) -> tuple[AStar[str], dict[str, NodeHandle[str]]]:
    graph: AStar[str] = AStar()
    nodes = {name: graph.add(name) for name in names}
    for here, there in pairwise(nodes.values()):
        here.add_path(there, 1.0)
    return graph, nodes


def begun(graph: AStar[Any], start: Node, goal: Node, steps: int = 0) -> GraphSearch[Any]:
    search = graph.begin(AStarPath(), start, goal, anywhere)
    for _ in range(steps):
        search.step()
    return search


def ended(search: GraphSearch[Any]) -> tuple[list[Any], float, bool]:
    search.run()
    return list(search.path), search.path.cost, search.path.reachable


# Removal


class Watched(dict[Any, Any]):
    """A mapping that counts how often it is looked at as a whole."""

    looks = 0

    def __iter__(self) -> Any:
        Watched.looks += 1
        return super().__iter__()


def test_a_node_is_removed_without_a_look_at_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    graph, nodes = chain("abcde")
    monkeypatch.setattr(graph, "_nodes", Watched(graph._nodes))
    graph.remove(nodes["c"])
    assert Watched.looks == 0
    assert [dict(nodes[name].paths) for name in "abde"] == [
        {nodes["b"]: 1.0}, {}, {nodes["e"]: 1.0}, {},
    ]  # fmt: skip


def test_a_node_that_leads_to_itself_and_to_and_fro_is_removed() -> None:
    graph, nodes = chain("abc")
    nodes["b"].add_path(nodes["b"], 1.0)
    nodes["b"].add_path(nodes["a"], 1.0)
    graph.remove(nodes["b"])
    assert [dict(node.paths) for node in nodes.values()] == [{}, {}, {}]
    assert list(graph) == [nodes["a"], nodes["c"]]
    for call in (
        lambda: nodes["b"].add_path(nodes["a"], 1.0),
        lambda: nodes["a"].add_path(nodes["b"], 1.0),
    ):
        with pytest.raises(ValueError, match="<NodeHandle at 'b'> is .*no longer"):
            call()
    with pytest.raises(KeyError, match="There is no path from <NodeHandle at 'a'>"):
        nodes["a"].remove_path(nodes["b"])


def test_a_graph_lists_its_nodes_in_the_order_in_which_they_were_added() -> None:
    graph, nodes = chain("cab")
    assert [node.position for node in graph] == ["c", "a", "b"]
    assert [thing in graph for thing in (nodes["a"], "a", [], None)] == [True, False, False, False]
    assert nodes["a"] not in AStar()


def test_paths_are_those_of_the_moment_and_can_be_removed_one_by_one() -> None:
    _, nodes = chain("abc")
    nodes["a"].add_path(nodes["c"], 5)
    for other in nodes["a"].paths:
        nodes["a"].remove_path(other)
    assert dict(nodes["a"].paths) == {}
    with pytest.raises(TypeError):
        nodes["b"].paths[nodes["a"]] = 1.0  # type: ignore[index]


# The version


def test_the_version_grows_with_every_change_and_with_nothing_else() -> None:
    graph, nodes = chain("ab")
    seen = [graph.version]
    for change in (
        lambda: nodes["a"].add_path(nodes["b"], 1),  # as it is already
        lambda: graph.resolve_path(AStarPath(), nodes["a"], nodes["b"], anywhere),
        lambda: nodes["a"].add_path(nodes["b"], 2.0),
        lambda: nodes["a"].remove_path(nodes["b"]),
        lambda: graph.add("c"),
        lambda: graph.remove(nodes["b"]),
    ):
        change()
        seen.append(graph.version)
    assert [later > earlier for earlier, later in pairwise(seen)] == [
        False, False, True, True, True, True,
    ]  # fmt: skip


@pytest.mark.parametrize("change", ["reweigh", "remove path", "remove node", "add path", "add"])
def test_a_search_continues_as_it_began_and_says_that_it_is_outdated(change: str) -> None:
    graph, nodes = chain("abcd")
    search = begun(graph, nodes["a"], nodes["d"], steps=1)
    assert not search.is_outdated
    {
        "reweigh": lambda: nodes["c"].add_path(nodes["d"], 9.0),
        "remove path": lambda: nodes["b"].remove_path(nodes["c"]),
        "remove node": lambda: graph.remove(nodes["c"]),
        "add path": lambda: nodes["b"].add_path(nodes["d"], 0.0),
        "add": lambda: graph.add("e"),
    }[change]()
    assert search.is_outdated
    assert ended(search) == (["a", "b", "c", "d"], 3.0, True)
    assert search.is_outdated


@pytest.mark.parametrize("name", ["a", "d"])
def test_the_start_or_the_goal_of_a_search_under_way_may_be_removed(name: str) -> None:
    graph, nodes = chain("abcd")
    search, other = begun(graph, nodes["a"], nodes["d"]), begun(graph, nodes["a"], nodes["d"], 2)
    graph.remove(nodes[name])
    assert ended(search) == ended(other) == (["a", "b", "c", "d"], 3.0, True)


def test_searches_that_began_at_different_times_each_keep_their_graph() -> None:
    graph, nodes = chain("ab")
    searches = []
    for weight in (1, 2, 3):
        nodes["a"].add_path(nodes["b"], weight)
        searches.append(begun(graph, nodes["a"], nodes["b"]))
    nodes["a"].remove_path(nodes["b"])
    assert [ended(search)[1:] for search in searches] == [(1.0, True), (2.0, True), (3.0, True)]
    assert ended(begun(graph, nodes["a"], nodes["b"])) == (["a"], 0.0, False)


def test_functions_of_the_user_may_change_the_graph_in_the_middle_of_a_node() -> None:
    graph, nodes = chain("abcd")
    nodes["b"].add_path(nodes["a"], 1.0)

    def estimate(position: str, _goal: str) -> float:
        if position == "c":  # a path of the node that is being expanded, and others
            nodes["b"].add_path(nodes["d"], 0.5)
            graph.remove(nodes["a"])
            nodes["c"].remove_path(nodes["d"])
        return 0.0

    path: AStarPath[str] = AStarPath()
    graph.resolve_path(path, nodes["a"], nodes["d"], estimate)
    assert (list(path), path.cost) == (["a", "b", "c", "d"], 3.0)


def test_a_search_that_is_over_or_dropped_costs_nothing() -> None:
    graph, nodes = chain("abcd")
    finished, cancelled, dropped = (begun(graph, nodes["a"], nodes["d"], 1) for _ in range(3))
    finished.run()
    cancelled.cancel()
    gone = ref(dropped)
    del dropped
    gc.collect()
    assert gone() is None
    paths = nodes["c"]._paths
    nodes["c"].add_path(nodes["d"], 9.0)
    assert nodes["c"]._paths is paths  # nobody needed a copy
    under_way = begun(graph, nodes["a"], nodes["d"], 1)
    nodes["c"].add_path(nodes["d"], 3.0)
    copied = nodes["c"]._paths
    nodes["c"].add_path(nodes["d"], 4.0)
    assert copied is not paths
    assert nodes["c"]._paths is copied  # it was needed once
    assert ended(under_way)[1] == 11.0


def dijkstra(picture: Picture, start: Node) -> dict[Node, float]:
    found: dict[Node, float] = {}
    opened = [(0.0, 0, start)]
    tie = 0
    while opened:
        cost, _, node = heappop(opened)
        if node not in found:
            found[node] = cost
            for other, weight in picture[node].items():
                tie += 1
                heappush(opened, (cost + weight, tie, other))
    return found


def picture_of(graph: AStar[Any]) -> Picture:
    return {node: dict(node.paths) for node in graph}


def change_something(graph: AStar[Any], rng: Random) -> None:
    nodes = list(graph)
    here, there = rng.choice(nodes), rng.choice(nodes)
    kind = rng.randrange(6)
    if kind <= 2:
        here.add_path(there, rng.randrange(10))
    elif kind == 3 and here.paths:
        here.remove_path(rng.choice(list(here.paths)))
    elif kind == 4 and len(nodes) > 4:
        graph.remove(here)
    else:
        new = graph.add((rng.randrange(10), rng.randrange(10)))
        here.add_path(new, rng.randrange(3))
        new.add_path(there, rng.randrange(3))


def random_graph(rng: Random) -> AStar[Any]:
    graph: AStar[Any] = AStar()
    nodes = [graph.add((rng.randrange(10), rng.randrange(10))) for _ in range(rng.randrange(5, 25))]
    for _ in range(len(nodes) * 3):
        rng.choice(nodes).add_path(rng.choice(nodes), rng.randrange(10))
    return graph


@pytest.mark.parametrize("seed", range(10))
def test_no_search_ever_mixes_two_graphs(seed: int) -> None:
    rng = Random(seed)
    for _ in range(30):
        graph = random_graph(rng)
        running: list[tuple[GraphSearch[Any], Picture, tuple[Any, ...]]] = []
        while len(running) < 4 or not all(search.is_over for search, _, _ in running):
            if len(running) < 4:
                start, goal = rng.choice(list(graph)), rng.choice(list(graph))
                undisturbed = begun(graph, start, goal)
                expected = (*ended(undisturbed), undisturbed.path.nodes)
                running.append((begun(graph, start, goal), picture_of(graph), expected))
            for search, _, _ in running:
                search.step(rng.randrange(3))
            for _ in range(rng.randrange(3)):
                change_something(graph, rng)
        for search, picture, expected in running:
            assert (*ended(search), search.path.nodes) == expected
            costs = dijkstra(picture, search.start)
            assert search.path.reachable is (search.goal in costs)
            if search.path.reachable:
                assert search.path.cost == costs.get(search.goal, inf)
        assert all(
            {source for source in graph if node in source.paths} == set(node._sources)
            for node in graph
        )
