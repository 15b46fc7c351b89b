"""Routes: the course of an arrow between two boxes, and a free place for its label."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from math import hypot, inf
from typing import Final

from attrs import frozen

from fsmkit.diagram.geometry import (
    DrawnArrow,
    PictureBox,
    PictureLayout,
    PicturePoint,
    around,
    between,
    distance,
    minus,
    plus,
)

HEAD: Final = 8.0
"""The length of the head of an arrow."""

MARK: Final = 6.0
"""The width of the ring at the beginning of an arrow that suspends."""

APART: Final = 6.0
"""The distance of two arrows that do not run along each other."""

BOWS: Final = (0.0, 0.14, -0.14, 0.07, -0.07, 0.28, -0.28, 0.45, -0.45, 0.7, -0.7)
"""How far an arrow may bend to the left, as a share of its length."""

STRAIGHT: Final = 5
"""The first of them are nearly straight."""

SIDES: Final = ((0, 0), (-1, 0), (1, 0), (0, 1), (0, -1))
"""Where an arrow may begin and end: in the middle, left, right, at the bottom, at the top."""

PLACES: Final = (0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74)
"""The places of a label along its arrow, the best ones first."""

CLEAR: Final = 4.0
"""Between a label and another arrow, to which it might seem to belong."""

GAPS: Final = (4.0, 10.0, 18.0)
"""Between a label and its arrow."""


@frozen
class Link:
    """What an arrow connects: two nodes, or the frame around one of them."""

    id: str
    tail: str
    head: str
    tail_frame: str = ""
    head_frame: str = ""
    bends: bool = False
    """True if another one leads back: each keeps to its left."""


def routed(link: Link, layout: PictureLayout, obeys: Sequence[PictureBox] = ()) -> DrawnArrow:
    """Return the arrow of a link, led around what is in its way as far as possible.

    It runs rather through other labels than through those that it `obeys`.
    """
    old = layout.arrows[link.id]
    ends = layout.nodes[link.tail], layout.nodes[link.head]
    frames = layout.frames.get(link.tail_frame), layout.frames.get(link.head_frame)
    reach = distance(ends[0].centre, ends[1].centre)
    near = layout.near((around((), ends) or ends[0]).grown(reach))
    others = [
        box.grown(6.0)
        for node, box in near.nodes.items()
        if node not in (link.tail, link.head)
        and not any(frame and frame.has(box.centre) for frame in frames)
    ]
    others += [frame for frame in layout.frames.values() if not _is_around(frame, ends)]
    labels = [box for id_, box in near.labels().items() if id_ != link.id]
    lines = [arrow for id_, arrow in near.arrows.items() if arrow.points and id_ != link.id]
    best, least = old, inf
    for number, (tail, head, bow) in enumerate(_ways(*ends, bends=link.bends)):
        boxes = frames[0] or ends[0], frames[1] or ends[1]
        arrow = curve(tail, head, bow, boxes, has_head=bool(old.head), has_tail=bool(old.tail))
        cost = number + 300.0 * (arrow.length > 1.3 * reach)
        cost += 1000.0 * sum(map(arrow.meets, [*others, *obeys]))
        if cost < least:
            cost += 200.0 * sum(map(arrow.meets, labels))
        if cost < least:
            cost += 100.0 * sum(_runs_along(arrow, line) for line in lines)
        if cost < least:
            best, least = arrow, cost
        if cost == number:  # nothing is in its way
            break
    if old.label is not None:
        best.label = label_place(link.id, old.label, best, layout)
    return best


def _is_around(frame: PictureBox, ends: tuple[PictureBox, PictureBox]) -> bool:
    return any(frame.has(end.centre) for end in ends)


def _ways(
    tail: PictureBox, head: PictureBox, *, bends: bool
) -> Iterator[tuple[PictureBox, PictureBox, float]]:
    """Yield the ends of an arrow and how much it bends: the shortest ways first."""
    bows = BOWS[bends:]
    yield from ((tail, head, bow) for bow in bows[:STRAIGHT])
    for sides in product(SIDES, repeat=2):
        aims = [
            box.moved((x * box.width / 3, y * box.height / 3))
            for box, (x, y) in zip((tail, head), sides, strict=True)
        ]
        yield from ((aims[0], aims[1], bow) for bow in bows[:STRAIGHT])
    yield from ((tail, head, bow) for bow in bows[STRAIGHT:])


def warped(arrow: DrawnArrow, tail: PicturePoint, head: PicturePoint) -> DrawnArrow:
    """Return an arrow with its ends moved, and everything between in proportion."""
    last = len(arrow.points) - 1
    points = [
        plus(point, between(tail, head, number / last)) for number, point in enumerate(arrow.points)
    ]
    middle = between(tail, head, 0.5)
    return DrawnArrow(
        points,
        plus(arrow.head, head) if arrow.head else None,
        plus(arrow.tail, tail) if arrow.tail else None,
        arrow.label.moved(middle) if arrow.label else None,
    )


def _runs_along(one: DrawnArrow, other: DrawnArrow) -> bool:
    if not one.bounds.grown(6.0).overlaps(other.bounds):
        return False
    middle = one.course[len(one.course) // 4 : -len(one.course) // 4]
    around_points = (PictureBox(x, y, x, y).grown(APART) for x, y in middle)
    return sum(map(other.meets, around_points)) > 1


def curve(
    tail: PictureBox,
    head: PictureBox,
    bow: float,
    boxes: tuple[PictureBox, PictureBox] | None = None,
    *,
    has_head: bool = True,
    has_tail: bool = False,
) -> DrawnArrow:
    """Return a bent line between the middles of two boxes, from the edge of one to the other's.

    With `boxes`, it is between their edges.
    """
    first_box, last_box = boxes or (tail, head)
    x, y = minus(head.centre, tail.centre)
    middle = between(tail.centre, head.centre, 0.5)
    bend = _Bend(tail.centre, plus(middle, (2 * bow * y, -2 * bow * x)), head.centre)
    first = bend.share_within(first_box)
    tip = 1.0 - bend.reversed.share_within(last_box)
    if tip <= first:  # the boxes touch
        return DrawnArrow([tail.centre] * 2 + [head.centre] * 2, head.centre if has_head else None)
    last = bend.share_away(tip, first, HEAD) if has_head else tip
    start = bend.share_away(first, last, MARK) if has_tail else first
    return DrawnArrow(
        bend.piece(start, last),
        bend.at(tip) if has_head else None,
        bend.at(first) if has_tail else None,
    )


@frozen
class _Bend:
    """A quadratic curve. A share of it is a number from 0, where it begins, to 1."""

    begin: PicturePoint
    control: PicturePoint
    end: PicturePoint

    @property
    def reversed(self) -> _Bend:
        return _Bend(self.end, self.control, self.begin)

    def at(self, share: float) -> PicturePoint:
        near = between(self.begin, self.control, share)
        return between(near, between(self.control, self.end, share), share)

    def share_within(self, box: PictureBox) -> float:
        """Return the share that is inside the box in which it begins."""
        inside, outside = 0.0, 1.0
        for step in range(1, 33):
            if not box.has(self.at(step / 32)):
                inside, outside = (step - 1) / 32, step / 32
                break
        for _ in range(12):
            middle = (inside + outside) / 2
            if box.has(self.at(middle)):
                inside = middle
            else:
                outside = middle
        return outside

    def share_away(self, since: float, until: float, much: float) -> float:
        """Return the share, from `since` towards `until`, where it is as far as `much` away."""
        shares = (since + (until - since) * step / 64 for step in range(1, 65))
        point = self.at(since)
        return next((share for share in shares if distance(self.at(share), point) >= much), until)

    def piece(self, first: float, last: float) -> list[PicturePoint]:
        """Return a piece of it as a cubic curve."""
        a, c = self.at(first), self.at(last)
        near = between(self.begin, self.control, first)
        b = between(near, between(self.control, self.end, first), last)
        return [a, between(a, b, 2 / 3), between(c, b, 2 / 3), c]


def label_place(
    id_: str, label: PictureBox, arrow: DrawnArrow, layout: PictureLayout, *, most: float = inf
) -> PictureBox:
    """Return the best place for the label of an arrow: beside it, and away from all others.

    It is where it was if every other place has `most` faults or more.
    """
    best, least = label, most
    for number, place in enumerate(_label_places(label, arrow)):
        cost = number + faults(id_, place, arrow, layout, CLEAR)
        if cost < least:
            best, least = place, cost
        if cost == number:
            break
    return best


def faults(
    id_: str, label: PictureBox, arrow: DrawnArrow, layout: PictureLayout, gap: float = -1.0
) -> float:
    """Return how bad a place for a label is: 0 for a good one, `gap` from everything else."""
    layout = layout.near(label.grown(max(gap, 1.0)))
    near = label.grown(1.0)
    cost = 500.0 * sum(near.overlaps(box) for box in layout.nodes.values())
    cost += 500.0 * sum(near.overlaps(box) for each, box in layout.labels().items() if each != id_)
    cost += 200.0 * sum(_is_on_edge(label, box) for box in layout.frames.values())
    cost += 150.0 * arrow.meets(label.grown(-1.0))
    others = [other for each, other in layout.arrows.items() if each != id_]
    hits = [other for other in others if other.meets(label.grown(gap))]
    return cost + sum(100.0 if other.meets(label.grown(-1.0)) else 20.0 for other in hits)


def _is_on_edge(label: PictureBox, frame: PictureBox) -> bool:
    inner = frame.grown(-1.0)
    return label.overlaps(frame) and not (
        inner.left <= label.left
        and inner.top <= label.top
        and label.right <= inner.right
        and label.bottom <= inner.bottom
    )


def _label_places(label: PictureBox, arrow: DrawnArrow) -> Iterator[PictureBox]:
    course = arrow.course
    for gap in GAPS:
        for share in PLACES:
            index = min(int(share * (len(course) - 1)), len(course) - 2)
            for side in (1.0, -1.0):
                yield beside(label, course[index], course[index + 1], side, gap)


def beside(
    label: PictureBox, one: PicturePoint, other: PicturePoint, side: float, gap: float
) -> PictureBox:
    """Return the place for a label beside a piece of a line; 1 is on its left, -1 on its right."""
    x, y = minus(other, one)
    length = hypot(x, y) or 1.0
    across = side * y / length, -side * x / length
    room = abs(across[0]) * label.width / 2 + abs(across[1]) * label.height / 2 + gap
    return label.at(plus(between(one, other, 0.5), (across[0] * room, across[1] * room)))
