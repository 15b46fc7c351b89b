"""RotateConstantly: keep a thing turning."""

from __future__ import annotations

from math import isfinite
from numbers import Real

from attrs import field

from actions.definition import define_action
from actions.parts.declarations import Finishes
from actions.parts.on_transform import OnTransformInTime
from actions.parts.parameters import Param, is_parameter, value_of
from actions.parts.timed_action import elapsed_in
from actions.parts.validators import is_finite


@define_action
class RotateConstantly(OnTransformInTime):
    """Turn `transform` by `speed` degrees per second, counterclockwise, forever.

    A negative speed turns clockwise; a function is called on enter. `transform` is anything whose
    `rotation` (for `Space.SELF` its `local_rotation`) is an angle in degrees, which does not wrap
    at 360. Raises TypeError on enter for other rotations, and ValueError for numbers that are not
    finite.

    >>> from fsmkit import Fsm
    >>> from fsmkit.space import Transform
    >>> coin = Transform(rotation=270.0)
    >>> fsm = Fsm("Coin")
    >>> _ = fsm.add_state("Spin").add_action(RotateConstantly(coin, 180.0))
    >>> fsm.start()
    >>> fsm.update(1)
    >>> coin.rotation
    450.0
    """

    uses = ("rotation",)

    speed: Param[float] = field(validator=[is_parameter, is_finite])
    pace: float = field(default=0.0, init=False)
    """The speed of this visit in degrees per second, as evaluated on enter."""

    @property
    def finishes(self) -> Finishes | None:
        return "never"

    def on_enter(self) -> None:
        self.pace = value_of(self.speed, self)
        rotation = getattr(self.transform, self.space.rotation)
        for what, value in (("speed", self.pace), ("rotation", rotation)):
            if type(value) is not float and not isinstance(value, Real):
                raise TypeError(f"RotateConstantly: {what} must be a number, got {value!r}.")
            if not isfinite(value):
                raise ValueError(f"RotateConstantly: {what} must be finite, got {value!r}.")

    def on_update(self) -> None:
        name = self.space.rotation
        turned = getattr(self.transform, name) + self.pace * elapsed_in(self, self.time)
        setattr(self.transform, name, turned)
