"""FollowWaypoints: move a thing from one waypoint to the next at a certain speed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import Enum
from itertools import takewhile
from typing import Annotated, Any

from attrs import field

from actions.definition import define_action
from actions.parts.declarations import Finishes
from actions.parts.parameters import Count, OneOf, Param, is_computed, is_parameter, value_of
from actions.parts.positions import alike, may_move, partway, position_of, unchanging
from actions.parts.travel import Travel, is_speed
from actions.parts.validators import check_target, is_flag, is_instance
from fsmkit.space import Position, distance
from fsmkit.timing import TIME_TOLERANCE


class PathMode(Enum):
    """How `FollowWaypoints` goes on from the last waypoint.

    >>> PathMode.ONCE.name, [mode.name for mode in PathMode]
    ('ONCE', ['LOOP', 'PING_PONG', 'ONCE'])
    """

    LOOP = "loop"
    """Back to the first one."""

    PING_PONG = "ping-pong"
    """Back along the same waypoints, and so on."""

    ONCE = "once"
    """No further: the action finishes."""


_is_mode = is_instance(PathMode, f"one of {', '.join(map(str, PathMode))}")


@define_action
class FollowWaypoints(Travel):
    """Move `transform` from waypoint to waypoint at `speed` units per second.

    `waypoints` is a sequence, or a function that returns one and is called on enter. Each is a
    position, a function that returns one, or anything with a `position`, looked up in every update.
    `mode` says what comes after the last one; with `PathMode.ONCE` it finishes exactly there.

    A visit begins with the first waypoint. With `resume=True` it goes on to the one that the last
    visit was heading for; a path that was completed begins again.

    `transform` is anything with a `position`. For `Space.SELF` it and the waypoints have a
    `local_position`, and positions are in the coordinates of the parent. Raises ValueError without
    waypoints, and for a speed that is negative or not finite; TypeError for an unknown mode.

    >>> from fsmkit import Fsm
    >>> from fsmkit.space import Transform
    >>> guard = Transform((0.0, 0.0))
    >>> corners = [(0.0, 0.0), (4.0, 0.0), (4.0, 4.0), (0.0, 4.0)]
    >>> fsm = Fsm("Guard")
    >>> patrol = fsm.add_state("Patrol").add_action(FollowWaypoints(guard, corners, 2.0))
    >>> fsm.start()
    >>> fsm.update(3)
    >>> guard.position, patrol.next_index
    ((4.0, 2.0), 2)
    """

    waypoints: Param[Sequence[Any]] = field(validator=is_parameter)
    speed: Param[float] = field(validator=is_speed)
    mode: PathMode = field(default=PathMode.LOOP, kw_only=True, validator=_is_mode)
    resume: bool = field(default=False, kw_only=True, validator=is_flag)
    next_index: Count = field(default=0, init=False)
    """The index of the waypoint it is heading for; the number of waypoints at the end of ONCE."""
    direction: Annotated[int, OneOf((1, -1))] = field(default=1, init=False)
    """1 on the way to the last waypoint, -1 on the way back."""
    path: tuple[Any, ...] = field(default=(), init=False)
    """The waypoints of this visit, as evaluated on enter."""

    def __attrs_post_init__(self) -> None:
        if not callable(self.waypoints):
            self._checked_path(self.waypoints)

    @property
    def waypoint(self) -> Position:
        """The position it is heading for, for others to look at."""
        index = min(self.next_index, len(self.path) - 1)
        return self._position(index)

    @property
    def finishes(self) -> Finishes | None:
        if self.mode is not PathMode.ONCE:
            return "never"
        return "in time" if self.speed else None  # at speed 0 only if already there

    @property
    def waits_for(self) -> str:
        if self.mode is not PathMode.ONCE:
            return super().waits_for
        return f"waypoint {self.next_index + 1} of {len(self.path)}"

    @property
    def _way_(self) -> list[Position]:
        """The waypoints ahead, up to one that is a function."""
        path, here = self.path, self.next_index
        ahead = path[here:] if self.direction > 0 else path[here::-1]
        round_trip = (*ahead, *path[:here]) if self.mode is PathMode.LOOP else ahead
        known = takewhile(lambda point: not is_computed(point), round_trip)
        return [position_of(point, self.space) for point in known]

    @property
    def _ends_in_(self) -> float:
        ahead = self.path[self.next_index :]
        if self.mode is not PathMode.ONCE or not self.pace or any(map(callable, ahead)):
            return super()._ends_in_
        stops = [self.transform, *ahead]
        places = [position_of(stop, self.space) for stop in stops]
        return self._seconds_for(sum(map(distance, places, places[1:])))

    def begin(self) -> None:
        waypoints = value_of(self.waypoints, self)
        if not self._has_checked(waypoints):
            self.path = self._checked_path(waypoints)
        if not self.resume or self.next_index >= len(self.path):
            self.next_index, self.direction = 0, 1

    def check_remembered(self) -> None:
        """Raise an error if what it remembers does not fit."""
        path = self._checked_path(self.path)
        points = [each for each in path if not may_move(each, self.space)]
        for point in points:
            distance(points[0], point)
        self.path[self.next_index]

    def _has_checked(self, waypoints: object) -> bool:
        """Whether these are, one by one, the waypoints of the previous visit."""
        # Tuples compare the same objects in 2 ns each, so a long way is entered like a short one.
        try:
            return isinstance(waypoints, list | tuple) and () != tuple(waypoints) == self.path
        except Exception:  # some vectors have no single answer to whether they are equal
            return False

    def _checked_path(self, waypoints: Sequence[Any]) -> tuple[Any, ...]:
        """Return the waypoints; those that are functions take the state."""
        if isinstance(waypoints, str) or not isinstance(waypoints, Iterable):
            raise TypeError(f"FollowWaypoints: waypoints must be a sequence, got {waypoints!r}.")
        if not (path := tuple(waypoints)):
            raise ValueError(
                f"FollowWaypoints: waypoints must not be empty, got {waypoints!r}. "
                "Give at least one."
            )
        for index, point in enumerate(path):
            check_target(self, f"waypoints[{index}]", point)
        return tuple(
            self._fsmkit_handed(f"waypoints[{index}]", point) if is_computed(point) else point
            for index, point in enumerate(path)
        )

    def _position(self, index: int) -> Position:
        return position_of(value_of(self.path[index], self), self.space)

    def go(self, seconds: float) -> None:
        here = getattr(self.transform, self.space.position)
        there, left = self._walk(here, self.pace * seconds)
        if there is not here:
            self._put(there)
        if self.next_index == len(self.path):
            self.finish(self._unused(left))

    def _walk(self, here: Position, reach: float) -> tuple[Position, float]:
        """Return the position after going `reach` units from `here`, and how many are left."""
        slack = self.pace * TIME_TOLERANCE
        corner: tuple[int, int] | None = None
        round_trip = 0.0
        while True:
            there = alike(here, self._position(self.next_index))
            leg = distance(here, there)
            if not leg <= reach + slack:  # not `>`: it must end for NaN as well
                return (partway(here, there, reach / leg) if reach > 0.0 else here), 0.0
            if leg > 0.0:
                here = unchanging(there)
            reach = max(0.0, reach - leg)
            round_trip += leg
            self._turn_to_next()
            if self.next_index == len(self.path):
                return here, reach
            if corner is None:
                corner, round_trip = (self.next_index, self.direction), 0.0
            elif corner == (self.next_index, self.direction):
                # Once around: skip all complete rounds, however short and many they are.
                if round_trip == 0.0:
                    return here, 0.0
                reach, round_trip, slack = reach % round_trip, 0.0, 0.0

    def _turn_to_next(self) -> None:
        last = len(self.path) - 1
        following = self.next_index + self.direction
        if 0 <= following <= last or self.mode is PathMode.ONCE:
            self.next_index = following
        elif self.mode is PathMode.LOOP:
            self.next_index = 0
        else:
            self.direction = -self.direction
            self.next_index = min(last, max(0, self.next_index + self.direction))
