"""Ways: the shortest way around the walls, through doors that will open."""

from __future__ import annotations

from world import World, tile_at

from actions import FollowPath
from fsmkit.pathfinding import smooth
from fsmkit.space import Position


def find_way(world: World, start: Position, goal: Position) -> list[Position]:
    """Return the corners of the way from `start` to `goal`, or as near to it as one gets.

    The grid knows only the middles of tiles; where the way from or to such a middle is not straight
    to the very place, it goes over the middle.
    """
    grid = world.grid
    first, *corners = smooth(grid, grid.find_path(tile_at(start), tile_at(goal)))
    way = [start, *corners[:-1], goal]
    if not world.is_straight(way[-2], goal):
        way.insert(-1, corners[-1])
    if not world.is_straight(start, way[1]):
        way.insert(1, first)
    return way[1:]


def next_stop(way: FollowPath) -> Position:
    """Return the point that somebody on this way is heading for, or has reached."""
    return way.points[min(way.next_index, len(way.points) - 1)]
