"""Grids: published maps, the rules for diagonals, costs, and searches in slices."""

import os
from heapq import heappop, heappush
from itertools import pairwise
from math import inf, sqrt
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsmkit.pathfinding import AStarPath, Diagonals, Grid, Tile, line_of_sight, smooth

ORACLES = Path(os.environ.get("FSMKIT_ORACLES", Path(__file__).parents[3] / "shared" / "oracles"))
MAPS = sorted((ORACLES / "movingai").glob("*.map"))
needs_maps = pytest.mark.skipif(not MAPS, reason="the maps are not there (FSMKIT_ORACLES)")


# Published maps


def read_map(path: Path) -> Grid:
    return Grid("\n".join(path.read_text("ascii").splitlines()[4:]), blocked="@OTW")


def scenarios(path: Path) -> list[tuple[Tile, Tile, float]]:
    lines = path.with_suffix(".map.scen").read_text("ascii").splitlines()[1:]
    rows = [line.split() for line in lines if line]
    return [((int(row[4]), int(row[5])), (int(row[6]), int(row[7])), float(row[8])) for row in rows]


def is_legal(grid: Grid, start: Tile, end: Tile) -> bool:
    """Return True if one may step to the next tile, both tiles beside the corner being free."""
    (x, y), (u, v) = start, end
    beside = [(u, y), (x, v)]
    return max(abs(u - x), abs(v - y)) == 1 and all(map(grid.is_free, [end, *beside]))


@needs_maps
@pytest.mark.parametrize("path", MAPS, ids=lambda path: path.stem)
def test_every_scenario_of_the_published_maps(path: Path) -> None:
    grid = read_map(path)
    found: AStarPath[Tile] = AStarPath()
    for start, goal, length in scenarios(path):
        grid.find_path(start, goal, path=found)
        assert found.reachable is (length > 0 or start == goal)
        assert found.cost == pytest.approx(length, abs=0.006)
        assert all(is_legal(grid, here, there) for here, there in pairwise(found))
        assert (found[0], found[-1]) == (start, goal)
        steps = sum(sqrt(2) if a != c and b != d else 1 for (a, b), (c, d) in pairwise(found))
        assert found.cost == pytest.approx(steps)


# Rules

CORNER = """
.#
..
"""

CHECKERS = """
.#
#.
"""


@pytest.mark.parametrize(
    ("diagonals", "around_corner", "between_corners"),
    [
        (Diagonals.ALWAYS, sqrt(2), sqrt(2)),
        (Diagonals.ONE_FREE, sqrt(2), None),
        (Diagonals.BOTH_FREE, 2.0, None),
        (Diagonals.NEVER, 2.0, None),
    ],
)
def test_when_a_corner_may_be_cut(
    diagonals: Diagonals, around_corner: float, between_corners: float | None
) -> None:
    path = Grid(CORNER, diagonals=diagonals).find_path((0, 0), (1, 1))
    assert path.cost == pytest.approx(around_corner)
    path = Grid(CHECKERS, diagonals=diagonals).find_path((0, 0), (1, 1))
    assert (path.cost if path.reachable else None) == pytest.approx(between_corners)


def test_with_four_neighbours_there_are_no_diagonals() -> None:
    path = Grid("...\n...\n...", neighbours=4, diagonals=Diagonals.ALWAYS).find_path((0, 0), (2, 2))
    assert (path.cost, len(path)) == (4.0, 5)


def test_a_costly_tile_is_gone_around_if_that_is_cheaper() -> None:
    swamp = Grid("...\n.~.\n...", neighbours=4, costs={"~": 5.0})
    assert swamp.find_path((0, 1), (2, 1)).cost == 4.0
    assert swamp.cost((1, 1)) == 5.0
    shallow = Grid("...\n.~.\n...", neighbours=4, costs={"~": 2.5})
    assert list(shallow.find_path((0, 1), (2, 1))) == [(0, 1), (1, 1), (2, 1)]


def test_tiles_may_be_rows_of_costs() -> None:
    rows = [[1, 0, 1], [True, inf, 0.5], [1, 1, 1]]
    grid = Grid(rows, neighbours=4)
    assert [grid.cost((x, 1)) for x in range(3)] == [1.0, inf, 0.5]
    assert grid.find_path((0, 0), (2, 0)).cost == 1 + 1 + 1 + 1 + 0.5 + 1


def test_tiles_may_be_an_array() -> None:
    numpy = pytest.importorskip("numpy", reason="NumPy is not installed")
    free = numpy.ones((20, 30), dtype=bool)
    free[5, :29] = False
    grid = Grid(free)
    assert grid.size == (30, 20)
    path = grid.find_path((0, 0), (0, 19))
    assert (path.reachable, (29, 5) in list(path)) == (True, True)


