"""Flow fields: costs as of Dijkstra, ways as of the search, and repair after changes."""

import copy
import pickle
import random
import sys
from collections.abc import Callable, Iterator, Mapping
from gc import collect
from heapq import heappop, heappush
from math import inf, nan, sqrt
from typing import Any
from weakref import ref

import numpy as np
import pytest

from fsmkit.pathfinding import Diagonals, FlowField, Grid, Tile

ENGINES = pytest.mark.parametrize("compiled", [False, True])
RULES = list(Diagonals)
MIN_FREE = {
    Diagonals.ALWAYS: 0,
    Diagonals.ONE_FREE: 1,
    Diagonals.BOTH_FREE: 2,
    Diagonals.NEVER: 3,
}
COSTS = (0, 0, 1, 1, 1, 1, 2.5, 0.1, 7)
STARTS = (0, 0, 3.5, 1)
HUGE = (0, 1, 1, 1e16, 3e20, 1e-9)


def tiles_of(grid: Grid) -> list[Tile]:
    return [(x, y) for y in range(grid.height) for x in range(grid.width)]


def steps_into(grid: Grid, tile: Tile) -> Iterator[tuple[Tile, float]]:
    """The tiles, walls too, from which one can go to `tile`, and what that costs."""
    if not grid.is_free(tile):
        return
    x, y = tile
    for dx in (-1, 0, 1):
        for dy in (-1, 0, 1):
            near = x + dx, y + dy
            if near == tile or not (0 <= near[0] < grid.width and 0 <= near[1] < grid.height):
                continue
            if not dx or not dy:
                yield near, grid.cost(tile)
            elif grid.is_free((x, y + dy)) + grid.is_free((x + dx, y)) >= MIN_FREE[grid.diagonals]:
                yield near, grid.cost(tile) * sqrt(2.0)


def dijkstra(grid: Grid, goals: Mapping[Tile, float], limit: float = inf) -> dict[Tile, float]:
    costs = dict.fromkeys(tiles_of(grid), inf)
    opened = [(cost, goal) for goal, cost in goals.items() if grid.is_free(goal) and cost <= limit]
    costs.update({goal: cost for cost, goal in opened})
    opened.sort()
    while opened:
        cost, tile = heappop(opened)
        if cost == costs[tile]:
            for near, weight in steps_into(grid, tile):
                if cost + weight < costs[near] and cost + weight <= limit:
                    costs[near] = cost + weight
                    heappush(opened, (costs[near], near))
    return costs


def costs_of(field: FlowField) -> dict[Tile, float]:
    return {tile: field.cost(tile) for tile in tiles_of(field.grid)}


def seen(field: FlowField) -> list[tuple[float, Tile | None, tuple[int, int]]]:
    """What the field says of each tile, by its functions and by its tables."""
    dx, dy = field.steps
    tiles = tiles_of(field.grid)
    assert [field.cost((x, y)) for x, y in tiles] == [field.costs[y, x] for x, y in tiles]
    return [
        (field.cost(tile), field.next(tile), (dx[tile[::-1]], dy[tile[::-1]])) for tile in tiles
    ]


def random_grid(
    rng: random.Random, costs: tuple[float, ...] = COSTS, *, compiled: bool = False
) -> Grid:
    width, height = rng.randint(1, 12), rng.randint(1, 12)
    rows = [rng.choices(costs, k=width) for _ in range(height)]
    return Grid(rows, diagonals=rng.choice(RULES), compiled=compiled)


def random_goals(
    rng: random.Random, grid: Grid, costs: tuple[float, ...] = (0, 0, 3.5, 1)
) -> dict[Tile, float]:
    places = rng.sample(tiles_of(grid), k=min(rng.randint(1, 3), grid.width * grid.height))
    return {tile: float(rng.choice(costs)) for tile in places}


def assert_ways_lead_down(field: FlowField) -> None:
    """From each tile the steps are allowed, cost what the field says, and end at a goal."""
    dx, dy = field.steps
    for tile in tiles_of(field.grid):
        here, steps = tile, 0
        while (there := field.next(here)) is not None:
            assert field.cost(here) == field.cost(there) + dict(steps_into(field.grid, there))[here]
            x, y = here
            assert there == (x + dx[y, x], y + dy[y, x])
            here = there
            steps += 1
            assert steps <= field.grid.width * field.grid.height
        if field.cost(tile) < inf:
            assert field.cost(here) == field.goals[here]
            assert field.goal_of(tile) == here
        else:
            assert here == tile
            assert field.goal_of(tile) is None


