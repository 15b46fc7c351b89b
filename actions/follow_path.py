"""FollowPath: move a thing along a path, as a pathfinder returns it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sized
from math import inf
from typing import Any

from attrs import field

from actions.definition import define_action
from actions.parts.declarations import Finishes
from actions.parts.parameters import Count, Param, is_parameter, value_of
from actions.parts.positions import alike, partway, position_of, unchanging
from actions.parts.timed_action import seconds_to
from actions.parts.travel import WAY_IS_BLOCKED, RouteTravel, is_speed
from actions.parts.validators import is_path
from fsmkit.space import Position, components, distance, like


@define_action
class FollowPath(RouteTravel):
    """Move `transform` along the points of `path` at `speed` units per second, exactly.

    `path` is an iterable of positions, or of anything that has one, or a function that returns it.
    The function is called on enter, and by `replan()`, so that a pathfinder can search again from
    the present position. The points are copied, so the pathfinder may fill the same path again.
    Within one update it goes around as many corners as the speed allows.

    It finishes at the last point. A path that does not lead to the goal is `blocked`: None, a path
    without points, and one whose `reachable` is false, such as an `AStarPath` that leads only as
    near as possible. A blocked path is followed to its end, where this action fails, after it has
    sent `blocked_event`. If that leads to another state, FAILED is not sent.

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

    path: Param[Iterable[Position] | None] = field(validator=[is_parameter, is_path])
    speed: Param[float] = field(validator=is_speed)
    points: tuple[Position, ...] = field(default=(), init=False)
    """The points of the path, as they were when it was planned."""
    next_index: Count = field(default=0, init=False)
    """The index of the point that it is heading for; the number of points at the end."""

    @property
    def finishes(self) -> Finishes | None:
        return "in time" if self.speed else None  # at speed 0 only if already there

    @property
    def _may_be_blocked(self) -> bool | None:
        path = self.path
        if callable(path) or not isinstance(path, Sized | None):
            return None
        return path is None or not (len(path) and getattr(path, "reachable", True))

    @property
    def remaining(self) -> float:
        """The units left to the last point."""
        stops = [self._here, *self.points[self.next_index :]]
        return sum(map(distance, stops, stops[1:]))

    @property
    def waits_for(self) -> str:
        to_go = f"{self.remaining:.1f} units to go"
        return f"{to_go}, then the way is blocked" if self.blocked else to_go

    @property
    def _way_(self) -> tuple[Position, ...]:
        return self.points[self.next_index :]

    @property
    def _ends_in_(self) -> float:
        return seconds_to(self.remaining / self.pace if self.pace else inf, self.time)

    def replan(self) -> None:
        """Ask for the path again, from here; without effect outside a visit, and at the end.

        It joins the new path where the leg from the first point to the second is nearest, and does
        not turn back to the first point: on a map of tiles that is the centre of a tile, which may
        lie behind it.
        """
        if self._is_on_its_way():
            self._plan(joins=True)
            self.go(0.0)

    def begin(self) -> None:
        self._plan()

    def check_remembered(self) -> None:
        """Raise an error if what it remembers does not fit."""
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
        self.points = tuple([unchanging(position_of(point, self.space)) for point in points])
        self.blocked = not self.points or not getattr(found, "reachable", True)
        if joins and len(self.points) > 1:
            self.points = (self._nearest_of_first_leg(), *self.points[1:])
        self.next_index = 0

    def _nearest_of_first_leg(self) -> Position:
        """Return the position on the first leg that is nearest to here."""
        here = self._here
        first, second = (like(here, components(point)) for point in self.points[:2])
        start, end = components(first), components(second)
        along = [b - a for a, b in zip(start, end, strict=True)]
        away = [b - a for a, b in zip(start, components(here), strict=True)]
        square = sum(step * step for step in along)
        ahead = sum(a * b for a, b in zip(along, away, strict=True))
        share = ahead / square if square else 0.0
        return partway(first, second, min(share, 1.0)) if share > 0.0 else first

    def go(self, seconds: float) -> None:
        here = getattr(self.transform, self.space.position)
        left = self._walk(here, self._stops(here), self.pace * seconds)
        if self.next_index < len(self.points):
            return
        points, unused = self.points, self._unused(left)
        if not self.blocked:
            self.finish(unused)
        # After an external call it may already be in its next visit, with another path.
        elif not self._leads_elsewhere(unused) and self.points is points:
            self.fail(WAY_IS_BLOCKED, unused)

    def _stops(self, here: Position) -> Iterator[Position]:
        while self.next_index < len(self.points):
            yield alike(here, self.points[self.next_index])
            self.next_index += 1
