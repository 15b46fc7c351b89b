"""FollowWaypoints: move a thing from one waypoint to the next at a certain speed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import Enum
from operator import is_
from typing import Annotated, Any

from attrs import define, field

from actions.parts.finishing import Finishes
from actions.parts.functions import is_parameter
from actions.parts.memory import Count, OneOf
from actions.parts.parameters import Param, is_computed, value_of
from actions.parts.positions import may_move, partway, position_of
from actions.parts.timed_action import elapsed_in, seconds_to, unused_of
from actions.parts.validators import (
    check_target,
    checked_speed,
    has,
    is_event_name,
    is_flag,
    is_space,
    is_time_reference,
)
from fsmkit import FsmAction, TimeReference
from fsmkit.space import Position, Space, components, distance, like
from fsmkit.timing import TIME_TOLERANCE


class PathMode(Enum):
    """The way on from the last waypoint.

    >>> PathMode.ONCE.name, [mode.name for mode in PathMode]
    ('ONCE', ['LOOP', 'PING_PONG', 'ONCE'])
    """

    LOOP = "loop"
    """Back to the first one."""

    PING_PONG = "ping-pong"
    """Back along the same waypoints, and so on."""

    ONCE = "once"
    """No further: the action finishes."""


@define(eq=False, repr=False, slots=False)
class FollowWaypoints(FsmAction):
    """Move `transform` from waypoint to waypoint at `speed` units per second.

    `waypoints` is a sequence, or a function that returns one and is called on enter. Each is a
    position, a function that returns one, or anything with a `position`, looked up in every update.
    `mode` says what comes after the last one; with `PathMode.ONCE` it finishes exactly there.

    A visit begins with the first waypoint. With `resume=True` it goes on to the one that the
    last visit was heading for; a path that was followed to its end begins again.

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

    transform: Any = field(validator=has("position"))
    waypoints: Param[Sequence[Any]] = field(validator=is_parameter)
    speed: Param[float] = field(validator=is_parameter)
    mode: PathMode = field(default=PathMode.LOOP, kw_only=True)
    resume: bool = field(default=False, kw_only=True, validator=is_flag)
    finish_event: str | None = field(default=None, kw_only=True, validator=is_event_name)
    space: Space = field(default=Space.WORLD, kw_only=True, validator=is_space)
    time: TimeReference | None = field(default=None, kw_only=True, validator=is_time_reference)
    next_index: Count = field(default=0, init=False)
    """The index of the waypoint it is heading for; the number of waypoints at the end of ONCE."""
    direction: Annotated[int, OneOf((1, -1))] = field(default=1, init=False)
    """1 on the way to the last waypoint, -1 on the way back."""
    pace: float = field(default=0.0, init=False)
    """The speed of this visit in units per second, as evaluated on enter."""
    path: tuple[Any, ...] = field(default=(), init=False)
    """The waypoints of this visit, as evaluated on enter."""

    def __attrs_post_init__(self) -> None:
        if not isinstance(self.mode, PathMode):
            raise TypeError(f"FollowWaypoints: mode must be one of {_MODES}, got {self.mode!r}.")
        if not callable(self.speed):
            checked_speed(self.speed, "FollowWaypoints")
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
    def _ends_in_(self) -> float:
        ahead = self.path[self.next_index :]
        if self.mode is not PathMode.ONCE or not self.pace or any(map(callable, ahead)):
            return super()._ends_in_
        stops = [self.transform, *ahead]
        places = [position_of(stop, self.space) for stop in stops]
        return seconds_to(sum(map(distance, places, places[1:])) / self.pace, self.time)

    def on_enter(self) -> None:
        self.pace = checked_speed(value_of(self.speed, self), "FollowWaypoints")
        waypoints = value_of(self.waypoints, self)
        if not self._has_checked(waypoints):
            self.path = self._checked_path(waypoints)
        if not self.resume or self.next_index >= len(self.path):
            self.next_index, self.direction = 0, 1
        self._go(0.0)

    def on_update(self) -> None:
        self._go(elapsed_in(self, self.time))

    def check_remembered(self) -> None:
        """Raise an error if it cannot go on with what it remembers."""
        path = self._checked_path(self.path)
        points = [each for each in path if not may_move(each, self.space)]
        for point in points:
            distance(points[0], point)
        self.path[self.next_index]

    def _has_checked(self, waypoints: object) -> bool:
        """Whether these are, one by one, the waypoints of the visit before."""
        is_as_long = isinstance(waypoints, list | tuple) and 0 < len(waypoints) == len(self.path)
        return is_as_long and all(map(is_, waypoints, self.path))  # type: ignore[call-overload]

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

    def _go(self, seconds: float) -> None:
        here = position_of(self.transform, self.space)
        there, left = self._walk(here, self.pace * seconds)
        if there is not here:
            setattr(self.transform, self.space.attribute("position"), there)
        if self.next_index == len(self.path):
            self.finish(unused_of(left / self.pace if self.pace else 0.0, self.time))

    def _walk(self, here: Position, reach: float) -> tuple[Position, float]:
        """Return the position after going `reach` units from `here`, and how many are left."""
        slack = self.pace * TIME_TOLERANCE
        corner: tuple[int, int] | None = None
        round_trip = 0.0
        while True:
            there = like(here, components(self._position(self.next_index)))
            leg = distance(here, there)
            if not leg <= reach + slack:  # not `>`: it must end for NaN as well
                return (partway(here, there, reach / leg) if reach > 0.0 else here), 0.0
            if leg > 0.0:
                here = there
            reach = max(0.0, reach - leg)
            round_trip += leg
            self._turn_to_next()
            if self.next_index == len(self.path):
                return here, reach
            if corner is None:
                corner, round_trip = (self.next_index, self.direction), 0.0
            elif corner == (self.next_index, self.direction):
                # Once around: skip all whole rounds, however short and many they are.
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


_MODES = ", ".join(str(mode) for mode in PathMode)
