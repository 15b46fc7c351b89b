"""map_text: a map made of characters."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import inf
from string import ascii_lowercase
from typing import Any, Final

from fsmkit.pathfinding.pictures.bands import bands_of, numbered
from fsmkit.pathfinding.pictures.content import (
    Content,
    Field,
    TileMap,
    finite,
    in_steps,
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
"""Where there is out of reach."""

ARROWS: Final = {
    (1, 0): "→", (1, 1): "↘", (0, 1): "↓", (-1, 1): "↙",
    (-1, 0): "←", (-1, -1): "↖", (0, -1): "↑", (1, -1): "↗",
}  # fmt: skip

DIGITS: Final = {float(number): str(number) for number in range(2, 10)}


def map_text(
    grid: TileMap,
    path: Iterable[Any] | None = None,
    field: Field | None = None,
    *,
    start: Tile | None = None,
    goal: Tile | None = None,
) -> str:
    """Return a map as text; see `Grid.to_text`."""
    content = Content.of("to_text", grid, path, field, start=start, goal=goal)
    costs = content.tile_costs()
    letters, legend = _letters(costs)
    if field is not None:
        letters, legend = list(_arrows(costs, field)), []
    for way in content.ways:
        for x, y in in_steps(way):
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
    """Return a letter for each tile, and the lines that explain those that need it."""
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


def _arrows(costs: list[list[float]], field: Field) -> Iterator[list[str]]:
    for y, row in enumerate(costs):
        yield [WALL if cost == inf else _arrow((x, y), field) for x, cost in enumerate(row)]


def _arrow(tile: Tile, field: Field) -> str:
    there = field.next(tile)
    if there is None:
        return LOST
    (x, y), (next_x, next_y) = tile, there
    return ARROWS[_sign(next_x - x), _sign(next_y - y)] if there != tile else GOAL


def _sign(number: int) -> int:
    return (number > 0) - (number < 0)
