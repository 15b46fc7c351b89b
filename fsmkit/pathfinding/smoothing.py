"""String pulling: a path of tiles with only the corners that it needs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from fsmkit.pathfinding.grid import Grid
from fsmkit.pathfinding.tile import Tile


def smooth(grid: Grid, path: Iterable[Tile]) -> list[Tile]:
    r"""Return the tiles of `path` at which it really has to turn.

    Between two of them the straight line from centre to centre crosses no wall, touches none at a
    corner, and crosses no tile that costs more than those of the path. So the result is never
    longer, and never costs more.

    >>> grid = Grid("....\n....\n....")
    >>> smooth(grid, [(0, 0), (1, 1), (2, 1), (3, 1)])
    [(0, 0), (3, 1)]
    """
    tiles = list(path)
    pulled = tiles[:1]
    here = 0
    while here < len(tiles) - 1:
        there = len(tiles) - 1
        while there > here + 1 and not _is_straight(grid, tiles[here : there + 1]):
            there -= 1
        pulled.append(tiles[there])
        here = there
    return pulled


def line_of_sight(grid: Grid, start: Tile, end: Tile) -> bool:
    r"""Return True if the straight line between the centres of two tiles meets no wall.

    >>> line_of_sight(Grid("..\n.#"), (0, 1), (1, 0))
    False
    """
    return all(grid.is_free(tile) for tile in crossed_tiles(start, end))


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


def _is_straight(grid: Grid, tiles: list[Tile]) -> bool:
    """Return True if the way over `tiles` may go straight instead."""
    limit = min(grid.cost(tile) for tile in tiles[1:])
    crossed = list(crossed_tiles(tiles[0], tiles[-1]))
    return all(grid.cost(tile) <= limit for tile in crossed[1:])
