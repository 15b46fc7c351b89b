"""What a notebook shows of a map that is the last line of a cell."""

from __future__ import annotations

from fsmkit.pathfinding.pictures.content import TileMap
from fsmkit.pathfinding.pictures.svg import map_svg


def bundle(grid: TileMap) -> dict[str, str]:
    """Return MIME type -> content, for IPython."""
    return {"image/svg+xml": map_svg(grid)}
