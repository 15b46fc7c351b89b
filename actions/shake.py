"""Shake: shake a thing, such as a camera or a target that was hit, for a while."""

from __future__ import annotations

from math import inf, sin, sqrt, tau
from numbers import Real
from random import Random
from typing import Any, Final

from attrs import Attribute, field, validators

from actions.definition import define_action
from actions.easing import ease_out_quad
from actions.parts.on_transform import OnTransform
from actions.parts.parameters import Param, is_computed, is_parameter, value_of
from actions.parts.timed_action import Easing, TimedAction
from actions.parts.validators import (
    amount_of,
    checked_amount,
    is_amount,
    is_callable,
    is_generator_of,
    is_position,
)
from fsmkit.space import Position, components, lerp, same, shifted

GOLDEN: Final = (1.0 + sqrt(5.0)) / 2.0
"""Two swings at this ratio never meet again, so the pattern does not repeat."""


def _is_one_number(amplitude: object) -> bool:
    return isinstance(amplitude, Real)


def _is_optional_easing(action: Shake, attribute: Attribute[Any], easing: object) -> None:
    if easing is not None:
        is_callable(action, attribute, easing)


def _is_amplitude(action: Shake, attribute: Attribute[Any], amplitude: Any) -> None:
    if _is_one_number(amplitude):
        checked_amount(amplitude, "Shake: amplitude", "units")
    else:
        is_position(action, attribute, amplitude)
        if not is_computed(amplitude):
            _checked_axes(amplitude)


@define_action
class Shake(OnTransform, TimedAction):
    """Shake `transform` around its position for `duration` seconds, less and less.

    `amplitude` is its greatest distance from its position, in units, or the distance along each
    axis: (0, 8) shakes up and down. `frequency` is the number of swings per second. `rng` makes
    each shake different; without it all are the same. `easing` is how it calms down, by default
    quickly at first, and evenly with None.

    If nothing else moves it, it ends exactly where it began, also when the state is exited, and
    rests there while the state is suspended. Other movements meanwhile are kept, such as those of
    `MoveConstantly`, `Wander` or the physics of an engine. But it disturbs actions that set a
    position, such as `Move` and `MoveTowards`. With these, move a parent and shake the
    `local_position`: `Shake(camera, 4.0, 0.5, space=Space.SELF)`.

    `transform` is anything with a `position` (for `Space.SELF` a `local_position`). Raises
    ValueError for an amplitude or frequency that is negative or not finite, and on enter unless the
    amplitude has as many axes as the position.

    >>> from fsmkit import Fsm
    >>> from fsmkit.space import Transform
    >>> camera = Transform((100.0, 50.0))
    >>> fsm = Fsm("Camera")
    >>> _ = fsm.add_state("Hit").add_action(Shake(camera, 8.0, duration=0.5))
    >>> fsm.start()
    >>> for _ in range(5):
    ...     fsm.update(0.1)
    ...     print([round(number, 1) for number in camera.position])
    [101.1, 49.0]
    [100.6, 48.2]
    [99.9, 49.2]
    [100.0, 49.9]
    [100.0, 50.0]
    """

    amplitude: Param[Any] = field(validator=[is_parameter, _is_amplitude])
    duration: Param[float]
    rng: Random | None = field(
        default=None, validator=validators.optional(is_generator_of("uniform"))
    )
    frequency: Param[float] = field(default=12.0, kw_only=True, validator=is_amount("per second"))
    easing: Easing | None = field(
        default=ease_out_quad, kw_only=True, validator=_is_optional_easing
    )
    swings: tuple[float, ...] = field(default=(), init=False)
    """The amplitude along each axis in this visit."""
    phases: tuple[float, ...] = field(default=(), init=False)
    """The phases of its swings, two for each axis, as shares of a full swing."""
    pace: float = field(default=0.0, init=False)
    """The frequency of this visit, per second."""
    place: Position | None = field(default=None, init=False)
    """Its position without the shake; None if it is not shaken."""
    shown: Position | None = field(default=None, init=False)
    """The position that was written; if it differs, something else has moved it."""
    offset: tuple[float, ...] = field(default=(), init=False)
    """The offset from its position without the shake."""

    def begin(self) -> None:
        now = components(self._position)
        self.pace = amount_of(self, "frequency", "per second")
        self.swings = self._checked_swings(value_of(self.amplitude, self), now)
        rng, count = self.rng, 2 * len(now)
        if rng is None:
            self.phases = tuple(index * GOLDEN % 1.0 for index in range(count))
        else:
            self.phases = tuple(rng.uniform(0.0, 1.0) for _ in range(count))
        self.place = None

    def apply(self, progress: float) -> None:
        left = 1.0 - progress
        self._show(tuple(left * far * self._swing(axis) for axis, far in enumerate(self.swings)))

    def on_suspend(self) -> None:
        self._calm()

    def on_exit(self) -> None:
        self._calm()

    def check_remembered(self) -> None:
        """Raise an error if what it remembers does not fit."""
        shifted(self._position, self.swings)
        if self.place is not None:
            shifted(self.place, self.offset)

    @property
    def _position(self) -> Position:
        return getattr(self.transform, self.space.position)

    def _swing(self, axis: int) -> float:
        """The deflection along an axis, from -1 to 1."""
        turns = self.pace * self.elapsed
        first, second = self.phases[2 * axis : 2 * axis + 2]
        return (sin(tau * (turns + first)) + sin(tau * (turns * GOLDEN + second))) / 2.0

    def _show(self, offset: tuple[float, ...]) -> None:
        """Put it at `offset` from its unshaken position; an empty offset ends the shake."""
        now = self._position
        if self.place is None:
            self.place = _copied(now)
        elif not same(now, self.shown):
            self.place = shifted(now, self.offset, -1.0)
        is_calm = not any(offset)
        there = _copied(self.place) if is_calm else shifted(self.place, offset)
        setattr(self.transform, self.space.position, there)
        # As read back: an engine may keep fewer digits.
        self.shown, self.offset = _copied(self._position), offset
        if is_calm:
            self.place = self.shown = None

    def _calm(self) -> None:
        if self.place is not None:
            self._show(())

    def _checked_swings(self, amplitude: Any, position: tuple[float, ...]) -> tuple[float, ...]:
        if _is_one_number(amplitude):
            far = float(checked_amount(amplitude, "Shake: amplitude", "units"))
            return (far / sqrt(len(position)),) * len(position)
        swings = _checked_axes(amplitude)
        if len(swings) != len(position):
            raise ValueError(
                f"Shake: amplitude must be a number, or one for each axis of {position!r}, "
                f"got {amplitude!r}."
            )
        return swings


def _checked_axes(amplitude: Position) -> tuple[float, ...]:
    """Return the amplitude along each axis; ValueError unless finite and not negative."""
    swings = components(amplitude)
    if not all(0.0 <= far < inf for far in swings):
        raise ValueError(f"Shake: amplitude must be finite numbers >= 0, got {amplitude!r}.")
    return swings


def _copied(position: Position) -> Position:
    """Return a copy, as a vector may change in place."""
    return lerp(position, position, 0)
