"""Grid.is_clear: whether a wall lies between two positions."""

from collections.abc import Callable
from math import nan
from typing import Any

import pytest
from every import every
from hypothesis import given
from hypothesis import strategies as st

from fsmkit.pathfinding import Grid, line_of_sight

ROOM = """
    .....
    .##..
    .....
"""
SIZES = st.sampled_from([1.0, 32.0, (16.0, 24.0), (8.0, -8.0)])
NUMBERS = st.integers(-1, 5)
TILES = st.tuples(NUMBERS, NUMBERS)


@pytest.mark.slow
@given(TILES, TILES, SIZES, st.floats(-0.49, 0.49), st.floats(-0.49, 0.49))
def test_it_is_the_line_of_sight_between_the_tiles_below(
    start: tuple[int, int], end: tuple[int, int], size: Any, dx: float, dy: float
) -> None:
    grid = Grid(ROOM, tile_size=size, origin=(100.0, -50.0), compiled=False)
    width, height = grid.tile_size
    places = [(x + dx * width, y + dy * height) for x, y in map(grid.center, (start, end))]
    assert grid.is_clear(*places) is line_of_sight(grid, start, end)
    assert grid.is_clear(*places) is grid.is_clear(*reversed(places))


@every(
    ("start", "end", "clear"),
    [
        ((0.0, 0.0), (4.0, 0.0), True),
        ((0.0, 1.0), (4.0, 1.0), False),
        ((0.0, 0.0), (0.0, 0.0), True),
        ((1.0, 1.0), (1.0, 1.0), False),
        ((0.0, 0.0), (1.0, 1.0), False),
        ((0.0, 0.0), (5.0, 0.0), False),
        ((-9.0, 0.0), (4.0, 0.0), False),
        ((-9.0, -9.0), (-9.0, -9.0), False),
        ((0.49, -0.49), (4.49, 0.49), True),
        ((0.0, 0.0, 7.0), (4.0, 0.0, 9.0), True),
    ],
)
def test_walls_and_the_edge_of_the_map_are_in_the_way(
    start: tuple[float, ...], end: tuple[float, ...], clear: bool
) -> None:
    assert Grid(ROOM, compiled=False).is_clear(start, end) is clear


def test_it_follows_the_changes_of_the_map_and_the_walls_of_a_kind_of_walker() -> None:
    grid = Grid(["..."], compiled=False)
    swimmer = grid.masked([[True, False, True]])
    before = grid.is_clear((0, 0), (2, 0)), swimmer.is_clear((0, 0), (2, 0))
    grid.set_cost((1, 0), 0)
    assert (before, grid.is_clear((0, 0), (2, 0))) == ((True, False), False)


@pytest.mark.parametrize(
    ("ask", "error"),
    [
        (lambda grid: grid.is_clear(5, (0, 0)), TypeError),
        (lambda grid: grid.is_clear((0, 0), None), TypeError),
        (lambda grid: grid.is_clear((0, 0), (nan, 0)), ValueError),
    ],
)
def test_what_is_not_a_position_is_named(
    ask: Callable[[Grid], object], error: type[Exception]
) -> None:
    with pytest.raises(error, match="Grid: a position must be two"):
        ask(Grid(ROOM, compiled=False))
