"""Wander: make a thing stroll about, in arcs and perhaps on a leash.

An arc has a direction, which is a unit vector, and a side, a unit vector at right angles to it,
towards which it turns.
"""

from __future__ import annotations

from math import asin, atan2, cos, degrees, hypot, inf, pi, radians, sin, tau
from random import Random
from typing import Any, Final, TypeAlias

from attrs import define, field, frozen, validators

from actions.definition import define_action
from actions.parts.declarations import Finishes
from actions.parts.on_transform import OnTransformInTime
from actions.parts.parameters import Param, Seconds, is_parameter, value_of
from actions.parts.positions import position_of
from actions.parts.timed_action import elapsed_in
from actions.parts.travel import UNIT, is_speed
from actions.parts.validators import (
    amount_of,
    checked_amount,
    is_amount,
    is_axis,
    is_generator_of,
    is_target,
)
from fsmkit.space import Position, components, difference, like, shifted

Numbers: TypeAlias = tuple[float, ...]


@define(eq=False)
class Arc:
    """A stretch of a course: `speed` in units, `turn` in degrees per second."""

    # Not frozen: one is made in every update, and a frozen one takes three times as long.

    direction: Numbers
    side: Numbers
    speed: float
    turn: float

    def displacement(self, seconds: float) -> Numbers:
        """Return the displacement after so many seconds.

        >>> [round(number, 3) for number in Arc((1.0, 0.0), (0.0, 1.0), pi, 90.0).displacement(2.0)]
        [0.0, 4.0]
        """
        return self.followed(seconds)[0]

    def after(self, seconds: float) -> Arc:
        """Return the arc so many seconds later."""
        _, direction, side = self.followed(seconds)
        return Arc(direction, side, self.speed, self.turn)

    def followed(self, seconds: float) -> tuple[Numbers, Numbers, Numbers]:
        """Return the displacement after so many seconds, and its direction and side then."""
        angle, length = self.rate * seconds, self.speed * seconds
        along, across = cos(angle), sin(angle)
        ahead = length * across / angle if angle else length
        aside = length * 2.0 * sin(angle / 2.0) ** 2 / angle if angle else 0.0
        return (
            blended(self.direction, ahead, self.side, aside),
            unit(blended(self.direction, along, self.side, across)),
            unit(blended(self.side, along, self.direction, -across)),
        )

    @property
    def radius(self) -> float:
        """The radius of its circle in units; inf on a straight line."""
        return self.speed / self.rate if self.rate else inf

    @property
    def rate(self) -> float:
        """The rate of turn in radians per second; 0 if imperceptible."""
        return radians(self.turn) if self.turn > 1e-6 else 0.0


