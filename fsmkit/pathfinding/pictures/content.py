"""What a picture of a map shows: tiles, ways and the goals of a field; and its costs in bands."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from math import ceil, floor, isfinite
from typing import Any, Protocol

from attrs import frozen

from fsmkit.pathfinding.cost_map import CostMap
from fsmkit.pathfinding.tile import Tile, is_tile
from fsmkit.svg.axis import round_steps


class DrawnField(Protocol):
    @property
    def goals(self) -> Iterable[Tile]: ...

    def cost(self, tile: Tile, /) -> float: ...

    def next(self, tile: Tile, /) -> Tile | None: ...


@frozen
class DrawnPath:
    tiles: tuple[Tile, ...]
    is_whole: bool
    """False if it ends before the goal."""
    cost: float | None
    """None if it is not known."""

    @property
    def start(self) -> Tile:
        return self.tiles[0]

    @property
    def end(self) -> Tile:
        return self.tiles[-1]


@frozen
class MapContent:
    grid: CostMap
    ways: Sequence[DrawnPath]
    field: DrawnField | None
    starts: Sequence[Tile]
    goals: Sequence[Tile]
    """Of the ways that reach them, of the field, and the given one."""
    places: Mapping[str, Tile]
    """What is written on the map, and where."""

    @classmethod
    def of(
        cls,
        method: str,
        grid: CostMap,
        path: Iterable[Any] | None,
        field: DrawnField | None,
        *,
        start: Tile | None,
        goal: Tile | None,
        places: Mapping[str, Tile] | None = None,
    ) -> MapContent:
        ways = tuple(_ways(path, grid, method))
        starts = [way.start for way in ways]
        goals = list(_goals(field, grid, method))
        goals += [way.end for way in ways if way.is_whole]
        starts += [_tile(start, grid, f"{method}: start")] if start is not None else []
        goals += [_tile(goal, grid, f"{method}: goal")] if goal is not None else []
        marks = list(dict.fromkeys(starts)), list(dict.fromkeys(goals))
        return cls(grid, ways, field, *marks, _places(places, grid, method))

    def tile_costs(self) -> list[list[float]]:
        """Return the cost of every tile, row by row; infinity for a wall."""
        cost, columns = self.grid.cost, range(self.grid.width)
        return [[cost((x, y)) for x in columns] for y in range(self.grid.height)]


def _ways(path: Any, grid: CostMap, method: str) -> Iterator[DrawnPath]:
    if path is None:
        return
    has_members = isinstance(path, Iterable) and not isinstance(path, str)
    members = list(path) if has_members else []
    are_tiles = [is_tile(each) and not hasattr(each, "reachable") for each in members]
    if hasattr(path, "reachable") or (has_members and all(are_tiles)):
        tiles = tuple(_tile(tile, grid, f"{method}: each tile of a path") for tile in members)
        if tiles:
            whole = bool(getattr(path, "reachable", True))
            yield DrawnPath(tiles, whole, getattr(path, "cost", None))
        return
    if any(are_tiles) or not members:
        raise TypeError(
            f"{method}: path must be a path, a list of tiles (column, row), or a list of paths, "
            f"got {path!r}."
        )
    for each in members:
        yield from _ways(each, grid, method)


def _tile(tile: Any, grid: CostMap, what: str) -> Tile:
    if not is_tile(tile):
        raise TypeError(f"{what} must be a tile (column, row), two integers, got {tile!r}.")
    x, y = tile
    if not (0 <= x < grid.width and 0 <= y < grid.height):
        raise ValueError(
            f"{what} must be on the map of {grid.width} columns and {grid.height} rows, got "
            f"{tile!r}. Is it of another map?"
        )
    return int(x), int(y)


def _places(places: Any, grid: CostMap, method: str) -> dict[str, Tile]:
    if places is None:
        return {}
    if not isinstance(places, Mapping) or not all(isinstance(name, str) for name in places):
        raise TypeError(f"{method}: places must map names to tiles (column, row), got {places!r}.")
    what = f"{method}: the place"
    return {name: _tile(tile, grid, f"{what} {name!r}") for name, tile in places.items()}


def _goals(field: DrawnField | None, grid: CostMap, method: str) -> Iterator[Tile]:
    if field is None:
        return
    if not all(hasattr(field, name) for name in ("cost", "next", "goals")):
        raise TypeError(
            f"{method}: field must have cost(tile), next(tile) and goals, as a flow field has, "
            f"got {field!r}."
        )
    if getattr(field, "grid", grid) is not grid:
        raise ValueError(f"{method}: field must be one of this map, got that of another.")
    for tile in field.goals:
        yield _tile(tile, grid, f"{method}: each goal of the field")


def number_text(number: float) -> str:
    """Return a cost in few digits.

    >>> number_text(3.0), number_text(0.1 + 0.2), number_text(123456.7), number_text(1e300)
    ('3', '0.3', '123457', '1e+300')
    """
    return f"{number:.0f}" if 1000 <= number < 1e12 else f"{number:.3g}"


def finite(rows: Sequence[Sequence[float]]) -> set[float]:
    return {number for row in rows for number in set(row) if isfinite(number)}


def in_steps(way: DrawnPath) -> Iterable[Tile]:
    """Yield every tile of a way, and those below the straight lines between distant ones."""
    yield way.start
    for (x, y), (end_x, end_y) in pairwise(way.tiles):
        steps = max(abs(end_x - x), abs(end_y - y))
        for step in range(1, steps + 1):
            yield round(x + (end_x - x) * step / steps), round(y + (end_y - y) * step / steps)


@frozen
class CostBand:
    """The costs from the least to the most, both included."""

    least: float
    most: float

    def __str__(self) -> str:
        least, most = number_text(self.least), number_text(self.most)
        return least if least == most else f"{least} to {most}"


def bands_of(costs: Iterable[float], most: int) -> list[CostBand]:
    """Return a band for each cost; of many costs, `most` bands with about as many costs in each.

    >>> [str(band) for band in bands_of([3.0, 1.0, 2.0, 7.0], most=3)]
    ['1', '2', '3 to 7']
    """
    known = sorted(set(costs))
    count = min(most, len(known))
    ends = [len(known) * n // count for n in range(count + 1)] if count else []
    return [CostBand(known[start], known[end - 1]) for start, end in pairwise(ends)]


def equal_bands(costs: Iterable[float], most: int) -> list[CostBand]:
    """Return a band for each cost; of many costs, at most `most` bands of equal, round widths.

    >>> [str(band) for band in equal_bands([0.0, 1.0, 1.5, 7.1], most=3)]
    ['0 to 5', '5 to 10']
    """
    known = sorted(set(costs))
    if len(known) <= most:
        return [CostBand(cost, cost) for cost in known]
    least, largest = known[0], known[-1]
    step = next(
        step
        for step in round_steps((largest - least) / most)
        if ceil(largest / step) - floor(least / step) <= most
    )
    ends = [step * number for number in range(floor(least / step), ceil(largest / step) + 1)]
    ends[0], ends[-1] = min(ends[0], least), max(ends[-1], largest)  # as floats are
    return [CostBand(start, end) for start, end in pairwise(ends)]


def numbered(rows: Sequence[Sequence[float]], bands: Sequence[CostBand]) -> list[list[int]]:
    """Return the number of the band of every cost; one more than there are for infinity."""
    ends = [band.most for band in bands]
    numbers = {cost: bisect_left(ends, cost) for cost in {cost for row in rows for cost in row}}
    return [[numbers[cost] for cost in row] for row in rows]
