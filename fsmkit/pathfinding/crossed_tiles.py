"""The tiles that a straight line crosses."""

from __future__ import annotations

from collections.abc import Iterator

from fsmkit.pathfinding.tile import Tile


def crossed_tiles(start: Tile, end: Tile) -> Iterator[Tile]:
    """Yield the tiles a straight line crosses, and both tiles beside a corner it passes through."""
    (x, y), (end_x, end_y) = start, end
    dx, dy = abs(end_x - x), abs(end_y - y)
    step_x, step_y = (1 if end_x > x else -1), (1 if end_y > y else -1)
    passed_x = passed_y = 0
    yield start
    while passed_x < dx or passed_y < dy:
        # The sign says which edge comes next: that of the column (< 0) or that of the row (> 0).
        lead = (1 + 2 * passed_x) * dy - (1 + 2 * passed_y) * dx
        if lead == 0:
            yield x + step_x, y
            yield x, y + step_y
        if lead <= 0:
            x += step_x
            passed_x += 1
        if lead >= 0:
            y += step_y
            passed_y += 1
        yield x, y
