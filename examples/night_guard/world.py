"""The world: what stands where, who can walk there, and how far one sees.

Lengths are tiles, and the middle of a tile is at whole numbers. Angles are degrees from x to y.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import cos, floor, inf, radians, sin

from attrs import define, field

from fsmkit.pathfinding import Grid, Tile
from fsmkit.space import Position, difference, distance, facing

WALLS = "#@"
"""The letters of walls and statues."""

Ends = Callable[[Tile], bool]
"""True if a tile is the end of a view or a way."""


@define(eq=False)
class Door:
    """A sliding door, or the gate: `opening` goes from 0, shut, to 1."""

    tile: Tile
    is_upright: bool
    """True if it stands in a wall that goes up and down, and one walks through it sideways."""
    opening: float = 0.0

    def is_near(self, place: Position) -> bool:
        """Return True if someone at `place` is right in front of it, or in it."""
        dx, dy = map(abs, difference(self.tile, place))
        along, aside = (dx, dy) if self.is_upright else (dy, dx)
        return along < 0.95 and aside < 0.6

    def is_passed(self, place: Position) -> bool:
        """Return True if someone at `place` is in the doorway itself."""
        return tile_at(place) == self.tile


@define(eq=False)
class World:
    plan: str
    rows: list[str] = field(init=False)
    doors: dict[Tile, Door] = field(init=False)
    gate: Door = field(init=False)
    grid: Grid = field(init=False)
    """For finding ways: the gate is a wall in it, the doors are not."""

    def __attrs_post_init__(self) -> None:
        self.rows = self.plan.strip("\n").split("\n")
        self.doors = {tile: self._door(tile) for tile in [*self.all_of("+"), *self.all_of("E")]}
        self.gate = self.doors[next(self.all_of("E"))]
        # It is too small to load numba for.
        self.grid = Grid(self.plan, blocked=f"{WALLS}E", compiled=False)

    @property
    def doors_inside(self) -> list[Door]:
        """All but the gate."""
        return [door for door in self.doors.values() if door is not self.gate]

    @property
    def size(self) -> tuple[int, int]:
        return len(self.rows[0]), len(self.rows)

    def all_of(self, letter: str) -> Iterator[Tile]:
        """Yield the tiles with that letter."""
        for y, row in enumerate(self.rows):
            for x, each in enumerate(row):
                if each == letter:
                    yield x, y

    def letter(self, tile: Tile) -> str:
        """Return the letter at a tile; outside it is a wall."""
        x, y = tile
        width, height = self.size
        return self.rows[y][x] if 0 <= x < width and 0 <= y < height else "#"

    def is_wall(self, tile: Tile) -> bool:
        """Return True if no one can ever walk there."""
        return self.letter(tile) in WALLS

    def is_solid(self, tile: Tile) -> bool:
        """Return True if no one can walk there now."""
        door = self.doors.get(tile)
        return door.opening < 0.8 if door else self.is_wall(tile)

    def is_opaque(self, tile: Tile) -> bool:
        """Return True if no one can look through there now."""
        door = self.doors.get(tile)
        return door.opening < 0.5 if door else self.is_wall(tile)

    def is_waiting_at_door(self, place: Position) -> bool:
        """Return True if someone at `place` stands before a door that is not open yet."""
        return any(door.opening < 0.8 and door.is_near(place) for door in self.doors.values())

    def moved(self, place: Position, step: Position, radius: float) -> Position:
        """Return the place after a step from `place`; along a wall it slides."""
        x, y = place
        dx, dy = step
        if self._has_room(x + dx, y, radius):
            x += dx
        if self._has_room(x, y + dy, radius):
            y += dy
        return x, y

    def is_clear(self, start: Position, end: Position) -> bool:
        """Return True if nothing is in the way between two places."""
        away = distance(start, end)
        return self.reach(start, facing(0.0, difference(start, end)), away) == away

    def is_straight(self, start: Position, end: Position) -> bool:
        """Return True if one can walk straight from one place to the other, if the doors open."""
        away = distance(start, end)
        angle = facing(0.0, difference(start, end))
        return self.reach(start, angle, away, self.is_wall) == away

    def reach(self, start: Position, angle: float, limit: float, ends: Ends | None = None) -> float:
        """Return how far one gets from `start` in a direction: to a tile that `ends` it or `limit`.

        By default it ends where no one can look through. It goes from one edge of a tile to the
        next (Amanatides and Woo, 1987).
        """
        ends = ends or self.is_opaque
        x, y = start
        dx, dy = cos(radians(angle)), sin(radians(angle))
        column, row = tile_at(start)
        step_x, step_y = (1 if dx > 0 else -1), (1 if dy > 0 else -1)
        per_column, per_row = abs(1 / dx) if dx else inf, abs(1 / dy) if dy else inf
        to_column = (0.5 + (column - x) * step_x) * per_column if dx else inf
        to_row = (0.5 + (row - y) * step_y) * per_row if dy else inf
        while (way := min(to_column, to_row)) < limit:
            if to_column < to_row:
                column, to_column = column + step_x, to_column + per_column
            else:
                row, to_row = row + step_y, to_row + per_row
            if ends((column, row)):
                return way
        return limit

    def _has_room(self, x: float, y: float, radius: float) -> bool:
        corners = ((x + i * radius, y + j * radius) for i in (-1, 1) for j in (-1, 1))
        return not any(self.is_solid(tile_at(corner)) for corner in corners)

    def _door(self, tile: Tile) -> Door:
        x, y = tile
        return Door(tile, is_upright=self.letter((x, y - 1)) == "#")


def tile_at(place: Position) -> Tile:
    """Return the tile that a place is on."""
    x, y = place
    return floor(x + 0.5), floor(y + 0.5)
