"""What a grid takes for a tile, for a cost and for a number of nodes; in Python and compiled."""

import json
from decimal import Decimal
from fractions import Fraction
from math import inf, nan
from typing import Any

import pytest

from fsmkit.pathfinding import AStarPath, Grid

ENGINES = pytest.mark.parametrize("compiled", [False, True], ids=["Python", "compiled"])


def small_map(*, compiled: bool) -> Grid:
    if compiled:
        pytest.importorskip("numba")
    return Grid(["...", ".#.", "..."], compiled=compiled)


def pairs_of_numpy() -> list[Any]:
    np = pytest.importorskip("numpy")
    return [np.array([1, 0]), (np.int64(1), np.uint8(0))]


@ENGINES
def test_every_pair_of_whole_numbers_is_a_tile(compiled: bool) -> None:
    for tile in [(1, 0), [1, 0], *pairs_of_numpy()]:
        grid = small_map(compiled=compiled)
        assert list(grid.find_path(tile, (2, 0))) == [(1, 0), (2, 0)]
        assert grid.field([tile]).goal_of((2, 0)) == (1, 0)
        grid.set_cost(tile, 7)
        assert grid.to_text() == ".7.\n.#.\n..."


@ENGINES
def test_the_tiles_of_a_path_are_ordinary_numbers(compiled: bool) -> None:
    np = pytest.importorskip("numpy")
    grid = small_map(compiled=compiled)
    for path in (
        grid.find_path(np.array([0, 0]), np.array([2, 0])),
        grid.field(np.array([[2, 0]])).path((np.int64(0), np.int64(0))),
    ):
        assert json.dumps(list(path)) == "[[0, 0], [1, 0], [2, 0]]"


@pytest.mark.slow
@ENGINES
def test_the_small_integers_of_numpy_name_tiles_of_a_large_map(compiled: bool) -> None:
    np = pytest.importorskip("numpy")
    if compiled:
        pytest.importorskip("numba")
    grid = Grid(["." * 300] * 300, compiled=compiled)
    tile = np.uint8(200), np.uint8(255)
    grid.set_cost(tile, 3)
    assert (grid.cost(tile), grid.is_free(tile), grid.cost((200, 255))) == (3.0, True, 3.0)
    assert list(grid.find_path(tile, (202, 255))) == [(200, 255), (201, 255), (202, 255)]
    field = grid.field([tile])
    assert (field.cost(tile), field.next(tile), field.cost((202, 255))) == (0.0, None, 4.0)


@pytest.mark.parametrize("tile", [{0, 1}, {1: 0, 0: 1}, "10", None, (1.0, 0), (1, 0, 0)])
@ENGINES
def test_nothing_else_is_a_tile(tile: Any, compiled: bool) -> None:
    grid = small_map(compiled=compiled)
    for use in (
        lambda: grid.set_cost(tile, 2),
        lambda: grid.find_path((0, 0), tile),
        lambda: grid.find_paths([((0, 0), tile)]),
        lambda: grid.begin(tile, (0, 0)),
        lambda: grid.field([(0, 0)]).path(tile),
    ):
        with pytest.raises(TypeError, match=r"A tile must be \(column, row\), two integers"):
            use()
    with pytest.raises(TypeError, match="the goals of a field must be tiles"):
        grid.field([tile])
    assert grid.version == 0


def test_numbers_of_all_kinds_are_costs() -> None:
    costs = [True, 2, 2.5, Decimal("1.5"), Fraction(1, 4), 5e-324, 1e308, inf, 0, -0.0, False]
    costs += [Decimal("Infinity")]
    expected = [1.0, 2.0, 2.5, 1.5, 0.25, 5e-324, 1e308, inf, inf, inf, inf, inf]
    grid = Grid(["..."])
    found = []
    for cost in costs:
        grid.set_cost((1, 0), cost)
        found.append(grid.cost((1, 0)))
    assert found == expected
    assert [Grid([[1, cost]]).cost((1, 0)) for cost in costs] == expected


def test_the_numbers_of_numpy_are_costs() -> None:
    np = pytest.importorskip("numpy")
    grid = Grid(["..."])
    for cost in np.float32(2), np.int8(2), np.array(2.0):
        grid.set_cost((1, 0), 5)
        grid.set_cost((1, 0), cost)
        assert grid.cost((1, 0)) == 2.0
    grid.set_cost((1, 0), np.bool_(False))
    assert grid.cost((1, 0)) == inf


