"""MoveBy: move a thing by an offset from its position, within a certain time."""

from __future__ import annotations

from typing import Any

from attrs import define, field

from actions.parts.functions import is_parameter
from actions.parts.parameters import Param, value_of
from actions.parts.timed_action import TimedAction
from actions.parts.validators import has, is_position, is_space
from fsmkit.space import Position, Space, lerp, shifted


@define(eq=False, repr=False, slots=False)
class MoveBy(TimedAction):
    """Move `transform` by `offset` from where it is on enter, in `duration` seconds.

    It arrives at exactly the position on enter plus the offset. `transform` is anything with a
    `position` (for `Space.SELF` a `local_position`, and the offset is along the parent's axes).

    >>> from fsmkit import FINISHED, Fsm
    >>> from fsmkit.space import Transform
    >>> pawn = Transform((3.0, 1.0))
    >>> fsm = Fsm("Pawn")
    >>> step = fsm.add_state("Step")
    >>> _ = step.add_action(MoveBy(pawn, (0.0, 1.0), duration=0.5))
    >>> _ = step.add_transition(FINISHED, step)
    >>> fsm.start()
    >>> fsm.update(0.5)
    >>> fsm.update(0.25)
    >>> pawn.position
    (3.0, 2.5)
    """

    transform: Any = field(validator=has("position"))
    offset: Param[Position] = field(validator=[is_parameter, is_position])
    duration: Param[float]
    space: Space = field(default=Space.WORLD, kw_only=True, validator=is_space)
    origin: Position = field(default=None, init=False)
    destination: Position = field(default=None, init=False)

    def begin(self) -> None:
        now = getattr(self.transform, self.space.attribute("position"))
        self.origin = lerp(now, now, 0)
        self.destination = shifted(now, value_of(self.offset, self))

    def check_remembered(self) -> None:
        """Raise an error if it cannot go on with what it remembers."""
        lerp(self.origin, self.destination, 0.5)

    def apply(self, progress: float) -> None:
        position = lerp(self.origin, self.destination, progress)
        setattr(self.transform, self.space.attribute("position"), position)
