"""Courses: the ways of things, seen from above."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import cos, radians, sin
from typing import Any, Final, TypeAlias

from attrs import frozen
from making.gallery.paper import (
    HEIGHT,
    WIDTH,
    Point,
    Sheet,
    arrow,
    cross,
    dot,
    line,
    text,
    width_of,
)
from making.gallery.run import Input, Run

from fsmkit import Fsm
from fsmkit.svg.theme import Theme

BORDER: Final = 16.0
LOOKS: Final = ("a", "s", "c")


@frozen
class Way:
    """Where something is, every few frames."""

    name: str
    places: Sequence[Point]
    marks: Sequence[Point]
    """Where it is at equal times, for the eye to see how fast it is."""
    angles: Sequence[float]
    """Where it looks at these times."""
    holds: Sequence[bool]
    """Whether a condition holds, for each of the places."""


@frozen
class Shape:
    """Something that stands around: an outline in the coordinates of the things."""

    points: Sequence[Point]
    look: str


@frozen
class Courses:
    """The ways of things in a run."""

    run: Run
    ways: Sequence[Way]
    shapes: Sequence[Shape]
    targets: Mapping[str, Point]
    every: float

    @property
    def fsm(self) -> Fsm[Any]:
        return self.run.fsm

    @property
    def alt(self) -> str:
        ways = " and ".join(way.name for way in self.ways)
        many = "ways" if len(self.ways) > 1 else "way"
        return f"The {many} of {ways} in {self.run.seconds:g} s, with a dot every {self.every:g} s"

    def drawn(self, theme: Theme) -> str:
        """Return the picture as SVG."""
        parts = [line(map(self._at, shape.points), shape.look) for shape in self.shapes]
        parts += [cross(self._at(place), "b") for place in self.targets.values()]
        for look, way in reversed([*zip(LOOKS, self.ways, strict=False)]):
            parts += self._way(way, look)
        parts += self._names()
        note = f"a dot every {self.every:g} s"
        parts.append(text((WIDTH - 8, HEIGHT - 7), note, "t e"))
        return Sheet(theme, self.alt).picture(parts)

    def _way(self, way: Way, look: str) -> Iterator[str]:
        places = [self._at(place) for place in way.places]
        if _moves(way):
            yield line(places, look)
            for stretch in _stretches(places, way.holds):
                yield line(stretch, "b held")
            for place in way.marks[1:-1]:
                yield dot(self._at(place), f"f{look}", 2.4)
            yield dot(places[0], f"{look} ring", 3.2)
        yield dot(places[-1], f"f{look}", 4.2)
        for (x, y), angle in zip(map(self._at, way.marks), way.angles, strict=False):
            tip = x + 26 * cos(radians(angle)), y - 26 * sin(radians(angle))
            yield line([(x, y), tip], f"{look} thin")
            yield arrow(tip, angle, f"f{look}", 5.0)

    def _names(self) -> Iterator[str]:
        """The names of things, where there is room for them."""
        taken = [self._at(place) for way in self.ways for place in way.places]
        taken += [self._at(place) for place in self.targets.values()]
        boxes = [(WIDTH - 110.0, HEIGHT - 24.0, WIDTH, HEIGHT)]
        named = [(way.name, self._ends(way)) for way in self.ways]
        for name, ends in [*named, *((name, [at]) for name, at in self.targets.items())]:
            places = [spot for end in ends for spot in _around(self._at(end), name)]
            best = min(places, key=lambda spot: _trouble(_box(spot, name), boxes, taken))
            boxes.append(_box(best, name))
            yield text((best[0], best[1] + 4), name, "t")

    @staticmethod
    def _ends(way: Way) -> list[Point]:
        return [way.places[-1], way.places[0]] if _moves(way) else [way.places[0]]

    def _at(self, place: Point) -> Point:
        """Where a place is on the sheet."""
        everywhere = [
            *(place for way in self.ways for place in way.places),
            *(point for shape in self.shapes for point in shape.points),
            *self.targets.values(),
        ]
        (left, right), (low, high) = (
            (min(each), max(each)) for each in zip(*(p[:2] for p in everywhere), strict=True)
        )
        scale = min(
            (WIDTH - 2 * BORDER - 30) / max(right - left, 1e-9),
            (HEIGHT - 2 * BORDER - 8) / max(high - low, 1e-9),
        )
        x = WIDTH / 2 + (place[0] - (left + right) / 2) * scale
        return x, (HEIGHT - 8) / 2 - (place[1] - (low + high) / 2) * scale


Box: TypeAlias = tuple[float, float, float, float]


def _moves(way: Way) -> bool:
    return any(place != way.places[0] for place in way.places)


def _around(place: Point, name: str) -> list[Point]:
    """Where a name may begin that stands beside a place."""
    x, y = place
    wide = width_of(name)
    return [
        (x + 8, y), (x - 8 - wide, y), (x - wide / 2, y - 12), (x - wide / 2, y + 13),
        (x + 6, y - 10), (x - 6 - wide, y - 10), (x + 6, y + 11), (x - 6 - wide, y + 11),
    ]  # fmt: skip


def _box(spot: Point, name: str) -> Box:
    x, y = spot
    return x - 1, y - 6, x + width_of(name) + 1, y + 6


def _trouble(box: Box, boxes: Sequence[Box], taken: Sequence[Point]) -> int:
    """How much is in the way of a name."""
    left, top, right, bottom = box
    outside = left < 3 or right > WIDTH - 3 or top < 3 or bottom > HEIGHT - 3
    over = sum(b[0] < right and left < b[2] and b[1] < bottom and top < b[3] for b in boxes)
    return (
        1000 * outside + 100 * over + sum(left < x < right and top < y < bottom for x, y in taken)
    )


def courses(
    fsm: Fsm[Any],
    seconds: float,
    *,
    every: float = 0.5,
    each: int = 3,
    shapes: Sequence[Shape] = (),
    targets: Mapping[str, Point] | None = None,
    holds: Callable[[], object] | None = None,
    facing: bool = False,
    at: Mapping[float, Input] | None = None,
    others: Sequence[Fsm[Any]] = (),
    **things: Any,
) -> Courses:
    """Run a machine and draw the ways of things, the first of which the picture is about.

    `holds` is a condition: where it is true, the way of the first thing is marked. With `facing`
    arrows say where that looks. Every so many frames (`each`) a point is drawn.
    """
    run = Run(fsm, seconds, at or {}, others)
    places: dict[str, list[Point]] = {name: [] for name in things}
    marks: dict[str, list[Point]] = {name: [] for name in things}
    angles: list[float] = []
    true: list[bool] = []
    last = round(seconds * 60)
    for frame, _ in enumerate(run.frames()):
        if frame % each == 0 or frame == last:
            true.append(bool(holds and holds()))
            for name, thing in things.items():
                places[name].append(thing.position)
        if frame % round(every * 60) == 0 or frame == last:
            for name, thing in things.items():
                marks[name].append(thing.position)
            if facing:
                angles.append(next(iter(things.values())).rotation)
    first = next(iter(things))
    ways = [
        Way(name, places[name], marks[name], angles, true)
        if name == first
        else Way(name, places[name], marks[name], (), ())
        for name in things
    ]
    return Courses(run, ways, shapes, targets or {}, every)


def circle(middle: Point, radius: float, look: str = "b dash") -> Shape:
    """Return a circle."""
    return sector(middle, radius, 0.0, 360.0, look)


def sector(
    middle: Point, radius: float, facing: float, angle: float, look: str = "b dash"
) -> Shape:
    """Return a part of a disc, `angle` degrees wide."""
    count = 48
    turns = [radians(facing - angle / 2 + angle * n / count) for n in range(count + 1)]
    arc = [(middle[0] + radius * cos(a), middle[1] + radius * sin(a)) for a in turns]
    return Shape(arc if angle >= 360.0 else [middle, *arc, middle], look)


def square(middle: Point, side: float = 1.0, look: str = "walls") -> Shape:
    """Return a square."""
    x, y, h = *middle, side / 2
    return Shape(
        [(x - h, y - h), (x + h, y - h), (x + h, y + h), (x - h, y + h), (x - h, y - h)], look
    )


def moving(thing: Any, *velocity: float) -> Fsm[Any]:
    """Return a machine that moves a thing steadily."""
    from actions import MoveConstantly

    fsm: Fsm[Any] = Fsm("Moving")
    fsm.add_state("Moving").add_action(MoveConstantly(thing, velocity))
    return fsm


def _stretches(places: Sequence[Point], holds: Iterable[bool]) -> Iterator[list[Point]]:
    """Yield the parts of a way where a condition holds."""
    stretch: list[Point] = []
    for place, is_true in zip(places, holds, strict=False):
        if is_true:
            stretch.append(place)
        elif stretch:
            yield stretch
            stretch = []
    if stretch:
        yield stretch
