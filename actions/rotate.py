"""Rotate: turn a thing from one rotation to another within a certain time."""

from __future__ import annotations

from actions.definition import define_action
from actions.parts.blend import TransformBlend
from actions.parts.parameters import Param
from fsmkit.space import Rotation, slerp


@define_action
class Rotate(TransformBlend):
    """Turn `transform` from `start` to `end` in `duration` seconds, the shorter way round.

    A rotation is an angle in degrees, counterclockwise, or a quaternion; both ends must be of the
    same kind. `start=None` means: from its rotation now. `transform` is anything with a `rotation`
    (for `Space.SELF` a `local_rotation`). Between equal ends it finishes on enter, at its end. For
    a full turn, which has no shorter way round, use RotateConstantly.

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

    uses = ("rotation",)
    between = staticmethod(slerp)

    start: Param[Rotation] | None
    end: Param[Rotation]
    duration: Param[float]
