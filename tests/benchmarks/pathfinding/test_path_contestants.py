"""Every contestant that is installed finds the ways that its rule for corners allows."""

from __future__ import annotations

from itertools import pairwise

import pytest
from boards import Board, far_pairs, length_of, near_pairs, pure_grid, random_board, winding_board
from graph_contestants import GRAPH_CONTESTANTS, far_nodes, random_roads
from graph_rounds import graph_rounds
from path_goals import far_verdicts, near_verdicts, pulling_verdicts, verdicts_table
from path_rounds import Rounds
from tile_contestants import GRID, PURE_GRID, TILE_CONTESTANTS
from tile_rounds import mistakes
from walker_rounds import MAKERS, after_a_change, crowd_of, over_threads, to_one_goal

from fsmkit.pathfinding import Diagonals

BOARD = random_board(20, 3)
pytestmark = pytest.mark.filterwarnings("ignore:invalid escape sequence")  # in w9-pathfinding


@pytest.mark.parametrize("name", TILE_CONTESTANTS)
def test_a_contestant_finds_ways_that_are_legal_and_as_long_as_those_of_the_others(
    name: str,
) -> None:
    contestant = TILE_CONTESTANTS[name]
    try:
        made = {PURE_GRID: TILE_CONTESTANTS[PURE_GRID].make(BOARD), name: contestant.make(BOARD)}
    except ImportError as error:
        pytest.skip(str(error))
    pairs = [*far_pairs(BOARD, 6, 3), *near_pairs(BOARD, 6, 3)]
    assert mistakes(BOARD, made, pairs) == []


@pytest.mark.parametrize("name", GRAPH_CONTESTANTS)
def test_a_contestant_finds_the_shortest_ways_in_a_graph(name: str) -> None:
    pytest.importorskip("scipy")
    roads = random_roads(300, 3)
    try:
        GRAPH_CONTESTANTS[name].make(roads)
    except ImportError as error:
        pytest.skip(str(error))
    contestants = {each: GRAPH_CONTESTANTS[each] for each in ("fsmkit AStar", name)}
    results, wrong = graph_rounds(roads, contestants, 1, 3)
    assert (wrong, list(results[0].seconds)) == ([], list(contestants))


def test_a_way_through_a_corner_or_a_longer_one_is_a_mistake() -> None:
    board = Board([[1, 0, 1], [1, 1, 1], [1, 1, 1]])

    def finding(way: list[tuple[int, int]]) -> object:
        return (lambda start, goal: way), list

    around = [(0, 0), (0, 1), (1, 1), (2, 1)]
    wrong = [
        (around, []),
        ([(0, 0), (1, 1), (2, 1)], ["astar: no way by its rule from (0, 0) to (2, 1)"]),
        (around[:-1], ["astar: no way by its rule from (0, 0) to (2, 1)"]),
        ([*around[:3], (1, 2), (2, 1)],
         [f"astar: {3 + 2**0.5} from (0, 0) to (2, 1) instead of 3.0"]),
    ]  # fmt: skip
    for way, expected in wrong:
        made = {PURE_GRID: finding(around), "astar": finding(way)}
        assert mistakes(board, made, [((0, 0), (2, 1))]) == expected  # type: ignore[arg-type]


def test_a_winding_board_has_one_way_that_visits_every_row() -> None:
    board = winding_board(4)
    way = list(pure_grid(board).find_path((0, 0), (0, board.size - 1)))
    assert all(board.allows(here, there, Diagonals.BOTH_FREE) for here, there in pairwise(way))
    assert ({y for _, y in way}, length_of(way)) == (set(range(9)), 4 * 8.0 + 8.0)


def test_the_goals_are_held_against_the_medians_of_the_rounds() -> None:
    far = Rounds("far", 1, {GRID: [0.26, 0.5, 0.24], "tcod AStar": [0.2, 0.2, 0.2]})
    near = Rounds(
        "near", 1, {GRID: [1.0], PURE_GRID: [3.0], "networkx": [2.0], "tcod AStar": [9.0]}
    )
    pulled = Rounds("winding", 1, {"search": [1.0], "smooth": [0.2]})
    found = [*far_verdicts(far), *near_verdicts(near), *pulling_verdicts("pure", [pulled])]
    assert [(verdict.goal, round(verdict.figure, 3), verdict.word) for verdict in found] == [
        ("far: fsmkit Grid, times tcod AStar", 1.3, "met"),
        ("near: fsmkit Grid, times networkx", 0.5, "met"),
        ("near: fsmkit Grid, pure, times networkx", 1.5, "missed"),
        ("smooth, pure, winding, times its search", 0.2, "missed"),
    ]
    assert verdicts_table(found).count("missed") == 2


def test_far_nodes_lie_at_both_ends_and_are_joined() -> None:
    pytest.importorskip("scipy")
    roads = random_roads(400, 5)
    for start, goal in far_nodes(roads, 5, 5):
        assert (roads.places[start][0] < 0.1, roads.places[goal][0] > 0.9) == (True, True)


@pytest.mark.parametrize("kind", MAKERS)
def test_fields_lead_many_walkers_as_searches_do_and_follow_changes(kind: str) -> None:
    try:
        grid = MAKERS[kind](BOARD)
    except ImportError as error:
        pytest.skip(str(error))
    goal, starts = crowd_of(BOARD, 30, 3)
    works = {
        **to_one_goal(grid, starts, goal),
        **after_a_change(BOARD, grid, goal, 3),
        **over_threads(grid, far_pairs(BOARD, 4, 3)),
    }
    assert [bool(work()) for work in works.values()] == [True] * 7
