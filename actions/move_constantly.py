"""MoveConstantly: keep a thing moving."""

from __future__ import annotations

from math import isfinite

from attrs import field

from actions.definition import define_action
from actions.parts.declarations import Finishes
from actions.parts.on_transform import OnTransformInTime
from actions.parts.parameters import Param, is_parameter, value_of
from actions.parts.validators import is_position
from fsmkit.space import Position, components, shifted


@define_action
class MoveConstantly(OnTransformInTime):
    """Move `transform` by `velocity`, in units per second along each axis, forever.

    `velocity` is a tuple or vector, or a function that is called on enter. `transform` is anything
    with a `position` (for `Space.SELF` a `local_position`). Raises ValueError on enter unless both
    have the same number of axes, and for a velocity that is not finite.

    >>> from fsmkit import Fsm
    >>> from fsmkit.space import Transform
    >>> runner = Transform((0.0, 0.0))
    >>> fsm = Fsm("Runner")
    >>> _ = fsm.add_state("Run").add_action(MoveConstantly(runner, (4.0, 0.0)))
    >>> fsm.start()
    >>> fsm.update(0.5)
    >>> runner.position
    (2.0, 0.0)
    """

    velocity: Param[Position] = field(validator=[is_parameter, is_position])
    course: tuple[float, ...] = field(default=(), init=False)
    """The velocity of this visit, as evaluated on enter."""

    @property
    def finishes(self) -> Finishes | None:
        return "never"

    def on_enter(self) -> None:
        velocity = self.velocity
        self.course = components(value_of(velocity, self) if callable(velocity) else velocity)
        if not all(map(isfinite, self.course)):
            raise ValueError(f"MoveConstantly: velocity must be finite, got {self.course!r}.")
        self.check_remembered()  # now rather than in the first update

    def on_update(self) -> None:
        time, seconds = self.time, self._fsmkit_fsm.delta_time  # as in TimedAction
        now = getattr(self.transform, self.space.position)
        moved = shifted(now, self.course, seconds if time is None else time.scaled(seconds))
        setattr(self.transform, self.space.position, moved)

    def check_remembered(self) -> None:
        """Raise an error if what it remembers does not fit."""
        shifted(getattr(self.transform, self.space.position), self.course)
