"""MoveTowards: move a thing to a target, which may move, at a certain speed."""

from __future__ import annotations

from attrs import field

from actions.definition import define_action
from actions.parts.declarations import Finishes
from actions.parts.parameters import is_computed
from actions.parts.positions import may_move, partway
from actions.parts.travel import TargetTravel
from actions.parts.validators import is_amount
from fsmkit.space import Position


@define_action
class MoveTowards(TargetTravel):
    """Move `transform` towards `target` at `speed` units per second, until it has arrived.

    `target` is a position, a function that returns one, or anything with a `position`; it is looked
    up in every update, so it may move. It has arrived `arrival_distance` units from the target, and
    stops exactly there. If it is already there, it finishes on enter.

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

    arrival_distance: float = field(
        default=0.0, kw_only=True, validator=is_amount("units", computed=False)
    )

    @property
    def finishes(self) -> Finishes | None:
        is_open = may_move(self.target, self.space) or not self.speed
        return None if is_open else "in time"

    @property
    def waits_for(self) -> str:
        if is_computed(self.target):  # whose code may do anything
            return f"to reach {self._fsmkit_described(self.target)}"
        return f"{self._units_left:.1f} units to go"

    def to_go(self, way: float) -> float:
        near = self.arrival_distance
        return way - near if way > near else 0.0

    def after(self, here: Position, there: Position, way: float, stretch: float) -> Position:
        return partway(here, there, stretch / way)