@ENGINES
@pytest.mark.parametrize("seed", range(60))
def test_costs_are_those_of_dijkstra_and_ways_lead_to_a_goal(seed: int, compiled: bool) -> None:
    rng = random.Random(seed)
    grid = random_grid(rng, HUGE if seed % 4 == 0 else COSTS, compiled=compiled)
    goals = random_goals(rng, grid)
    max_cost = rng.choice([None, None, 6, 0.0])
    field = grid.field(goals, max_cost=max_cost)
    assert costs_of(field) == dijkstra(grid, goals, inf if max_cost is None else max_cost)
    assert_ways_lead_down(field)


@pytest.mark.parametrize("seed", range(40))
def test_a_way_costs_what_the_search_finds(seed: int) -> None:
    rng = random.Random(seed)
    grid = random_grid(rng)
    goal = rng.choice(tiles_of(grid))
    field = grid.field([goal])
    for start in tiles_of(grid):
        way, searched = field.path(start), grid.find_path(start, goal)
        assert way.reachable == searched.reachable
        if searched.reachable:
            assert way.cost == pytest.approx(searched.cost)
            assert (way[0], way[-1]) == (start, goal)


@ENGINES
@pytest.mark.parametrize("seed", range(60))
def test_a_repaired_field_is_equal_to_a_new_one(seed: int, compiled: bool) -> None:
    rng = random.Random(seed)
    costs = HUGE if seed % 4 == 0 else COSTS
    grid = random_grid(rng, costs, compiled=compiled)
    goals = random_goals(rng, grid)
    field = grid.field(goals, max_cost=rng.choice([None, None, 9.0]))
    for _ in range(20):
        places = rng.choices(tiles_of(grid), k=rng.choice([1, 1, 2, 9]))
        grid.set_costs({place: rng.choice(costs) for place in places})
        if rng.random() < 0.3:
            continue  # several changes before it is read again
        assert seen(field) == seen(grid.field(goals, max_cost=field.max_cost))
    assert_ways_lead_down(field)


@pytest.mark.parametrize("seed", range(60))
def test_both_engines_touch_the_same_tiles_and_find_the_same(seed: int) -> None:
    rng = random.Random(seed)
    costs = HUGE if seed % 4 == 0 else COSTS
    grids = [random_grid(random.Random(seed), costs, compiled=each) for each in (False, True)]
    goals = random_goals(rng, grids[0])
    fields = [grid.field(goals) for grid in grids]
    for _ in range(15):
        assert seen(fields[0]) == seen(fields[1])
        assert fields[0].repaired == fields[1].repaired
        places = rng.choices(tiles_of(grids[0]), k=rng.choice([1, 1, 2, 9]))
        changes = {place: rng.choice(costs) for place in places}
        for grid in grids:
            grid.set_costs(changes)


@pytest.mark.slow
@ENGINES
def test_a_large_map_needs_a_larger_queue(compiled: bool) -> None:
    rng = random.Random(7)
    grid = Grid([rng.choices((1, 2, 3), k=90) for _ in range(90)], compiled=compiled)
    field = grid.field(tiles_of(grid)[::2])
    grid.set_costs({tile: rng.choice((0, 4)) for tile in tiles_of(grid)[1::3]})
    assert costs_of(field) == dijkstra(grid, field.goals)


@pytest.mark.slow
@ENGINES
def test_where_most_ways_change_all_are_worked_out_again(compiled: bool) -> None:
    rng = random.Random(8)
    grid = Grid([rng.choices((0, 1, 1, 2), k=70) for _ in range(70)], compiled=compiled)
    grid.set_cost((35, 35), 1)
    field = grid.field([(35, 35)])
    costs, (dx, _) = field.costs, field.steps
    worked_out = set()
    for share in (1.0, 0.5, 0.1, 0.01, 0.001, 0.0005, 0.0005, 0.0005):
        tiles = [tile for tile in tiles_of(grid) if rng.random() < share and tile != (35, 35)]
        grid.set_costs({tile: rng.choice((0, 1, 1, 2)) for tile in tiles})
        new = grid.field([(35, 35)])
        assert seen(field) == seen(new)
        worked_out.add(field.repaired == new.repaired)
    assert worked_out == {False, True}
    assert (field.costs is costs, field.steps[0] is dx) == (True, True)


