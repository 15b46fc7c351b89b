"""Wander: have a thing stroll about."""

from __future__ import annotations

from math import asin, degrees
from random import Random
from typing import Any, Final

from attrs import define, field, validators

from actions.parts.arcs import Arc, Leash, Numbers, added, beside, heading, unit, way
from actions.parts.finishing import Finishes
from actions.parts.functions import is_parameter
from actions.parts.memory import Seconds
from actions.parts.parameters import Param, value_of
from actions.parts.positions import position_of
from actions.parts.timed_action import elapsed_in
from actions.parts.validators import (
    checked_amount,
    checked_speed,
    has,
    is_axis,
    is_generator_of,
    is_space,
    is_target,
    is_time_reference,
)
from fsmkit import FsmAction, TimeReference
from fsmkit.space import Position, Space, components, difference, shifted

STRETCH: Final = 0.25
"""Seconds for which it turns evenly; then the dice are rolled again."""

MOST_STRETCHES: Final = 10_000
"""How many of them are gone in one update; time beyond that is dropped."""


@define(eq=False, repr=False, slots=False)
class Wander(FsmAction):
    """Have `transform` stroll about at `speed` units per second, for ever.

    It goes in arcs, and begins in any direction. `rng` rolls four times a second how it turns; the
    course depends on it alone, not on the frame rate. `turning` is how sharply it may turn, in
    degrees per second; between two rolls it turns evenly.

    `radius` is how many units it may go away from the middle; without one it goes anywhere.
    `around` is the middle: a position, a function that returns one, or anything with a `position`;
    by default the place where it is on enter. Near the rim it turns back in time, more sharply than
    `turning` if the circle is too small for that; when it is outside, because others have moved it,
    it comes home.

    In space it flies, unless `up` says which axis is the height, which it keeps: 1 is y, 2 is z.

    `direction` is where it is heading, a vector of length 1, and `ahead` a point in front of it, so
    `LookAt(fish, lambda: wander.ahead)` has it swim forwards. `transform` is anything with a
    `position`. For `Space.SELF` the local one is used, of `around` too. Raises ValueError for a
    speed or turning that is negative or not finite, a radius that is not above 0, and on enter
    for a position with fewer than two axes to go along, or more than three.

    After C. W. Reynolds, "Steering Behaviors for Autonomous Characters" (1999), "wander": the
    steering is kept and changed a little at a time.

    >>> from random import Random
    >>> from fsmkit import Fsm
    >>> from fsmkit.space import Transform
    >>> hen = Transform((0.0, 0.0))
    >>> fsm = Fsm("Hen")
    >>> _ = fsm.add_state("Peck").add_action(Wander(hen, 1.0, Random(7), radius=3.0))
    >>> fsm.start()
    >>> for _ in range(3):
    ...     fsm.update(1.0)
    ...     print([round(number, 2) for number in hen.position])
    [-0.35, -0.78]
    [-1.12, -0.37]
    [-0.48, 0.21]
    """

    transform: Any = field(validator=has("position"))
    speed: Param[float] = field(validator=is_parameter)
    rng: Random = field(validator=is_generator_of("uniform"))
    turning: Param[float] = field(default=120.0, kw_only=True, validator=is_parameter)
    around: Any = field(
        default=None, kw_only=True, validator=[is_parameter, validators.optional(is_target)]
    )
    radius: Param[float] | None = field(default=None, kw_only=True, validator=is_parameter)
    up: int | None = field(default=None, kw_only=True, validator=validators.optional(is_axis))
    space: Space = field(default=Space.WORLD, kw_only=True, validator=is_space)
    time: TimeReference | None = field(default=None, kw_only=True, validator=is_time_reference)
    course: tuple[float, ...] = field(default=(), init=False)
    """The direction along the axes that it goes along."""
    side: tuple[float, ...] = field(default=(), init=False)
    """Where it turns to."""
    turn: float = field(default=0.0, init=False)
    """How fast it turns there, in degrees per second."""
    left: Seconds = field(default=0.0, init=False)
    """For how many more seconds it does."""
    pace: float = field(default=0.0, init=False)
    """The speed of this visit in units per second, as evaluated on enter."""
    swing: float = field(default=0.0, init=False)
    """The turning of this visit in degrees per second."""
    reach: float | None = field(default=None, init=False)
    """The radius of this visit in units."""
    home: tuple[float, ...] = field(default=(), init=False)
    """The place where it was on enter."""

    def __attrs_post_init__(self) -> None:
        if self.around is not None and self.radius is None:
            raise ValueError(
                f"Wander: around must be given together with a radius to stay within, got "
                f"{self.around!r} alone."
            )
        if not callable(self.speed):
            checked_speed(self.speed, "Wander")
        if not callable(self.turning):
            self._checked_turning(self.turning)
        if not callable(self.radius):
            self._checked_radius(self.radius)

    @property
    def finishes(self) -> Finishes | None:
        return "never"

    @property
    def direction(self) -> tuple[float, ...]:
        """Where it is heading: a vector of length 1. Empty before it is entered."""
        return self._whole(self.course) if self.course else ()

    @property
    def ahead(self) -> Position:
        """The point one unit ahead of it, for `LookAt`; its own place before it is entered."""
        here = position_of(self.transform, self.space)
        return shifted(here, self.direction) if self.course else here

    def on_enter(self) -> None:
        self.pace = checked_speed(value_of(self.speed, self), "Wander")
        self.swing = self._checked_turning(value_of(self.turning, self))
        self.reach = self._checked_radius(value_of(self.radius, self))
        self.home = components(position_of(self.transform, self.space))
        self._check_axes()
        place = self._place()
        self.course = self._first_course(place)
        self._begin_stretch(place)

    def on_update(self) -> None:
        seconds = elapsed_in(self, self.time)
        place = start = self._place()
        for _ in range(MOST_STRETCHES):
            step = min(seconds, self.left)
            arc = self._arc()
            place = added(place, arc.way(step))
            later = arc.after(step)
            self.course, self.side = later.direction, later.side
            self.left -= step
            seconds -= step
            if self.left <= 0.0:
                self._begin_stretch(place)
            if seconds <= 0.0:
                break
        self._go(way(start, place))

    def check_remembered(self) -> None:
        """Raise an error if it cannot go on with what it remembers."""
        way(self._place(), self.course)
        way(self.course, self.side)

    def _check_axes(self) -> None:
        count = len(self.home)
        is_height = self.up is not None and self.up < count
        if (self.up is not None and not is_height) or count - is_height not in (2, 3):
            raise ValueError(
                f"Wander: transform must have two axes to go along, or three, got {self.home!r}"
                f"{'' if self.up is None else f' with up={self.up!r}'}."
            )
        if self.around is not None:
            difference(self.home, self._centre())  # raises now

    def _first_course(self, place: Numbers) -> Numbers:
        """Any direction; towards the centre if it could not be kept inside otherwise."""
        turn = self.rng.uniform(-180.0, 180.0)
        climb = degrees(asin(self.rng.uniform(-1.0, 1.0))) if len(place) == 3 else None
        course = heading(turn, climb)
        leash = self._leash()
        if leash is not None and place != leash.centre:
            arc = Arc(course, beside(course, 0.0), self.pace, self._sharpest())
            if not leash.can_hold(place, arc):
                return unit(way(place, leash.centre))
        return course

    def _begin_stretch(self, place: Numbers) -> None:
        """Roll the dice: how it turns from here on."""
        sharpest = self._sharpest()
        turn = self.rng.uniform(-sharpest, sharpest)
        roll = self.rng.uniform(0.0, 360.0) if len(place) == 3 else 0.0
        side = beside(self.course, roll if turn >= 0.0 else roll + 180.0)
        arc = Arc(self.course, side, self.pace, abs(turn))
        leash = self._leash()
        if leash is not None and not leash.holds(place, arc, STRETCH):
            arc = leash.kept(place, Arc(self.course, side, self.pace, sharpest), STRETCH)
        self.side, self.turn, self.left = arc.side, arc.turn, STRETCH

    def _arc(self) -> Arc:
        return Arc(self.course, self.side, self.pace, self.turn)

    def _sharpest(self) -> float:
        """How fast it may turn on its leash, in degrees per second: it must have room for it."""
        return max(self.swing, degrees(4.0 * self.pace / self.reach) if self.reach else 0.0)

    def _leash(self) -> Leash | None:
        if self.reach is None:
            return None
        centre = self.home if self.around is None else self._centre()
        return Leash(self._along(centre), self.reach)

    def _centre(self) -> Numbers:
        """Where `around` is."""
        return components(position_of(value_of(self.around, self), self.space))

    def _place(self) -> Numbers:
        """Where it is, along the axes that it goes along."""
        return self._along(components(position_of(self.transform, self.space)))

    def _along(self, numbers: Numbers) -> Numbers:
        return tuple(number for axis, number in enumerate(numbers) if axis != self.up)

    def _whole(self, numbers: Numbers) -> Numbers:
        """Return a way along the axes that it goes along as one along all."""
        up = self.up
        return numbers if up is None else (*numbers[:up], 0.0, *numbers[up:])

    def _go(self, step: Numbers) -> None:
        moved = shifted(position_of(self.transform, self.space), self._whole(step))
        setattr(self.transform, self.space.attribute("position"), moved)

    def _checked_turning(self, turning: float) -> float:
        return checked_amount(turning, "Wander: turning", "degrees per second")

    def _checked_radius(self, radius: float | None) -> float | None:
        if radius is not None and checked_amount(radius, "Wander: radius", "units") == 0.0:
            raise ValueError(f"Wander: radius must be above 0, got {radius!r}.")
        return radius