def test_tiles_may_change() -> None:
    grid = Grid("...\n.#.\n...")
    assert grid.find_path((0, 1), (2, 1)).cost == 4.0
    grid.set_cost((1, 1), 1.0)
    assert grid.find_path((0, 1), (2, 1)).cost == 2.0
    grid.set_cost((1, 1), 0)
    assert grid.find_path((0, 1), (2, 1)).cost == 4.0


def test_without_a_way_the_path_leads_to_the_nearest_tile() -> None:
    grid = Grid("..#.\n..#.\n..#.")
    path = grid.find_path((0, 2), (3, 0))
    assert (path.reachable, list(path), path.cost) == (
        False, [(0, 2), (1, 1), (1, 0)], 1 + sqrt(2),
    )  # fmt: skip
    wall = grid.find_path((0, 0), (2, 0))
    assert (wall.reachable, list(wall)) == (False, [(0, 0), (1, 0)])


def test_the_start_may_be_the_goal() -> None:
    path = Grid("..").find_path((1, 0), (1, 0))
    assert (path.reachable, list(path), path.cost, path.nodes) == (True, [(1, 0)], 0.0, 0)


def test_a_search_that_is_bounded_gives_up_at_the_nearest_tile() -> None:
    path = Grid("." * 50).find_path((0, 0), (49, 0), max_nodes=10)
    assert (path.reachable, path.gave_up, path.nodes, path[-1]) == (False, True, 10, (10, 0))


def test_a_way_that_is_found_with_the_last_tile_is_a_way() -> None:
    field = Grid("......\n......\n......")
    unbounded = field.find_path((0, 0), (5, 2))
    bounded = field.find_path((0, 0), (5, 2), max_nodes=unbounded.nodes)
    assert (list(bounded), bounded.reachable, bounded.gave_up) == (list(unbounded), True, False)


def test_a_way_that_may_not_be_the_cheapest_is_still_a_way() -> None:
    hill = Grid("..\n.^", costs={"^": 5.0})
    hasty, patient = (hill.find_path((0, 0), (1, 1), max_nodes=most) for most in (1, None))
    assert (hasty.reachable, hasty.gave_up, hasty.cost) == (True, True, 5.0 * sqrt(2))
    assert (patient.reachable, patient.gave_up, patient.cost) == (True, False, 6.0)


def test_lines_may_end_as_on_windows() -> None:
    assert Grid("..\r\n#.\r\n").size == (2, 2)


def test_an_open_field_is_crossed_and_not_flooded() -> None:
    field = Grid("\n".join("." * 100 for _ in range(100)), neighbours=4)
    assert field.find_path((0, 0), (99, 99)).nodes == 198


def test_a_search_can_be_carried_on_and_cancelled() -> None:
    grid = Grid("." * 30)
    search = grid.begin((0, 0), (29, 0))
    steps = 0
    while not search.step(4):
        steps += 1
    assert (steps, list(search.path), search.path.reachable) == (
        7, [(x, 0) for x in range(30)], True,
    )  # fmt: skip
    search = grid.begin((0, 0), (29, 0), path=search.path)
    search.step(5)
    search.cancel()
    search.cancel()
    assert (search.is_over, search.step(), search.path.gave_up, search.path[-1]) == (
        True, True, True, (5, 0),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (("",), "tiles must not be empty"),
        (([],), "tiles must not be empty"),
        (("...\n..",), "got 2 tiles in row 1 and 3 in the first"),
        (([[1, -1]],), r"the cost of the tile \(1, 0\) must be a number >= 0, got -1"),
        (([["a"]],), r"the cost of the tile \(0, 0\) must be a number >= 0, got 'a'"),
        (([[float("nan")]],), r"the cost of the tile \(0, 0\) must be a number >= 0, got nan"),
    ],
)
def test_an_invalid_map_is_refused(arguments: Any, error: str) -> None:
    with pytest.raises(ValueError, match=error):
        Grid(*arguments)


def test_other_mistakes_are_reported() -> None:
    with pytest.raises(ValueError, match="neighbours must be 4 or 8, got 6"):
        Grid("..", neighbours=6)
    with pytest.raises(TypeError, match="diagonals must be a member of Diagonals, got 'always'"):
        Grid("..", diagonals="always")  # type: ignore[arg-type]
    with pytest.raises(
        ValueError, match=r"must be on the map of 2 columns and 1 rows, got \(2, 0\)"
    ):
        Grid("..").find_path((0, 0), (2, 0))
    for tile in ((0.5, 0), "a", (1, 0, 0), None):
        with pytest.raises(TypeError, match=r"A tile must be \(column, row\), two integers, got"):
            Grid("..").find_path((0, 0), tile)  # type: ignore[arg-type]
    for tiles in (5, [1, 2]):
        with pytest.raises(
            TypeError, match="tiles must be a text, a list of lines, or rows of numbers"
        ):
            Grid(tiles)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="max_nodes must be an integer >= 1 or None, got 0"):
        Grid("..").find_path((0, 0), (1, 0), max_nodes=0)
    with pytest.raises(ValueError, match="costs must be for single letters, got '~~'"):
        Grid("..", costs={"~~": 2.0})
    with pytest.raises(
        TypeError, match=r"costs must be a mapping of letters to numbers, got \[2.0\]"
    ):
        Grid("..", costs=[2.0])  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="must be on the map"):
        Grid("..").set_cost((-1, 0), 1.0)


