"""Numbers over time as stacked areas, in SVG."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from fsmkit.crowd.charts.bands import Band, bands_of, one_for_each_pixel
from fsmkit.crowd.charts.legend import LETTER_WIDTH, ROW, legend_rows
from fsmkit.crowd.charts.picture import picture
from fsmkit.svg.elements import element, words
from fsmkit.svg.theme import DARK, LIGHT, Theme
from fsmkit.svg.time_axis import ticks

LEFT: Final = 84.0
RIGHT: Final = 24.0
TOP: Final = 20.0
BOTTOM: Final = 34.0
MIN_WIDTH: Final = 320.0
MIN_AREA_HEIGHT: Final = 100.0
"""The minimum height of the areas; the picture grows if the legend leaves less."""
NAME_HEIGHT: Final = 18.0
"""The height that a name inside an area needs."""


def stacked_svg(
    times: Sequence[float],
    counts: Mapping[str, Sequence[int]],
    *,
    dark: bool = False,
    width: float = 960,
    height: float = 360,
) -> str:
    """Draw `counts`, a list of whole numbers for each name with one for each of `times`.

    `times` are seconds, rising; `width` and `height` are pixels. Names are drawn in their areas, or
    in the legend above if there is no room.
    """
    theme = DARK if dark else LIGHT
    chart = Chart(times, counts, max(MIN_WIDTH, width), height)
    return picture(chart, theme, _rules(theme), f"{', '.join(counts)} over time")


def _rules(theme: Theme) -> dict[str, str]:
    return {
        ".area": f"stroke:{theme.page};stroke-width:0.6;stroke-linejoin:round",
        ".over": f"stroke:{theme.page};stroke-opacity:0.35;stroke-dasharray:2 3",
        ".left": "text-anchor:end;font-variant-numeric:tabular-nums",
    }


class Chart:
    """The positions of everything in the picture."""

    def __init__(
        self,
        times: Sequence[float],
        counts: Mapping[str, Sequence[int]],
        width: float,
        height: float,
    ) -> None:
        self.width = width
        self.height = height
        chosen = one_for_each_pixel(times, width - LEFT - RIGHT)
        self.times = [times[i] for i in chosen]
        self.bands = list(bands_of({name: [c[i] for i in chosen] for name, c in counts.items()}))
        self.total = max(self.bands[-1].high, default=0) if self.bands else 0
        self._places: dict[str, tuple[float, float]] = {}
        self._rows: list[list[tuple[str, float]]] = []
        self._arrange()

    def elements(self) -> Iterator[str]:
        """Yield the elements of the picture, the lowest first."""
        yield element("rect", class_="page", width=self.width, height=self.height, rx=8)
        yield from self._legend()
        yield from self._seconds()
        yield from filter(None, map(self._area, self.bands))
        yield from self._levels()
        for name, (x, y) in self._places.items():
            yield element("text", words(name), class_="name", x=x, y=y)

    def _arrange(self) -> None:
        """Find a place in its area for every name; the rest go into a legend, which needs room."""
        rows = -1
        while rows < len(self._rows):  # the more rows, the less room for names
            rows = len(self._rows)
            self.top = TOP + ROW * rows
            self.height = max(self.height, self.top + MIN_AREA_HEIGHT + BOTTOM)
            self._places = self._find_places()
            rest = [band for band in self.bands if band.name not in self._places]
            self._rows = legend_rows([band.name for band in rest], self.width - LEFT - RIGHT)

    def _find_places(self) -> dict[str, tuple[float, float]]:
        found = {band.name: self._place(band) for band in self.bands}
        return {name: place for name, place in found.items() if place is not None}

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
        for first in range(len(self.times)):
            while self._x(last) - self._x(first) < need:
                last += 1
                if last == len(self.times):
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
        """Return the corners of a line, without points on a straight line."""
        points = [(self._x(i), self._y(heights[i])) for i in part]
        return [f"{x:.1f} {y:.1f}" for x, y in _without_straight(points)]

    def _legend(self) -> Iterator[str]:
        fills = {band.name: band.fill for band in self.bands}
        for row, names in enumerate(self._rows):
            for name, x in names:
                yield element(
                    "g",
                    element("rect", class_=fills[name], width=12, height=12, rx=3),
                    element("text", words(name), x=18, y=10.5),
                    transform=f"translate({LEFT + x:g} {12 + ROW * row:g})",
                )

    def _seconds(self) -> Iterator[str]:
        if not self.times:
            return
        bottom = self.height - BOTTOM
        for time, text in ticks(self.times[0], self.times[-1], max(2, int(self.width / 110))):
            x = self._x_of(time)
            yield element("path", class_="grid", d=f"M{x:.1f} {bottom:g}v5")
            yield element("text", text, class_="tick", x=x, y=bottom + 19)

    def _levels(self) -> Iterator[str]:
        right = self.width - RIGHT
        for level in sorted({0, self.total // 2, self.total}):
            y = self._y(level)
            yield element("text", f"{level:,}", class_="note left", x=LEFT - 8, y=y + 4)
            if 0 < level < self.total:
                yield element("path", class_="over", d=f"M{LEFT:g} {y:.1f}H{right:g}", fill="none")

    def _x(self, i: int) -> float:
        return self._x_of(self.times[i])

    def _x_of(self, time: float) -> float:
        span = self.times[-1] - self.times[0] or 1.0
        return LEFT + (time - self.times[0]) / span * (self.width - LEFT - RIGHT)

    def _y(self, level: float) -> float:
        room = self.height - self.top - BOTTOM
        return self.height - BOTTOM - level / (self.total or 1) * room


def _without_straight(points: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    kept: list[tuple[float, float]] = []
    for point in points:
        while len(kept) > 1 and _is_straight(kept[-2], kept[-1], point):
            kept.pop()
        kept.append(point)
    return kept


def _is_straight(a: tuple[float, float], b: tuple[float, float], c: tuple[float, float]) -> bool:
    """Return True if `b` lies on the line from `a` to `c`."""
    if a[0] == c[0]:
        return a[1] == b[1] == c[1]
    there = a[1] + (b[0] - a[0]) / (c[0] - a[0]) * (c[1] - a[1])
    return abs(there - b[1]) < 1e-6