@pytest.mark.parametrize(
    ("cost", "shown"),
    [
        (-1, "-1"),
        (nan, "nan"),
        ("3", "'3'"),
        (b"3", "b'3'"),
        (None, "None"),
        (3j, "3j"),
        (Decimal("sNaN"), r"Decimal\('sNaN'\)"),
        (10**400, "1000"),
        (10**5000, "a value of type int that cannot be shown"),
    ],
    ids=range(9),  # the last has too many digits for a name
)
def test_what_is_not_a_cost_is_named_with_its_tile(cost: Any, shown: str) -> None:
    grid = Grid(["..."])
    message = rf"the cost of the tile \(1, 0\) must be a number >= 0, got {shown}"
    with pytest.raises(ValueError, match=message):
        grid.set_costs({(0, 0): 5, (1, 0): cost})
    with pytest.raises(ValueError, match=message):
        Grid([[1, cost, 1]])
    assert (grid.to_text(), grid.version) == ("...", 0)
    with pytest.raises(ValueError, match="must be a finite number >= 0, got " + shown):
        grid.field({(0, 0): cost})


def test_the_bounds_of_a_field_are_numbers_of_all_kinds() -> None:
    grid = Grid(["...."])
    starts: list[Any] = [1, 1.0, Decimal(1), Fraction(1), True]
    assert {grid.field({(0, 0): start}).cost((2, 0)) for start in starts} == {3.0}
    limits: list[Any] = [2, 2.0, Decimal(2), Fraction(2)]
    for limit in limits:
        field = grid.field([(0, 0)], max_cost=limit)
        assert [field.cost((x, 0)) for x in range(4)] == [0.0, 1.0, 2.0, inf]
    for limit in (-1, nan, "2", 10**5000):
        with pytest.raises(ValueError, match="max_cost must be a number >= 0 or None, got"):
            grid.field([(0, 0)], max_cost=limit)  # type: ignore[arg-type]


@ENGINES
def test_a_giant_number_of_nodes_is_no_limit(compiled: bool) -> None:
    grid = small_map(compiled=compiled)
    for nodes in (1e30, 2**63, 10**400):
        search = grid.begin((0, 0), (2, 2))
        assert search.step(nodes)
        assert search.path.cost == 4.0
    assert grid.find_path((0, 0), (2, 2), max_nodes=10**30).cost == 4.0


@ENGINES
def test_a_step_of_zero_nodes_or_fewer_is_refused(compiled: bool) -> None:
    search = small_map(compiled=compiled).begin((0, 0), (2, 2))
    assert [search.step(nodes) for nodes in (0, -1, -1e30, -inf)] == [False] * 4
    assert search.nodes == 0
    with pytest.raises(ValueError, match="nodes must be a number, got nan"):
        search.step(nan)
    search.run()
    assert search.path.cost == 4.0


@ENGINES
def test_only_a_path_object_is_filled(compiled: bool) -> None:
    grid = small_map(compiled=compiled)
    for path in ([], "x", {}):
        with pytest.raises(TypeError, match="path must be an AStarPath, got"):
            grid.find_path((0, 0), (2, 2), path=path)  # type: ignore[arg-type]
    kept: AStarPath[Any] = AStarPath()
    assert grid.find_path((0, 0), (2, 2), path=kept) is kept


@pytest.mark.parametrize("tile", [None, 5, "x", "ab", (1,), (1, 2, 3)], ids=repr)
def test_a_question_about_no_tile_is_refused_with_what_a_tile_is(tile: Any) -> None:
    grid = Grid(["..."])
    field = grid.field([(0, 0)])
    for ask in (grid.cost, grid.is_free, grid.center, field.cost, field.next, field.goal_of):
        with pytest.raises(TypeError, match=r"A tile must be \(column, row\), two integers"):
            ask(tile)


@pytest.mark.parametrize("position", [None, 5, "ab", (1.0,), {}], ids=repr)
def test_a_position_is_two_numbers(position: Any) -> None:
    with pytest.raises(TypeError, match="a position must be two numbers, got"):
        Grid(["..."]).tile_at(position)
