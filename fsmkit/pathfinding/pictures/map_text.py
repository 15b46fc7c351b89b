"""map_text: a map made of characters."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from math import inf
from string import ascii_lowercase
from typing import Final

from fsmkit.pathfinding.pictures.content import (
    DrawnField,
    MapContent,
    bands_of,
    finite,
    in_steps,
    numbered,
)
from fsmkit.pathfinding.tile import Tile

WALL: Final = "#"
FREE: Final = "."
WAY: Final = "*"
START: Final = "S"
GOAL: Final = "G"
END: Final = "!"
"""Where a way ends before the goal."""
LOST: Final = "?"
"""On a tile from which no goal can be reached."""

ARROWS: Final = ("↖↑↗", f"←{GOAL}→", "↙↓↘")
"""By the row and the column of the next tile: before, equal, after."""

DIGITS: Final = {float(number): str(number) for number in range(2, 10)}


def map_text(content: MapContent) -> str:
    field = content.field
    costs = content.tile_costs()
    letters, legend = _letters(costs)
    if field is not None:
        letters, legend = list(_arrows(costs, field)), []
    for x, y in chain.from_iterable(map(in_steps, content.ways)):
        letters[y][x] = WAY
    ends = {way.end: END for way in content.ways if not way.is_whole}
    marks = ends | dict.fromkeys(content.goals, GOAL) | dict.fromkeys(content.starts, START)
    for (x, y), letter in marks.items():
        letters[y][x] = letter
    if field is not None and any(LOST in row for row in letters):
        legend.append(f"{LOST} out of reach")
    legend += [f"{END} the way ends here, before the goal"] if END in marks.values() else []
    return "\n".join(["".join(row) for row in letters] + ([""] if legend else []) + legend)


def _letters(costs: list[list[float]]) -> tuple[list[list[str]], list[str]]:
    others = finite(costs) - {1.0}
    if others <= DIGITS.keys():
        known = {**DIGITS, 1.0: FREE, inf: WALL}
        return [[known[cost] for cost in row] for row in costs], []
    bands = [*bands_of(others, len(ascii_lowercase))]
    signs = [*ascii_lowercase[: len(bands)], WALL]
    rows = numbered(costs, bands)
    letters = [
        [FREE if cost == 1.0 else signs[number] for cost, number in zip(row, numbers, strict=True)]
        for row, numbers in zip(costs, rows, strict=True)
    ]
    return letters, [f"{sign} costs {band}" for sign, band in zip(signs, bands, strict=False)]


def _arrows(costs: list[list[float]], field: DrawnField) -> Iterator[list[str]]:
    for y, row in enumerate(costs):
        yield [WALL if cost == inf else _arrow((x, y), field) for x, cost in enumerate(row)]


def _arrow(tile: Tile, field: DrawnField) -> str:
    there = field.next(tile)
    if there is None:
        return LOST
    (x, y), (next_x, next_y) = tile, there
    return ARROWS[(next_y >= y) + (next_y > y)][(next_x >= x) + (next_x > x)]
