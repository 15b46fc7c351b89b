"""Where the parts of a picture lie: read from the SVG of Graphviz, and written for it as DOT.

Points are those of the SVG: x to the right, y to the bottom, in points.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from math import hypot
from typing import Final, TypeAlias
from xml.etree import ElementTree

from attrs import Factory, define, field, frozen

PicturePoint: TypeAlias = tuple[float, float]

NUMBER: Final = re.compile(r"-?\d+(?:\.\d+)?(?:e-?\d+)?")
SVG: Final = "{http://www.w3.org/2000/svg}"
PAPER: Final = ("none", "transparent")
"""The outline of what is behind a label."""

STEPS: Final = 8
"""The straight pieces in which a curve is looked at."""

CELL: Final = 150.0
"""The side of the squares in which parts are looked for."""

Cell: TypeAlias = tuple[int, int]

TINY: Final = 1e-9

ID: Final = re.compile(r'(?<=[\[ ])id="([^"]*)"')

FIXED: Final = '  graph [layout="nop2" notranslate="true" pad="0.355"]'
"""Graphviz draws everything where it is, and routes nothing. It adds no margin of its own then."""


@frozen
class PictureBox:
    left: float
    top: float
    right: float
    bottom: float

    @property
    def centre(self) -> PicturePoint:
        return (self.left + self.right) / 2, (self.top + self.bottom) / 2

    @property
    def width(self) -> float:
        return self.right - self.left

    @property
    def height(self) -> float:
        return self.bottom - self.top

    def moved(self, by: PicturePoint) -> PictureBox:
        x, y = by
        return PictureBox(self.left + x, self.top + y, self.right + x, self.bottom + y)

    def at(self, centre: PicturePoint) -> PictureBox:
        return self.moved(minus(centre, self.centre))

    def grown(self, by: float) -> PictureBox:
        return PictureBox(self.left - by, self.top - by, self.right + by, self.bottom + by)

    def overlaps(self, other: PictureBox, gap: float = 0.0) -> bool:
        return (
            min(self.right, other.right) - max(self.left, other.left) > -gap
            and min(self.bottom, other.bottom) - max(self.top, other.top) > -gap
        )

    def has(self, point: PicturePoint) -> bool:
        return self.left < point[0] < self.right and self.top < point[1] < self.bottom


def around(points: Iterable[PicturePoint], boxes: Iterable[PictureBox] = ()) -> PictureBox | None:
    """Return the smallest box around points and boxes; None without any."""
    every = [*points]
    for box in boxes:
        every += (box.left, box.top), (box.right, box.bottom)
    if not every:
        return None
    xs, ys = zip(*every, strict=True)
    return PictureBox(min(xs), min(ys), max(xs), max(ys))


def minus(one: PicturePoint, other: PicturePoint) -> PicturePoint:
    return one[0] - other[0], one[1] - other[1]


def plus(one: PicturePoint, other: PicturePoint) -> PicturePoint:
    return one[0] + other[0], one[1] + other[1]


def between(one: PicturePoint, other: PicturePoint, share: float) -> PicturePoint:
    return one[0] + (other[0] - one[0]) * share, one[1] + (other[1] - one[1]) * share


def distance(one: PicturePoint, other: PicturePoint) -> float:
    return hypot(one[0] - other[0], one[1] - other[1])


@define
class DrawnArrow:
    points: Sequence[PicturePoint]
    """A line of cubic curves: a point, and three more for each curve."""
    head: PicturePoint | None = None
    """The tip of its head; None without a head."""
    tail: PicturePoint | None = None
    """The end of the mark at its beginning, if it has one."""
    label: PictureBox | None = None
    _course: list[PicturePoint] = field(factory=list, init=False, eq=False)
    _bounds: PictureBox | None = field(default=None, init=False, eq=False)

    def moved(self, by: PicturePoint) -> DrawnArrow:
        return DrawnArrow(
            [plus(point, by) for point in self.points],
            plus(self.head, by) if self.head else None,
            plus(self.tail, by) if self.tail else None,
            self.label.moved(by) if self.label else None,
        )

    @property
    def course(self) -> list[PicturePoint]:
        """Points along the line, up to the tip of its head."""
        if not self._course:
            self._course = [*_course(self.points), *([self.head] if self.head else [])]
        return self._course

    @property
    def bounds(self) -> PictureBox:
        if self._bounds is None:
            self._bounds = around(self.course) or PictureBox(0, 0, 0, 0)
        return self._bounds

    def boxes(self) -> Iterator[PictureBox]:
        """Yield boxes in which the line and the label are."""
        pieces = zip(self.course, self.course[1:], strict=False)
        yield from (around(piece) or self.bounds for piece in pieces)
        if self.label is not None:
            yield self.label

    @property
    def length(self) -> float:
        return sum(map(distance, self.course, self.course[1:]))

    def meets(self, box: PictureBox) -> bool:
        """Return True if the line runs through `box`."""
        if not self.bounds.overlaps(box, 1.0):
            return False
        pieces = zip(self.course, self.course[1:], strict=False)
        return any(_cuts(one, other, box) for one, other in pieces)


def _cuts(one: PicturePoint, other: PicturePoint, box: PictureBox) -> bool:
    """Return True if a piece of the line between two points is inside `box`."""
    first, last = 0.0, 1.0
    for begin, end, low, high in (
        (one[0], other[0], box.left, box.right),
        (one[1], other[1], box.top, box.bottom),
    ):
        way = end - begin
        if abs(way) < TINY:
            if not low < begin < high:
                return False
            continue
        shares = sorted(((low - begin) / way, (high - begin) / way))
        first, last = max(first, shares[0]), min(last, shares[1])
    return first < last


def _course(points: Sequence[PicturePoint]) -> Iterator[PicturePoint]:
    for begin in range(0, len(points) - 3, 3):
        a, b, c, d = points[begin : begin + 4]
        for step in range(begin > 0, STEPS + 1):
            t = step / STEPS
            u = 1.0 - t
            factors = (u**3, 3 * u * u * t, 3 * u * t * t, t**3)
            yield (
                sum(f * p[0] for f, p in zip(factors, (a, b, c, d), strict=True)),
                sum(f * p[1] for f, p in zip(factors, (a, b, c, d), strict=True)),
            )


@define
class PictureLayout:
    """The places of parts, by their ids."""

    nodes: dict[str, PictureBox] = Factory(dict)
    frames: dict[str, PictureBox] = Factory(dict)
    """Panels of machines, and groups of states."""
    arrows: dict[str, DrawnArrow] = Factory(dict)
    _cells: defaultdict[Cell, set[str]] | None = field(default=None, init=False, eq=False)
    """Squares of the picture -> the ids of the nodes and arrows that may be there."""

    def put(self, id_: str, arrow: DrawnArrow) -> None:
        self.arrows[id_] = arrow
        if self._cells is not None:
            self._note(id_, arrow)

    def forget_cells(self) -> None:
        """Look anew for what is near, since nodes have been moved."""
        self._cells = None

    def near(self, box: PictureBox) -> PictureLayout:
        """Return the nodes and arrows that may be near `box`, and all frames."""
        if self._cells is None:
            self._cells = defaultdict(set)
            for id_, node in self.nodes.items():
                self._note(id_, node)
            for id_, arrow in self.arrows.items():
                self._note(id_, arrow)
        cells = self._cells
        found = {id_ for cell in _cells_of(box) if cell in cells for id_ in cells[cell]}
        nodes = {id_: self.nodes[id_] for id_ in self.nodes.keys() & found}
        return PictureLayout(
            nodes, self.frames, {i: self.arrows[i] for i in self.arrows.keys() & found}
        )

    def _note(self, id_: str, part: PictureBox | DrawnArrow) -> None:
        assert self._cells is not None
        boxes = [part] if isinstance(part, PictureBox) else part.boxes()
        for box in boxes:
            for cell in _cells_of(box):
                self._cells[cell].add(id_)

    def labels(self) -> dict[str, PictureBox]:
        return {id_: arrow.label for id_, arrow in self.arrows.items() if arrow.label is not None}


def _cells_of(box: PictureBox) -> Iterator[Cell]:
    columns = range(int(box.left // CELL), int(box.right // CELL) + 1)
    rows = range(int(box.top // CELL), int(box.bottom // CELL) + 1)
    return product(columns, rows)


def layout_in(svg: str) -> PictureLayout:
    """Return where Graphviz has put the parts of a picture; nothing of one that is no SVG."""
    layout = PictureLayout()
    try:
        picture = ElementTree.fromstring(svg[svg.index("<svg") :])
    except (ValueError, ElementTree.ParseError):  # from a `draw` of the user
        return layout
    for group in picture.iter(f"{SVG}g"):
        kind, id_ = (group.get("class") or "").partition(" ")[0], group.get("id") or ""
        if kind == "edge" and (line := group.find(f"{SVG}path")) is not None:
            layout.arrows[id_] = _arrow(group, _points(line))
        elif kind == "cluster" and (line := group.find(f"{SVG}path")) is not None:
            layout.frames[id_] = around(_points(line)) or PictureBox(0, 0, 0, 0)
        elif kind == "node" and (box := _box(group)) is not None:
            layout.nodes[id_] = box
    return layout


def _points(part: ElementTree.Element) -> list[PicturePoint]:
    numbers = [float(n) for n in NUMBER.findall(part.get("d") or part.get("points") or "")]
    return list(zip(numbers[::2], numbers[1::2], strict=True))


def _ellipse(part: ElementTree.Element) -> PictureBox:
    x, y, across, down = (float(part.get(name) or 0) for name in ("cx", "cy", "rx", "ry"))
    return PictureBox(x - across, y - down, x + across, y + down)


def _box(group: ElementTree.Element) -> PictureBox | None:
    points = [point for part in group.findall(f"{SVG}path") for point in _points(part)]
    return around(points, map(_ellipse, group.findall(f"{SVG}ellipse")))


def _arrow(group: ElementTree.Element, points: list[PicturePoint]) -> DrawnArrow:
    arrow = DrawnArrow(points)
    for part in group.findall(f"{SVG}polygon"):
        if part.get("stroke") in PAPER:
            arrow.label = around(_points(part))
        else:
            arrow.head = max(_points(part), key=lambda point: distance(point, points[-1]))
    for part in group.findall(f"{SVG}ellipse"):
        centre = _ellipse(part).centre
        if distance(centre, points[0]) < distance(centre, points[-1]):
            arrow.tail = between(points[0], centre, 2.0)
        else:
            arrow.head = between(points[-1], centre, 2.0)
    return arrow


def with_places(dot: str, layout: PictureLayout) -> str:
    """Return a picture in which all parts are where `layout` has them."""
    places = {id_: f' pos="{_at(box.centre)}"' for id_, box in layout.nodes.items()}
    places |= {id_: f' bb="{_corners(box)}"' for id_, box in layout.frames.items()}
    places |= {id_: _course_of(arrow) for id_, arrow in layout.arrows.items()}
    return f"{with_attributes(dot, places).rstrip().removesuffix('}')}{FIXED}\n}}\n"


def with_attributes(dot: str, attributes: Mapping[str, str]) -> str:
    """Return a picture with more attributes for the parts with these ids."""
    return ID.sub(lambda found: found[0] + attributes.get(found[1], ""), dot)


def _course_of(arrow: DrawnArrow) -> str:
    ends = f"s,{_at(arrow.tail)} " if arrow.tail else ""
    ends += f"e,{_at(arrow.head)} " if arrow.head else ""
    label = f' lp="{_at(arrow.label.centre)}"' if arrow.label else ""
    return f' pos="{ends}{" ".join(map(_at, arrow.points))}"{label}'


def _at(point: PicturePoint) -> str:
    """Return a point in the coordinates of Graphviz, whose y leads up."""
    return f"{point[0]:.2f},{-point[1]:.2f}"


def _corners(box: PictureBox) -> str:
    return f"{_at((box.left, box.bottom))},{_at((box.right, box.top))}"
