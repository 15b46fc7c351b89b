"""Sheet: where everything on a picture of a map is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from attrs import frozen

from fsmkit.svg.elements import element, words

MAP_PIXELS: Final = 720
"""The approximate length of the longer side of a map."""

MIN_CELL: Final = 2
MAX_CELL: Final = 28

MARGIN: Final = 14.0
TITLE_HEIGHT: Final = 26.0
NUMBERS_HEIGHT: Final = 16.0
LEGEND_ROW: Final = 22.0
LETTER: Final = 6.8
"""The approximate width of a letter."""
TITLE_LETTER: Final = 9.5
SWATCH: Final = 13.0
GAP: Final = 18.0
"""Between two entries of the legend."""
MIN_WIDTH: Final = 220.0
LEAST_BETWEEN_NUMBERS: Final = 26
POWERS: Final = (1, 10, 100)
RULED: Final = 8
"""The size of a tile, in pixels, from which on there are lines between tiles."""


@frozen
class Entry:
    """A line of the legend."""

    sign: str
    """An element that is `SWATCH` wide and high, with its upper left corner at 0, 0."""
    text: str

    @property
    def width(self) -> float:
        """The width in pixels."""
        return SWATCH + 6 + len(self.text) * LETTER


@frozen
class Sheet:
    """The places of tiles, title and legend, in pixels."""

    columns: int
    rows: int
    title: str
    legend: Sequence[Entry]

    @property
    def cell(self) -> int:
        """The size of a tile."""
        return max(MIN_CELL, min(MAX_CELL, MAP_PIXELS // max(self.columns, self.rows)))

    @property
    def left(self) -> float:
        """The left edge of the map."""
        return MARGIN + 6 + LETTER * len(str(self.rows - 1))

    @property
    def top(self) -> float:
        """The upper edge of the map."""
        return MARGIN + (TITLE_HEIGHT if self.title else 0.0) + NUMBERS_HEIGHT

    @property
    def width(self) -> float:
        """The width of the picture."""
        title = MARGIN + len(self.title) * TITLE_LETTER
        entry = self.left + max((each.width for each in self.legend), default=0.0)
        return max(MIN_WIDTH, MARGIN + max(self.left + self.columns * self.cell, title, entry))

    @property
    def height(self) -> float:
        """The height of the picture."""
        rows = max((row for _, _, row in self._entries()), default=-1) + 1
        return self._legend_top + rows * LEGEND_ROW + (6.0 if rows else 0.0)

    def centre(self, tile: tuple[float, float]) -> tuple[float, float]:
        """Return the centre of a tile."""
        x, y = tile
        return self.left + (x + 0.5) * self.cell, self.top + (y + 0.5) * self.cell

    def frame(self) -> Iterator[str]:
        """Yield the page, the title and the numbers of columns and rows."""
        yield element("rect", class_="page", width=self.width, height=self.height, rx=8)
        if self.title:
            yield element("text", words(self.title), class_="title", x=MARGIN, y=MARGIN + 14)
        step = self._step()
        for column in range(0, self.columns, step):
            x, _ = self.centre((column, 0))
            yield element("text", str(column), class_="column", x=x, y=self.top - 5)
        for row in range(0, self.rows, step):
            _, y = self.centre((0, row))
            yield element("text", str(row), class_="row", x=self.left - 6, y=y + 4)

    def ground(self) -> Iterator[str]:
        """Yield the free ground."""
        width, height = self.columns * self.cell, self.rows * self.cell
        yield element("rect", class_="ground", x=self.left, y=self.top, width=width, height=height)

    def rules(self) -> Iterator[str]:
        """Yield the lines between tiles, where these are large enough."""
        if self.cell < RULED:
            return
        cell, left, top = self.cell, self.left, self.top
        width, height = self.columns * cell, self.rows * cell
        down = (f"M{left + x * cell:g} {top:g}v{height}" for x in range(1, self.columns))
        across = (f"M{left:g} {top + y * cell:g}h{width}" for y in range(1, self.rows))
        if lines := "".join((*down, *across)):
            yield element("path", class_="rule", d=lines)

    def legend_elements(self) -> Iterator[str]:
        """Yield the legend below the map."""
        for entry, x, row in self._entries():
            y = self._legend_top + row * LEGEND_ROW
            text = element("text", words(entry.text), x=SWATCH + 6, y=11)
            yield element("g", entry.sign, text, transform=f"translate({x:g} {y:g})")

    @property
    def _legend_top(self) -> float:
        return self.top + self.rows * self.cell + MARGIN

    def _entries(self) -> Iterator[tuple[Entry, float, int]]:
        """Yield each entry of the legend with its left edge and its row."""
        x, row = self.left, 0
        for entry in self.legend:
            if x > self.left and x + entry.width > self.width - MARGIN:
                x, row = self.left, row + 1
            yield entry, x, row
            x += entry.width + GAP

    def _step(self) -> int:
        """Return the number of tiles from one number to the next."""
        steps = (each * power for power in POWERS for each in (1, 2, 5))
        return next(step for step in steps if step * self.cell >= LEAST_BETWEEN_NUMBERS)
