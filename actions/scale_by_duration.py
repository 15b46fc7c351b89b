"""ScaleByDuration: scale a thing from one size to another within a certain time."""

from __future__ import annotations

from numbers import Real
from typing import Any

from attrs import define, field

from actions.parts.blend import Blend
from actions.parts.parameters import Param
from actions.parts.validators import has, is_space
from fsmkit.space import Position, Space, components, lerp, like


@define(eq=False, repr=False, slots=False)
class ScaleByDuration(Blend):
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

    transform: Any = field(validator=has("scale"))
    start: Param[Position] | None
    end: Param[Position]
    duration: Param[float]
    space: Space = field(default=Space.WORLD, kw_only=True, validator=is_space)

    @property
    def writes(self) -> tuple[object, str] | None:
        return self.transform, "scale"

    def read(self) -> Position:
        return getattr(self.transform, self.space.attribute("scale"))

    def write(self, value: Position) -> None:
        setattr(self.transform, self.space.attribute("scale"), value)

    def between(self, start: Position, end: Position, share: float) -> Position:
        return lerp(_with_axes_of(end, start), _with_axes_of(start, end), share)


def _with_axes_of(model: Position, scale: Position) -> Position:
    """Return `scale`, with one number per axis if `model` has that."""
    if isinstance(scale, Real) and not isinstance(model, Real):
        return like(model, (float(scale),) * len(components(model)))
    return scale
