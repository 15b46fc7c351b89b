"""MoveTowards: move a thing to a target, which may move, at a certain speed."""

from __future__ import annotations

from typing import Any

from attrs import define, field

from actions.parts.finishing import Finishes
from actions.parts.functions import is_parameter
from actions.parts.parameters import Param, is_computed, value_of
from actions.parts.positions import ends_of, may_move, partway
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
from fsmkit.space import Position, Space, distance
from fsmkit.timing import TIME_TOLERANCE


@define(eq=False, repr=False, slots=False)
class MoveTowards(FsmAction):
    """Move `transform` towards `target` at `speed` units per second, until it has arrived.

    `target` is a position, a function that returns one, or anything with a `position`; it is looked
    up in every update, so it may move. It has arrived at `arrival_distance` units from the target;
    it stops right there, and with 0 exactly at the target. If it is already there, it finishes on
    enter.

    `transform` is anything with a `position`. For `Space.SELF` both have a `local_position`, and
    positions are in the coordinates of the parent. Raises ValueError for a speed or distance
    that is negative or not finite.

    >>> from fsmkit import Fsm
    >>> from fsmkit.space import Transform
    >>> cat, mouse = Transform((0.0, 0.0)), Transform((0.0, 10.0))
    >>> fsm = Fsm("Cat")
    >>> hunt = fsm.add_state("Hunt").add_action(MoveTowards(cat, mouse, 4.0))
    >>> fsm.start()
    >>> fsm.update(1)
    >>> cat.position
    (0.0, 4.0)
    >>> mouse.position = (3.0, 8.0)
    >>> fsm.update(2)
    >>> cat.position, hunt.finished
    ((3.0, 8.0), True)
    """

    transform: Any = field(validator=has("position"))
    target: Any = field(validator=[is_parameter, is_target])
    speed: Param[float] = field(validator=is_parameter)
    arrival_distance: float = field(default=0.0, kw_only=True)
    finish_event: str | None = field(default=None, kw_only=True, validator=is_event_name)
    space: Space = field(default=Space.WORLD, kw_only=True, validator=is_space)
    time: TimeReference | None = field(default=None, kw_only=True, validator=is_time_reference)
    pace: float = field(default=0.0, init=False)
    """The speed of this visit in units per second, as evaluated on enter."""

    def __attrs_post_init__(self) -> None:
        checked_amount(self.arrival_distance, "MoveTowards: arrival_distance", "units")
        if not callable(self.speed):
            checked_speed(self.speed, "MoveTowards")

    @property
    def finishes(self) -> Finishes | None:
        is_open = may_move(self.target, self.space) or not self.speed
        return None if is_open else "in time"

    @property
    def waits_for(self) -> str:
        if is_computed(self.target):  # whose code may do anything
            return f"to reach {self._fsmkit_described(self.target)}"
        left = max(0.0, distance(*self._ends()) - self.arrival_distance)
        return f"{left:.1f} units to go"

    @property
    def _ends_in_(self) -> float:
        if is_computed(self.target) or not self.pace:
            return super()._ends_in_
        to_go = distance(*self._ends()) - self.arrival_distance
        return seconds_to(to_go / self.pace, self.time)

    def on_enter(self) -> None:
        self.pace = checked_speed(value_of(self.speed, self), "MoveTowards")
        self._go(0.0)

    def on_update(self) -> None:
        self._go(elapsed_in(self, self.time))

    def _go(self, seconds: float) -> None:
        here, there = self._ends()
        way = distance(here, there)
        to_go = max(0.0, way - self.arrival_distance)
        arrives = to_go <= self.pace * (seconds + TIME_TOLERANCE)
        stretch = to_go if arrives else self.pace * seconds
        if stretch > 0.0:
            self._put(there if stretch == way else partway(here, there, stretch / way))
        if arrives:
            self.finish(unused_of(seconds - to_go / self.pace if self.pace else 0.0, self.time))

    def _ends(self) -> tuple[Position, Position]:
        """Where it is, and where the target is."""
        return ends_of(self.transform, value_of(self.target, self), self.space)

    def _put(self, position: Position) -> None:
        setattr(self.transform, self.space.attribute("position"), position)
