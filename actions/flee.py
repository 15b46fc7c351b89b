"""Flee: move a thing away from a target, which may move."""

from __future__ import annotations

from math import hypot, inf
from typing import Any

from attrs import define, field

from actions.parts.finishing import Finishes
from actions.parts.functions import is_parameter
from actions.parts.parameters import Param, is_computed, value_of
from actions.parts.positions import ends_of, may_move
from actions.parts.timed_action import elapsed_in, seconds_to, unused_of
from actions.parts.validators import (
    checked_amount,
    checked_speed,
    has,
    is_event_name,
    is_space,
    is_target,
    is_time_reference,
)
from fsmkit import FsmAction, TimeReference
from fsmkit.space import Position, Space, difference, shifted
from fsmkit.timing import TIME_TOLERANCE


@define(eq=False, repr=False, slots=False)
class Flee(FsmAction):
    """Move `transform` straight away from `target` at `speed` units per second.

    `target` is a position, a function that returns one, or anything with a `position`; it is looked
    up in every update, so it may move. The action finishes when it is `distance` units away, and
    stops right there; if it is that far away already, it finishes on enter. With None it never
    finishes. From the target's own place it flees along the first axis.

    `transform` is anything with a `position`. For `Space.SELF` both have a `local_position`, and
    positions are in the coordinates of the parent. Raises ValueError for a speed or distance
    that is negative or not finite.

    >>> from fsmkit import Fsm
    >>> from fsmkit.space import Transform
    >>> mouse, cat = Transform((0.0, 3.0)), Transform((0.0, 0.0))
    >>> fsm = Fsm("Mouse")
    >>> run = fsm.add_state("Run").add_action(Flee(mouse, cat, 2.0, distance=8.0))
    >>> fsm.start()
    >>> fsm.update(1)
    >>> mouse.position
    (0.0, 5.0)
    >>> fsm.update(99)
    >>> mouse.position, run.finished
    ((0.0, 8.0), True)
    """

    transform: Any = field(validator=has("position"))
    target: Any = field(validator=[is_parameter, is_target])
    speed: Param[float] = field(validator=is_parameter)
    distance: Param[float] | None = field(default=None, kw_only=True, validator=is_parameter)
    finish_event: str | None = field(default=None, kw_only=True, validator=is_event_name)
    space: Space = field(default=Space.WORLD, kw_only=True, validator=is_space)
    time: TimeReference | None = field(default=None, kw_only=True, validator=is_time_reference)
    pace: float = field(default=0.0, init=False)
    """The speed of this visit in units per second, as evaluated on enter."""
    reach: float | None = field(default=None, init=False)
    """The distance of this visit, as evaluated on enter."""

    def __attrs_post_init__(self) -> None:
        if not callable(self.speed):
            checked_speed(self.speed, "Flee")
        if not callable(self.distance):
            self._checked(self.distance)

    @property
    def finishes(self) -> Finishes | None:
        if self.distance is None:
            return "never"
        if self.distance == 0.0:
            return "at once"
        is_open = may_move(self.target, self.space) or not self.speed
        return None if is_open else "in time"

    @property
    def waits_for(self) -> str:
        if self.reach is None:
            return super().waits_for
        if is_computed(self.target):  # whose code may do anything
            return f"to be {self.reach:.1f} units from {self._fsmkit_described(self.target)}"
        here, there = self._ends()
        return f"{max(0.0, self.reach - hypot(*difference(there, here))):.1f} units to go"

    @property
    def _ends_in_(self) -> float:
        if self.reach is None or not self.pace or is_computed(self.target):
            return super()._ends_in_
        to_go = self.reach - hypot(*difference(*self._ends()))
        return seconds_to(to_go / self.pace, self.time)

    def on_enter(self) -> None:
        self.pace = checked_speed(value_of(self.speed, self), "Flee")
        self.reach = self._checked(value_of(self.distance, self))
        self._go(0.0)

    def on_update(self) -> None:
        self._go(elapsed_in(self, self.time))

    def _checked(self, distance: float | None) -> float | None:
        return None if distance is None else checked_amount(distance, "Flee: distance", "units")

    def _go(self, seconds: float) -> None:
        here, there = self._ends()
        away = difference(there, here)
        way = hypot(*away)
        to_go = inf if self.reach is None else max(0.0, self.reach - way)
        arrives = to_go <= self.pace * (seconds + TIME_TOLERANCE)
        stretch = to_go if arrives else self.pace * seconds
        if stretch > 0.0:
            course = tuple(step / way for step in away) if way else (1.0, *away[1:])
            self._put(shifted(there, course, way + stretch))
        if arrives:
            self.finish(unused_of(seconds - to_go / self.pace if self.pace else 0.0, self.time))

    def _ends(self) -> tuple[Position, Position]:
        """Where it is, and where the target is."""
        return ends_of(self.transform, value_of(self.target, self), self.space)

    def _put(self, position: Position) -> None:
        setattr(self.transform, self.space.attribute("position"), position)