@frozen
class Leash:
    """Keeps a course within `radius` units of `centre`."""

    centre: Numbers
    radius: float

    def holds(self, place: Numbers, arc: Arc, seconds: float) -> bool:
        """Whether an arc from `place` stays inside, and can be kept inside after its end."""
        end, later = added(place, arc.displacement(seconds)), arc.after(seconds)
        return self._farthest(place, arc, seconds) <= self.radius and self.can_hold(end, later)

    def can_hold(self, place: Numbers, arc: Arc) -> bool:
        """Whether the circle that turns inwards as tightly as `arc` lies inside."""
        inwards = self.inwards(place, arc)
        middle = blended(place, 1.0, inwards.side, arc.radius)
        slack = self.radius * 1e-9
        return hypot(*vector(self.centre, middle)) + arc.radius <= self.radius + slack

    def inwards(self, place: Numbers, arc: Arc) -> Arc:
        """Return `arc`, turning towards the centre."""
        to_centre = vector(place, self.centre)
        ahead = sum(a * b for a, b in zip(to_centre, arc.direction, strict=True))
        aside = blended(to_centre, 1.0, arc.direction, -ahead)
        is_known = hypot(*aside) > 1e-9 * self.radius
        return Arc(arc.direction, unit(aside) if is_known else arc.side, arc.speed, arc.turn)

    def kept(self, place: Numbers, arc: Arc, seconds: float) -> Arc:
        """Return an arc that stays inside for so many seconds, turning at most as `arc` does.

        If that is not possible from `place`, one that leads home.
        """
        inside = self.can_hold(place, arc)
        return self.inwards(place, arc) if inside else self.homewards(place, arc, seconds)

    def homewards(self, place: Numbers, arc: Arc, seconds: float) -> Arc:
        """Return an arc that faces the centre as soon as it can, in `seconds` or later."""
        turning = self.inwards(place, arc)
        to_centre = vector(place, self.centre)
        ahead = sum(a * b for a, b in zip(to_centre, turning.direction, strict=True))
        aside = sum(a * b for a, b in zip(to_centre, turning.side, strict=True))
        angle = atan2(max(0.0, aside), ahead)
        wanted = angle / pi * 180.0 / seconds
        return Arc(turning.direction, turning.side, arc.speed, min(arc.turn, wanted))

    def _farthest(self, place: Numbers, arc: Arc, seconds: float) -> float:
        """The greatest distance of the arc from the centre."""
        ends = (place, added(place, arc.displacement(seconds)))
        farthest = max(hypot(*vector(self.centre, end)) for end in ends)
        if not arc.rate:
            return farthest
        from_centre = vector(self.centre, blended(place, 1.0, arc.side, arc.radius))
        ahead = sum(a * b for a, b in zip(from_centre, arc.direction, strict=True))
        aside = sum(a * b for a, b in zip(from_centre, arc.side, strict=True))
        angle = atan2(ahead, -aside) % tau
        if angle < arc.rate * seconds:
            summit = added(place, arc.displacement(angle / arc.rate))
            farthest = max(farthest, hypot(*vector(self.centre, summit)))
        return farthest


def unit(vector: Numbers) -> Numbers:
    """Return a vector of length 1 in the same direction."""
    length = hypot(*vector)
    if len(vector) == 2:
        return vector[0] / length, vector[1] / length
    return tuple([number / length for number in vector])


def vector(start: Numbers, end: Numbers) -> Numbers:
    return blended(end, 1.0, start, -1.0)


def added(place: Numbers, step: Numbers) -> Numbers:
    """Return the place after a step."""
    return blended(place, 1.0, step, 1.0)


def blended(a: Numbers, share: float, b: Numbers, other: float) -> Numbers:
    if len(a) == 2:  # 170 ns instead of 500, seven times in an update
        (x, y), (u, v) = a, b
        return x * share + u * other, y * share + v * other
    return tuple([x * share + y * other for x, y in zip(a, b, strict=True)])


def heading(turn: float, climb: float | None = None) -> Numbers:
    """Return a direction: in a plane, or in space if `climb` is given, both in degrees.

    >>> [round(number, 3) for number in heading(30.0)]
    [0.866, 0.5]
    """
    flat = cos(radians(turn)), sin(radians(turn))
    if climb is None:
        return flat
    return flat[0] * cos(radians(climb)), sin(radians(climb)), flat[1] * cos(radians(climb))


def beside(direction: Numbers, roll: float) -> Numbers:
    """Return a vector at right angles to `direction`; in space `roll` degrees say which.

    >>> beside((1.0, 0.0), 0.0)
    (-0.0, 1.0)
    """
    if len(direction) == 2:
        sign = 1.0 if cos(radians(roll)) >= 0.0 else -1.0
        return -direction[1] * sign, direction[0] * sign
    least = min(range(3), key=lambda axis: abs(direction[axis]))
    axis = tuple(float(index == least) for index in range(3))
    first = unit(blended(axis, 1.0, direction, -direction[least]))
    (a, b, c), (x, y, z) = direction, first
    second = b * z - c * y, c * x - a * z, a * y - b * x
    return blended(first, cos(radians(roll)), second, sin(radians(roll)))


