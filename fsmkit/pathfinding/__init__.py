"""Pathfinding: A* over graphs of any positions and over maps of tiles."""

from fsmkit.pathfinding.astar import AStar, GraphSearch, NodeHandle
from fsmkit.pathfinding.flow_field import FlowField
from fsmkit.pathfinding.grid import Grid, line_of_sight, smooth
from fsmkit.pathfinding.grid_search import GridSearch
from fsmkit.pathfinding.search import (
    AStarPath,
    Heuristic,
    Reachability,
    Search,
    chebyshev,
    euclidean,
    manhattan,
    octile,
)
from fsmkit.pathfinding.tile import Diagonals, Tile

__all__ = [
    "AStar",
    "AStarPath",
    "Diagonals",
    "FlowField",
    "GraphSearch",
    "Grid",
    "GridSearch",
    "Heuristic",
    "NodeHandle",
    "Reachability",
    "Search",
    "Tile",
    "chebyshev",
    "euclidean",
    "line_of_sight",
    "manhattan",
    "octile",
    "smooth",
]
