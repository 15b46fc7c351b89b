"""Threads that read a map while others change it: each result is that of one version of the map."""

import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from copy import copy
from random import Random
from threading import Event
from typing import Any

import pytest

from fsmkit.pathfinding import AStarPath, Grid, Tile

SIZE = 16
ENGINES = pytest.mark.parametrize("compiled", [False, True], ids=["Python", "compiled"])


@pytest.fixture(autouse=True)
def hurried_threads() -> Iterator[None]:
    """Let the threads take turns as often as they can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def random_grid(random: Random, *, compiled: bool) -> Grid:
    if compiled:
        pytest.importorskip("numba")
    kinds = [0, 1, 1, 1, 2]
    rows = [[random.choice(kinds) for _ in range(SIZE)] for _ in range(SIZE)]
    return Grid(rows, compiled=compiled)


def random_changes(random: Random, number: int) -> dict[Tile, float]:
    return {
        (random.randrange(SIZE), random.randrange(SIZE)): random.choice([0, 1, 3])
        for _ in range(number)
    }


def side_by_side(changing: list[Callable[[], Any]], reading: list[Callable[[], Any]]) -> None:
    """Repeat what reads in threads of its own, until everything that changes has been called."""
    is_over = Event()

    def repeat(read: Callable[[], Any]) -> None:
        while not is_over.is_set():
            read()

    with ThreadPoolExecutor(len(changing) + len(reading)) as pool:
        readers = [pool.submit(repeat, read) for read in reading]
        for done in [pool.submit(change) for change in changing]:
            done.result()
        is_over.set()
        for reader in readers:
            reader.result()


def facts(path: AStarPath[Tile]) -> tuple[Any, ...]:
    return tuple(path), path.cost, path.reachable, path.nodes


@pytest.mark.slow
@ENGINES
def test_a_way_is_that_of_the_map_before_a_change_or_after_it(compiled: bool) -> None:
    random = Random(1)
    grid = random_grid(random, compiled=compiled)
    changes = [random_changes(random, 40) for _ in range(20)]
    ways = [((0, 0), (SIZE - 1, SIZE - 1)), ((0, SIZE - 1), (SIZE - 1, 0)), ((3, 3), (12, 9))]
    versions = [copy(grid)]
    for change in changes:
        versions.append(copy(versions[-1]))
        versions[-1].set_costs(change)
    possible = {way: {facts(version.find_path(*way)) for version in versions} for way in ways}

    def search() -> None:
        for way in ways:
            assert facts(grid.find_path(*way)) in possible[way]

    def change_the_map() -> None:
        for change in changes:
            search()
            grid.set_costs(change)

    side_by_side([change_the_map], [search] * 4)


@pytest.mark.slow
@ENGINES
def test_a_way_down_a_field_is_that_of_the_map_before_a_change_or_after_it(compiled: bool) -> None:
    random = Random(4)
    grid = random_grid(random, compiled=compiled)
    changes = [random_changes(random, 40) for _ in range(20)]
    starts = [(15, 15), (0, 15), (12, 3)]
    versions = [copy(grid)]
    for change in changes:
        versions.append(copy(versions[-1]))
        versions[-1].set_costs(change)
    fields = [version.field([(0, 0)]) for version in versions]
    ways = {start: {facts(each.path(start)) for each in fields} for start in starts}
    steps = {start: {each.next(start) for each in fields} for start in starts}
    field = grid.field([(0, 0)])

    def look() -> None:
        for start in starts:
            assert facts(field.path(start)) in ways[start]
            assert field.next(start) in steps[start]

    def change_the_map() -> None:
        for change in changes:
            look()
            grid.set_costs(change)

    side_by_side([change_the_map], [look] * 4)


@pytest.mark.slow
@ENGINES
def test_the_map_of_a_walker_and_its_field_end_up_as_the_whole_map(compiled: bool) -> None:
    random = Random(2)
    for _ in range(4):
        grid = random_grid(random, compiled=compiled)
        allowed = [[random.random() < 0.9 for _ in range(SIZE)] for _ in range(SIZE)]
        walker = grid.masked(allowed)
        field = walker.field([(3, 3)])
        writers = [Random(seed) for seed in (1, 2)]

        def change_the_map(random: Random, grid: Grid = grid) -> None:
            for _ in range(60):
                grid.set_costs(random_changes(random, 3))

        side_by_side(
            [lambda writer=writer: change_the_map(writer) for writer in writers],
            [lambda field=field: (field.cost((12, 12)), field.steps)],
        )
        fresh = grid.masked(allowed)
        tiles = [(x, y) for x in range(SIZE) for y in range(SIZE)]
        assert [walker.cost(tile) for tile in tiles] == [fresh.cost(tile) for tile in tiles]
        new = fresh.field([(3, 3)])
        assert [field.cost(tile) for tile in tiles] == [new.cost(tile) for tile in tiles]
        assert [field.next(tile) for tile in tiles] == [new.next(tile) for tile in tiles]
        assert facts(walker.find_path((0, 0), (9, 9))) == facts(fresh.find_path((0, 0), (9, 9)))


@ENGINES
def test_a_terrain_that_is_read_stays_as_it_is(compiled: bool) -> None:
    grid = random_grid(Random(3), compiled=compiled)
    field = grid.field([(0, 0)])
    before = grid.terrain
    costs = list(before.costs)
    with grid.reading(field) as terrain:
        grid.set_cost((5, 5), 7.5)
        assert (terrain is before, list(terrain.costs) == costs) == (True, True)
        assert grid.terrain is not before
    after = grid.terrain
    grid.set_cost((5, 5), 8.5)
    assert (grid.terrain is after, grid.cost((5, 5))) == (True, 8.5)
