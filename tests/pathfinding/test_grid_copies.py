"""Copies of grids, of kinds of walkers, of fields and of searches under way."""

import copy
import pickle
from collections.abc import Callable
from math import inf
from typing import Any

import pytest

from fsmkit.pathfinding import Grid

WAYS = [copy.copy, copy.deepcopy, lambda each: pickle.loads(pickle.dumps(each))]
COPIES = pytest.mark.parametrize("copied", WAYS, ids=["copy", "deepcopy", "pickle"])
ENGINES = pytest.mark.parametrize("compiled", [False, True], ids=["Python", "compiled"])

Copy = Callable[[Any], Any]


def open_field(*, compiled: bool) -> Grid:
    if compiled:
        pytest.importorskip("numba")
    return Grid(["." * 20] * 20, compiled=compiled)


@ENGINES
@COPIES
def test_what_is_set_in_a_copy_of_a_grid_is_not_set_in_the_grid(
    copied: Copy, compiled: bool
) -> None:
    grid = open_field(compiled=compiled)
    grid.set_cost((3, 3), 0)
    other = copied(grid)
    other.set_cost((0, 0), 9)
    grid.set_cost((1, 1), 5)
    tiles = [(0, 0), (1, 1), (3, 3)]
    assert [grid.cost(tile) for tile in tiles] == [1.0, 5.0, inf]
    assert [other.cost(tile) for tile in tiles] == [9.0, 1.0, inf]
    assert (grid.version, other.version) == (2, 2)
    assert (1, 1) not in list(grid.find_path((0, 0), (2, 2)))
    assert (1, 1) in list(other.find_path((0, 0), (2, 2)))


@ENGINES
def test_a_copy_of_a_kind_of_walker_follows_the_same_map(compiled: bool) -> None:
    grid = open_field(compiled=compiled)
    soldier = grid.masked([[x != 5 for x in range(20)] for _ in range(20)])
    other = copy.copy(soldier)
    other.set_cost((0, 0), 9)
    grid.set_cost((1, 1), 4)
    grid.set_cost((5, 5), 2)
    assert [each.cost((0, 0)) for each in (grid, soldier, other)] == [9.0] * 3
    assert [each.cost((1, 1)) for each in (grid, soldier, other)] == [4.0] * 3
    assert [each.cost((5, 5)) for each in (grid, soldier, other)] == [2.0, *[inf] * 2]
    assert (soldier.version, other.version) == (2, 2)


@ENGINES
@COPIES
def test_a_copy_of_a_search_continues_by_itself(copied: Copy, compiled: bool) -> None:
    grid = open_field(compiled=compiled)
    search = grid.begin((0, 0), (19, 5))
    search.step(5)
    other = copied(search)
    search.run()
    assert (other.is_over, other.nodes, len(other.path)) == (False, 5, 0)
    other.run()
    assert list(other.path) == list(search.path)
    assert (other.path.cost, other.nodes) == (search.path.cost, search.nodes)


@ENGINES
def test_a_copied_search_leaves_the_map_fit_for_others(compiled: bool) -> None:
    grid = open_field(compiled=compiled)
    search = grid.begin((0, 0), (19, 5))
    search.step(5)
    other = copy.copy(search)
    assert other.grid is grid
    grid.set_cost((10, 3), 0)
    assert (search.is_outdated, other.is_outdated) == (True, True)
    for each in (search, other):
        each.run()
    ends = [((0, 0), (19, 19)), ((3, 3), (19, 0))]
    expected = [list(grid.find_path(*each)) for each in ends]
    searches = [grid.begin(*each) for each in ends]
    while not all(each.is_over for each in searches):
        for each in searches:
            each.step()
    assert [list(each.path) for each in searches] == expected
