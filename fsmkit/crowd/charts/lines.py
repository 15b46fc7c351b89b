"""Numbers as lines, with bands around them, in SVG."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from math import isfinite
from typing import Final

from attrs import field, frozen

from fsmkit.crowd.charts.bands import one_for_each_pixel
from fsmkit.crowd.charts.legend import ROW, legend_rows
from fsmkit.crowd.charts.levels import levels, span_of
from fsmkit.crowd.charts.picture import picture
from fsmkit.crowd.charts.stacked import MIN_WIDTH
from fsmkit.svg.elements import element, words
from fsmkit.svg.theme import DARK, LIGHT, PALETTE, Theme
from fsmkit.svg.time_axis import ticks

LEFT: Final = 84.0
RIGHT: Final = 24.0
TOP: Final = 42.0
"""The height above the legend: room for what the values are."""
BOTTOM: Final = 52.0
MIN_PLOT_HEIGHT: Final = 100.0
MOST_MARKED: Final = 40
"""The most points of a line that are marked, if they are to be."""

STRONG: Final = (
    "#4477aa", "#ee6677", "#228833", "#aa3377", "#66ccee", "#997700", "#ee7733", "#009988",
    "#777777",
)  # fmt: skip
"""The lines on a light page: from Paul Tol's bright and vibrant schemes
(https://personal.sron.nl/~pault). On a dark page they have the fills of states."""


@frozen
class Line:
    """The values of one name, and bands around them, the widest first. NaN is a gap."""

    name: str
    values: Sequence[float]
    bands: Sequence[tuple[Sequence[float], Sequence[float]]] = ()
    """The lower and upper edges."""

    def edges(self) -> Iterator[Sequence[float]]:
        """Yield the line and the edges of its bands."""
        yield self.values
        for low, high in self.bands:
            yield from (low, high)

    def at(self, chosen: Sequence[int]) -> Line:
        """Return the line with these of its points."""
        bands = [tuple([edge[i] for i in chosen] for edge in band) for band in self.bands]
        return Line(self.name, [self.values[i] for i in chosen], bands)  # type: ignore[arg-type]


@frozen
class Axes:
    """What is drawn along which axis."""

    x: Sequence[float]
    """The positions of the points, rising; seconds if `is_time`."""
    x_label: str
    y_label: str
    is_time: bool = False
    is_marked: bool = field(default=False)
    """True if points are marked: they were measured there, and nowhere between."""


def lines_svg(
    axes: Axes,
    lines: Sequence[Line],
    *,
    dark: bool = False,
    width: float = 960,
    height: float = 360,
) -> str:
    """Draw lines over `axes.x`, with what they are above them. `width` and `height` are pixels."""
    theme = DARK if dark else LIGHT
    chart = LineChart(axes, lines, max(MIN_WIDTH, width), height)
    return picture(chart, theme, _rules(theme), f"{axes.y_label} over {axes.x_label}")


def _rules(theme: Theme) -> dict[str, str]:
    colours = STRONG if theme is LIGHT else PALETTE
    rules = {
        ".line": "fill:none;stroke-width:2;stroke-linejoin:round;stroke-linecap:round",
        ".band": "stroke:none;fill-opacity:0.16",
        ".mark": f"stroke:{theme.page};stroke-width:1.5",
        ".left": "text-anchor:end;font-variant-numeric:tabular-nums",
        ".axis": f"font-size:12px;fill:{theme.ink}",
        ".below": "text-anchor:middle",
    }
    for number, colour in enumerate(colours):
        rules[f".line.colour-{number}"] = f"stroke:{colour}"
        for filled in (".band", ".mark", ".key"):
            rules[f"{filled}.colour-{number}"] = f"fill:{colour}"
    return rules


class LineChart:
    """The positions of everything in the picture."""

    def __init__(self, axes: Axes, lines: Sequence[Line], width: float, height: float) -> None:
        self.axes = axes
        self.width = width
        chosen = one_for_each_pixel(axes.x, width - LEFT - RIGHT)
        self.x = [axes.x[i] for i in chosen]
        self.lines = [line.at(chosen) for line in lines]
        names = [line.name for line in lines if line.name]
        self._rows = legend_rows(names, width - LEFT - RIGHT)
        self.top = TOP + ROW * len(self._rows)
        self.height = max(height, self.top + MIN_PLOT_HEIGHT + BOTTOM)
        every = [y for line in lines for edge in line.edges() for y in edge if isfinite(y)]
        self._low, self._high = span_of(min(every, default=0.0), max(every, default=0.0))

    def elements(self) -> Iterator[str]:
        """Yield the elements of the picture, the lowest first."""
        yield element("rect", class_="page", width=self.width, height=self.height, rx=8)
        yield element("text", words(self.axes.y_label), class_="axis", x=LEFT, y=24)
        yield from self._legend()
        yield from self._horizontal()
        yield from self._vertical()
        for number, line in enumerate(self.lines):
            for low, high in line.bands:
                yield from self._band(low, high, number)
        for number, line in enumerate(self.lines):
            yield from self._line(line, number)

    def _line(self, line: Line, number: int) -> Iterator[str]:
        colour = f"colour-{number % len(PALETTE)}"
        parts = [self._corners(line.values, part) for part in _without_gaps([line.values])]
        path = "".join(f"M{'L'.join(part)}" for part in parts)
        title = [element("title", words(line.name))] if line.name else []
        if path:
            yield element("path", *title, class_=f"line {colour}", d=path)
        alone = [part[0] for part in parts if len(part) == 1]
        every = self.axes.is_marked and len(self.x) <= MOST_MARKED
        for corner in [each for part in parts for each in part] if every else alone:
            x, y = corner.split()
            yield element("circle", class_=f"mark {colour}", cx=x, cy=y, r=3.5 if every else 2.5)

    def _band(self, low: Sequence[float], high: Sequence[float], number: int) -> Iterator[str]:
        colour = f"colour-{number % len(PALETTE)}"
        outlines = [
            "L".join([*self._corners(high, part), *self._corners(low, part)[::-1]])
            for part in _without_gaps([low, high])
        ]
        if outlines:
            path = "".join(f"M{outline}Z" for outline in outlines)
            yield element("path", class_=f"band {colour}", d=path)

    def _corners(self, values: Sequence[float], part: Sequence[int]) -> list[str]:
        return [f"{self._x(self.x[i]):.1f} {self._y(values[i]):.1f}" for i in part]

    def _legend(self) -> Iterator[str]:
        numbers = {line.name: number for number, line in enumerate(self.lines)}
        for row, names in enumerate(self._rows):
            for name, x in names:
                yield element(
                    "g",
                    element(
                        "rect", class_=f"key colour-{numbers[name] % len(PALETTE)}",
                        y=4, width=14, height=4, rx=2,
                    ),
                    element("text", words(name), x=20, y=10.5),
                    transform=f"translate({LEFT + x:g} {TOP - 6 + ROW * row:g})",
                )  # fmt: skip

    def _horizontal(self) -> Iterator[str]:
        """Yield the marks of the axis below, and what it is."""
        bottom, middle = self.height - BOTTOM, (LEFT + self.width - RIGHT) / 2
        label = self.axes.x_label
        yield element("text", words(label), class_="axis below", x=middle, y=self.height - 14)
        if not self.x:
            return
        most = max(2, int(self.width / 110))
        marks = ticks if self.axes.is_time else levels
        for position, text in marks(self.x[0], self.x[-1], most):
            x = self._x(position)
            yield element("path", class_="grid", d=f"M{x:.1f} {bottom:g}v5")
            yield element("text", text, class_="tick", x=x, y=bottom + 19)

    def _vertical(self) -> Iterator[str]:
        right = self.width - RIGHT
        most = max(2, int((self.height - self.top - BOTTOM) / 36))
        for level, text in levels(self._low, self._high, most):
            y = self._y(level)
            yield element("path", class_="grid", d=f"M{LEFT:g} {y:.1f}H{right:g}")
            yield element("text", text, class_="note left", x=LEFT - 8, y=y + 4)

    def _x(self, position: float) -> float:
        room = self.width - LEFT - RIGHT
        span = self.x[-1] - self.x[0]
        return LEFT + ((position - self.x[0]) / span * room if span else room / 2)

    def _y(self, value: float) -> float:
        room = self.height - self.top - BOTTOM
        return self.height - BOTTOM - (value - self._low) / (self._high - self._low) * room


def _without_gaps(edges: Sequence[Sequence[float]]) -> list[list[int]]:
    """Return the indices of the points where all edges are numbers, a list for each piece."""
    there = [all(map(isfinite, values)) for values in zip(*edges, strict=True)]
    pieces = groupby(range(len(there)), key=lambda i: there[i])
    return [list(piece) for is_there, piece in pieces if is_there]
