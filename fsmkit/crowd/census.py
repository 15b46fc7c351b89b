"""Census: how many agents were in each state, over time, and the picture of it."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import accumulate
from typing import Final, Protocol

from attrs import define, field

from fsmkit.recording.timeline.svg_elements import element, words
from fsmkit.recording.timeline.theme import DARK, LIGHT, PALETTE, Theme
from fsmkit.recording.timeline.time_axis import ticks

LEFT: Final = 84.0
RIGHT: Final = 24.0
TOP: Final = 44.0
BOTTOM: Final = 32.0
LEAST_WIDTH: Final = 320
LETTER: Final = 7.0
"""About how wide one is, in pixels."""


class Countable(Protocol):
    """What can be counted: a Crowd."""

    @property
    def time(self) -> float:
        """Seconds that have passed."""
        ...

    def count(self) -> dict[str, int]:
        """How many agents are in each state."""
        ...


@define(eq=False)
class Census:
    """Counts the agents of a crowd now and then.

    `interval` is the time between two counts, in seconds; with 0 every `take` counts.

    >>> class Town:
    ...     time = 0.0
    ...     def count(self):
    ...         return {"Home": 3, "Work": 5}
    >>> census = Census(Town(), interval=1.0)
    >>> census.take()
    True
    >>> census.take()
    False
    >>> census.counts
    {'Home': [3], 'Work': [5]}
    """

    crowd: Countable
    interval: float = 0.0
    times: list[float] = field(factory=list, init=False)
    """The second of each count."""
    counts: dict[str, list[int]] = field(factory=dict, init=False)
    """State -> how many were in it, at each of the times."""

    def take(self) -> bool:
        """Count, if it is time to; whether it was. To be called after an update."""
        now = self.crowd.time
        if self.times and now < self.times[-1] + self.interval * (1.0 - 1e-9):
            return False
        for state, number in self.crowd.count().items():
            self.counts.setdefault(state, [0] * len(self.times)).append(number)
        self.times.append(now)
        return True

    def to_svg(self, *, dark: bool = False, width: int = 960, height: int = 360) -> str:
        """The counts as areas, one upon the other. `width` and `height` are in pixels."""
        return stacked_svg(self.times, self.counts, dark=dark, width=width, height=height)


def stacked_svg(
    times: list[float],
    counts: Mapping[str, list[int]],
    *,
    dark: bool = False,
    width: int = 960,
    height: int = 360,
) -> str:
    """Numbers over time as areas, one upon the other, in SVG.

    `counts` has a list of whole numbers for each name, one for each of `times` (seconds, rising).
    """
    theme = DARK if dark else LIGHT
    chart = _Chart(times, counts, max(LEAST_WIDTH, width), height)
    return element(
        "svg", "\n",
        element("style", theme.style_sheet() + _more_style(theme)), "\n",
        "\n".join(chart.elements()), "\n",
        xmlns="http://www.w3.org/2000/svg",
        class_=f"fsmkit-timeline {theme.name}",
        role="img",
        aria_label=f"Agents in {', '.join(counts)} over time",
        viewBox=f"0 0 {chart.width:g} {chart.height:g}",
        width=chart.width,
        height=chart.height,
        style="max-width:100%;height:auto",
    ) + "\n"  # fmt: skip


def _more_style(theme: Theme) -> str:
    root = f".fsmkit-timeline.{theme.name}"
    return (
        f"\n{root} .area{{stroke:{theme.page};stroke-width:0.6}}\n{root} .left{{text-anchor:end}}"
    )


class _Chart:
    """Where everything goes."""

    def __init__(
        self, times: list[float], counts: Mapping[str, list[int]], width: int, height: int
    ) -> None:
        self.times = times or [0.0]
        self.counts = counts
        self.width = float(width)
        self.height = float(height)
        self.total = max((sum(column) for column in self._columns()), default=0) or 1

    def elements(self) -> list[str]:
        """The parts of the picture, the lowest first."""
        page = element("rect", class_="page", width=self.width, height=self.height, rx=8)
        return [page, *self._grid(), *self._areas(), *self._legend()]

    def _areas(self) -> list[str]:
        below = [0] * len(self.times)
        areas: list[str] = []
        for number, (name, column) in enumerate(self.counts.items()):
            above = [low + count for low, count in zip(below, column, strict=True)]
            edge = [*self._points(above), *reversed(self._points(below))]
            title = element("title", words(f"{name}: {column[-1]:,} at the end"))
            fill = f"area fill-{number % len(PALETTE)}"
            areas.append(element("path", title, class_=fill, d=f"M{'L'.join(edge)}Z"))
            below = above
        return areas

    def _legend(self) -> list[str]:
        lengths = [LETTER * len(self._label(name)) + 34.0 for name in self.counts]
        places = [LEFT, *(LEFT + length for length in accumulate(lengths))]
        return [
            element(
                "g",
                element("rect", class_=f"fill-{number % len(PALETTE)}", width=12, height=12, rx=3),
                element("text", words(self._label(name)), x=18, y=10.5),
                transform=f"translate({x:g} 16)",
            )
            for number, (name, x) in enumerate(zip(self.counts, places, strict=False))
        ]

    def _label(self, name: str) -> str:
        return f"{name}  {self.counts[name][-1]:,}" if self.counts[name] else name

    def _grid(self) -> list[str]:
        bottom = self.height - BOTTOM
        lines = [
            part
            for time, text in ticks(self.times[0], self.times[-1], max(2, int(self.width / 110)))
            for part in (
                element("path", class_="grid", d=f"M{self._x(time):.1f} {TOP:g}V{bottom:g}"),
                element("text", text, class_="tick", x=self._x(time), y=bottom + 18),
            )
        ]
        for share in (0.0, 0.5, 1.0):
            y = self._y(self.total * share)
            text = f"{round(self.total * share):,}"
            lines.append(element("text", text, class_="note left", x=LEFT - 8, y=y + 4))
        return lines

    def _points(self, heights: list[int]) -> list[str]:
        return [
            f"{self._x(time):.1f} {self._y(height):.1f}"
            for time, height in zip(self.times, heights, strict=True)
        ]

    def _x(self, time: float) -> float:
        span = self.times[-1] - self.times[0] or 1.0
        return LEFT + (time - self.times[0]) / span * (self.width - LEFT - RIGHT)

    def _y(self, count: float) -> float:
        return self.height - BOTTOM - count / self.total * (self.height - TOP - BOTTOM)

    def _columns(self) -> list[tuple[int, ...]]:
        return list(zip(*self.counts.values(), strict=True))
