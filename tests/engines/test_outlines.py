"""Outlines: whether turned rectangles, circles and hulls overlap; and which may at all."""

from cmath import exp, pi, rect
from math import hypot

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from fsmkit.engines.parts.outlines import NOTHING, Outline, overlapping_spans

PLACES = st.complex_numbers(max_magnitude=30.0, allow_nan=False)
SIZES = st.floats(0.5, 20.0)
ANGLES = st.floats(0.0, 2 * pi)
SPANS = st.tuples(st.integers(-20, 20), st.integers(0, 9)).map(lambda it: (it[0], it[0] + it[1]))


Box = tuple[complex, float, float, float]
BOXES = st.tuples(PLACES, SIZES, SIZES, ANGLES)
"""The middle, half of its width and height, and the angle in radians."""


def box(place: complex, wide: float, high: float, angle: float) -> Outline:
    return Outline.rectangle(-wide, -high, wide, high).placed(place, exp(1j * angle))


@given(PLACES, SIZES, PLACES, SIZES)
def test_circles_overlap_if_their_centres_are_nearer_than_their_radii(
    one: complex, radius: float, other: complex, other_radius: float
) -> None:
    distance = hypot((one - other).real, (one - other).imag)
    assume(abs(distance - radius - other_radius) > 1e-6)
    overlap = Outline((one,), radius).overlaps(Outline((other,), other_radius))
    assert overlap == (distance < radius + other_radius)


@given(BOXES, PLACES, SIZES)
def test_a_circle_overlaps_a_turned_box_if_its_nearest_place_is_within_the_radius(
    turned: Box, centre: complex, radius: float
) -> None:
    place, wide, high, angle = turned
    inside = (centre - place) * exp(-1j * angle)
    beyond = hypot(max(0.0, abs(inside.real) - wide), max(0.0, abs(inside.imag) - high))
    assume(abs(beyond - radius) > 1e-6)
    shape, circle = box(*turned), Outline((centre,), radius)
    assert shape.overlaps(circle) == circle.overlaps(shape) == (beyond < radius)


@given(BOXES, PLACES)
def test_a_point_is_in_a_turned_box_if_it_is_turned_back(turned: Box, point: complex) -> None:
    place, wide, high, angle = turned
    inside = (point - place) * exp(-1j * angle)
    assume(min(abs(abs(inside.real) - wide), abs(abs(inside.imag) - high)) > 1e-6)
    assert (point in box(*turned)) == (abs(inside.real) < wide and abs(inside.imag) < high)


@pytest.mark.slow
@given(st.lists(st.builds(complex, st.integers(-9, 9), st.integers(-9, 9)), max_size=12))
def test_a_hull_turns_left_at_every_corner_and_nothing_is_outside(points: list[complex]) -> None:
    hull = Outline.around(points)
    corners = hull.corners
    assume(corners)
    for i, corner in enumerate(corners):
        side = corner - corners[i - 1]
        assert all((side.conjugate() * (point - corner)).imag >= 0 for point in points)
        assert (side.conjugate() * (corners[(i + 1) % len(corners)] - corner)).imag > 0
    assert set(corners) <= set(points)


def test_what_has_no_area_overlaps_nothing() -> None:
    all_over = Outline.rectangle(-9, -9, 9, 9)
    flat = (Outline.rectangle(0, 0, 0, 5), Outline.around([0j, 1 + 1j, 2 + 2j]), NOTHING)
    assert [all_over.overlaps(it) or it.overlaps(all_over) for it in flat] == [False] * 3


def test_what_just_touches_does_not_overlap() -> None:
    one = Outline.rectangle(0, 0, 10, 10)
    assert not one.overlaps(Outline.rectangle(10, 0, 20, 10))
    assert not one.overlaps(Outline((15 + 5j,), 5.0))
    assert one.overlaps(Outline((5 + 5j,), 1.0))  # inside
    assert one.overlaps(Outline((0j,), 1.0))  # the centre on a corner


def test_a_circle_near_a_corner_is_apart_though_the_boxes_around_both_overlap() -> None:
    assert not Outline.rectangle(0, 0, 10, 10).overlaps(
        Outline((rect(8.0, pi / 4) + 10 + 10j,), 7.9)
    )


@pytest.mark.slow
@given(st.lists(SPANS, max_size=8), st.lists(SPANS, max_size=8))
def test_spans_that_share_a_place_are_found_in_order(
    ones: list[tuple[int, int]], others: list[tuple[int, int]]
) -> None:
    assert list(overlapping_spans(ones, others)) == [
        (i, j)
        for i, one in enumerate(ones)
        for j, other in enumerate(others)
        if one[0] <= other[1] and other[0] <= one[1]
    ]