# Against Dijkstra

maps = st.integers(1, 7).flatmap(
    lambda width: st.lists(
        st.lists(st.sampled_from([0, 0, 1, 1, 1, 2, 3.5]), min_size=width, max_size=width),
        min_size=1, max_size=7,
    )
)  # fmt: skip


def least_costs(rows: list[list[float]], diagonals: Diagonals, start: Tile) -> dict[Tile, float]:
    """Return the cost of getting anywhere, by an algorithm that knows nothing of the goal."""

    def free(x: int, y: int) -> bool:
        return 0 <= y < len(rows) and 0 <= x < len(rows[0]) and rows[y][x] > 0

    costs: dict[Tile, float] = {}
    opened: list[tuple[float, Tile]] = [(0.0, start)]
    while opened:
        cost, (x, y) = heappop(opened)
        if (x, y) in costs:
            continue
        costs[x, y] = cost
        for dx in (-1, 0, 1):
            for dy in (-1, 0, 1):
                if not free(x + dx, y + dy) or (dx == dy == 0):
                    continue
                beside = free(x + dx, y) + free(x, y + dy)
                allowed = {"always": 0, "never": 3}.get(
                    diagonals.value, 2 if diagonals is Diagonals.BOTH_FREE else 1
                )
                if dx and dy and beside < allowed:
                    continue
                step = (sqrt(2) if dx and dy else 1.0) * rows[y + dy][x + dx]
                heappush(opened, (cost + step, (x + dx, y + dy)))
    return costs


@pytest.mark.slow
@given(maps, st.sampled_from(Diagonals), st.data())
def test_paths_cost_what_dijkstra_finds(
    rows: list[list[float]], diagonals: Diagonals, data: st.DataObject
) -> None:
    tiles = [(x, y) for y in range(len(rows)) for x in range(len(rows[0]))]
    start, goal = data.draw(st.sampled_from(tiles)), data.draw(st.sampled_from(tiles))
    expected = least_costs(rows, diagonals, start)
    grid = Grid(rows, diagonals=diagonals)
    path = grid.find_path(start, goal)
    assert path.reachable is (goal in expected and grid.is_free(goal))
    assert path.cost == pytest.approx(expected[path[-1]])
    search = grid.begin(start, goal)
    while not search.step(data.draw(st.integers(1, 5))):
        pass
    assert (list(search.path), search.path.nodes) == (list(path), path.nodes)


@pytest.mark.slow
@given(maps, st.data())
def test_a_smoothed_path_is_never_longer_and_never_crosses_a_wall(
    rows: list[list[float]], data: st.DataObject
) -> None:
    tiles = [(x, y) for y in range(len(rows)) for x in range(len(rows[0])) if rows[y][x]]
    if not tiles:
        return
    grid = Grid(rows)
    path = list(
        grid.find_path(data.draw(st.sampled_from(tiles)), data.draw(st.sampled_from(tiles)))
    )
    pulled = smooth(grid, path)

    def length(tiles: list[Tile]) -> float:
        return sum(sqrt((a - c) ** 2 + (b - d) ** 2) for (a, b), (c, d) in pairwise(tiles))

    assert (pulled[0], pulled[-1]) == (path[0], path[-1])
    assert set(pulled) <= set(path)
    assert length(pulled) <= length(path) + 1e-9
    assert all(line_of_sight(grid, here, there) for here, there in pairwise(pulled))


def test_a_path_that_stands_still_in_a_wall_has_a_cost() -> None:
    walls = Grid("###")
    still = smooth(walls, [(1, 0), (1, 0)])
    assert (list(still), still.cost) == ([(1, 0), (1, 0)], 0.0)
    assert smooth(walls, [(0, 0), (2, 0), (2, 0)]).cost == inf
    assert smooth(walls, [(0, 0)]).cost == 0.0


@pytest.mark.slow
@given(maps, st.data())
def test_sight_is_the_same_both_ways_and_blocked_by_what_lies_on_it(
    rows: list[list[float]], data: st.DataObject
) -> None:
    tiles = [(x, y) for y in range(len(rows)) for x in range(len(rows[0]))]
    start, end = data.draw(st.sampled_from(tiles)), data.draw(st.sampled_from(tiles))
    grid = Grid(rows)
    seen = line_of_sight(grid, start, end)
    assert seen is line_of_sight(grid, end, start)
    between = [
        (round(start[0] + (end[0] - start[0]) * share / 97),
         round(start[1] + (end[1] - start[1]) * share / 97))
        for share in range(98)
    ]  # fmt: skip
    assert not seen or all(map(grid.is_free, between))