@ENGINES
def test_tables_show_costs_and_steps_and_change_in_place(compiled: bool) -> None:
    grid = Grid(["...", ".#.", "..."], neighbours=4, compiled=compiled)
    field = grid.field([(2, 0)])
    costs, (dx, dy) = field.costs, field.steps
    assert costs.tolist() == [[2, 1, 0], [3, 2, 1], [4, 3, 2]]
    assert dx.tolist() == [[1, 1, 0], [0, 1, 0], [1, 1, 0]]
    assert dy.tolist() == [[0, 0, 0], [-1, 0, -1], [0, 0, -1]]
    grid.set_cost((1, 0), 0)
    field.update()
    assert costs.tolist() == [[6, 1, 0], [5, 2, 1], [4, 3, 2]]
    assert dx.tolist() == [[0, 1, 0], [0, 1, 0], [1, 1, 0]]
    assert dy.tolist() == [[1, 0, 0], [1, 0, -1], [0, 0, -1]]
    assert field.costs is costs
    assert field.steps[0] is dx
    assert (costs.dtype, dx.dtype) == (np.float64, np.int8)
    with pytest.raises(ValueError, match="read-only"):
        costs[0, 0] = 1.0


@ENGINES
def test_read_again_the_steps_are_up_to_date(compiled: bool) -> None:
    field = Grid(["...", "..."], compiled=compiled).field([(2, 0)])
    _ = field.steps
    field.grid.set_cost((1, 0), 0)
    dx, dy = field.steps
    assert dx.tolist() == [[0, 1, 0], [1, 1, 0]]
    assert dy.tolist() == [[1, 0, 0], [0, 0, -1]]


def test_without_numpy_tables_are_lists(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "numpy", None)
    field = Grid(["...", "..."], neighbours=4, compiled=False).field([(2, 0)])
    assert field.costs == [[2.0, 1.0, 0.0], [3.0, 2.0, 1.0]]
    field.grid.set_cost((1, 0), 0)
    assert field.costs == [[4.0, 1.0, 0.0], [3.0, 2.0, 1.0]]
    assert field.steps == ([[0, 1, 0], [1, 1, 0]], [[1, 0, 0], [0, 0, -1]])


@ENGINES
def test_a_door_far_away_touches_few_tiles(compiled: bool) -> None:
    rows = ["." * 60] * 20 + ["#" * 29 + "." + "#" * 30] + ["." * 60] * 3
    grid = Grid(rows, compiled=compiled)
    field = grid.field([(30, 10)])
    assert field.repaired == field.grid.width * 23 + 1
    grid.set_cost((0, 19), 0)  # a corner through which no way leads
    field.update()
    assert field.repaired == 1
    grid.set_cost((29, 20), 4)  # the only door to the three rows below
    field.update()
    assert field.repaired == 60 * 3 + 1  # with a wall from which one can only step down
    grid.set_cost((29, 20), 1)  # as it was
    field.update()
    assert field.repaired == 60 * 3 + 1


@ENGINES
def test_a_change_that_is_taken_back_touches_nothing(compiled: bool) -> None:
    grid = Grid(["....", "...."], compiled=compiled)
    field = grid.field([(3, 0)])
    grid.set_cost((1, 0), 0)
    grid.set_cost((1, 0), 1)
    field.update()
    assert field.repaired == 0


@ENGINES
def test_a_goal_that_becomes_a_wall_is_no_goal_until_it_is_free_again(compiled: bool) -> None:
    grid = Grid(["....."], compiled=compiled)
    field = grid.field([(0, 0), (4, 0)])
    grid.set_cost((0, 0), 0)
    assert [field.cost((x, 0)) for x in range(5)] == [4.0, 3.0, 2.0, 1.0, 0.0]
    assert field.next((0, 0)) == (1, 0)  # a way may begin in a wall
    grid.set_cost((0, 0), 2)
    assert [field.cost((x, 0)) for x in range(5)] == [0.0, 2.0, 2.0, 1.0, 0.0]


@ENGINES
def test_without_a_way_the_cost_is_infinite_and_the_path_empty(compiled: bool) -> None:
    field = Grid(["..#."], compiled=compiled).field([(0, 0)])
    assert (field.cost((3, 0)), field.next((3, 0)), field.goal_of((3, 0))) == (inf, None, None)
    path = field.path((3, 0))
    assert (list(path), path.reachable, path.cost) == ([], False, 0.0)


def test_a_goal_is_reached_without_a_step() -> None:
    field = Grid([".."], compiled=False).field([(0, 0)])
    path = field.path((0, 0))
    assert (list(path), path.reachable, path.cost) == ([(0, 0)], True, 0.0)


def test_outside_the_map_there_is_no_way() -> None:
    field = Grid([".."], compiled=False).field([(0, 0)])
    for tile in [(-1, 0), (2, 0), (0, 1), (0, -1)]:
        assert (field.cost(tile), field.next(tile), field.goal_of(tile)) == (inf, None, None)
        with pytest.raises(ValueError, match="must be on the map"):
            field.path(tile)


