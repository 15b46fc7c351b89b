"""RotateTowards: turn a thing until it faces a target, which may move."""

from __future__ import annotations

from math import expm1
from numbers import Real
from typing import Any, Final

from attrs import field
from attrs.validators import optional

from actions.definition import define_action
from actions.parts.declarations import Finishes
from actions.parts.on_transform import OnTransformInTime
from actions.parts.parameters import Param, is_computed, is_parameter, value_of
from actions.parts.positions import position_of
from actions.parts.timed_action import elapsed_in, seconds_to, unused_of
from actions.parts.validators import amount_of, is_amount, is_event_name, is_flag, is_target
from fsmkit.space import Rotation, Space, angle_between, difference, facing, same, slerp
from fsmkit.timing import TIME_TOLERANCE

CLOSE_ENOUGH: Final = 0.1
"""The default tolerance in degrees of smooth turning, which never arrives exactly."""


@define_action
class RotateTowards(OnTransformInTime):
    """Turn `transform`, the shorter way round, until it faces `target`.

    Give either `speed`, in degrees per second, or `smoothing`: the rate, per second, at which the
    remaining angle shrinks, quickly at first and slowly at the end, the same at every frame rate
    (after `t` seconds `exp(-smoothing * t)` of it is left). Both may be functions called on enter.

    `target` is a position, a function that returns one, or anything with a `position`; it is looked
    up in every update, so it may move. It counts as faced when at most `tolerance` degrees are
    left: by default 0 with `speed`, 0.1 with `smoothing`. Then the action finishes, or keeps
    turning with the target if `follow` is true. At the target's own position it keeps its rotation.

    `transform` is anything with a `position` and a `rotation`, an angle in degrees or a quaternion.
    For `Space.SELF` the `local_` ones are used, also of the target. Raises ValueError for a speed,
    smoothing or tolerance that is negative or not finite, or unless exactly one of the first two is
    given.

    >>> from fsmkit import Fsm
    >>> from fsmkit.space import Transform
    >>> turret = Transform((0.0, 0.0))
    >>> fsm = Fsm("Turret")
    >>> aim = fsm.add_state("Aim").add_action(RotateTowards(turret, (0.0, 5.0), speed=60.0))
    >>> fsm.start()
    >>> fsm.update(1)
    >>> turret.rotation
    60.0
    >>> fsm.update(1)
    >>> turret.rotation, aim.finished
    (90.0, True)
    """

    uses = ("position", "rotation")

    target: Any = field(validator=[is_parameter, is_target])
    speed: Param[float] | None = field(
        default=None, kw_only=True, validator=optional(is_amount("degrees per second"))
    )
    smoothing: Param[float] | None = field(
        default=None, kw_only=True, validator=optional(is_amount("a rate per second"))
    )
    tolerance: float | None = field(
        default=None, kw_only=True, validator=optional(is_amount("degrees", computed=False))
    )
    follow: bool = field(default=False, kw_only=True, validator=is_flag)
    finish_event: str | None = field(default=None, kw_only=True, validator=is_event_name)
    pace: float = field(default=0.0, init=False)
    """The speed or smoothing of this visit, as evaluated on enter."""

    def __attrs_post_init__(self) -> None:
        if (self.speed is None) == (self.smoothing is None):
            raise ValueError(
                "RotateTowards: either speed= (degrees per second) or smoothing= (a rate) must be "
                f"given, got {'both' if self.speed is not None else 'neither'}."
            )

    @property
    def finishes(self) -> Finishes | None:
        return "never" if self.follow else None

    @property
    def waits_for(self) -> str:
        if self.follow:
            return super().waits_for
        if is_computed(self.target):  # whose code may do anything
            return f"to face {self._fsmkit_described(self.target)}"
        return f"{max(0.0, _angle_between(*self._ends()) - self._tolerance):.1f} degrees to go"

    @property
    def _ends_in_(self) -> float:
        if self.follow or self.speed is None or not self.pace or is_computed(self.target):
            return super()._ends_in_
        to_go = _angle_between(*self._ends()) - self._tolerance
        return seconds_to(to_go / self.pace, self.time)

    def on_enter(self) -> None:
        self.pace = self._checked_pace()
        self._turn(0.0)

    def on_update(self) -> None:
        self._turn(elapsed_in(self, self.time))

    def _checked_pace(self) -> float:
        if self.speed is not None:
            return amount_of(self, "speed", "degrees per second")
        return amount_of(self, "smoothing", "a rate per second")

    def _turn(self, seconds: float) -> None:
        now, wanted = self._ends()
        angle = _angle_between(now, wanted)
        to_go = max(0.0, angle - self._tolerance)
        step = self._step(angle, to_go, seconds)
        if step > 0.0:
            setattr(self.transform, self.space.rotation, slerp(now, wanted, step / angle))
        if step >= to_go and not self.follow:
            is_steady = self.speed is not None and self.pace > 0.0
            self.finish(unused_of(seconds - to_go / self.pace if is_steady else 0.0, self.time))

    def _ends(self) -> tuple[Rotation, Rotation]:
        """Its rotation now, and the one that faces the target."""
        return bearings(self.transform, value_of(self.target, self), self.space)

    def _step(self, angle: float, to_go: float, seconds: float) -> float:
        """Return the degrees to turn in `seconds` if `to_go` of `angle` are left."""
        if self.speed is None:
            return -angle * expm1(-self.pace * seconds)
        if to_go <= self.pace * (seconds + TIME_TOLERANCE):
            return to_go
        return self.pace * seconds

    @property
    def _tolerance(self) -> float:
        if self.tolerance is not None:
            return self.tolerance
        return 0.0 if self.speed is not None else CLOSE_ENOUGH


def _angle_between(now: Rotation, wanted: Rotation) -> float:
    return 0.0 if same(now, wanted) else angle_between(now, wanted)


def bearings(transform: Any, target: Any, space: Space) -> tuple[Rotation, Rotation]:
    """Return the rotation of `transform`, and the one that makes it face `target`.

    They are the same if the two coincide.

    >>> from fsmkit.space import Transform
    >>> bearings(Transform((1.0, 1.0)), (1.0, 3.0), Space.WORLD)
    (0.0, 90.0)
    """
    rotation = getattr(transform, space.rotation)
    way = difference(getattr(transform, space.position), position_of(target, space))
    if type(rotation) is float or isinstance(rotation, Real):
        way = way[:2]  # an angle has no other axes
    return rotation, facing(rotation, way) if any(way) else rotation
