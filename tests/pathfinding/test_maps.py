"""Maps: as texts, lines and numbers; what they cost to change; where their tiles lie."""

import tracemalloc
from collections.abc import Iterator
from fractions import Fraction
from math import inf, nan
from random import Random
from typing import Any

import pytest
from every import every

from fsmkit.pathfinding import AStarPath, Grid, Tile, smooth

INDENTED = "\n    ....\n    ..#.\n    ....\n    "


@every(
    ("tiles", "size"),
    [
        (INDENTED, (4, 3)),
        ("    ....\n    ..#.", (4, 2)),
        ("\r\n\t..\r\n\t#.\r\n", (2, 2)),
        ("#####\n#   #\n#####", (5, 3)),
        ("\n    #####\n    #   #\n    #####\n    ", (5, 3)),
        ("\n    #  \n       \n    #  \n", (3, 3)),
        ("  #\n # ", (3, 2)),
        (["..#", "..."], (3, 2)),
        (("..#\n", "...\n"), (3, 2)),
        ((row for row in ["..#", "..."]), (3, 2)),
        ([[1, 0], [True, inf]], (2, 2)),
        ([range(3), (1.5, 2, 3)], (3, 2)),
        ("\ufeff..#\r\n...\r\n", (3, 2)),
        ("\ufeff\n    ..#\n    ...\n", (3, 2)),
        (["\ufeff..#\n", "...\n"], (3, 2)),
        (((cost for cost in (1, 0)) for _ in range(3)), (2, 3)),
        ([bytearray([1, 0, 2])], (3, 1)),
    ],
)
def test_a_map_is_as_large_as_it_looks(tiles: Any, size: tuple[int, int]) -> None:
    assert Grid(tiles).size == size


def test_lines_have_the_letters_of_a_text() -> None:
    grid = Grid(["..#~", "...."], blocked="#", costs={"~": 3.0})
    assert [grid.cost((x, 0)) for x in range(4)] == [1.0, 1.0, inf, 3.0]


@pytest.mark.parametrize(
    ("tiles", "message"),
    [
        (["..", "..."], "all rows must be equally long, got 3 tiles in row 1 and 2 in the first"),
        ([], "tiles must not be empty"),
        ("\n\n", "tiles must not be empty"),
        ([[]], "tiles must not be empty"),
        ([["a"]], r"the cost of the tile \(0, 0\) must be a number >= 0, got 'a'"),
        ([["1"]], r"the cost of the tile \(0, 0\) must be a number >= 0, got '1'"),
        ([[1, -1]], r"the cost of the tile \(1, 0\) must be a number >= 0, got -1"),
        ([[10**400]], r"the cost of the tile \(0, 0\) must be a number >= 0, got 1000"),
        ([[[1]]], r"the cost of the tile \(0, 0\) must be a number >= 0, got \[1\]"),
    ],
)
def test_what_is_not_a_map_is_refused(tiles: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Grid(tiles)


@pytest.mark.parametrize(
    "tiles",
    [
        b"..#",
        [b"..#", b"..."],
        {"..": 1, "#.": 2},
        {(1, 0): 2},
        {"..", "#."},
        [{1, 2}],
        5,
        None,
        [3],
    ],
)
def test_what_has_no_rows_in_order_is_refused(tiles: Any) -> None:
    with pytest.raises(TypeError, match="tiles must be a text, a list of lines, or rows of num"):
        Grid(tiles)


@pytest.mark.parametrize(
    "allowed", ["..", ["..", "#."], [b"..", b".."], {(0, 0): True}, [{1, 0}] * 2]
)
def test_a_mask_is_made_of_truth_values(allowed: Any) -> None:
    with pytest.raises(TypeError, match="allowed must be rows of truth values, one for each tile"):
        Grid(["..", ".."]).masked(allowed)


class Table:
    """A table such as that of pandas: an iteration is about the names of its columns."""

    def __init__(self, rows: list[list[float]]) -> None:
        self.rows = rows

    def __iter__(self) -> Iterator[str]:
        return iter(["column", "column"])

    def to_numpy(self) -> Any:
        return pytest.importorskip("numpy").array(self.rows)


def test_a_table_is_taken_for_its_numbers() -> None:
    grid = Grid(Table([[1, 0, 2], [1, 1, 1]]))
    assert grid.to_text() == ".#2\n..."
    assert grid.masked(Table([[1, 1, 0], [0, 1, 1]])).to_text() == ".##\n#.."


def test_a_grid_says_what_it_is() -> None:
    assert [repr(Grid(["..#", "..."], compiled=choice)) for choice in (False, True)] == [
        "<Grid of 3 x 2 tiles, 1 walls, searched in Python>",
        "<Grid of 3 x 2 tiles, 1 walls, searched compiled>",
    ]


@pytest.mark.parametrize("compiled", [False, True], ids=["Python", "compiled"])
def test_a_short_way_on_a_big_map_uses_little(compiled: bool) -> None:
    grid = Grid([[1] * 500] * 500, compiled=compiled)
    grid.find_path((0, 0), (5, 5))
    tracemalloc.start()
    try:
        grid.find_path((250, 250), (254, 251))
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 50_000  # the map has 250,000 tiles


@pytest.mark.parametrize("compiled", [False, True], ids=["Python", "compiled"])
def test_the_cheapest_tile_is_known_after_any_change(compiled: bool) -> None:
    random = Random(6)
    rows = [[random.choice([0, 1, 1, 2, 3.5]) for _ in range(5)] for _ in range(4)]
    grid = Grid(rows, compiled=compiled)
    for number in range(300):
        x, y = random.randrange(5), random.randrange(4)
        rows[y][x] = random.choice([0, 0, 1, 2, 0.1 * random.randint(1, 9), inf])
        grid.set_cost((x, y), rows[y][x])
        costs = [cost for row in rows for cost in row if 0 < cost < inf]
        assert grid.terrain.cheapest == min(costs, default=1.0), number


def test_several_costs_are_set_at_once_or_none() -> None:
    grid = Grid(["...", "..."])
    grid.set_costs({(0, 0): 2, (2, 1): 0})
    assert (grid.cost((0, 0)), grid.cost((2, 1)), grid.version) == (2.0, inf, 1)
    for costs, message in (
        ({(0, 0): 5, (3, 0): 1}, "A tile must be on the map"),
        ({(0, 0): 5, (1, 0): -1}, r"the cost of the tile \(1, 0\) must be a number >= 0, got -1"),
    ):
        with pytest.raises(ValueError, match=message):
            grid.set_costs(costs)
    with pytest.raises(TypeError, match="costs must be a mapping of tiles to numbers, got 5"):
        grid.set_costs(5)  # type: ignore[arg-type]
    grid.set_cost((0, 0), 2.0)  # as it is
    assert (grid.cost((0, 0)), grid.version) == (2.0, 1)


def test_one_in_a_wall_cannot_reach_that_wall() -> None:
    path = Grid(["#."]).find_path((0, 0), (0, 0))
    assert (list(path), path.reachable, path.nodes) == ([(0, 0)], False, 0)


def test_tiles_lie_where_the_game_says() -> None:
    pixels = Grid(["...", "..."], tile_size=32, origin=(16, 16))
    upward = Grid(["...", "..."], tile_size=(2.0, -2.0), origin=(1.0, 3.0))
    assert [pixels.center((2, 1)), upward.center((2, 1))] == [(80.0, 48.0), (5.0, 1.0)]
    assert [upward.tile_at(at) for at in ((0.1, 3.9), (5.9, 0.1), (-0.1, 4.1))] == [
        (0, 0),
        (2, 1),
        (-1, -1),
    ]
    plain = Grid(["..."])
    assert [plain.tile_at((x, 0.2)) for x in (-0.5, 0.49, 0.5, 1.5)] == [
        (0, 0),
        (0, 0),
        (1, 0),
        (2, 0),
    ]
    for size in (0, (1, 0), "a", (1, 2, 3), float("nan"), None):
        with pytest.raises(ValueError, match="tile_size must be a number other than 0, or two"):
            Grid("..", tile_size=size)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="origin must be two numbers, got 3"):
        Grid("..", origin=3)  # type: ignore[arg-type]