STRETCH: Final = 0.25
"""Seconds for which it turns evenly before the next random draw."""

MOST_STRETCHES: Final = 10_000
"""The most stretches in one update; time beyond that is dropped."""


@define_action
class Wander(OnTransformInTime):
    """Make `transform` stroll about at `speed` units per second, forever.

    It moves in arcs, and begins in a random direction. `rng` draws a new turn four times a second;
    the course depends on it alone, not on the frame rate. `turning` is how sharply it may turn, in
    degrees per second; between two draws it turns evenly.

    `radius` is the greatest distance in units from the centre; without one it goes anywhere.
    `around` is the centre: a position, a function that returns one, or anything with a `position`;
    by default its position on enter. Near the rim it turns back in time, more sharply than
    `turning` if the circle is too small for that. If something else has moved it outside, it goes
    back.

    In three dimensions it flies, unless `up` names the axis of the height, which then stays as it
    is: 1 is y, 2 is z.

    `direction` is its heading, a vector of length 1, and `ahead` a point in front of it, so
    `LookAt(fish, lambda: wander.ahead)` makes it swim forwards. `transform` is anything with a
    `position`. For `Space.SELF` the local one is used, also of `around`. Raises ValueError for a
    speed or turning that is negative or not finite, a radius that is not above 0, and on enter
    for a position with fewer than two axes to move along, or more than three.

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

    speed: Param[float] = field(validator=is_speed)
    rng: Random = field(validator=is_generator_of("uniform"))
    turning: Param[float] = field(
        default=120.0, kw_only=True, validator=is_amount("degrees per second")
    )
    around: Any = field(
        default=None, kw_only=True, validator=[is_parameter, validators.optional(is_target)]
    )
    radius: Param[float] | None = field(default=None, kw_only=True, validator=is_parameter)
    up: int | None = field(default=None, kw_only=True, validator=validators.optional(is_axis))
    course: tuple[float, ...] = field(default=(), init=False)
    """The direction, in the axes that it moves along."""
    side: tuple[float, ...] = field(default=(), init=False)
    """The side that it turns to."""
    turn: float = field(default=0.0, init=False)
    """How fast it turns, in degrees per second."""
    left: Seconds = field(default=0.0, init=False)
    """Seconds until the next draw."""
    pace: float = field(default=0.0, init=False)
    """The speed of this visit in units per second, as evaluated on enter."""
    swing: float = field(default=0.0, init=False)
    """The turning of this visit in degrees per second."""
    reach: float | None = field(default=None, init=False)
    """The radius of this visit in units."""
    home: tuple[float, ...] = field(default=(), init=False)
    """Its position on enter."""

    def __attrs_post_init__(self) -> None:
        if self.around is not None and self.radius is None:
            raise ValueError(
                f"Wander: around must be given together with a radius to stay within, got "
                f"{self.around!r} alone."
            )
        if not callable(self.radius):
            self._checked_radius(self.radius)

    @property
    def finishes(self) -> Finishes | None:
        return "never"

    @property
    def direction(self) -> tuple[float, ...]:
        """Its heading: a vector of length 1. Empty before it is entered."""
        return self._whole(self.course) if self.course else ()

    @property
    def ahead(self) -> Position:
        """The point one unit ahead of it, for `LookAt`; its own position before it is entered."""
        here = position_of(self.transform, self.space)
        return shifted(here, self.direction) if self.course else here

    def on_enter(self) -> None:
        self.pace = amount_of(self, "speed", UNIT)
        self.swing = amount_of(self, "turning", "degrees per second")
        self.reach = self._checked_radius(value_of(self.radius, self))
        self.home = components(position_of(self.transform, self.space))
        self._check_axes()
        place = self._place()
        self.course = self._first_course(place)
        self._begin_stretch(place)

    def on_update(self) -> None:
        seconds = elapsed_in(self, self.time)
        position = getattr(self.transform, self.space.position)
        numbers = components(position)
        place = start = numbers if self.up is None else self._along(numbers)
        for _ in range(MOST_STRETCHES):
            step = min(seconds, self.left)
            arc = Arc(self.course, self.side, self.pace, self.turn)
            stretch, self.course, self.side = arc.followed(step)
            place = added(place, stretch)
            self.left -= step
            seconds -= step
            if self.left <= 0.0:
                self._begin_stretch(place)
            if seconds <= 0.0:
                break
        way = vector(start, place)
        moved = added(numbers, way if self.up is None else self._whole(way))
        setattr(self.transform, self.space.position, like(position, moved))

    def check_remembered(self) -> None:
        """Raise an error if what it remembers does not fit."""
        vector(self._place(), self.course)
        vector(self.course, self.side)

    def _check_axes(self) -> None:
        count = len(self.home)
        is_height = self.up is not None and self.up < count
        if (self.up is not None and not is_height) or count - is_height not in (2, 3):
            raise ValueError(
                f"Wander: transform must have two axes to move along, or three, got {self.home!r}"
                f"{'' if self.up is None else f' with up={self.up!r}'}."
            )
        if self.around is not None:
            difference(self.home, self._centre())  # raises now

    def _first_course(self, place: Numbers) -> Numbers:
        """A random direction; towards the centre if only that keeps it inside."""
        turn = self.rng.uniform(-180.0, 180.0)
        climb = degrees(asin(self.rng.uniform(-1.0, 1.0))) if len(place) == 3 else None
        course = heading(turn, climb)
        leash = self._leash()
        if leash is not None and place != leash.centre:
            arc = Arc(course, beside(course, 0.0), self.pace, self._sharpest())
            if not leash.can_hold(place, arc):
                return unit(vector(place, leash.centre))
        return course

    def _begin_stretch(self, place: Numbers) -> None:
        """Draw how it turns from here on."""
        sharpest = self._sharpest()
        turn = self.rng.uniform(-sharpest, sharpest)
        roll = self.rng.uniform(0.0, 360.0) if len(place) == 3 else 0.0
        side = beside(self.course, roll if turn >= 0.0 else roll + 180.0)
        arc = Arc(self.course, side, self.pace, abs(turn))
        leash = self._leash()
        if leash is not None and not leash.holds(place, arc, STRETCH):
            arc = leash.kept(place, Arc(self.course, side, self.pace, sharpest), STRETCH)
        self.side, self.turn, self.left = arc.side, arc.turn, STRETCH

    def _sharpest(self) -> float:
        """The fastest turn, in degrees per second: sharp enough for the radius of its leash."""
        return max(self.swing, degrees(4.0 * self.pace / self.reach) if self.reach else 0.0)

    def _leash(self) -> Leash | None:
        if self.reach is None:
            return None
        centre = self.home if self.around is None else self._centre()
        return Leash(self._along(centre), self.reach)

    def _centre(self) -> Numbers:
        return components(position_of(value_of(self.around, self), self.space))

    def _place(self) -> Numbers:
        """Its position in the axes that it moves along."""
        return self._along(components(getattr(self.transform, self.space.position)))

    def _along(self, numbers: Numbers) -> Numbers:
        if self.up is None:
            return numbers
        return tuple(number for axis, number in enumerate(numbers) if axis != self.up)

    def _whole(self, numbers: Numbers) -> Numbers:
        """Return a vector in the axes that it moves along as one in all axes."""
        up = self.up
        return numbers if up is None else (*numbers[:up], 0.0, *numbers[up:])

    def _checked_radius(self, radius: float | None) -> float | None:
        if radius is not None and checked_amount(radius, "Wander: radius", "units") == 0.0:
            raise ValueError(f"Wander: radius must be above 0, got {radius!r}.")
        return radius
