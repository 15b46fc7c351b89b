"""map_svg: a map as a picture: its shaded tiles, and on them paths, goals, names, and arrows."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import groupby
from math import ceil, inf, sqrt
from typing import Final

from attrs import frozen

from fsmkit.core.checks import arguments
from fsmkit.pathfinding.pictures.content import (
    CostBand,
    DrawnPath,
    MapContent,
    bands_of,
    equal_bands,
    finite,
    number_text,
    numbered,
)
from fsmkit.pathfinding.tile import Tile
from fsmkit.svg.axis import round_steps
from fsmkit.svg.elements import element, words
from fsmkit.svg.picture import picture
from fsmkit.svg.theme import DARK, FONTS, LIGHT, Theme

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
RULED: Final = 8
"""The size of a tile, in pixels, from which on there are lines between tiles."""


@frozen
class LegendEntry:
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
    legend: Sequence[LegendEntry]

    @property
    def cell(self) -> int:
        return max(MIN_CELL, min(MAX_CELL, MAP_PIXELS // max(self.columns, self.rows)))

    @property
    def left(self) -> float:
        return MARGIN + 6 + LETTER * len(str(self.rows - 1))

    @property
    def top(self) -> float:
        return MARGIN + (TITLE_HEIGHT if self.title else 0.0) + NUMBERS_HEIGHT

    @property
    def width(self) -> float:
        title = MARGIN + len(self.title) * TITLE_LETTER
        entry = self.left + max((each.width for each in self.legend), default=0.0)
        return max(MIN_WIDTH, MARGIN + max(self.left + self.columns * self.cell, title, entry))

    @property
    def height(self) -> float:
        rows = max((row for _, _, row in self._entries()), default=-1) + 1
        return self._legend_top + rows * LEGEND_ROW + (6.0 if rows else 0.0)

    def centre(self, tile: tuple[float, float]) -> tuple[float, float]:
        x, y = tile
        return self.left + (x + 0.5) * self.cell, self.top + (y + 0.5) * self.cell

    def frame(self) -> Iterator[str]:
        yield element("rect", class_="page", width=self.width, height=self.height, rx=8)
        if self.title:
            yield element("text", words(self.title), class_="title", x=MARGIN, y=MARGIN + 14)
        step = int(next(round_steps(max(1.0, LEAST_BETWEEN_NUMBERS / self.cell))))
        for column in range(0, self.columns, step):
            x, _ = self.centre((column, 0))
            yield element("text", str(column), class_="column", x=x, y=self.top - 5)
        for row in range(0, self.rows, step):
            _, y = self.centre((0, row))
            yield element("text", str(row), class_="row", x=self.left - 6, y=y + 4)
        width, height = self.columns * self.cell, self.rows * self.cell
        yield element("rect", class_="ground", x=self.left, y=self.top, width=width, height=height)

    def rules(self) -> Iterator[str]:
        if self.cell < RULED:
            return
        cell, left, top = self.cell, self.left, self.top
        width, height = self.columns * cell, self.rows * cell
        down = (f"M{left + x * cell:g} {top:g}v{height}" for x in range(1, self.columns))
        across = (f"M{left:g} {top + y * cell:g}h{width}" for y in range(1, self.rows))
        if lines := "".join((*down, *across)):
            yield element("path", class_="rule", d=lines)

    def legend_elements(self) -> Iterator[str]:
        for entry, x, row in self._entries():
            y = self._legend_top + row * LEGEND_ROW
            text = element("text", words(entry.text), x=SWATCH + 6, y=11)
            yield element("g", entry.sign, text, transform=f"translate({x:g} {y:g})")

    @property
    def _legend_top(self) -> float:
        return self.top + self.rows * self.cell + MARGIN

    def _entries(self) -> Iterator[tuple[LegendEntry, float, int]]:
        x, row = self.left, 0
        for entry in self.legend:
            if x > self.left and x + entry.width > self.width - MARGIN:
                x, row = self.left, row + 1
            yield entry, x, row
            x += entry.width + GAP


MOST_ARROWS: Final = 3000
LEAST_BETWEEN_ARROWS: Final = 11
"""In pixels."""

DASHES: Final = "1 7"
"""Of a way that ends before the goal."""


def map_svg(content: MapContent, title: str = "", *, dark: bool = False) -> str:
    arguments.instance(title, "to_svg: title", str, "a text")
    grid = content.grid
    colours = DARK if dark else LIGHT
    shading = _shading_of(content, colours)
    sheet = Sheet(grid.width, grid.height, title, list(_legend(content, shading, colours)))
    parts = (
        *sheet.frame(),
        _tiles(sheet, shading, colours),
        *sheet.rules(),
        *field_arrows(content, sheet),
        *way_elements(content, sheet, colours),
        *place_names(content, sheet),
        *sheet.legend_elements(),
    )
    return picture(
        "map",
        colours,
        parts,
        width=sheet.width,
        height=sheet.height,
        label=title or f"Map of {grid.width} by {grid.height} tiles",
        rules=_style_rules(colours),
    )


@frozen
class Shading:
    rows: list[list[int]]
    """The number of the shade of each tile; -1 for the ground, and one more for a wall."""
    bands: list[CostBand]
    shades: tuple[str, ...]
    meaning: str

    @property
    def wall(self) -> int:
        return len(self.bands)


def _shading_of(content: MapContent, colours: Theme) -> Shading:
    costs = content.tile_costs()
    if content.field is None:
        bands = bands_of(finite(costs), len(colours.costs))
        return Shading(numbered(costs, bands), bands, _spread(colours.costs, len(bands)), "cost")
    way = content.field.cost
    ways = [  # not those out of walls, which a field may know
        [inf if cost == inf else way((x, y)) for x, cost in enumerate(row)]
        for y, row in enumerate(costs)
    ]
    bands = equal_bands(finite(ways), len(colours.distances))
    wall = len(bands)
    rows = numbered(ways, bands)
    for row, numbers in zip(costs, rows, strict=True):
        numbers[:] = [
            -1 if number == wall and cost != inf else number
            for cost, number in zip(row, numbers, strict=True)
        ]
    return Shading(rows, bands, _spread(colours.distances, len(bands)), "cost to the goal")


def _spread(shades: Sequence[str], count: int) -> tuple[str, ...]:
    """Return `count` of the shades from the first one on, as different as they may be."""
    step = min(2.0, (len(shades) - 1) / max(1, count - 1))
    return tuple(shades[round(number * step)] for number in range(count))


def _tiles(sheet: Sheet, shading: Shading, colours: Theme) -> str:
    """Return walls and shades: each a single line, however many tiles there are."""
    shades = {number: shading.shades[number] for number in range(shading.wall)}
    shades = {number: shade for number, shade in shades.items() if shade != colours.card}
    shades[shading.wall] = colours.wall
    lines = runs_of(shading.rows, shades.keys())
    paths = (element("path", d=line, stroke=shades[number]) for number, line in lines.items())
    place = f"translate({sheet.left:g} {sheet.top:g}) scale({sheet.cell})"
    return element("g", *paths, class_="tiles", transform=place) if lines else ""


def _legend(content: MapContent, shading: Shading, colours: Theme) -> Iterator[LegendEntry]:
    names = list(map(str, shading.bands)) if len(shading.bands) > 1 else []  # else all are equal
    for number, name in enumerate(names):
        text = name if number else f"{shading.meaning} {name}"
        yield LegendEntry(_swatch(shading.shades[number]), text)
    if any(-1 in row for row in shading.rows):
        yield LegendEntry(_swatch(colours.card), "out of reach")
    if names and any(shading.wall in row for row in shading.rows):
        yield LegendEntry(_swatch(colours.wall), "wall")
    if not all(way.is_whole for way in content.ways):
        cross = element("path", class_="cross", d="M3 3L10 10M10 3L3 10")
        yield LegendEntry(cross, "the way ends here, before the goal")


def _swatch(colour: str) -> str:
    return element("rect", class_="swatch", width=SWATCH, height=SWATCH, rx=2, fill=colour)


def _style_rules(theme: Theme) -> dict[str, str]:
    return {
        "": f"font:11px {FONTS};fill:{theme.soft}",
        ".page": f"fill:{theme.page}",
        ".title": f"font-size:15px;font-weight:600;fill:{theme.ink}",
        ".ground": f"fill:{theme.card}",
        ".tiles path": "fill:none;stroke-width:1;shape-rendering:crispEdges",
        ".swatch": f"stroke:{theme.line}",
        ".rule": f"stroke:{theme.hair};fill:none;shape-rendering:crispEdges",
        ".row": "text-anchor:end",
        ".column": "text-anchor:middle",
        ".way": "fill:none;stroke-linejoin:round;stroke-linecap:round",
        ".halo": f"stroke:{theme.page};stroke-opacity:.75",
        ".arrows": f"stroke:{theme.ink};stroke-opacity:.75;fill:none;stroke-linecap:round",
        ".mark": f"stroke:{theme.page};stroke-width:1.5",
        ".hole": f"fill:{theme.page}",
        ".place": f"text-anchor:middle;font-weight:600;fill:{theme.ink};stroke:{theme.page};"
        "stroke-width:3;stroke-linejoin:round;paint-order:stroke",
        ".cross": f"stroke:{theme.error};stroke-width:2.5;stroke-linecap:round;fill:none",
        ".under": f"stroke:{theme.page};stroke-width:5.5;stroke-linecap:round;fill:none",
    }


def way_elements(content: MapContent, sheet: Sheet, colours: Theme) -> Iterator[str]:
    """Yield the ways, and then all starts, goals and ends before a goal."""
    used: dict[Tile, str] = {}
    for number, way in enumerate(content.ways):
        colour = colours.routes[number % len(colours.routes)]
        yield _line(way, sheet, colour)
        used.setdefault(way.start, colour)
        if way.is_whole:
            used.setdefault(way.end, colour)
    for way in content.ways:
        if not way.is_whole:
            yield _cross(way.end, sheet)
    for tile in content.goals:
        yield _goal(tile, sheet, used.get(tile, colours.ink))
    for tile in content.starts:
        yield _start(tile, sheet, used.get(tile, colours.ink))


def field_arrows(content: MapContent, sheet: Sheet) -> Iterator[str]:
    """Yield small arrows along the ways of a field; on large maps one for several tiles."""
    if content.field is None:
        return
    cost, follow = content.grid.cost, content.field.next
    tiles = sheet.columns * sheet.rows
    step = max(ceil(sqrt(tiles / MOST_ARROWS)), ceil(LEAST_BETWEEN_ARROWS / sheet.cell))
    length = step * sheet.cell * 0.5
    pieces = []
    for y in range((step - 1) // 2, sheet.rows, step):
        for x in range((step - 1) // 2, sheet.columns, step):
            there = follow((x, y)) if cost((x, y)) < inf else None
            if there is not None and there != (x, y):
                pieces.append(_arrow((x, y), there, sheet, length))
    if pieces:
        width = max(0.8, min(1.5, length / 10))
        yield element("path", class_="arrows", d="".join(pieces), stroke_width=f"{width:.2g}")


def place_names(content: MapContent, sheet: Sheet) -> Iterator[str]:
    """Yield the names of places: on their tiles, or above what is marked there."""
    marked = {*content.starts, *content.goals}
    first, last = sheet.left, sheet.left + sheet.columns * sheet.cell
    for name, tile in content.places.items():
        (x, y), half = sheet.centre(tile), len(name) * LETTER / 2
        x = max(first + half, min(last - half, x))
        y += 4 if tile not in marked else -_radius(sheet) - 5 if tile[1] else _radius(sheet) + 13
        yield element("text", words(name), class_="place", x=x, y=y)


def _line(way: DrawnPath, sheet: Sheet, colour: str) -> str:
    points = [sheet.centre(tile) for tile in way.tiles]
    points *= 2 if len(points) == 1 else 1
    line = "M" + "L".join(f"{x:g} {y:g}" for x, y in points)
    width = max(1.8, min(4.0, sheet.cell * 0.2))
    dashes = {} if way.is_whole else {"stroke_dasharray": DASHES}
    cost = "" if way.cost is None else f", cost {number_text(way.cost)}"
    end = "to" if way.is_whole else "no way to the goal; as near as"
    tip = f"{way.start} {end} {way.end}: {len(way.tiles)} tiles{cost}"
    return element(
        "g",
        element("title", words(tip)),
        element("path", class_="way halo", d=line, stroke_width=width + 2.5),
        element("path", class_="way", d=line, stroke=colour, stroke_width=width, **dashes),
    )


def _radius(sheet: Sheet) -> float:
    return max(4.0, min(8.0, sheet.cell * 0.3))


def _start(tile: Tile, sheet: Sheet, colour: str) -> str:
    x, y = sheet.centre(tile)
    tip = element("title", words(f"start {tile}"))
    r = _radius(sheet)
    return element("circle", tip, class_="mark start", cx=x, cy=y, r=r, fill=colour)


def _goal(tile: Tile, sheet: Sheet, colour: str) -> str:
    (x, y), r = sheet.centre(tile), _radius(sheet)
    return element(
        "g",
        element("title", words(f"goal {tile}")),
        element("circle", class_="mark goal", cx=x, cy=y, r=r + 1.5, fill=colour),
        element("circle", class_="hole", cx=x, cy=y, r=r * 0.72),
        element("circle", cx=x, cy=y, r=r * 0.36, fill=colour),
    )


def _cross(tile: Tile, sheet: Sheet) -> str:
    (x, y), r = sheet.centre(tile), _radius(sheet) * 0.8
    lines = f"M{x - r:g} {y - r:g}L{x + r:g} {y + r:g}M{x + r:g} {y - r:g}L{x - r:g} {y + r:g}"
    return element(
        "g",
        element("title", words(f"the way ends at {tile}, before the goal")),
        element("path", class_="under", d=lines),
        element("path", class_="cross", d=lines),
    )


def _arrow(here: Tile, there: Tile, sheet: Sheet, length: float) -> str:
    """Return the `d` of an arrow: a line through the centre of `here`, and its head."""
    centre, ahead = complex(*sheet.centre(here)), complex(there[0] - here[0], there[1] - here[1])
    ahead *= length / 2 / abs(ahead)
    tip = centre + ahead
    left, right = tip - ahead * (0.64 + 0.448j), tip - ahead * (0.64 - 0.448j)
    points = (f"{it.real:.1f} {it.imag:.1f}" for it in (centre - ahead, tip, left, tip, right))
    return "M{}L{}M{}L{}L{}".format(*points)


def runs_of(rows: Iterable[Sequence[int]], kinds: Collection[int]) -> dict[int, str]:
    """Return, for each of `kinds` that occurs, the `d` of an SVG path that draws all its tiles.

    A tile is 1 wide, and so is the line to draw with. Places are relative to the one before, which
    keeps the text short.

    >>> runs_of([[0, 0, 1], [1, 0, 0]], {0})
    {0: 'M0 .5m0 0h2m-1 1h2'}
    """
    pieces: dict[int, list[str]] = {}
    pens: dict[int, tuple[int, int]] = {}
    for y, row in enumerate(rows):
        x = 0
        for kind, run in groupby(row):
            length = sum(1 for _ in run)
            if kind in kinds:
                pen_x, pen_y = pens.get(kind, (0, 0))
                pieces.setdefault(kind, ["M0 .5"]).append(f"m{x - pen_x} {y - pen_y}h{length}")
                pens[kind] = x + length, y
            x += length
    return {kind: "".join(pieces[kind]) for kind in sorted(pieces)}
