"""ScaleByDuration: scale a thing from one size to another within a certain time."""

from __future__ import annotations

from numbers import Real

from actions.definition import define_action
from actions.parts.blend import TransformBlend
from actions.parts.parameters import Param
from fsmkit.space import Position, components, lerp, like


@define_action
class ScaleByDuration(TransformBlend):
    """Scale `transform` from `start` to `end` in `duration` seconds.

    A scale is a number, or one number per axis. `start=None` means: from its scale now.
    `transform` is anything with a `scale` (for `Space.SELF` a `local_scale`). Between equal ends it
    finishes on enter, at its end.

    >>> from fsmkit import Fsm
    >>> from fsmkit.space import Transform
    >>> balloon = Transform(scale=1.0)
    >>> fsm = Fsm("Balloon")
    >>> _ = fsm.add_state("Blow").add_action(ScaleByDuration(balloon, None, 3.0, duration=2.0))
    >>> fsm.start()
    >>> fsm.update(1)
    >>> balloon.scale
    2.0
    """

    uses = ("scale",)

    start: Param[Position] | None
    end: Param[Position]
    duration: Param[float]

    def between(self, start: Position, end: Position, share: float) -> Position:
        if type(start) is type(end):
            return lerp(start, end, share)
        return lerp(_with_axes_of(end, start), _with_axes_of(start, end), share)


def _with_axes_of(model: Position, scale: Position) -> Position:
    """Return `scale`, with one number per axis if `model` has that."""
    if isinstance(scale, Real) and not isinstance(model, Real):
        return like(model, (float(scale),) * len(components(model)))
    return scale
