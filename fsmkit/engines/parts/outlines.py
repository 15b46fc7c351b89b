"""Outlines of things in the plane, and which of them overlap."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import product
from typing import Final, TypeAlias, TypeVar

from attrs import frozen

ThingT = TypeVar("ThingT")

Span: TypeAlias = tuple[float, float]
"""The two ends along x."""


def overlapping_spans(ones: Sequence[Span], others: Sequence[Span]) -> Iterator[tuple[int, int]]:
    """Yield the pairs of indices of spans that share a point, in order.

    The others are sorted by their beginnings once, so that each of `ones` is compared only with
    those near it.

    >>> list(overlapping_spans([(0, 2), (5, 6)], [(2, 3), (9, 9), (-1, 1), (0, 9)]))
    [(0, 0), (0, 2), (0, 3), (1, 3)]
    """
    order = sorted(range(len(others)), key=lambda index: others[index])
    begins = [others[index][0] for index in order]
    widest = max((end - begin for begin, end in others), default=0.0)
    for one, (begin, end) in enumerate(ones):
        near = order[bisect_left(begins, begin - widest) : bisect_right(begins, end)]
        yield from ((one, other) for other in sorted(near) if others[other][1] >= begin)


@frozen
class Outline:
    """A convex polygon, or a circle: one corner and a `radius`. Points are complex numbers.

    >>> box = Outline.rectangle(0, 0, 20, 10)
    >>> [box.overlaps(Outline((centre,), radius=10.0)) for centre in (29 + 5j, 30 + 5j)]
    [True, False]
    >>> 3 + 4j in box
    True
    """

    corners: tuple[complex, ...]
    radius: float = 0.0
    is_symmetric: bool = False
    """True if opposite sides are parallel: then comparing half of them is enough."""

    @staticmethod
    def rectangle(left: float, bottom: float, right: float, top: float) -> Outline:
        """Return an upright rectangle; one without area overlaps nothing."""
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
    def spans(self) -> tuple[Span, Span]:
        corners, reach = self.corners or (0j,), self.radius
        across, up = [each.real for each in corners], [each.imag for each in corners]
        return (min(across) - reach, max(across) + reach), (min(up) - reach, max(up) + reach)

    def overlaps(self, other: Outline) -> bool:
        """Return True unless the two are apart, as they are if they just touch at an edge.

        By the separating axis theorem convex shapes are apart if they are so across a side of one
        of them, or along the line from a circle's centre to the nearest corner of the other.
        """
        if not self.corners or not other.corners:
            return False
        axes = [*self._normals(), *other._normals()]
        if self.radius or other.radius:
            vectors = (there - here for here in self.corners for there in other.corners)
            axes.append(min(vectors, key=abs))
        return not any(axis and self._is_apart(other, axis) for axis in axes)

    def __contains__(self, point: complex) -> bool:
        return self.overlaps(Outline((point,)))

    def _normals(self) -> list[complex]:
        """Return the directions across its sides, of any length."""
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
"""The outline of a thing that cannot be touched."""


def overlapping(
    ones: Sequence[ThingT],
    others: Sequence[ThingT],
    outline_of: Callable[[ThingT], Outline],
    collided: Callable[[ThingT, ThingT], bool] | None = None,
) -> Iterator[tuple[ThingT, ThingT]]:
    """Yield the pairs that overlap, in order; only those near each other are compared.

    With `collided` yield all pairs of different things for which that returns True.

    >>> spot = lambda place: Outline((complex(place),), radius=1.0)
    >>> list(overlapping([0, 9, 1], [9, 1], spot))
    [(0, 1), (9, 9), (1, 1)]
    """
    if collided is not None:
        yield from ((a, b) for a, b in product(ones, others) if a is not b and collided(a, b))
        return
    ours, theirs = [outline_of(it) for it in ones], [outline_of(it) for it in others]
    spans, others_spans = [it.spans for it in ours], [it.spans for it in theirs]
    for i, j in overlapping_spans([x for x, _ in spans], [x for x, _ in others_spans]):
        (_, (low, high)), (_, (other_low, other_high)) = spans[i], others_spans[j]
        if low < other_high and other_low < high and ours[i].overlaps(theirs[j]):
            yield ones[i], others[j]


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
