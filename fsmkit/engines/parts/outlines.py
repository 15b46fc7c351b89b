"""Outlines: what things look like from above, to tell whether they overlap."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from attrs import frozen

from fsmkit.engines.parts.sweeping import Span, overlapping_spans


@frozen
class Outline:
    """A convex polygon, or a circle: one corner and a `radius`. Places are complex numbers.

    >>> box = Outline.rectangle(0, 0, 20, 10)
    >>> [box.overlaps(Outline((centre,), radius=10.0)) for centre in (29 + 5j, 30 + 5j)]
    [True, False]
    >>> 3 + 4j in box
    True
    """

    corners: tuple[complex, ...]
    radius: float = 0.0
    is_symmetric: bool = False
    """True if opposite sides are parallel: then half of them are enough to compare."""

    @staticmethod
    def rectangle(left: float, bottom: float, right: float, top: float) -> Outline:
        """Return an upright rectangle; one without an area overlaps nothing."""
        if left == right or bottom == top:
            return NOTHING
        corners = ((left, bottom), (right, bottom), (right, top), (left, top))
        return Outline(tuple(complex(*corner) for corner in corners), is_symmetric=True)

    @staticmethod
    def around(points: Iterable[complex]) -> Outline:
        """Return the convex hull of these points, by Andrew's monotone chain (1979)."""
        ordered = sorted(set(points), key=lambda it: (it.real, it.imag))
        lower, upper = _chain(ordered), _chain(ordered[::-1])
        corners = (*lower[:-1], *upper[:-1])
        return Outline(corners) if len(corners) > 2 else NOTHING

    def placed(self, place: complex, turn: complex) -> Outline:
        """Return this outline turned about 0 by a complex number of length 1, and moved there."""
        corners = tuple([place + turn * corner for corner in self.corners])
        return Outline(corners, self.radius, self.is_symmetric)

    @property
    def span(self) -> Span:
        """Its ends along x; (0.0, 0.0) for one without corners."""
        return self._span([corner.real for corner in self.corners])

    @property
    def span_up(self) -> Span:
        """Its ends along y."""
        return self._span([corner.imag for corner in self.corners])

    def overlaps(self, other: Outline) -> bool:
        """Return True unless the two are apart; those that just touch at an edge are.

        By the separating axis theorem convex shapes are apart if they are so across a side of one
        of them, or along the line from a circle's centre to the nearest corner of the other.
        """
        if not self.corners or not other.corners:
            return False
        axes = [*self._normals(), *other._normals()]
        if self.radius or other.radius:
            axes.append(_shortest(self, other))
        return not any(axis and self._is_apart(other, axis) for axis in axes)

    def __contains__(self, point: complex) -> bool:
        return self.overlaps(Outline((point,)))

    def _span(self, places: list[float]) -> Span:
        return min(places, default=0.0) - self.radius, max(places, default=0.0) + self.radius

    def _normals(self) -> list[complex]:
        """Return the directions across its sides, of whatever length."""
        corners = self.corners
        sides = range(len(corners) // 2 if self.is_symmetric else len(corners))
        return [1j * (corners[i] - corners[i - 1]) for i in sides]

    def _is_apart(self, other: Outline, axis: complex) -> bool:
        x, y = axis.real, axis.imag
        places = [corner.real * x + corner.imag * y for corner in self.corners]
        others = [corner.real * x + corner.imag * y for corner in other.corners]
        reach = (self.radius + other.radius) * abs(axis)
        return max(places) + reach <= min(others) or max(others) + reach <= min(places)


NOTHING: Final = Outline(())
"""The outline of what cannot be touched."""


def overlapping(ones: Sequence[Outline], others: Sequence[Outline]) -> Iterator[tuple[int, int]]:
    """Yield the pairs of indices of those that overlap, in order; only near ones are compared.

    >>> spots = [Outline((complex(place),), radius=1.0) for place in (0, 9, 1)]
    >>> list(overlapping(spots, spots[1:]))
    [(0, 1), (1, 0), (2, 1)]
    """
    up, others_up = [it.span_up for it in ones], [it.span_up for it in others]
    for i, j in overlapping_spans([it.span for it in ones], [it.span for it in others]):
        (low, high), (other_low, other_high) = up[i], others_up[j]
        if low < other_high and other_low < high and ones[i].overlaps(others[j]):
            yield i, j


def _shortest(one: Outline, other: Outline) -> complex:
    ways = (there - here for here in one.corners for there in other.corners)
    return min(ways, key=abs)


def _chain(points: list[complex]) -> list[complex]:
    """Return the points of one half of a hull, counterclockwise."""
    chain: list[complex] = []
    for point in points:
        while len(chain) > 1 and _turn(chain[-2], chain[-1], point) <= 0.0:
            chain.pop()
        chain.append(point)
    return chain


def _turn(first: complex, second: complex, third: complex) -> float:
    """Return a number above 0 for a turn to the left."""
    return ((second - first).conjugate() * (third - first)).imag
