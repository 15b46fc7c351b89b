"""Jump: throw a thing up and let it fall back."""

from __future__ import annotations

from attrs import field

from actions.definition import define_action
from actions.parts.on_transform import OnTransform
from actions.parts.parameters import Param, is_parameter, value_of
from actions.parts.timed_action import TimedAction
from actions.parts.validators import is_axis, is_finite
from fsmkit.space import components, like


@define_action
class Jump(OnTransform, TimedAction):
    """Move `transform` up by `height` units and back within `duration` seconds, on a parabola.

    It is at its highest after half the time and ends at exactly the height it started from. `up` is
    the index of the axis that it moves along: 1 is y, 2 is z. It leaves the other axes alone, so
    you can combine it with actions that move along them. If y points down, as on most screens, give
    a negative height.

    `transform` is anything with a `position` (for `Space.SELF` a `local_position`). Raises
    ValueError on enter if it has no such axis.

    >>> from actions.move_constantly import MoveConstantly
    >>> from fsmkit import Fsm
    >>> from fsmkit.space import Transform
    >>> runner = Transform((0.0, 0.0))
    >>> fsm = Fsm("Runner")
    >>> leap = fsm.add_state("Leap")
    >>> _ = leap.add_action(MoveConstantly(runner, (4.0, 0.0)))
    >>> _ = leap.add_action(Jump(runner, height=2.0, duration=1.0))
    >>> fsm.start()
    >>> for _ in range(4):
    ...     fsm.update(0.25)
    ...     print(runner.position)
    (1.0, 1.5)
    (2.0, 2.0)
    (3.0, 1.5)
    (4.0, 0.0)
    """

    height: Param[float] = field(validator=[is_parameter, is_finite])
    duration: Param[float]
    up: int = field(default=1, kw_only=True, validator=is_axis)
    ground: float = field(default=0.0, init=False)
    """The height of the transform on enter."""
    summit: float = field(default=0.0, init=False)
    """The height of the jump in this visit, as evaluated on enter."""

    def begin(self) -> None:
        now = components(getattr(self.transform, self.space.position))
        if self.up not in range(len(now)):
            raise ValueError(
                f"Jump: up must be the index of an axis of {now!r}, from 0 to {len(now) - 1}, "
                f"got {self.up!r}."
            )
        self.ground = now[self.up]
        self.summit = value_of(self.height, self)

    def apply(self, progress: float) -> None:
        now = getattr(self.transform, self.space.position)
        values = list(components(now))
        values[self.up] = self.ground + 4.0 * self.summit * progress * (1.0 - progress)
        setattr(self.transform, self.space.position, like(now, tuple(values)))
