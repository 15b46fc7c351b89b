"""Rotate: turn a thing from one rotation to another within a certain time."""

from __future__ import annotations

from typing import Any

from attrs import define, field

from actions.parts.blend import Blend
from actions.parts.parameters import Param
from actions.parts.validators import has, is_space
from fsmkit.space import Rotation, Space, slerp


@define(eq=False, repr=False, slots=False)
class Rotate(Blend):
    """Turn `transform` from `start` to `end` in `duration` seconds, the shorter way round.

    A rotation is an angle in degrees, counterclockwise, or a quaternion; both ends must be of the
    same kind. `start=None` means: from its rotation now. `transform` is anything with a `rotation`
    (for `Space.SELF` a `local_rotation`). Between equal ends it finishes on enter, at its end. A
    whole turn has no shorter way round: see RotateConstantly.

    >>> from fsmkit import Fsm
    >>> from fsmkit.space import Transform
    >>> door = Transform(rotation=350.0)
    >>> fsm = Fsm("Door")
    >>> _ = fsm.add_state("Opening").add_action(Rotate(door, None, 80.0, duration=3.0))
    >>> fsm.start()
    >>> fsm.update(1)
    >>> door.rotation
    380.0
    >>> fsm.update(99)
    >>> door.rotation
    80.0
    """

    transform: Any = field(validator=has("rotation"))
    start: Param[Rotation] | None
    end: Param[Rotation]
    duration: Param[float]
    space: Space = field(default=Space.WORLD, kw_only=True, validator=is_space)

    @property
    def writes(self) -> tuple[object, str] | None:
        return self.transform, "rotation"

    def read(self) -> Rotation:
        return getattr(self.transform, self.space.attribute("rotation"))

    def write(self, value: Rotation) -> None:
        setattr(self.transform, self.space.attribute("rotation"), value)

    def between(self, start: Rotation, end: Rotation, share: float) -> Rotation:
        return slerp(start, end, share)
