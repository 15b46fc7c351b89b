"""FollowPath: move a thing along a path that has been found."""

from __future__ import annotations

from collections.abc import Iterable
from copy import copy
from math import inf
from typing import Any

from attrs import define, field

from actions.parts.finishing import Finishes
from actions.parts.functions import is_parameter
from actions.parts.memory import Count
from actions.parts.parameters import Param, value_of
from actions.parts.positions import partway, position_of
from actions.parts.timed_action import elapsed_in, seconds_to, unused_of
from actions.parts.validators import (
    checked_speed,
    has,
    is_event_name,
    is_path,
    is_space,
    is_time_reference,
)
from fsmkit import FsmAction, TimeReference
from fsmkit.space import Position, Space, components, distance, like
from fsmkit.timing import TIME_TOLERANCE


@define(eq=False, repr=False, slots=False)
class FollowPath(FsmAction):
    """Move `transform` along the points of `path` at `speed` units per second, exactly.

    `path` is an iterable of positions, or of anything that has one, or a function that returns it:
    it is called on enter, and by `replan()`, so that a pathfinder can search again from where
    `transform` is by then. The points are copied, so the pathfinder may fill the same path again.
    Within one update it goes around as many corners as the speed allows.

    It finishes at the last point. A path that does not lead to the goal is `blocked`: None, one
    without points, and one whose `reachable` is false, as of an `AStarPath` that leads only as near
    as one gets. It is followed to its end, where `blocked_event` is sent, before `finish_event` and
    FINISHED. If `blocked_event` leads to another state, it wins: those two are not sent. A
    `finish_event` of the same name is not sent a second time. Without `blocked_event` it just
    finishes there.

    `transform` is anything with a `position`, for `Space.SELF` with a `local_position`. Raises
    ValueError for a speed that is negative or not finite.

    >>> from fsmkit import Fsm
    >>> from fsmkit.space import Transform
    >>> courier = Transform((0.0, 0.0))
    >>> fsm = Fsm("Courier")
    >>> way = fsm.add_state("Go").add_action(FollowPath(courier, [(3.0, 0.0), (3.0, 4.0)], 2.0))
    >>> fsm.start()
    >>> fsm.update(2.0)
    >>> courier.position, way.remaining, way.blocked
    ((3.0, 1.0), 3.0, False)
    """

    transform: Any = field(validator=has("position"))
    path: Param[Iterable[Position] | None] = field(validator=[is_parameter, is_path])
    speed: Param[float] = field(validator=is_parameter)
    finish_event: str | None = field(default=None, kw_only=True, validator=is_event_name)
    blocked_event: str | None = field(default=None, kw_only=True, validator=is_event_name)
    space: Space = field(default=Space.WORLD, kw_only=True, validator=is_space)
    time: TimeReference | None = field(default=None, kw_only=True, validator=is_time_reference)
    points: tuple[Position, ...] = field(default=(), init=False)
    """The points of the path, as they were when it was planned."""
    next_index: Count = field(default=0, init=False)
    """The index of the point that it is heading for; the number of points at the end."""
    blocked: bool = field(default=False, init=False)
    """Whether the path, when it was planned, did not lead to the goal."""
    pace: float = field(default=0.0, init=False)
    """The speed of this visit in units per second, as evaluated on enter."""

    def __attrs_post_init__(self) -> None:
        if not callable(self.speed):
            checked_speed(self.speed, "FollowPath")

    @property
    def sends(self) -> tuple[str, ...]:
        return () if self.blocked_event is None else (self.blocked_event,)

    @property
    def finishes(self) -> Finishes | None:
        return "in time" if self.speed else None  # at speed 0 only if already there

    @property
    def remaining(self) -> float:
        """The units left to the last point."""
        stops = [position_of(self.transform, self.space), *self.points[self.next_index :]]
        return sum(map(distance, stops, stops[1:]))

    @property
    def waits_for(self) -> str:
        to_go = f"{self.remaining:.1f} units to go"
        return f"{to_go}, then the way is blocked" if self.blocked else to_go

    @property
    def _ends_in_(self) -> float:
        return seconds_to(self.remaining / self.pace if self.pace else inf, self.time)

    def replan(self) -> None:
        """Ask for the path again, from here; without effect outside a visit, and at the end.

        It joins the new path where the leg from the first point to the second is nearest, and does
        not turn back to the first point: on a map of tiles that is the middle of a tile, which may
        lie behind.
        """
        if self._is_on_its_way():
            self._plan(joins=True)

    def on_enter(self) -> None:
        self.pace = checked_speed(value_of(self.speed, self), "FollowPath")
        self._plan()

    def on_update(self) -> None:
        self._go(self.pace * elapsed_in(self, self.time))

    def check_remembered(self) -> None:
        """Raise an error if it cannot go on with what it remembers."""
        for point in self.points:
            distance(self.points[0], point)

    def _is_on_its_way(self) -> bool:
        if self.state is None or self.fsm.current_state is not self.state or self.finished:
            return False
        parent = self._fsmkit_parent
        return parent is None or parent.nested.has(self)

    def _plan(self, *, joins: bool = False) -> None:
        found: Iterable[Any] | None = value_of(self.path, self)
        points = () if found is None else found
        self.points = tuple(copy(position_of(point, self.space)) for point in points)
        self.blocked = not self.points or not getattr(found, "reachable", True)
        if joins and len(self.points) > 1:
            self.points = (self._nearest_of_first_leg(), *self.points[1:])
        self.next_index = 0
        self._go(0.0)

    def _nearest_of_first_leg(self) -> Position:
        """Return the place between the first point and the second that is nearest to here."""
        here = position_of(self.transform, self.space)
        first, second = (like(here, components(point)) for point in self.points[:2])
        start, end = components(first), components(second)
        along = [b - a for a, b in zip(start, end, strict=True)]
        away = [b - a for a, b in zip(start, components(here), strict=True)]
        square = sum(step * step for step in along)
        ahead = sum(a * b for a, b in zip(along, away, strict=True))
        share = ahead / square if square else 0.0
        return partway(first, second, min(share, 1.0)) if share > 0.0 else first

    def _go(self, reach: float) -> None:
        """Go `reach` units."""
        here = start = position_of(self.transform, self.space)
        slack = self.pace * TIME_TOLERANCE
        while self.next_index < len(self.points):
            there = like(here, components(self.points[self.next_index]))
            leg = distance(here, there)
            if not leg <= reach + slack:  # not `>`: it must end for NaN as well
                here = partway(here, there, reach / leg) if reach > 0.0 else here
                break
            here = there
            reach = max(0.0, reach - leg)
            self.next_index += 1
        if here is not start:
            setattr(self.transform, self.space.attribute("position"), here)
        if self.next_index == len(self.points):
            self._end(unused_of(reach / self.pace if self.pace else 0.0, self.time))

    def _end(self, unused: float) -> None:
        """Say that it is blocked, if it is, and finish, unless that has led elsewhere."""
        points = self.points
        if self.blocked and self.blocked_event not in (None, self.finish_event):
            self.fsm.send_in_time(self.blocked_event, unused=unused)
            # After a call from outside it may be in its next visit by now, with another path.
            if self.fsm.is_changing or self.points is not points:
                return
        self.finish(unused)