@ENGINES
def test_the_way_from_a_dear_goal_may_lead_on_to_a_cheap_one(compiled: bool) -> None:
    field = Grid(["...."], compiled=compiled).field({(0, 0): 0, (3, 0): 9})
    assert field.cost((3, 0)) == 3.0
    assert list(field.path((3, 0))) == [(3, 0), (2, 0), (1, 0), (0, 0)]


def test_a_path_costs_its_steps_without_what_the_goal_begins_with() -> None:
    field = Grid(["..."], compiled=False).field({(0, 0): 10})
    assert field.cost((2, 0)) == 12.0
    assert field.path((2, 0)).cost == 2.0


@ENGINES
def test_without_goals_there_is_no_way(compiled: bool) -> None:
    field = Grid([".."], compiled=compiled).field([])
    assert costs_of(field) == {(0, 0): inf, (1, 0): inf}
    assert repr(field) == f"<FlowField to 0 goals on {field.grid!r}>"


@ENGINES
def test_equally_cheap_ways_are_chosen_by_steps_and_then_in_order(compiled: bool) -> None:
    grid = Grid(["...", "...", "..."], neighbours=4, compiled=compiled)
    assert grid.field([(2, 2)]).next((0, 0)) == (1, 0)  # right before down
    assert grid.field([(0, 0)]).next((2, 2)) == (1, 2)  # left before up
    dear_and_short = Grid([[1, 2, 1], [1, 0.5, 0.5]], neighbours=4, compiled=compiled)
    assert list(dear_and_short.field([(2, 0)]).path((0, 0))) == [(0, 0), (1, 0), (2, 0)]


@ENGINES
def test_a_field_of_a_masked_map_follows_the_whole_one(compiled: bool) -> None:
    whole = Grid(["...", "..."], compiled=compiled)
    walker = whole.masked([[True, False, True], [True, True, True]])
    field = walker.field([(2, 0)])
    assert field.next((0, 0)) == (0, 1)
    whole.set_cost((1, 1), 0)
    assert field.cost((0, 0)) == inf
    whole.set_costs({(1, 0): 5, (1, 1): 3})
    assert (field.cost((0, 0)), field.repaired) == (6.0, 2)


@ENGINES
def test_the_whole_map_has_fields_that_its_masks_do_not_disturb(compiled: bool) -> None:
    whole = Grid(["..."], compiled=compiled)
    field = whole.field([(2, 0)])
    whole.masked([[True, False, True]]).set_cost((1, 0), 3)
    assert field.cost((0, 0)) == 4.0


@ENGINES
@pytest.mark.parametrize("copied", [copy.deepcopy, lambda field: pickle.loads(pickle.dumps(field))])
def test_a_copy_has_its_own_map(copied: Callable[[FlowField], FlowField], compiled: bool) -> None:
    field = Grid(["...", "..."], compiled=compiled).field({(2, 0): 1}, max_cost=5)
    field.grid.set_cost((1, 0), 0)
    other = copied(field)
    assert costs_of(other) == costs_of(field)
    other.grid.set_cost((1, 1), 0)
    assert (field.cost((0, 0)), other.cost((0, 0))) == (5.0, inf)


def test_a_grid_forgets_a_field_that_is_no_longer_used() -> None:
    grid = Grid([".."], compiled=False)
    field = ref(grid.field([(0, 0)]))
    collect()
    assert field() is None
    grid.set_cost((0, 0), 3)


@pytest.mark.parametrize(
    ("goals", "error", "message"),
    [
        ((3, 4), TypeError, r"got \(3, 4\)\. Give a single one as \[\(column, row\)\]"),
        (5, TypeError, "must be tiles"),
        ([(0.5, 0)], TypeError, "must be tiles"),
        (None, TypeError, "must be tiles"),
        ({"a": 1}, TypeError, "must be tiles"),
        ([(2, 0)], ValueError, "must be on the map"),
        ([(0, 0), (-1, 0)], ValueError, "must be on the map"),
        ({(0, 0): -1}, ValueError, r"the goal \(0, 0\) must be a finite number"),
        ({(0, 0): inf}, ValueError, "finite number"),
        ({(0, 0): nan}, ValueError, "finite number"),
        ({(0, 0): 10**400}, ValueError, "finite number"),
        ({(0, 0): "1"}, ValueError, "finite number"),
    ],
)  # fmt: skip
def test_wrong_goals_are_refused(goals: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        Grid([".."], compiled=False).field(goals)


@pytest.mark.parametrize("max_cost", [-1, nan, "5", 10**400, (1,)])
def test_a_highest_cost_must_be_a_number(max_cost: Any) -> None:
    with pytest.raises(ValueError, match="max_cost must be a number >= 0 or None"):
        Grid([".."], compiled=False).field([(0, 0)], max_cost=max_cost)
