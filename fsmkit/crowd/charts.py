"""Charts in SVG: numbers as lines with bands around them, and numbers over time as stacked areas.

`Chart` has what both share: the page, the legend, the axis below and the whole picture.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, groupby
from math import isfinite
from typing import Final

from attrs import frozen

from fsmkit.svg.axis import levels, span_of, ticks
from fsmkit.svg.elements import element, words
from fsmkit.svg.picture import chart_rules, picture
from fsmkit.svg.theme import DARK, LIGHT, PALETTE, Theme

MIN_WIDTH: Final = 320.0
LEFT: Final = 84.0
RIGHT: Final = 24.0
ROW: Final = 22.0
"""The height of a row of the legend."""
LETTER_WIDTH: Final = 7.5
"""The approximate width of a letter, in pixels."""
KEY: Final = 38.0
"""The room for the colour before a name, and for the gap after it."""


def legend_rows(names: Sequence[str], width: float) -> list[list[tuple[str, float]]]:
    """Return rows of names, not wider than `width`, each with its distance from the left.

    >>> legend_rows(["Sitting", "Standing"], 150.0)
    [[('Sitting', 0.0)], [('Standing', 0.0)]]
    """
    rows: list[list[tuple[str, float]]] = []
    x = width
    for name in names:
        need = LETTER_WIDTH * len(name) + KEY
        if not rows or x + need > width:
            rows.append([])
            x = 0.0
        rows[-1].append((name, x))
        x += need
    return rows


def one_for_each_pixel(positions: Sequence[float], pixels: float) -> list[int]:
    """Return the indices of the points to draw: the first, the last, and about one a pixel."""
    if not positions:
        return []
    gap = (positions[-1] - positions[0]) / pixels
    chosen = [0]
    for i, position in enumerate(positions):
        if position - positions[chosen[-1]] >= gap and i:
            chosen.append(i)
    return chosen if chosen[-1] == len(positions) - 1 else [*chosen, len(positions) - 1]


class Chart(ABC):
    """Values over `positions`, in a picture of `width` pixels, at least 320."""

    label: str
    """The words for what the picture shows."""
    height: float
    top: float
    """The height above the plot."""
    bottom: float
    """The height below it."""

    def __init__(self, positions: Sequence[float], width: float) -> None:
        self.width = max(MIN_WIDTH, width)
        self.room = self.width - LEFT - RIGHT
        """The pixels along the axis below."""
        self.chosen = one_for_each_pixel(positions, self.room)
        """The indices of the points that are drawn."""
        self.positions = [positions[i] for i in self.chosen]

    @abstractmethod
    def elements(self) -> Iterable[str]:
        """Yield the elements of the picture, the lowest first."""

    @abstractmethod
    def rules(self, theme: Theme) -> dict[str, str]: ...

    def to_svg(self, *, dark: bool = False) -> str:
        theme = DARK if dark else LIGHT
        page = element("rect", class_="page", width=self.width, height=self.height, rx=8)
        return picture(
            "timeline", theme, [page, *self.elements()], width=self.width, height=self.height,
            label=self.label, rules=chart_rules(theme) | self.rules(theme),
        )  # fmt: skip

    def x_of(self, position: float) -> float:
        """Return the pixels from the left; a single position is in the middle."""
        span = self.positions[-1] - self.positions[0]
        return LEFT + ((position - self.positions[0]) / span * self.room if span else self.room / 2)

    def y_of(self, share: float) -> float:
        """Return the pixels from the top; the plot reaches from the share 0 up to 1."""
        bottom = self.height - self.bottom
        return bottom - share * (bottom - self.top)

    def axis(
        self, marks: Callable[[float, float, int], Iterable[tuple[float, str]]]
    ) -> Iterator[str]:
        if not self.positions:
            return
        bottom, most = self.height - self.bottom, max(2, int(self.width / 110))
        for position, text in marks(self.positions[0], self.positions[-1], most):
            x = self.x_of(position)
            yield element("path", class_="grid", d=f"M{x:.1f} {bottom:g}v5")
            yield element("text", text, class_="tick", x=x, y=bottom + 19)

    def legend(
        self,
        rows: Sequence[Sequence[tuple[str, float]]],
        keys: Mapping[str, str],
        *,
        top: float,
        indent: float,
    ) -> Iterator[str]:
        for row, names in enumerate(rows):
            for name, x in names:
                text = element("text", words(name), x=indent, y=10.5)
                at = f"translate({LEFT + x:g} {top + ROW * row:g})"
                yield element("g", keys[name], text, transform=at)


def pieces(flags: Sequence[bool]) -> list[list[int]]:
    """Return the indices of true flags, a list for each piece without a gap."""
    groups = groupby(range(len(flags)), key=lambda i: flags[i])
    return [list(piece) for is_there, piece in groups if is_there]


LABEL_HEIGHT: Final = 42.0
"""The height above the legend: room for the label of the values."""
MIN_PLOT_HEIGHT: Final = 100.0
"""The minimum height of the plot; the picture grows if the legend leaves less."""
MOST_MARKED: Final = 40
"""The most points for which a line has marks."""


@frozen
class Line:
    """The values of one name, and bands around them, the widest first. NaN is a gap."""

    name: str
    values: Sequence[float]
    bands: Sequence[tuple[Sequence[float], Sequence[float]]] = ()
    """The lower and upper edges."""

    def at(self, chosen: Sequence[int]) -> Line:
        bands = [tuple([edge[i] for i in chosen] for edge in band) for band in self.bands]
        return Line(self.name, [self.values[i] for i in chosen], bands)  # type: ignore[arg-type]


@frozen
class Axes:
    x: Sequence[float]
    """The positions of the points, rising; seconds if `is_time`."""
    x_label: str
    y_label: str
    is_time: bool = False
    is_marked: bool = False
    """True if points are marked: values were measured there, and not in between."""


class LineChart(Chart):
    bottom = 52.0

    def __init__(self, axes: Axes, lines: Sequence[Line], width: float, height: float) -> None:
        super().__init__(axes.x, width)
        self.label = f"{axes.y_label} over {axes.x_label}"
        self.axes = axes
        self.lines = [line.at(self.chosen) for line in lines]
        self._rows = legend_rows([line.name for line in lines if line.name], self.room)
        self.top = LABEL_HEIGHT + ROW * len(self._rows)
        self.height = max(height, self.top + MIN_PLOT_HEIGHT + self.bottom)
        edges = chain.from_iterable((line.values, *chain(*line.bands)) for line in lines)
        every = [y for edge in edges for y in edge if isfinite(y)]
        self._low, self._high = span_of(min(every, default=0.0), max(every, default=0.0))

    def elements(self) -> Iterator[str]:
        yield element("text", words(self.axes.y_label), class_="axis", x=LEFT, y=24)
        keys = {
            line.name: element(
                "rect", class_=f"key colour-{number % len(PALETTE)}", y=4, width=14, height=4, rx=2
            )
            for number, line in enumerate(self.lines)
        }
        yield from self.legend(self._rows, keys, top=LABEL_HEIGHT - 6, indent=20)
        yield from self._horizontal()
        yield from self._vertical()
        for number, line in enumerate(self.lines):
            for low, high in line.bands:
                yield from self._band(low, high, number)
        for number, line in enumerate(self.lines):
            yield from self._line(line, number)

    def rules(self, theme: Theme) -> dict[str, str]:
        rules = {
            ".line": "fill:none;stroke-width:2;stroke-linejoin:round;stroke-linecap:round",
            ".band": "stroke:none;fill-opacity:0.16",
            ".mark": f"stroke:{theme.page};stroke-width:1.5",
            ".left": "text-anchor:end;font-variant-numeric:tabular-nums",
            ".axis": f"font-size:12px;fill:{theme.ink}",
            ".below": "text-anchor:middle",
        }
        for number, colour in enumerate(theme.strong):
            rules[f".line.colour-{number}"] = f"stroke:{colour}"
            for filled in (".band", ".mark", ".key"):
                rules[f"{filled}.colour-{number}"] = f"fill:{colour}"
        return rules

    def _line(self, line: Line, number: int) -> Iterator[str]:
        colour = f"colour-{number % len(PALETTE)}"
        parts = [self._corners(line.values, part) for part in _without_gaps([line.values])]
        path = "".join(f"M{'L'.join(part)}" for part in parts)
        title = [element("title", words(line.name))] if line.name else []
        if path:
            yield element("path", *title, class_=f"line {colour}", d=path)
        alone = [part[0] for part in parts if len(part) == 1]
        every = self.axes.is_marked and len(self.positions) <= MOST_MARKED
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
        return [f"{self.x_of(self.positions[i]):.1f} {self._y(values[i]):.1f}" for i in part]

    def _horizontal(self) -> Iterator[str]:
        middle, below = (LEFT + self.width - RIGHT) / 2, self.height - 14
        yield element("text", words(self.axes.x_label), class_="axis below", x=middle, y=below)
        yield from self.axis(ticks if self.axes.is_time else levels)

    def _vertical(self) -> Iterator[str]:
        most = max(2, int((self.height - self.top - self.bottom) / 36))
        for level, text in levels(self._low, self._high, most):
            y = self._y(level)
            yield element("path", class_="grid", d=f"M{LEFT:g} {y:.1f}H{self.width - RIGHT:g}")
            yield element("text", text, class_="note left", x=LEFT - 8, y=y + 4)

    def _y(self, value: float) -> float:
        return self.y_of((value - self._low) / (self._high - self._low))


def _without_gaps(edges: Sequence[Sequence[float]]) -> list[list[int]]:
    return pieces([all(map(isfinite, values)) for values in zip(*edges, strict=True)])


MARGIN: Final = 20.0
NAME_HEIGHT: Final = 18.0
"""The height that a name inside an area needs."""


@frozen
class Band:
    name: str
    number: int
    low: Sequence[int]
    high: Sequence[int]

    @property
    def fill(self) -> str:
        return f"fill-{self.number % len(PALETTE)}"

    def visible_ranges(self) -> Iterator[range]:
        """Yield the ranges where it is not empty, with a neighbour on either side."""
        for piece in pieces([high > low for low, high in zip(self.low, self.high, strict=True)]):
            yield range(max(0, piece[0] - 1), min(len(self.low), piece[-1] + 2))


def bands_of(counts: Mapping[str, Sequence[int]]) -> Iterator[Band]:
    low: Sequence[int] = [0] * max(map(len, counts.values()), default=0)
    for number, (name, column) in enumerate(counts.items()):
        high = [below + count for below, count in zip(low, column, strict=True)]
        yield Band(name, number, low, high)
        low = high


class StackedChart(Chart):
    """Stacked areas: for each name of `counts` integers, one for each of `times`.

    `times` are seconds, rising. Names are drawn in their areas, or in the legend above if there is
    no room.
    """

    bottom = 34.0

    def __init__(
        self,
        times: Sequence[float],
        counts: Mapping[str, Sequence[int]],
        width: float = 960,
        height: float = 360,
    ) -> None:
        super().__init__(times, width)
        self.label = f"{', '.join(counts)} over time"
        self.height = height
        shown = {name: [column[i] for i in self.chosen] for name, column in counts.items()}
        self.bands = list(bands_of(shown))
        self.total = max(self.bands[-1].high, default=0) if self.bands else 0
        self._places: dict[str, tuple[float, float]] = {}
        self._rows: list[list[tuple[str, float]]] = []
        self._arrange()

    def elements(self) -> Iterator[str]:
        keys = {
            band.name: element("rect", class_=band.fill, width=12, height=12, rx=3)
            for band in self.bands
        }
        yield from self.legend(self._rows, keys, top=12, indent=18)
        yield from self.axis(ticks)
        yield from filter(None, map(self._area, self.bands))
        yield from self._levels()
        for name, (x, y) in self._places.items():
            yield element("text", words(name), class_="name", x=x, y=y)

    def rules(self, theme: Theme) -> dict[str, str]:
        return {
            ".area": f"stroke:{theme.page};stroke-width:0.6;stroke-linejoin:round",
            ".over": f"stroke:{theme.page};stroke-opacity:0.35;stroke-dasharray:2 3",
            ".left": "text-anchor:end;font-variant-numeric:tabular-nums",
        }

    def _arrange(self) -> None:
        """Find a place for each name in its area; the rest go into a legend, which takes room."""
        rows = -1
        while rows < len(self._rows):  # the more rows, the less room for names
            rows = len(self._rows)
            self.top = MARGIN + ROW * rows
            self.height = max(self.height, self.top + MIN_PLOT_HEIGHT + self.bottom)
            found = {band.name: self._place(band) for band in self.bands}
            self._places = {name: place for name, place in found.items() if place is not None}
            rest = [band for band in self.bands if band.name not in self._places]
            self._rows = legend_rows([band.name for band in rest], self.room)

    def _place(self, band: Band) -> tuple[float, float] | None:
        """Return the middle of the highest part that is wide enough for the name of a band."""
        need = LETTER_WIDTH * len(band.name) + 8.0
        best, where = NAME_HEIGHT, None
        for first, last in self._windows(need):
            bottom = self._y(max(band.low[first : last + 1]))
            top = self._y(min(band.high[first : last + 1]))
            if bottom - top > best:
                best = bottom - top
                where = (self._x(first) + self._x(last)) / 2, (bottom + top) / 2 + 4.5
        return where

    def _windows(self, need: float) -> Iterator[tuple[int, int]]:
        """Yield the ranges of counts that are wide enough, from each first to its last."""
        last = 0
        for first in range(len(self.positions)):
            while self._x(last) - self._x(first) < need:
                last += 1
                if last == len(self.positions):
                    return
            yield first, last

    def _area(self, band: Band) -> str:
        outlines = [
            f"M{'L'.join([*self._edge(band.high, part), *self._edge(band.low, part[::-1])])}Z"
            for part in band.visible_ranges()
        ]
        if not outlines:
            return ""
        title = element("title", words(f"{band.name}: {band.high[-1] - band.low[-1]:,} in the end"))
        return element("path", title, class_=f"area {band.fill}", d="".join(outlines))

    def _edge(self, heights: Sequence[int], part: range) -> list[str]:
        points = [(self._x(i), self._y(heights[i])) for i in part]
        return [f"{x:.1f} {y:.1f}" for x, y in _without_straight(points)]

    def _levels(self) -> Iterator[str]:
        for level in sorted({0, self.total // 2, self.total}):
            y = self._y(level)
            yield element("text", f"{level:,}", class_="note left", x=LEFT - 8, y=y + 4)
            if 0 < level < self.total:
                yield element(
                    "path",
                    class_="over",
                    d=f"M{LEFT:g} {y:.1f}H{self.width - RIGHT:g}",
                    fill="none",
                )

    def _x(self, i: int) -> float:
        return self.x_of(self.positions[i])

    def _y(self, level: float) -> float:
        return self.y_of(level / (self.total or 1))


def _without_straight(points: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    kept: list[tuple[float, float]] = []
    for point in points:
        while len(kept) > 1 and _is_straight(kept[-2], kept[-1], point):
            kept.pop()
        kept.append(point)
    return kept


def _is_straight(a: tuple[float, float], b: tuple[float, float], c: tuple[float, float]) -> bool:
    if a[0] == c[0]:
        return a[1] == b[1] == c[1]
    there = a[1] + (b[0] - a[0]) / (c[0] - a[0]) * (c[1] - a[1])
    return abs(there - b[1]) < 1e-6
