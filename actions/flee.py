"""Flee: move a thing away from a target, which may move."""

from __future__ import annotations

from math import inf
from typing import Any

from attrs import field, validators

from actions.definition import define_action
from actions.parts.declarations import Finishes
from actions.parts.parameters import Param, is_computed, value_of
from actions.parts.positions import may_move
from actions.parts.travel import TargetTravel
from actions.parts.validators import checked_amount, is_amount
from fsmkit.space import Position, difference, shifted


@define_action
class Flee(TargetTravel):
    """Move `transform` straight away from `target` at `speed` units per second.

    `target` is a position, a function that returns one, or anything with a `position`; it is looked
    up in every update, so it may move. The action finishes when it is `distance` units away, and
    stops exactly there; if it is already that far away, it finishes on enter. With None it never
    finishes. At the target's own position it flees along the first axis.

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

    distance: Param[float] | None = field(
        default=None, kw_only=True, validator=validators.optional(is_amount("units"))
    )
    reach: float | None = field(default=None, init=False)
    """The distance of this visit, as evaluated on enter."""

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
        return f"{self._units_left:.1f} units to go"

    def begin(self) -> None:
        reach: Any = self.distance
        if callable(reach):
            reach = value_of(reach, self)
        self.reach = None if reach is None else checked_amount(reach, "Flee: distance", "units")

    def to_go(self, way: float) -> float:
        return inf if self.reach is None else max(0.0, self.reach - way)

    def after(self, here: Position, there: Position, way: float, stretch: float) -> Position:
        away = difference(there, here)
        course = tuple([step / way for step in away]) if way else (1.0, *away[1:])
        return shifted(there, course, way + stretch)
