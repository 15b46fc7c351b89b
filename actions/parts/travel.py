"""Travel: the bases of actions that move a thing at a certain speed."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf
from typing import Any, Final

from attrs import field

from actions.definition import define_action
from actions.parts.declarations import Fails, exits_state
from actions.parts.on_transform import OnTransformInTime
from actions.parts.parameters import Param, is_computed, is_parameter, value_of
from actions.parts.positions import ends_of, partway, unchanging
from actions.parts.timed_action import seconds_to, unused_of
from actions.parts.validators import amount_of, is_amount, is_event_name, is_target
from fsmkit.space import Position, distance
from fsmkit.timing import TIME_TOLERANCE

UNIT: Final = "units per second"
WAY_IS_BLOCKED: Final = "the way is blocked"
"""The reason with which an action fails that does not get to its goal."""

is_speed: Final = is_amount(UNIT)


class HasSpeed(OnTransformInTime):
    """An action with a speed, which a subclass declares among its own parameters."""

    speed: Param[float]
    """Units per second."""


@define_action
class Travel(HasSpeed):
    """Move `transform` at `speed` units per second.

    A subclass declares `speed` among its parameters, validated by `is_speed`, and overrides `go`.
    Raises ValueError or TypeError for an invalid speed: for a constant at once, for the value of a
    function on enter.
    """

    finish_event: str | None = field(default=None, kw_only=True, validator=is_event_name)
    pace: float = field(default=0.0, init=False)
    """The speed of this visit in units per second, as evaluated on enter."""

    def begin(self) -> None:
        """Prepare a visit, before the first `go`."""

    def go(self, seconds: float) -> None:
        """Move on for so many seconds: 0 on enter."""
        raise NotImplementedError

    def on_enter(self) -> None:
        pace: Any = self.speed
        if type(pace) is not float or not 0.0 <= pace < inf:  # as constants mostly are
            pace = amount_of(self, "speed", UNIT)
        self.pace = pace
        self.begin()
        self.go(0.0)

    def on_update(self) -> None:
        time, seconds = self.time, self._fsmkit_fsm.delta_time  # as in TimedAction
        self.go(seconds if time is None else time.scaled(seconds))

    @property
    def _here(self) -> Position:
        return getattr(self.transform, self.space.position)

    def _put(self, position: Position) -> None:
        setattr(self.transform, self.space.position, position)

    def _seconds_for(self, units: float) -> float:
        """Seconds of the machine's own time that so many units will take, at a pace above 0."""
        return seconds_to(units / self.pace, self.time)

    def _unused(self, units: float) -> float:
        """Seconds of the machine's own time that were left when only these units were."""
        return unused_of(units / self.pace if self.pace else 0.0, self.time)


@define_action
class TargetTravel(Travel):
    """Travel relative to `target`, which may move. A subclass overrides `to_go` and `after`."""

    target: Any = field(validator=[is_parameter, is_target])
    speed: Param[float] = field(validator=is_speed)

    def to_go(self, way: float) -> float:
        """Return the units left to go, `way` units from the target; inf for no end."""
        raise NotImplementedError

    def after(self, here: Position, there: Position, way: float, stretch: float) -> Position:
        """Return the position after a stretch, from `here`, `way` units from the target `there`."""
        raise NotImplementedError

    def go(self, seconds: float) -> None:
        target = value_of(self.target, self) if callable(self.target) else self.target
        here, there = ends_of(self.transform, target, self.space)
        way = distance(there, here)
        to_go, pace = self.to_go(way), self.pace
        arrives = to_go <= pace * (seconds + TIME_TOLERANCE)
        stretch = to_go if arrives else pace * seconds
        if stretch > 0.0:
            setattr(self.transform, self.space.position, self.after(here, there, way, stretch))
        if arrives:
            self.finish(unused_of(seconds - to_go / pace if pace else 0.0, self.time))

    @property
    def _ends_in_(self) -> float:
        if is_computed(self.target) or not self.pace:
            return super()._ends_in_
        return self._seconds_for(self._units_left)

    @property
    def _units_left(self) -> float:
        ends = ends_of(self.transform, value_of(self.target, self), self.space)
        return self.to_go(distance(*ends))


@define_action
class RouteTravel(Travel):
    """Travel from stop to stop, as a route says, which may be blocked before its goal: it fails."""

    blocked_event: str | None = field(default=None, kw_only=True, validator=is_event_name)
    blocked: bool = field(default=False, init=False)
    """Whether the route does not lead to the goal."""

    @property
    def sends(self) -> tuple[str, ...]:
        return () if self.blocked_event is None else (self.blocked_event,)

    def _may_fail_(self, fails: Fails) -> bool | None:  # noqa: ARG002  # it has no children
        leads_away = self.blocked_event is not None and exits_state(self, self.blocked_event)
        return False if leads_away else self._may_be_blocked

    @property
    def _may_be_blocked(self) -> bool | None:
        """Whether its route may not lead to the goal; None if only the route can tell."""
        return None

    def _walk(self, here: Position, stops: Iterator[Position], reach: float) -> float:
        """Go up to `reach` units from `here`; return how many are left at the last stop."""
        start = here
        slack = self.pace * TIME_TOLERANCE
        for there in stops:
            leg = distance(here, there)
            if not leg <= reach + slack:  # not `>`: it must end for NaN as well
                here = partway(here, there, reach / leg) if reach > 0.0 else here
                break
            here = unchanging(there)
            reach = max(0.0, reach - leg)
        if here is not start:
            self._put(here)
        return reach

    def _leads_elsewhere(self, unused: float) -> bool:
        """Send the event for a blocked way, if there is one; True if that changes the state."""
        if self.blocked_event is None:
            return False
        self.fsm.send_in_time(self.blocked_event, unused=unused)
        return self.fsm.is_changing
