"""SmoothFollow: make a thing follow a target, such as a camera its hero."""

from __future__ import annotations

from math import expm1
from typing import Any

from attrs import field, validators

from actions.definition import define_action
from actions.parts.declarations import Finishes
from actions.parts.on_transform import OnTransformInTime
from actions.parts.parameters import Param, is_parameter, value_of
from actions.parts.positions import position_of
from actions.parts.timed_action import elapsed_in
from actions.parts.validators import amount_of, is_amount, is_position, is_target
from fsmkit.space import Position, components, difference, like, shifted


@define_action
class SmoothFollow(OnTransformInTime):
    """Make `transform` follow `target`, quickly from afar and gently when close.

    `smoothing` is the rate, per second, at which the distance shrinks: after `t` seconds
    `exp(-smoothing * t)` of it is left, so with 5 half of it is gone after 0.14 seconds. The result
    is the same at every frame rate; a target that moves steadily is followed with a lag of
    `1 / smoothing` seconds. It never finishes.

    `target` is a position, a function that returns one, or anything with a `position`; it is looked
    up in every update, and followed at `offset`, such as (0, 2, -10). `transform` is anything with
    a `position`. For `Space.SELF` both have a `local_position`. Raises ValueError for a smoothing
    that is negative or not finite.

    If the target moves evenly between two updates, this is the exact solution of
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

    target: Any = field(validator=[is_parameter, is_target])
    smoothing: Param[float] = field(validator=is_amount("a rate per second"))
    offset: Param[Position] | None = field(
        default=None, kw_only=True, validator=[is_parameter, validators.optional(is_position)]
    )
    rate: float = field(default=0.0, init=False)
    """The smoothing of this visit, as evaluated on enter."""
    shift: tuple[float, ...] | None = field(default=None, init=False)
    """The offset of this visit, as evaluated on enter."""
    goal: tuple[float, ...] = field(default=(), init=False)
    """The position it headed for in the last update."""

    @property
    def finishes(self) -> Finishes | None:
        return "never"

    def on_enter(self) -> None:
        self.rate = amount_of(self, "smoothing", "a rate per second")
        offset = value_of(self.offset, self)
        self.shift = None if offset is None else components(offset)
        self.goal = self._goal()
        difference(position_of(self.transform, self.space), self.goal)  # raises now

    def on_update(self) -> None:
        seconds = elapsed_in(self, self.time)
        if seconds <= 0.0:
            return
        position = getattr(self.transform, self.space.position)
        before, goal = self.goal, self._goal()
        self.goal = goal
        passed = self.rate * seconds
        done = -expm1(-passed)
        carried = 1.0 - done / passed if passed else 0.0
        try:
            ways = zip(components(position), before, goal, strict=True)
            there = tuple([x + ((b - x) * done + (g - b) * carried) for x, b, g in ways])
        except ValueError:
            difference(position, goal)  # says what is wrong
            raise
        setattr(self.transform, self.space.position, like(position, there))

    def check_remembered(self) -> None:
        """Raise an error if what it remembers does not fit."""
        difference(position_of(self.transform, self.space), self.goal)

    def _goal(self) -> tuple[float, ...]:
        """The position it heads for now."""
        there = components(position_of(value_of(self.target, self), self.space))
        return there if self.shift is None else shifted(there, self.shift)
