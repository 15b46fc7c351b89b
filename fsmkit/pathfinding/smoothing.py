"""String pulling: a path of tiles with only the corners that it needs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import dist, inf

from fsmkit.pathfinding.crossed_tiles import crossed_tiles
from fsmkit.pathfinding.grid import Grid
from fsmkit.pathfinding.path import AStarPath
from fsmkit.pathfinding.tile import Tile, checked_tile
from fsmkit.pathfinding.tile_sequence import TileSequence


def smooth(grid: Grid, path: Iterable[Tile]) -> AStarPath[Tile]:
    r"""Return `path` with only the tiles at which it really has to turn.

    Between two of them the straight line from centre to centre crosses no wall, touches none at a
    corner, and crosses no tile that costs more than those of the path. So the result is never
    longer, and never costs more: its cost is the length of each line times the cost of the
    cheapest tile of the path beside it. It takes time in proportion to the length of the path.

    A path that does not reach its goal stays one that does not; any other iterable of tiles is
    taken for a way to the last of them. Raises ValueError for tiles outside the map.

    >>> grid = Grid("....\n....\n....")
    >>> path = smooth(grid, [(0, 0), (1, 1), (2, 1), (3, 1)])
    >>> list(path), path.reachable
    ([(0, 0), (3, 1)], True)
    """
    given = AStarPath.of(path)
    indices = _indices(grid, given)
    places, limits = grid.engine.pull(grid.terrain, indices)
    corners = [grid.terrain.tile(indices[place]) for place in (0, *places)] if indices else []
    lines = zip(map(dist, corners, corners[1:]), limits, strict=True)
    cost = sum((length * (limit or inf) for length, limit in lines if length), 0.0)
    pulled: AStarPath[Tile] = AStarPath()
    pulled.fill(corners, cost, reachable=given.reachable, nodes=given.nodes, gave_up=given.gave_up)
    return pulled


def line_of_sight(grid: Grid, start: Tile, end: Tile) -> bool:
    r"""Return True if the straight line between the centres of two tiles meets no wall.

    `Grid.is_clear` asks the same of two positions.

    >>> line_of_sight(Grid("..\n.#"), (0, 1), (1, 0))
    False
    """
    return all(grid.is_free(tile) for tile in crossed_tiles(start, end))


def _indices(grid: Grid, path: AStarPath[Tile]) -> Sequence[int]:
    """Return the indices of the tiles in the terrain of the grid."""
    terrain, known = grid.terrain, path.positions
    if isinstance(known, TileSequence) and known.size == grid.size:
        return known.indices
    return [terrain.index(checked_tile(tile, *grid.size)) for tile in path]
