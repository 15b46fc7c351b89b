"""Grids searched in Python and by compiled code: the same tiles, costs, nodes and slices."""

import copy
import os
import pickle
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from fsmkit.pathfinding import AStarPath, Diagonals, Grid, Tile, smooth

KINDS = (
    [0, 1, 1, 1],
    [0, 1, 1, 2, 5],
    [1, 3],
    [0, 0.25, 1.5, 0.7],
    [0.1, 0.2, 0.30000000000000004],
)
ENGINES = pytest.mark.parametrize("compiled", [False, True], ids=["Python", "compiled"])


def random_rows(random: Random, largest: int = 30) -> list[list[float]]:
    kinds = random.choice(KINDS)
    width, height = random.randint(1, largest), random.randint(1, largest)
    return [[random.choice(kinds) for _ in range(width)] for _ in range(height)]


def random_tile(random: Random, grid: Grid) -> Tile:
    return random.randrange(grid.width), random.randrange(grid.height)


def facts(path: AStarPath[Tile]) -> tuple[Any, ...]:
    return list(path), path.cost, path.reachable, path.nodes, path.gave_up


def both(random: Random) -> Iterator[tuple[Grid, Grid]]:
    for _ in range(150):
        rows, rule = random_rows(random), random.choice(list(Diagonals))
        yield (
            Grid(rows, diagonals=rule, compiled=False),
            Grid(rows, diagonals=rule, compiled=True),
        )


@pytest.mark.slow
def test_the_paths_are_the_same_tile_by_tile_and_bit_by_bit() -> None:
    random = Random(1)
    for plain, compiled in both(random):
        for _ in range(4):  # the second search of a map is to be as the first
            start, goal = random_tile(random, plain), random_tile(random, plain)
            limit = random.choice([None, None, random.randint(1, 50)])
            found = [grid.find_path(start, goal, max_nodes=limit) for grid in (plain, compiled)]
            assert facts(found[0]) == facts(found[1])
            assert facts(smooth(plain, found[0])) == facts(smooth(compiled, found[1]))


@pytest.mark.slow
def test_slices_end_at_the_same_node() -> None:
    random = Random(2)
    for plain, compiled in both(random):
        start, goal = random_tile(random, plain), random_tile(random, plain)
        searches = [grid.begin(start, goal) for grid in (plain, compiled)]
        while not all(search.is_over for search in searches):
            nodes = random.choice([1, 1, 2, 7, 2.5, 100])
            assert len({search.step(nodes) for search in searches}) == 1
            assert len({search.nodes for search in searches}) == 1
        assert facts(searches[0].path) == facts(searches[1].path)


@pytest.mark.slow
def test_a_search_continues_with_the_map_as_it_was_when_it_began() -> None:
    random = Random(3)
    for grids in both(random):
        for grid in grids:
            start, goal = random_tile(random, grid), random_tile(random, grid)
            before = facts(grid.find_path(start, goal))
            search = grid.begin(start, goal)
            assert not search.is_outdated
            while not search.step(random.choice([1, 3, 20])):
                for _ in range(3):
                    grid.set_cost(random_tile(random, grid), random.choice([0, 0.01, 1, 9]))
            assert facts(search.path) == before
            grid.set_cost(start, 123.0)
            assert search.is_outdated
            again = Grid(
                [[grid.cost((x, y)) for x in range(grid.width)] for y in range(grid.height)],
                diagonals=grid.diagonals,
                compiled=grid.compiled,
            )
            assert facts(grid.find_path(start, goal)) == facts(again.find_path(start, goal))


@ENGINES
def test_searches_may_overlap(compiled: bool) -> None:
    random = Random(4)
    grid = Grid(random_rows(random), compiled=compiled)
    pairs = [(random_tile(random, grid), random_tile(random, grid)) for _ in range(20)]
    searches = [grid.begin(*pair) for pair in pairs]
    waiting = list(searches)
    while waiting:
        search = random.choice(waiting)
        if search.step(random.randint(1, 9)):
            waiting.remove(search)
    assert [facts(search.path) for search in searches] == [
        facts(path) for path in grid.find_paths(pairs, threads=3)
    ]


@ENGINES
def test_bad_pairs_and_threads_are_refused(compiled: bool) -> None:
    grid = Grid(["..."], compiled=compiled)
    assert grid.find_paths([]) == []
    for threads in (0, -1, 1.5, "2"):
        with pytest.raises(ValueError, match="threads must be an integer >= 1 or None, got"):
            grid.find_paths([((0, 0), (1, 0))], threads=threads)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="A tile must be on the map"):
        grid.find_paths([((0, 0), (1, 0)), ((0, 0), (9, 0))])


@ENGINES
def test_a_mask_is_a_map_for_one_kind_of_walker(compiled: bool) -> None:
    lake = Grid(["..~..", "..~..", "....."], compiled=compiled)
    allowed = [[letter != "~" for letter in row] for row in ("..~..", "..~..", ".....")]
    soldier = lake.masked(allowed)
    assert (lake.find_path((1, 0), (3, 0)).cost, soldier.find_path((1, 0), (3, 0)).cost) == (2, 6)
    assert (soldier.cost((2, 0)), soldier.compiled) == (float("inf"), compiled)
    soldier.set_cost((2, 1), 5.0)  # for all walkers, and it stays forbidden to this one
    lake.set_cost((2, 2), 3.0)
    assert [(grid.cost((2, 1)), grid.cost((2, 2))) for grid in (lake, soldier)] == [
        (5.0, 3.0),
        (float("inf"), 3.0),
    ]
    for copied in (copy.deepcopy, lambda pair: pickle.loads(pickle.dumps(pair))):
        other_lake, other_soldier = copied((lake, soldier))
        other_lake.set_cost((2, 2), 1.0)
        assert (other_soldier.cost((2, 2)), soldier.cost((2, 2))) == (1.0, 3.0)


