"""FollowField: move a thing to the nearest goal of a flow field."""

from __future__ import annotations

from math import inf
from typing import Any, Protocol, TypeAlias

import attrs
from attrs import define

from actions.parts.finishing import Finishes
from actions.parts.functions import is_parameter
from actions.parts.parameters import Param, value_of
from actions.parts.positions import partway, position_of
from actions.parts.timed_action import elapsed_in, unused_of
from actions.parts.validators import (
    check_field,
    checked_speed,
    has,
    is_event_name,
    is_field,
    is_space,
    is_time_reference,
)
from fsmkit import FsmAction, TimeReference
from fsmkit.space import Position, Space, components, distance, like
from fsmkit.timing import TIME_TOLERANCE

Tile: TypeAlias = tuple[int, int]


class TileMap(Protocol):
    """A map of tiles in the units of the game; `Grid` of fsmkit.pathfinding is one."""

    def center(self, tile: Tile, /) -> tuple[float, ...]:
        """Return the position of the centre of a tile."""
        ...

    def tile_at(self, position: tuple[float, ...], /) -> Tile:
        """Return the tile that a position lies on."""
        ...


class WayField(Protocol):
    """The way to a goal from every tile; `FlowField` of fsmkit.pathfinding is one."""

    @property
    def grid(self) -> TileMap:
        """The map."""
        ...

    def cost(self, tile: Tile, /) -> float:
        """Return the cost of the way from a tile; infinity where there is none."""
        ...

    def next(self, tile: Tile, /) -> Tile | None:
        """Return the tile to go to next; None at a goal and where there is no way."""
        ...


@define(eq=False, repr=False, slots=False)
class FollowField(FsmAction):
    """Move `transform` from tile to tile as `field` says, at `speed` units per second, exactly.

    `field` is a flow field (`Grid.field` of fsmkit.pathfinding makes one, for any number of
    walkers), or a function that returns one, or None where there is none; it is called in every
    update. From where it is it goes to the centre of the tile that comes next, and from centre to
    centre, around as many tiles as the speed allows. When the field has changed, or something else
    has moved `transform` off its way, it goes on from the tile that it is on by then.

    It finishes at the centre of a goal. Where there is no way it is `blocked`: it finishes there,
    after `blocked_event` has been sent. If that leads to another state, it wins: `finish_event` and
    FINISHED are not sent.

    `transform` is anything with a `position`, for `Space.SELF` with a `local_position`; further
    axes than the map has stay as they are. Raises ValueError for a speed that is negative or not
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

    transform: Any = attrs.field(validator=has("position"))
    field: Param[WayField | None] = attrs.field(validator=[is_parameter, is_field])
    speed: Param[float] = attrs.field(validator=is_parameter)
    finish_event: str | None = attrs.field(default=None, kw_only=True, validator=is_event_name)
    blocked_event: str | None = attrs.field(default=None, kw_only=True, validator=is_event_name)
    space: Space = attrs.field(default=Space.WORLD, kw_only=True, validator=is_space)
    time: TimeReference | None = attrs.field(
        default=None, kw_only=True, validator=is_time_reference
    )
    leg: tuple[Tile, ...] = attrs.field(default=(), init=False)
    """The tile that it comes from and the one that it is heading for; none at the end."""
    blocked: bool = attrs.field(default=False, init=False)
    """Whether it has ended where there is no way to a goal."""
    pace: float = attrs.field(default=0.0, init=False)
    """The speed of this visit in units per second, as evaluated on enter."""

    def __attrs_post_init__(self) -> None:
        if not callable(self.speed):
            checked_speed(self.speed, "FollowField")

    @property
    def sends(self) -> tuple[str, ...]:
        return () if self.blocked_event is None else (self.blocked_event,)

    @property
    def finishes(self) -> Finishes | None:
        return "in time" if self.speed and not callable(self.field) else None

    @property
    def remaining(self) -> float:
        """The units left to the goal; 0 where there is no way."""
        field = self._field_now()
        stops = [position_of(self.transform, self.space)]
        leg = () if field is None else self._leg_from(field, stops[0])
        while field is not None and leg:
            stops.append(self._center(field, leg[1], stops[0]))
            leg = _leg_after(field, leg)
        return sum(map(distance, stops, stops[1:]))

    @property
    def waits_for(self) -> str:
        if callable(self.field):  # whose code may do anything
            return f"to reach a goal of {self._fsmkit_described(self.field)}"
        return f"{self.remaining:.1f} units to go"

    def on_enter(self) -> None:
        self.pace = checked_speed(value_of(self.speed, self), "FollowField")
        self.leg, self.blocked = (), False
        self._go(0.0)

    def on_update(self) -> None:
        self._go(self.pace * elapsed_in(self, self.time))

    def check_remembered(self) -> None:
        """Raise an error if it cannot go on with what it remembers."""
        if self.leg:
            _, _ = self.leg

    def _go(self, reach: float) -> None:
        """Go `reach` units."""
        field = self._field_now()
        here = start = position_of(self.transform, self.space)
        self.leg = () if field is None else self._leg_from(field, here)
        self.blocked = not self.leg
        slack = self.pace * TIME_TOLERANCE
        while field is not None and self.leg:
            there = self._center(field, self.leg[1], here)
            length = distance(here, there)
            if not length <= reach + slack:  # not `>`: it must end for NaN as well
                here = partway(here, there, reach / length) if reach > 0.0 else here
                break
            here = there
            reach = max(0.0, reach - length)
            self.leg = _leg_after(field, self.leg)
        if here is not start:
            setattr(self.transform, self.space.attribute("position"), here)
        if not self.leg:
            self._end(unused_of(reach / self.pace if self.pace else 0.0, self.time))

    def _end(self, unused: float) -> None:
        """Say that it is blocked, if it is, and finish, unless that leads elsewhere."""
        if self.blocked and self.blocked_event not in (None, self.finish_event):
            self.fsm.send_in_time(self.blocked_event, unused=unused)
            if self.fsm.is_changing:
                return
        self.finish(unused)

    def _field_now(self) -> WayField | None:
        field: WayField | None = value_of(self.field, self)
        check_field(field, "FollowField: field")
        return field

    def _leg_from(self, field: WayField, here: Position) -> tuple[Tile, ...]:
        """Return the leg that it is on, as long as it is still right; else one from `here`."""
        tile = field.grid.tile_at(components(here))
        if self.leg and _lies_between(tile, *self.leg):
            leg = _first_leg(field, self.leg[0])
            if leg == self.leg:
                return leg
        return _first_leg(field, tile)

    def _center(self, field: WayField, tile: Tile, here: Position) -> Position:
        center = components(field.grid.center(tile))
        return like(here, (*center, *components(here)[len(center) :]))


def _first_leg(field: WayField, tile: Tile) -> tuple[Tile, ...]:
    """Return the leg that begins on a tile: at a goal to its own centre; none without a way."""
    there = field.next(tile)
    if there is not None:
        return tile, there
    return (tile, tile) if field.cost(tile) < inf else ()


def _leg_after(field: WayField, leg: tuple[Tile, ...]) -> tuple[Tile, ...]:
    """Return the next leg; none at a goal."""
    there = field.next(leg[1])
    return () if there is None else (leg[1], there)


def _lies_between(tile: Tile, start: Tile, end: Tile) -> bool:
    """Return True if `tile` is one of two tiles, or beside the corner where they touch."""
    return all(min(a, b) <= at <= max(a, b) for at, a, b in zip(tile, start, end, strict=True))
