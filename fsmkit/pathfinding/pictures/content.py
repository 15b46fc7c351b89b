"""What a picture of a map shows: tiles, ways, and the way to the goals of a field."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import pairwise
from math import hypot, inf, isfinite
from numbers import Integral
from typing import Any, Protocol

from attrs import frozen

from fsmkit.pathfinding.tile import Tile


class TileMap(Protocol):
    """A map of tiles, such as a `Grid`."""

    @property
    def width(self) -> int:
        """The number of columns."""
        ...

    @property
    def height(self) -> int:
        """The number of rows."""
        ...

    def cost(self, tile: Tile, /) -> float:
        """Return the cost of entering a tile; infinity for a wall."""
        ...


class Field(Protocol):
    """The way from every tile to the nearest goal."""

    @property
    def goals(self) -> Iterable[Tile]:
        """The tiles that all ways lead to."""
        ...

    def cost(self, tile: Tile, /) -> float:
        """Return the cost of the way from a tile; infinity where there is none."""
        ...

    def next(self, tile: Tile, /) -> Tile | None:
        """Return the next tile of the way; None at a goal, and where there is none."""
        ...


@frozen
class Way:
    """A path, as it is drawn."""

    tiles: tuple[Tile, ...]
    is_whole: bool
    """False if it ends before the goal."""
    cost: float | None
    """None if it is not known."""

    @property
    def start(self) -> Tile:
        """The first tile."""
        return self.tiles[0]

    @property
    def end(self) -> Tile:
        """The last tile."""
        return self.tiles[-1]


@frozen
class Content:
    """Everything in a picture, checked."""

    grid: TileMap
    ways: tuple[Way, ...]
    field: Field | None
    starts: tuple[Tile, ...]
    goals: tuple[Tile, ...]
    """Of the ways that reach them, of the field, and the one that was named."""
    places: tuple[tuple[str, Tile], ...] = ()
    """What is written on the map, and where."""

    @classmethod
    def of(
        cls,
        who: str,
        grid: TileMap,
        path: Iterable[Any] | None,
        field: Field | None,
        *,
        start: Tile | None,
        goal: Tile | None,
        places: Mapping[str, Tile] | None = None,
    ) -> Content:
        """Check what was asked for; `who` asked. Raises TypeError or ValueError."""
        checks = _Checks(who, grid)
        ways = checks.ways(path)
        ends = [checks.tile(tile, "each goal of the field") for tile in checks.goals_of(field)]
        starts = [*(way.start for way in ways)]
        ends += [way.end for way in ways if way.is_whole]
        if start is not None:
            starts.append(checks.tile(start, "start"))
        if goal is not None:
            ends.append(checks.tile(goal, "goal"))
        marks = tuple(dict.fromkeys(starts)), tuple(dict.fromkeys(ends))
        return cls(grid, ways, field, *marks, checks.places(places))

    def tile_costs(self) -> list[list[float]]:
        """Return the cost of every tile, row by row; infinity for a wall."""
        cost, columns = self.grid.cost, range(self.grid.width)
        return [[cost((x, y)) for x in columns] for y in range(self.grid.height)]

    def field_costs(self, costs: Sequence[Sequence[float]]) -> list[list[float]]:
        """Return the cost of the way from every tile, row by row; infinity where there is none.

        `costs` are the `tile_costs`: a field may know a way out of a wall, which is not drawn.
        """
        assert self.field is not None
        way = self.field.cost
        return [
            [inf if cost == inf else way((x, y)) for x, cost in enumerate(row)]
            for y, row in enumerate(costs)
        ]


@frozen
class _Checks:
    """Finds what cannot be drawn."""

    who: str
    grid: TileMap

    def ways(self, path: Iterable[Any] | None) -> tuple[Way, ...]:
        if path is None:
            return ()
        if isinstance(path, str) or not isinstance(path, Iterable):
            raise self._no_path(path)
        if hasattr(path, "reachable"):
            return self._way(path)
        members = list(path)
        if all(map(_is_tile, members)):
            return self._way(members)
        if any(map(_is_tile, members)):
            raise self._no_path(path)
        return tuple(way for each in members for way in self.ways(each))

    def _way(self, path: Iterable[Any]) -> tuple[Way, ...]:
        """Return the path as a way; none if it is empty."""
        tiles = tuple(self.tile(tile, "each tile of a path") for tile in path)
        whole = bool(getattr(path, "reachable", True))
        return (Way(tiles, whole, getattr(path, "cost", None)),) if tiles else ()

    def tile(self, tile: Any, name: str) -> Tile:
        if not _is_tile(tile):
            raise TypeError(
                f"{self.who}: {name} must be a tile (column, row), two whole numbers, got {tile!r}."
            )
        x, y = tile
        if not (0 <= x < self.grid.width and 0 <= y < self.grid.height):
            raise ValueError(
                f"{self.who}: {name} must be on the map of {self.grid.width} columns and "
                f"{self.grid.height} rows, got {tile!r}. Is it of another map?"
            )
        return int(x), int(y)

    def places(self, places: Any) -> tuple[tuple[str, Tile], ...]:
        if places is None:
            return ()
        if not isinstance(places, Mapping) or not all(isinstance(name, str) for name in places):
            raise TypeError(
                f"{self.who}: places must map names to tiles (column, row), got {places!r}."
            )
        return tuple(
            (name, self.tile(tile, f"the place {name!r}")) for name, tile in places.items()
        )

    def goals_of(self, field: Field | None) -> Iterable[Any]:
        if field is None:
            return ()
        if not all(hasattr(field, name) for name in ("cost", "next", "goals")):
            raise TypeError(
                f"{self.who}: field must have cost(tile), next(tile) and goals, as a flow field "
                f"has, got {field!r}."
            )
        if getattr(field, "grid", self.grid) is not self.grid:
            raise ValueError(f"{self.who}: field must be one of this map, got that of another.")
        return field.goals

    def _no_path(self, path: object) -> TypeError:
        return TypeError(
            f"{self.who}: path must be a path, a list of tiles (column, row), or a list of paths, "
            f"got {path!r}."
        )


def _is_tile(value: Any) -> bool:
    is_pair = isinstance(value, Collection) and not isinstance(value, str | bytes | dict | set)
    return (
        is_pair
        and len(value) == 2
        and not hasattr(value, "reachable")
        and all(isinstance(number, Integral) for number in value)
    )


def number_text(number: float) -> str:
    """Return a cost in few digits.

    >>> number_text(3.0), number_text(0.1 + 0.2), number_text(123456.7), number_text(1e300)
    ('3', '0.3', '123457', '1e+300')
    """
    return f"{number:.0f}" if 1000 <= number < 1e12 else f"{number:.3g}"


def finite(rows: Sequence[Sequence[float]]) -> set[float]:
    """Return the different numbers in `rows`, without infinity."""
    return {number for row in rows for number in set(row) if isfinite(number)}


def in_steps(way: Way) -> Iterable[Tile]:
    """Yield every tile of a way, and those below the straight lines between distant ones."""
    yield way.start
    for (x, y), (end_x, end_y) in pairwise(way.tiles):
        steps = max(abs(end_x - x), abs(end_y - y))
        for step in range(1, steps + 1):
            yield round(x + (end_x - x) * step / steps), round(y + (end_y - y) * step / steps)


def direction(here: Tile, there: Tile) -> tuple[float, float]:
    """Return the direction from one tile to another, of length 1."""
    dx, dy = there[0] - here[0], there[1] - here[1]
    length = hypot(dx, dy) or inf
    return dx / length, dy / length
