"""RotateConstantly: keep a thing turning."""

from __future__ import annotations

from math import isfinite
from numbers import Real
from typing import Any

from attrs import define, field

from actions.parts.finishing import Finishes
from actions.parts.functions import is_parameter
from actions.parts.parameters import Param, value_of
from actions.parts.timed_action import elapsed_in
from actions.parts.validators import has, is_finite, is_space, is_time_reference
from fsmkit import FsmAction, TimeReference
from fsmkit.space import Space


@define(eq=False, repr=False, slots=False)
class RotateConstantly(FsmAction):
    """Turn `transform` by `speed` degrees per second, counterclockwise, for ever.

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

    transform: Any = field(validator=has("rotation"))
    speed: Param[float] = field(validator=[is_parameter, is_finite])
    space: Space = field(default=Space.WORLD, kw_only=True, validator=is_space)
    time: TimeReference | None = field(default=None, kw_only=True, validator=is_time_reference)
    pace: float = field(default=0.0, init=False)
    """The speed of this visit in degrees per second, as evaluated on enter."""

    @property
    def finishes(self) -> Finishes | None:
        return "never"

    def on_enter(self) -> None:
        self.pace = value_of(self.speed, self)
        rotation = getattr(self.transform, self.space.attribute("rotation"))
        for what, value in (("speed", self.pace), ("rotation", rotation)):
            if not isinstance(value, Real):
                raise TypeError(f"RotateConstantly: {what} must be a number, got {value!r}.")
            if not isfinite(value):
                raise ValueError(f"RotateConstantly: {what} must be finite, got {value!r}.")

    def on_update(self) -> None:
        name = self.space.attribute("rotation")
        turned = getattr(self.transform, name) + self.pace * elapsed_in(self, self.time)
        setattr(self.transform, name, turned)
