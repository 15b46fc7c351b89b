"""MoveBy: move a thing by an offset from its position, within a certain time."""

from __future__ import annotations

from attrs import field

from actions.definition import define_action
from actions.parts.on_transform import OnTransform
from actions.parts.parameters import Param, is_parameter, value_of
from actions.parts.timed_action import TimedAction
from actions.parts.validators import is_position
from fsmkit.space import Position, lerp, shifted


@define_action
class MoveBy(OnTransform, TimedAction):
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

    offset: Param[Position] = field(validator=[is_parameter, is_position])
    duration: Param[float]
    origin: Position = field(default=None, init=False)
    destination: Position = field(default=None, init=False)

    @property
    def _way_(self) -> tuple[Position, ...]:
        return (self.destination,)

    def begin(self) -> None:
        now = getattr(self.transform, self.space.position)
        self.origin = lerp(now, now, 0)
        self.destination = shifted(now, value_of(self.offset, self))

    def check_remembered(self) -> None:
        """Raise an error if what it remembers does not fit."""
        lerp(self.origin, self.destination, 0.5)

    def apply(self, progress: float) -> None:
        position = lerp(self.origin, self.destination, progress)
        setattr(self.transform, self.space.position, position)
