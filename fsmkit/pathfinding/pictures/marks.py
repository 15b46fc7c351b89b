"""What lies on a map: ways, starts, goals, and the arrows of a field."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil, inf, sqrt
from typing import Final

from fsmkit.pathfinding.pictures.colours import MapColours
from fsmkit.pathfinding.pictures.content import (
    Content,
    Field,
    TileMap,
    Way,
    direction,
    number_text,
)
from fsmkit.pathfinding.pictures.sheet import LETTER, Sheet
from fsmkit.pathfinding.tile import Tile
from fsmkit.svg.elements import element, words

MOST_ARROWS: Final = 3000
LEAST_BETWEEN_ARROWS: Final = 11
"""In pixels."""

DASHES: Final = "1 7"
"""Of a way that ends before the goal."""


def way_elements(content: Content, sheet: Sheet, colours: MapColours) -> Iterator[str]:
    """Yield the ways, and then all starts, goals and ends before a goal."""
    used: dict[Tile, str] = {}
    for number, way in enumerate(content.ways):
        colour = colours.ways[number % len(colours.ways)]
        yield _line(way, sheet, colour)
        used.setdefault(way.start, colour)
        if way.is_whole:
            used.setdefault(way.end, colour)
    for way in content.ways:
        if not way.is_whole:
            yield _cross(way.end, sheet)
    for tile in content.goals:
        yield _goal(tile, sheet, used.get(tile, colours.theme.ink))
    for tile in content.starts:
        yield _start(tile, sheet, used.get(tile, colours.theme.ink))


def field_arrows(grid: TileMap, field: Field, sheet: Sheet) -> Iterator[str]:
    """Yield small arrows along the ways of a field; on large maps one for several tiles."""
    tiles = sheet.columns * sheet.rows
    step = max(ceil(sqrt(tiles / MOST_ARROWS)), ceil(LEAST_BETWEEN_ARROWS / sheet.cell))
    length = step * sheet.cell * 0.5
    pieces = []
    for y in range((step - 1) // 2, sheet.rows, step):
        for x in range((step - 1) // 2, sheet.columns, step):
            there = field.next((x, y)) if grid.cost((x, y)) < inf else None
            if there is not None and there != (x, y):
                pieces.append(_arrow((x, y), there, sheet, length))
    if pieces:
        width = max(0.8, min(1.5, length / 10))
        yield element("path", class_="arrows", d="".join(pieces), stroke_width=f"{width:.2g}")


def place_names(content: Content, sheet: Sheet) -> Iterator[str]:
    """Yield the names of places: on their tiles, or above what is marked there."""
    marked = {*content.starts, *content.goals}
    first, last = sheet.left, sheet.left + sheet.columns * sheet.cell
    for name, tile in content.places:
        (x, y), half = sheet.centre(tile), len(name) * LETTER / 2
        x = max(first + half, min(last - half, x))
        y += 4 if tile not in marked else -_radius(sheet) - 5 if tile[1] else _radius(sheet) + 13
        yield element("text", words(name), class_="place", x=x, y=y)


def partial_sign() -> str:
    """Return the sign of a way that ends before the goal, for the legend."""
    return element("path", class_="cross", d="M3 3L10 10M10 3L3 10")


def _line(way: Way, sheet: Sheet, colour: str) -> str:
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
    (x, y), (dx, dy) = sheet.centre(here), direction(here, there)
    tip_x, tip_y = x + dx * length / 2, y + dy * length / 2
    head = length * 0.32
    left = tip_x - (dx - dy * 0.7) * head, tip_y - (dy + dx * 0.7) * head
    right = tip_x - (dx + dy * 0.7) * head, tip_y - (dy - dx * 0.7) * head
    return (
        f"M{x - dx * length / 2:.1f} {y - dy * length / 2:.1f}L{tip_x:.1f} {tip_y:.1f}"
        f"M{left[0]:.1f} {left[1]:.1f}L{tip_x:.1f} {tip_y:.1f}L{right[0]:.1f} {right[1]:.1f}"
    )
