"""Curves: a value over time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, Final

from attrs import frozen
from making.gallery.paper import (
    HEIGHT,
    MARGIN,
    WIDTH,
    Point,
    Sheet,
    arrow,
    dot,
    line,
    text,
    width_of,
)
from making.gallery.run import Input, Run

from fsmkit import Fsm
from fsmkit.svg.axis import ticks
from fsmkit.svg.theme import Theme

TOP: Final = 14.0
BOTTOM: Final = HEIGHT - 22.0
EACH: Final = 3
"""Every so many frames a point is drawn."""

LOOKS: Final = ("a", "b", "c")

Colour = tuple[float, ...]


@frozen
class Curves:
    """The values of a run over time."""

    run: Run
    values: Mapping[str, Sequence[tuple[float, float]]]
    colours: Sequence[tuple[float, Colour]]
    headings: Sequence[tuple[float, float, float]]
    """When, at which value, and in degrees."""
    marks: Sequence[float]
    unit: str
    finish: float | None
    events: Sequence[tuple[float, str]]
    bands: bool
    """Whether each value has a band of its own."""

    @property
    def fsm(self) -> Fsm[Any]:
        return self.run.fsm

    @property
    def alt(self) -> str:
        told = [
            f"{name} goes from {course[0][1]:.3g}{self.unit} to {course[-1][1]:.3g}{self.unit}"
            for name, course in self.values.items()
        ]
        if self.bands:
            told = [f"{name}: {_one_after_another(each)}" for name, each in self.values.items()]
        if self.colours:
            told = [f"The colour goes from {self.colours[0][1]} to {self.colours[-1][1]}"]
        over = f", finished at {self.finish:.3g} s" if self.finish is not None else ""
        return f"{'; '.join(told)} in {self.run.seconds:g} s{over}"

    def drawn(self, theme: Theme) -> str:
        """Return the picture as SVG."""
        parts = [*self._axes(), *self._band(), *self._end()]
        for number, (name, course) in enumerate(self.values.items()):
            points = [self._point(time, value, number) for time, value in course]
            if not self.colours:
                parts.append(line(points, LOOKS[number]))
            if self.bands:
                low = self._point(0.0, self.marks[0], number)[1]
                parts.append(text((MARGIN, low - 6), name))
                parts += self._steps(course, number)
        for time, value, degrees in self.headings:
            parts.append(arrow(self._point(time, value), degrees, "fa"))
        for time, event in self.events:
            x, _ = self._point(time, self.marks[0])
            parts.append(line([(x, TOP - 6), (x, BOTTOM)], "b thin"))
            parts.append(text((x + 3, TOP), event))
        if not self.colours and not self.bands:
            [name] = self.values
            parts.append(text((self._left + 6, TOP - 2), name, "t"))
        return Sheet(theme, self.alt).picture(parts)

    @property
    def _left(self) -> float:
        names = self.values if self.bands else map(self._written, self.marks)
        return MARGIN + (0.0 if self.colours else max(map(width_of, names)) + 6.0)

    def _written(self, mark: float) -> str:
        return f"{mark:g}{self.unit}"

    def _point(self, time: float, value: float, number: int = 0) -> Point:
        numbers = [each for course in self.values.values() for _, each in course]
        low, high = min([*numbers, *self.marks]), max([*numbers, *self.marks])
        share = (value - low) / (high - low) if high > low else 0.5
        x = self._left + (WIDTH - MARGIN - self._left) * time / self.run.seconds
        if self.bands:
            height = (BOTTOM - TOP) / len(self.values)
            return x, TOP - 4.0 + height * (number + 1) - 3.0 - (height - 8.0) * share
        return x, BOTTOM - 6.0 - (BOTTOM - TOP - 12.0) * share

    def _steps(self, course: Sequence[tuple[float, float]], number: int) -> Iterator[str]:
        """The value at the start, and after each change, on the line."""
        before = None
        for time, value in course:
            if value != before and time < self.run.seconds - 0.5:
                x, y = self._point(time, value, number)
                is_high = value == max(self.marks)
                yield text((x + 4, y + 11 if is_high else y - 3), f"{value:g}", "t")
            before = value

    def _axes(self) -> Iterator[str]:
        for time, name in ticks(0.0, self.run.seconds, 5):
            if time <= self.run.seconds + 1e-9:
                x, _ = self._point(time, self.marks[0])
                is_last = x > WIDTH - 2 * MARGIN
                yield line([(x, TOP - 6), (x, BOTTOM)], "g thin")
                at = (WIDTH - MARGIN + 4 if is_last else x, BOTTOM + 14)
                yield text(at, name, "t e" if is_last else "t m")
        if self.colours or self.bands:
            return
        for mark in self.marks:
            _, y = self._point(0.0, mark)
            yield line([(self._left, y), (WIDTH - MARGIN, y)], "s dash")
            yield text((self._left - 5, y + 4), self._written(mark), "t e")

    def _band(self) -> Iterator[str]:
        """The colours, side by side."""
        for (time, colour), (until, _) in zip(self.colours, self.colours[1:], strict=False):
            x, end = self._point(time, 0.0)[0], self._point(until, 0.0)[0]
            red, green, blue, *_ = (round(part) for part in colour)
            yield (
                f'<rect class="crisp" x="{x:.1f}" y="{TOP + 6:g}" width="{end - x + 0.4:.1f}" '
                f'height="{BOTTOM - TOP - 18:g}" fill="#{red:02x}{green:02x}{blue:02x}"/>'
            )

    def _end(self) -> Iterator[str]:
        if self.finish is None:
            return
        x, _ = self._point(self.finish, self.marks[0])
        yield line([(x, TOP - 6), (x, BOTTOM)], "b dash")
        yield text((x - 4, TOP - 1), "finished", "t e")
        if not self.colours:
            for course in self.values.values():
                value = next(v for t, v in course if t >= self.finish - 1e-9)
                yield dot(self._point(self.finish, value), "fb", 3.5)


def curves(
    fsm: Fsm[Any],
    seconds: float,
    read: Callable[[], float] | Mapping[str, Callable[[], float]],
    marks: Sequence[float] = (0.0, 1.0),
    *,
    name: str = "",
    unit: str = "",
    heading: Callable[[], float] | None = None,
    colour: Callable[[], Colour] | None = None,
    kind: type | None = None,
    at: Mapping[float, Input] | None = None,
    told: Sequence[str] = (),
    bands: bool = False,
    each: int = EACH,
) -> Curves:
    """Run a machine and draw values over time, with a line at each of `marks`.

    `heading` gives the angle of arrows along the curve, `colour` a band in place of it; `kind` is
    the class whose end is marked, and `told` are events that are. Every so many frames (`each`) a
    point is drawn.
    """
    run = Run(fsm, seconds, at or {})
    reads = read if isinstance(read, Mapping) else {name: read}
    values: dict[str, list[tuple[float, float]]] = {key: [] for key in reads}
    colours: list[tuple[float, Colour]] = []
    headings: list[tuple[float, float, float]] = []
    frames = round(seconds * 60)
    for frame, time in enumerate(run.frames()):
        if frame % each == 0 or frame == frames:
            for key, value_of in reads.items():
                values[key].append((time, value_of()))
            if colour is not None:
                colours.append((time, colour()))
        if heading is not None and frame in {round(frames * n / 8) for n in range(9)}:
            headings.append((time, next(iter(reads.values()))(), heading()))
    finish = run.finished_at(kind) if kind is not None else None
    events = [(sent.time, sent.event) for sent in run.sent if sent.event in told]
    return Curves(run, values, colours, headings, marks, unit, finish, events, bands)


def _one_after_another(course: Sequence[tuple[float, float]]) -> str:
    """Return the values of a course in words, each when it is another one."""
    return ", ".join(f"{value:g}" for value, _ in groupby(value for _, value in course))
