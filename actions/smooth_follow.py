"""SmoothFollow: have a thing follow a target, such as a camera its hero."""

from __future__ import annotations

from math import expm1
from typing import Any

from attrs import define, field, validators

from actions.parts.finishing import Finishes
from actions.parts.functions import is_parameter
from actions.parts.parameters import Param, value_of
from actions.parts.positions import position_of
from actions.parts.timed_action import elapsed_in
from actions.parts.validators import (
    checked_amount,
    has,
    is_position,
    is_space,
    is_target,
    is_time_reference,
)
from fsmkit import FsmAction, TimeReference
from fsmkit.space import Position, Space, components, difference, shifted


@define(eq=False, repr=False, slots=False)
class SmoothFollow(FsmAction):
    """Have `transform` follow `target`, quickly from far away and gently when it is near.

    `smoothing` is the rate, per second, at which the way left shrinks: after `t` seconds
    `exp(-smoothing * t)` of it is left, so with 5 half of it is gone after 0.14 seconds. It is the
    same at every frame rate, also behind a target that moves steadily: that is followed
    `1 / smoothing` seconds behind. It never finishes.

    `target` is a position, a function that returns one, or anything with a `position`; it is looked
    up in every update. It is followed at `offset` from there, such as (0, 2, -10). `transform` is
    anything with a `position`. For `Space.SELF` both have a `local_position`. Raises ValueError for
    a smoothing that is negative or not finite.

    Between two updates the target is taken to move evenly. Then this is the exact solution of
    `x' = smoothing * (target - x)`.

    >>> from fsmkit import Fsm
    >>> from fsmkit.space import Transform
    >>> camera, hero = Transform((0.0, 0.0)), Transform((8.0, 0.0))
    >>> fsm = Fsm("Camera")
    >>> _ = fsm.add_state("Follow").add_action(SmoothFollow(camera, hero, 2.0))
    >>> fsm.start()
    >>> for _ in range(3):
    ...     fsm.update(0.5)
    ...     print(round(camera.position[0], 2))
    5.06
    6.92
    7.6
    """

    transform: Any = field(validator=has("position"))
    target: Any = field(validator=[is_parameter, is_target])
    smoothing: Param[float] = field(validator=is_parameter)
    offset: Param[Position] | None = field(
        default=None, kw_only=True, validator=[is_parameter, validators.optional(is_position)]
    )
    space: Space = field(default=Space.WORLD, kw_only=True, validator=is_space)
    time: TimeReference | None = field(default=None, kw_only=True, validator=is_time_reference)
    rate: float = field(default=0.0, init=False)
    """The smoothing of this visit, as evaluated on enter."""
    shift: tuple[float, ...] | None = field(default=None, init=False)
    """The offset of this visit, as evaluated on enter."""
    goal: tuple[float, ...] = field(default=(), init=False)
    """Where it was to be in the last update."""

    def __attrs_post_init__(self) -> None:
        if not callable(self.smoothing):
            self._checked(self.smoothing)

    @property
    def finishes(self) -> Finishes | None:
        return "never"

    def on_enter(self) -> None:
        self.rate = self._checked(value_of(self.smoothing, self))
        offset = value_of(self.offset, self)
        self.shift = None if offset is None else components(offset)
        self.goal = self._goal()
        difference(position_of(self.transform, self.space), self.goal)  # raises now

    def on_update(self) -> None:
        seconds = elapsed_in(self, self.time)
        if seconds <= 0.0:
            return
        here = position_of(self.transform, self.space)
        before, self.goal = self.goal, self._goal()
        done = -expm1(-self.rate * seconds)
        carried = 1.0 - done / (self.rate * seconds) if self.rate * seconds else 0.0
        to_go, moved = difference(here, before), difference(before, self.goal)
        way = tuple(a * done + b * carried for a, b in zip(to_go, moved, strict=True))
        setattr(self.transform, self.space.attribute("position"), shifted(here, way))

    def check_remembered(self) -> None:
        """Raise an error if it cannot go on with what it remembers."""
        difference(position_of(self.transform, self.space), self.goal)

    def _goal(self) -> tuple[float, ...]:
        """Where it is to be now."""
        there = components(position_of(value_of(self.target, self), self.space))
        return there if self.shift is None else shifted(there, self.shift)

    def _checked(self, smoothing: float) -> float:
        return checked_amount(smoothing, "SmoothFollow: smoothing", "a rate per second")
