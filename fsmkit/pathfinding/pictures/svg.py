"""map_svg: a map as a picture."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import inf
from typing import Any

from attrs import frozen

from fsmkit.pathfinding.pictures.bands import Band, bands_of, equal_bands, numbered
from fsmkit.pathfinding.pictures.colours import DARK_MAP, LIGHT_MAP, MapColours
from fsmkit.pathfinding.pictures.content import Content, Field, TileMap, finite
from fsmkit.pathfinding.pictures.marks import (
    field_arrows,
    partial_sign,
    place_names,
    way_elements,
)
from fsmkit.pathfinding.pictures.runs import runs_of
from fsmkit.pathfinding.pictures.sheet import SWATCH, Entry, Sheet
from fsmkit.pathfinding.tile import Tile
from fsmkit.svg.elements import element, words


def map_svg(
    grid: TileMap,
    path: Iterable[Any] | None = None,
    field: Field | None = None,
    *,
    start: Tile | None = None,
    goal: Tile | None = None,
    places: Mapping[str, Tile] | None = None,
    title: str = "",
    dark: bool = False,
) -> str:
    """Return a map as SVG; see `Grid.to_svg`."""
    if not isinstance(title, str):
        raise TypeError(f"to_svg: title must be a text, got {title!r}.")
    content = Content.of("to_svg", grid, path, field, start=start, goal=goal, places=places)
    colours = DARK_MAP if dark else LIGHT_MAP
    shading = _shading_of(content, colours)
    sheet = Sheet(grid.width, grid.height, title, list(_legend(content, shading, colours)))
    parts = (
        element("style", words(colours.style_sheet())),
        *sheet.frame(),
        *sheet.ground(),
        _tiles(sheet, shading, colours),
        *sheet.rules(),
        *(field_arrows(grid, field, sheet) if field is not None else ()),
        *way_elements(content, sheet, colours),
        *place_names(content, sheet),
        *sheet.legend_elements(),
    )
    return element(
        "svg", "\n", "\n".join(parts), "\n",
        xmlns="http://www.w3.org/2000/svg",
        class_=f"fsmkit-map {colours.theme.name}",
        role="img",
        aria_label=title or f"Map of {grid.width} by {grid.height} tiles",
        viewBox=f"0 0 {sheet.width:g} {sheet.height:g}",
        width=sheet.width,
        height=sheet.height,
        style="max-width:100%;height:auto",
    ) + "\n"  # fmt: skip


@frozen
class Shading:
    """The shade of every tile, and what the shades mean."""

    rows: list[list[int]]
    """The number of the shade of each tile; -1 for the ground, and one more for a wall."""
    bands: list[Band]
    shades: tuple[str, ...]
    meaning: str

    @property
    def wall(self) -> int:
        """The number of the shade of walls."""
        return len(self.bands)

    @property
    def names(self) -> list[str]:
        """What each shade stands for, for the legend; none if all tiles are equal."""
        if len(self.bands) < 2:
            return []
        first, *others = map(str, self.bands)
        return [f"{self.meaning} {first}", *others]


def _shading_of(content: Content, colours: MapColours) -> Shading:
    costs = content.tile_costs()
    if content.field is None:
        bands = bands_of(finite(costs), len(colours.costs))
        return Shading(numbered(costs, bands), bands, _spread(colours.costs, len(bands)), "cost")
    ways = content.field_costs(costs)
    bands = equal_bands(finite(ways), len(colours.field))
    wall, lost = len(bands), -1
    rows = [
        [wall if cost == inf else lost if number == wall else number
         for cost, number in zip(row, numbers, strict=True)]
        for row, numbers in zip(costs, numbered(ways, bands), strict=True)
    ]  # fmt: skip
    return Shading(rows, bands, _spread(colours.field, len(bands)), "cost to the goal")


def _spread(shades: Sequence[str], count: int) -> tuple[str, ...]:
    """Return `count` of the shades from the first one on, as different as they may be."""
    step = min(2.0, (len(shades) - 1) / max(1, count - 1))
    return tuple(shades[round(number * step)] for number in range(count))


def _tiles(sheet: Sheet, shading: Shading, colours: MapColours) -> str:
    """Return walls and shades: each a single line, however many tiles there are."""
    shades = {number: shading.shades[number] for number in range(shading.wall)}
    shades = {number: shade for number, shade in shades.items() if shade != colours.ground}
    shades[shading.wall] = colours.wall
    lines = runs_of(shading.rows, shades.keys())
    paths = (element("path", d=line, stroke=shades[number]) for number, line in lines.items())
    place = f"translate({sheet.left:g} {sheet.top:g}) scale({sheet.cell})"
    return element("g", *paths, class_="tiles", transform=place) if lines else ""


def _legend(content: Content, shading: Shading, colours: MapColours) -> Iterator[Entry]:
    for shade, name in zip(shading.shades, shading.names, strict=False):
        yield Entry(_swatch(shade), name)
    if any(-1 in row for row in shading.rows):
        yield Entry(_swatch(colours.ground), "out of reach")
    if shading.names and any(shading.wall in row for row in shading.rows):
        yield Entry(_swatch(colours.wall), "wall")
    if not all(way.is_whole for way in content.ways):
        yield Entry(partial_sign(), "the way ends here, before the goal")


def _swatch(colour: str) -> str:
    return element("rect", class_="swatch", width=SWATCH, height=SWATCH, rx=2, fill=colour)
