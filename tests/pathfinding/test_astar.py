"""AStar: graphs of any positions, reachability, and paths that are reused."""

from heapq import heappop, heappush
from itertools import pairwise
from math import inf, nan
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsmkit.pathfinding import AStar, AStarPath, NodeHandle, chebyshev, euclidean, manhattan, octile

Rooms = dict[str, NodeHandle[str]]


def house() -> tuple[AStar[str], Rooms]:
    """Return hall -2- kitchen -1- garden, and hall -9- garden; a cellar that nothing leads to."""
    graph: AStar[str] = AStar()
    rooms = {name: graph.add(name) for name in ("hall", "kitchen", "garden", "cellar")}
    for here, there, weight in (
        ("hall", "kitchen", 2),
        ("kitchen", "garden", 1),
        ("hall", "garden", 9),
    ):
        rooms[here].add_path(rooms[there], weight)
        rooms[there].add_path(rooms[here], weight)
    return graph, rooms


def anywhere(position: object, goal: object) -> float:
    return 0.0


def find(graph: AStar[str], rooms: Rooms, goal: str, *more: Any, **options: Any) -> AStarPath[str]:
    path: AStarPath[str] = AStarPath()
    graph.resolve_path(path, rooms["hall"], rooms[goal], anywhere, *more, **options)
    return path


class Rules:
    """A reachability with a journal of the questions."""

    def __init__(self, closed: str = "", forbidden: tuple[str, str] = ("", "")) -> None:
        self.closed = closed
        self.forbidden = forbidden
        self.asked: list[object] = []

    def is_reachable(self, position: str) -> bool:
        self.asked.append(position)
        return position != self.closed

    def can_move(self, start: str, end: str) -> bool:
        self.asked.append((start, end))
        return (start, end) != self.forbidden


def test_the_cheapest_path_is_found() -> None:
    path = find(*house(), "garden")
    assert (list(path), path.cost, path.reachable) == (["hall", "kitchen", "garden"], 3.0, True)


def test_a_path_object_is_used_again() -> None:
    graph, rooms = house()
    path = find(graph, rooms, "garden")
    graph.resolve_path(path, rooms["kitchen"], rooms["hall"], anywhere)
    assert (list(path), path.cost) == (["kitchen", "hall"], 2.0)
    path.clear()
    assert (list(path), path.cost, path.reachable, path.nodes) == ([], 0.0, False, 0)


def test_weights_change_and_paths_and_nodes_are_removed() -> None:
    graph, rooms = house()
    rooms["hall"].add_path(rooms["garden"], 0.5)
    assert find(graph, rooms, "garden").cost == 0.5
    rooms["hall"].remove_path(rooms["garden"])
    assert find(graph, rooms, "garden").cost == 3.0
    graph.remove(rooms["kitchen"])
    assert not find(graph, rooms, "garden").reachable
    assert (len(graph), dict(rooms["hall"].paths)) == (3, {})


def test_a_goal_that_cannot_be_reached_is_asked_for_first_and_nothing_is_searched() -> None:
    rules = Rules(closed="garden")
    path = find(*house(), "garden", rules)
    assert (path.reachable, list(path), path.nodes, rules.asked) == (False, [], 0, ["garden"])


def test_a_step_that_is_forbidden_is_gone_around() -> None:
    rules = Rules(forbidden=("kitchen", "garden"))
    path = find(*house(), "garden", rules)
    assert (list(path), path.cost) == (["hall", "garden"], 9.0)
    assert rules.asked[0] == "garden"
    assert ("kitchen", "garden") in rules.asked


def test_without_a_way_the_path_leads_to_the_nearest_node() -> None:
    points: AStar[tuple[int, int]] = AStar()
    nodes = [points.add((x, 0)) for x in range(5)]
    for here, there in pairwise(nodes[:4]):
        here.add_path(there, 1.0)
    path: AStarPath[tuple[int, int]] = AStarPath()
    points.resolve_path(path, nodes[0], nodes[4], euclidean)
    assert (path.reachable, list(path), path.cost) == (
        False, [(0, 0), (1, 0), (2, 0), (3, 0)], 3.0,
    )  # fmt: skip


