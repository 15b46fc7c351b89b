"""FollowField: move a thing to the nearest goal of a flow field."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf
from typing import Protocol, TypeAlias

import attrs

from actions.definition import define_action
from actions.parts.declarations import Finishes
from actions.parts.parameters import Param, is_parameter, value_of
from actions.parts.travel import WAY_IS_BLOCKED, RouteTravel, is_speed
from actions.parts.validators import check_field, is_field
from fsmkit.space import Position, components, distance, like

Tile: TypeAlias = tuple[int, int]


class RouteMap(Protocol):
    """A map of tiles in the units of the game; `Grid` of fsmkit.pathfinding is one."""

    def center(self, tile: Tile, /) -> tuple[float, ...]:
        """Return the position of the centre of a tile."""
        ...

    def tile_at(self, position: tuple[float, ...], /) -> Tile:
        """Return the tile that a position lies on."""
        ...


class RouteField(Protocol):
    """The route to a goal from every tile; `FlowField` of fsmkit.pathfinding is one."""

    @property
    def grid(self) -> RouteMap:
        """The map."""
        ...

    def cost(self, tile: Tile, /) -> float:
        """Return the cost of the route from a tile; infinity where there is none."""
        ...

    def next(self, tile: Tile, /) -> Tile | None:
        """Return the next tile; None at a goal and where there is no route."""
        ...


@define_action
class FollowField(RouteTravel):
    """Move `transform` from tile to tile as `field` says, at `speed` units per second, exactly.

    `field` is a flow field (`Grid.field` of fsmkit.pathfinding makes one, for any number of
    walkers), None, or a function that returns one of these and is called in every update. It goes
    to the centre of the next tile, and from centre to centre, past as many tiles in one update as
    the speed allows. When the field has changed, or something else has moved `transform` off its
    route, it goes on from its present tile.

    It finishes at the centre of a goal. If no route leads to a goal, it is `blocked`: it sends
    `blocked_event` and fails. If that leads to another state, FAILED is not sent.

    `transform` is anything with a `position`, for `Space.SELF` with a `local_position`; axes beyond
    those of the map keep their values. Raises ValueError for a speed that is negative or not
    finite.

    >>> from fsmkit import Fsm
    >>> from fsmkit.pathfinding import Grid
    >>> from fsmkit.space import Transform
    >>> field = Grid(["...", ".#.", "..."], neighbours=4).field([(2, 2)])
    >>> sheep = Transform((0.0, 0.0))
    >>> fsm = Fsm("Sheep")
    >>> way = fsm.add_state("Go home").add_action(FollowField(sheep, field, 2.0))
    >>> fsm.start()
    >>> fsm.update(1.5)
    >>> sheep.position, way.remaining
    ((2.0, 1.0), 1.0)
    """

    field: Param[RouteField | None] = attrs.field(validator=[is_parameter, is_field])
    speed: Param[float] = attrs.field(validator=is_speed)
    leg: tuple[Tile, ...] = attrs.field(default=(), init=False)
    """The tile that it comes from and the one that it is heading for; empty at the end."""

    @property
    def finishes(self) -> Finishes | None:
        return "in time" if self.speed and not callable(self.field) else None

    @property
    def remaining(self) -> float:
        """The units left to the goal; 0 where there is no route."""
        field = self._field_now()
        stops = [self._here]
        leg = () if field is None else self._leg_from(field, stops[0])
        while field is not None and leg:
            stops.append(self._center(field, leg[1], stops[0]))
            leg = _leg_after(field, leg)
        return sum(map(distance, stops, stops[1:]))

    @property
    def _way_(self) -> Iterator[Position]:
        """The centres of the tiles up to the goal; none if the field is a function."""
        field: RouteField | None = None if callable(self.field) else self.field
        leg = self.leg
        while field is not None and leg:
            yield field.grid.center(leg[1])
            leg = _leg_after(field, leg)

    @property
    def waits_for(self) -> str:
        if callable(self.field):  # whose code may do anything
            return f"to reach a goal of {self._fsmkit_described(self.field)}"
        return f"{self.remaining:.1f} units to go"

    def begin(self) -> None:
        self.leg, self.blocked = (), False

    def check_remembered(self) -> None:
        """Raise an error if what it remembers does not fit."""
        if self.leg:
            _, _ = self.leg

    def go(self, seconds: float) -> None:
        field = self._field_now()
        here = self._here
        self.leg = () if field is None else self._leg_from(field, here)
        self.blocked = not self.leg
        left = self._walk(here, self._stops(field, here), self.pace * seconds)
        if not self.leg:
            unused = self._unused(left)
            if not self.blocked:
                self.finish(unused)
            elif not self._leads_elsewhere(unused):
                self.fail(WAY_IS_BLOCKED, unused)

    def _stops(self, field: RouteField | None, here: Position) -> Iterator[Position]:
        while field is not None and self.leg:
            yield self._center(field, self.leg[1], here)
            self.leg = _leg_after(field, self.leg)

    def _field_now(self) -> RouteField | None:
        field: RouteField | None = value_of(self.field, self)
        check_field(field, "FollowField: field")
        return field

    def _leg_from(self, field: RouteField, here: Position) -> tuple[Tile, ...]:
        """Return the current leg if it is still valid, otherwise one from `here`."""
        tile = field.grid.tile_at(components(here))
        if self.leg and _lies_between(tile, *self.leg):
            leg = _first_leg(field, self.leg[0])
            if leg == self.leg:
                return leg
        return _first_leg(field, tile)

    def _center(self, field: RouteField, tile: Tile, here: Position) -> Position:
        center = components(field.grid.center(tile))
        return like(here, (*center, *components(here)[len(center) :]))


def _first_leg(field: RouteField, tile: Tile) -> tuple[Tile, ...]:
    """Return the leg that begins on a tile: at a goal to its own centre; empty without a route."""
    there = field.next(tile)
    if there is not None:
        return tile, there
    return (tile, tile) if field.cost(tile) < inf else ()


def _leg_after(field: RouteField, leg: tuple[Tile, ...]) -> tuple[Tile, ...]:
    """Return the next leg; empty at a goal."""
    there = field.next(leg[1])
    return () if there is None else (leg[1], there)


def _lies_between(tile: Tile, start: Tile, end: Tile) -> bool:
    """Return True if `tile` is one of two tiles, or beside the corner where they touch."""
    return all(min(a, b) <= at <= max(a, b) for at, a, b in zip(tile, start, end, strict=True))