@ENGINES
def test_a_search_under_way_can_be_copied(compiled: bool) -> None:
    random = Random(5)
    grid = Grid(random_rows(random), compiled=compiled)
    search = grid.begin((0, 0), (grid.width - 1, grid.height - 1))
    search.step(5)
    for copied in (copy.deepcopy(search), pickle.loads(pickle.dumps(search))):
        copied.run()
        assert facts(copied.path) == facts(
            grid.find_path((0, 0), (grid.width - 1, grid.height - 1))
        )
    search.grid.set_cost((0, 0), 7.0)
    assert search.is_outdated


@pytest.mark.parametrize("allowed", [[[1, 1]], [[1], [1]], [], [[1, 1, 1], [1, 1]]], ids=repr)
def test_a_mask_of_another_size_is_refused(allowed: list[list[int]]) -> None:
    with pytest.raises(ValueError, match="allowed must have 2 rows of 3 truth values, got"):
        Grid(["...", "..."]).masked(allowed)
    with pytest.raises(TypeError, match="allowed must be rows of truth values"):
        Grid(["...", "..."]).masked(5)  # type: ignore[arg-type]


WITHOUT_NUMBA = """
import sys
sys.modules["numba"] = None
from fsmkit.pathfinding import Grid
grid = Grid(["...", "..."])
print(grid.compiled, grid.find_path((0, 0), (2, 1)))
try:
    Grid(["..."], compiled=True)
except ImportError as error:
    print(error)
"""


@pytest.mark.slow
def test_without_numba_a_grid_is_searched_in_python() -> None:
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_NUMBA], capture_output=True, text=True, check=False
    )
    assert (done.stdout.splitlines(), done.stderr) == (
        [
            "False <AStarPath of 3 positions, cost 2.41421, reachable>",
            "A compiled Grid needs numpy and numba: pip install 'fsmkit[crowd]'.",
        ],
        "",
    )


USING_GRIDS = """
from fsmkit.pathfinding import Grid
for _ in range(2):
    print(Grid("..").compiled, Grid("...").find_path((0, 0), (2, 0)).cost)
try:
    Grid("..", compiled=True)
except ImportError as error:
    print(error)
print(Grid("..", compiled=False).compiled)
"""


def with_a_numba_that(fails: str, folder: Path, **environment: str) -> tuple[list[str], str]:
    """Return what a program prints, and what it warns of, where numba fails in that way."""
    if fails:
        (folder / "numba").mkdir()
        (folder / "numba" / "__init__.py").write_text(f"raise {fails}")
    program = folder / "program.py"
    program.write_text(USING_GRIDS)
    done = subprocess.run(
        [sys.executable, program], capture_output=True, text=True, check=True,
        env={**os.environ, "PYTHONPATH": str(folder), **environment},
    )  # fmt: skip
    return done.stdout.splitlines(), done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("error", ["ImportError", "AttributeError", "SystemError", "OSError"])
def test_where_numba_does_not_load_a_grid_is_searched_in_python_with_a_warning(
    error: str, tmp_path: Path
) -> None:
    shown, warned = with_a_numba_that(f"{error}('Numba needs NumPy 2.2 or less')", tmp_path)
    why = "A compiled Grid needs numba, which does not load here: Numba needs NumPy 2.2 or less"
    assert shown == ["False 2.0", "False 2.0", why, "False"]
    assert warned.count("RuntimeWarning") == 1
    assert (
        f"program.py:4: RuntimeWarning: Grids are searched in Python: numba is installed, but "
        f"cannot be used ({why}). Give compiled=False" in warned
    )


@pytest.mark.slow
def test_where_numba_must_not_compile_a_grid_is_searched_in_python(tmp_path: Path) -> None:
    pytest.importorskip("numba")
    shown, warned = with_a_numba_that("", tmp_path, NUMBA_DISABLE_JIT="1")
    why = "A compiled Grid needs numba to compile: NUMBA_DISABLE_JIT is set."
    assert shown == ["False 2.0", "False 2.0", why, "False"]
    assert warned.count("RuntimeWarning") == 1


def test_compiled_says_which() -> None:
    assert [Grid("..", compiled=choice).compiled for choice in (None, True, False)] == [
        True,
        True,
        False,
    ]
    with pytest.raises(TypeError, match="compiled must be True, False or None, got 'yes'"):
        Grid("..", compiled="yes")  # type: ignore[arg-type]


@pytest.mark.parametrize("compiled", [False, True], ids=["Python", "compiled"])
@pytest.mark.parametrize("scale", [5e-324 * 2**60, 1e-300, 1e300, 1e307])
def test_the_cheapest_way_is_found_however_large_or_small_the_costs_are(
    scale: float, compiled: bool
) -> None:
    random = Random(6)
    rows = [[random.choice([0, 1, 1, 1, 1]) for _ in range(12)] for _ in range(12)]
    usual = Grid(rows, compiled=compiled)
    scaled = Grid([[cost * scale for cost in row] for row in rows], compiled=compiled)
    free = [(x, y) for x in range(12) for y in range(12) if usual.is_free((x, y))]
    for start in free[::7]:
        for goal in free[::3]:
            expected, found = usual.find_path(start, goal), scaled.find_path(start, goal)
            assert found.reachable == expected.reachable
            assert found.cost / scale == pytest.approx(expected.cost, rel=1e-9)