def known_of(path: AStarPath[Any]) -> tuple[object, ...]:
    return path.reachable, path.cost, path.nodes, path.gave_up


@pytest.mark.parametrize("goal", [(3, 0), (3, 1), (0, 0)])
def test_a_path_of_positions_knows_what_the_path_of_tiles_does(goal: Tile) -> None:
    grid = Grid(["...#", ".#..", "...."], tile_size=32, origin=(16, 16))
    for path in (
        grid.find_path((0, 0), goal),
        grid.find_path((0, 0), goal, max_nodes=1),
        smooth(grid, grid.find_path((0, 0), goal)),
        AStarPath(),
    ):
        places = path.map(grid.center)
        assert list(places) == [grid.center(tile) for tile in path]
        assert known_of(places) == known_of(path)
        assert list(places.map(grid.tile_at)) == list(path)


def test_a_path_of_positions_stays_when_the_path_of_tiles_is_filled_again() -> None:
    grid = Grid(["....."])
    path = grid.find_path((0, 0), (4, 0))
    places = path.map(grid.center)
    grid.find_path((0, 0), (1, 0), path=path)
    assert (len(places), places.cost) == (5, 4.0)


def test_an_error_on_the_way_to_positions_reaches_the_caller() -> None:
    path = Grid(["..."]).find_path((0, 0), (2, 0))
    with pytest.raises(ZeroDivisionError):
        path.map(lambda tile: 1 / tile[1])
    assert list(path) == [(0, 0), (1, 0), (2, 0)]


def test_the_size_of_a_tile_is_a_number_of_any_kind() -> None:
    np = pytest.importorskip("numpy")
    sizes: list[Any] = [np.int64(32), np.float32(32), np.array([32, 32]), [32, 32], Fraction(32)]
    assert {Grid("..", tile_size=size).tile_size for size in sizes} == {(32.0, 32.0)}
    for size in ("32", "1", None, 0, (1, 0), nan, (1, 2, 3), 10**400):
        with pytest.raises(ValueError, match="tile_size must be a number other than 0, or two"):
            Grid("..", tile_size=size)  # type: ignore[arg-type]


@pytest.mark.parametrize("position", [(nan, 0.0), (0.0, inf), (-inf, nan)])
def test_no_tile_is_at_an_impossible_position(position: tuple[float, float]) -> None:
    with pytest.raises(ValueError, match="a position must be two finite numbers, got"):
        Grid("..").tile_at(position)
