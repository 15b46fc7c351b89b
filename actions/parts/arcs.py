"""Arcs: courses along a circle, in a plane or in space, and those that stay inside a leash.

A course has a direction, which is a vector of length 1, and a side, which is one at right angles to
it: towards there it turns.
"""

from __future__ import annotations

from math import atan2, cos, hypot, inf, pi, radians, sin, tau
from typing import TypeAlias

from attrs import frozen

Numbers: TypeAlias = tuple[float, ...]


@frozen
class Arc:
    """A stretch of a course: `speed` in units, `turn` in degrees per second."""

    direction: Numbers
    side: Numbers
    speed: float
    turn: float

    def way(self, seconds: float) -> Numbers:
        """Return the way that is gone in so many seconds.

        >>> [round(number, 3) for number in Arc((1.0, 0.0), (0.0, 1.0), pi, 90.0).way(2.0)]
        [0.0, 4.0]
        """
        angle = self.rate * seconds
        length = self.speed * seconds
        ahead = length * sin(angle) / angle if angle else length
        aside = length * 2.0 * sin(angle / 2.0) ** 2 / angle if angle else 0.0
        return blended(self.direction, ahead, self.side, aside)

    def after(self, seconds: float) -> Arc:
        """Return the same course so many seconds later."""
        angle = self.rate * seconds
        direction = blended(self.direction, cos(angle), self.side, sin(angle))
        side = blended(self.side, cos(angle), self.direction, -sin(angle))
        return Arc(unit(direction), unit(side), self.speed, self.turn)

    @property
    def radius(self) -> float:
        """The radius of its circle in units; inf if it goes straight on."""
        return self.speed / self.rate if self.rate else inf

    @property
    def rate(self) -> float:
        """How fast it turns, in radians per second; a turn that nobody could see is none."""
        return radians(self.turn) if self.turn > 1e-6 else 0.0


@frozen
class Leash:
    """What keeps a course within `radius` units of `centre`."""

    centre: Numbers
    radius: float

    def holds(self, place: Numbers, arc: Arc, seconds: float) -> bool:
        """Whether an arc from `place` stays inside, and can be kept inside from its end on."""
        end, later = added(place, arc.way(seconds)), arc.after(seconds)
        return self._farthest(place, arc, seconds) <= self.radius and self.can_hold(end, later)

    def can_hold(self, place: Numbers, arc: Arc) -> bool:
        """Whether the circle that turns inwards as tightly as `arc` lies inside."""
        inwards = self.inwards(place, arc)
        middle = blended(place, 1.0, inwards.side, arc.radius)
        slack = self.radius * 1e-9
        return hypot(*way(self.centre, middle)) + arc.radius <= self.radius + slack

    def inwards(self, place: Numbers, arc: Arc) -> Arc:
        """Return `arc`, turning to the side where the centre is."""
        to_centre = way(place, self.centre)
        ahead = sum(a * b for a, b in zip(to_centre, arc.direction, strict=True))
        aside = blended(to_centre, 1.0, arc.direction, -ahead)
        is_known = hypot(*aside) > 1e-9 * self.radius
        return Arc(arc.direction, unit(aside) if is_known else arc.side, arc.speed, arc.turn)

    def kept(self, place: Numbers, arc: Arc, seconds: float) -> Arc:
        """Return the way to stay inside for so many seconds, turning as tightly as `arc` at most.

        Or the way home, from a place where that is not possible.
        """
        inside = self.can_hold(place, arc)
        return self.inwards(place, arc) if inside else self.homewards(place, arc, seconds)

    def homewards(self, place: Numbers, arc: Arc, seconds: float) -> Arc:
        """Return an arc that faces the centre as soon as it can, in `seconds` or later."""
        turning = self.inwards(place, arc)
        to_centre = way(place, self.centre)
        ahead = sum(a * b for a, b in zip(to_centre, turning.direction, strict=True))
        aside = sum(a * b for a, b in zip(to_centre, turning.side, strict=True))
        angle = atan2(max(0.0, aside), ahead)
        wanted = angle / pi * 180.0 / seconds
        return Arc(turning.direction, turning.side, arc.speed, min(arc.turn, wanted))

    def _farthest(self, place: Numbers, arc: Arc, seconds: float) -> float:
        """How far from the centre the arc comes at most."""
        ends = (place, added(place, arc.way(seconds)))
        farthest = max(hypot(*way(self.centre, end)) for end in ends)
        if not arc.rate:
            return farthest
        from_centre = way(self.centre, blended(place, 1.0, arc.side, arc.radius))
        ahead = sum(a * b for a, b in zip(from_centre, arc.direction, strict=True))
        aside = sum(a * b for a, b in zip(from_centre, arc.side, strict=True))
        angle = atan2(ahead, -aside) % tau
        if angle < arc.rate * seconds:
            summit = added(place, arc.way(angle / arc.rate))
            farthest = max(farthest, hypot(*way(self.centre, summit)))
        return farthest


def unit(vector: Numbers) -> Numbers:
    """Return a vector of length 1 in the same direction."""
    length = hypot(*vector)
    return tuple(number / length for number in vector)


def way(start: Numbers, end: Numbers) -> Numbers:
    """Return the way from one place to another."""
    return tuple(b - a for a, b in zip(start, end, strict=True))


def added(place: Numbers, step: Numbers) -> Numbers:
    """Return the place after a step."""
    return tuple(a + b for a, b in zip(place, step, strict=True))


def blended(a: Numbers, share: float, b: Numbers, other: float) -> Numbers:
    """Return `share` times `a` plus `other` times `b`."""
    return tuple(x * share + y * other for x, y in zip(a, b, strict=True))


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