def test_a_search_can_be_bounded_carried_on_and_cancelled() -> None:
    graph, rooms = house()
    bounded = find(graph, rooms, "garden", max_nodes=1)
    assert (list(bounded), bounded.reachable, bounded.gave_up) == (["hall", "garden"], True, True)
    path: AStarPath[str] = AStarPath()
    search = graph.begin(path, rooms["hall"], rooms["garden"], anywhere)
    assert [search.step(), search.step()] == [False, True]
    assert path.cost == 3.0
    search = graph.begin(path, rooms["hall"], rooms["garden"], anywhere)
    search.cancel()
    assert (path.reachable, list(path)) == (False, ["hall"])


def test_nodes_that_are_not_in_the_graph_are_refused() -> None:
    graph, rooms = house()
    _, others = house()
    with pytest.raises(ValueError, match=r"is not \(or no longer\) a node of the same graph"):
        rooms["hall"].add_path(others["hall"], 1.0)
    with pytest.raises(
        ValueError, match=r"<NodeHandle at 'hall'> is not \(or no longer\) a node of this graph"
    ):
        graph.resolve_path(AStarPath(), others["hall"], rooms["garden"], anywhere)
    with pytest.raises(
        TypeError, match=r"must be a handle that add\(\) has returned, got 'garden'"
    ):
        rooms["hall"].add_path("garden", 1.0)  # type: ignore[arg-type]
    graph.remove(rooms["garden"])
    for call in (lambda: find(graph, rooms, "garden"), lambda: graph.remove(rooms["garden"])):
        with pytest.raises(ValueError, match=r"\(or no longer\) a node of this graph"):
            call()


@pytest.mark.parametrize("weight", [-1.0, nan, inf])
def test_an_invalid_weight_is_refused(weight: float) -> None:
    _, rooms = house()
    with pytest.raises(ValueError, match="A weight must be a finite number >= 0, got"):
        rooms["hall"].add_path(rooms["cellar"], weight)


numbers = st.integers(0, 7)
edges = st.lists(st.tuples(numbers, numbers, st.integers(0, 9)), max_size=30)


def distances(arrows: list[tuple[int, int, int]], goal: int) -> dict[int, int]:
    """Return the cost of getting to the goal from anywhere."""
    found: dict[int, int] = {}
    opened = [(0, goal)]
    while opened:
        cost, node = heappop(opened)
        if node not in found:
            found[node] = cost
            for here, there, weight in arrows:
                if there == node:
                    heappush(opened, (cost + weight, here))
    return found


@pytest.mark.slow
@given(edges, numbers, numbers, st.lists(st.integers(0, 100), min_size=8, max_size=8))
def test_paths_cost_what_dijkstra_finds_with_any_estimate_that_is_not_too_high(
    told: list[tuple[int, int, int]], start: int, goal: int, shares: list[int]
) -> None:
    arrows = [(a, b, w) for (a, b), w in {(a, b): w for a, b, w in told}.items()]
    graph: AStar[int] = AStar()
    nodes = [graph.add(number) for number in range(8)]
    for here, there, weight in arrows:
        nodes[here].add_path(nodes[there], weight)
    expected = distances(arrows, goal)

    def estimate(position: int, goal: int) -> float:  # admissible, and as inconsistent as may be
        return expected.get(position, 1000) * shares[position] / 100

    path: AStarPath[int] = AStarPath()
    graph.resolve_path(path, nodes[start], nodes[goal], estimate)
    assert path.reachable is (start in expected)
    if path.reachable:
        assert path.cost == expected[start]
        assert (path[0], path[-1]) == (start, goal)


points = st.tuples(st.integers(-50, 50), st.integers(-50, 50))


@given(points, points)
def test_the_heuristics_are_ordered_as_the_ways_they_stand_for(a: Any, b: Any) -> None:
    lengths = [chebyshev(a, b), euclidean(a, b), octile(a, b), manhattan(a, b)]
    assert lengths == pytest.approx(sorted(lengths))
