"""Pathfinding: A* over graphs of any positions and over maps of tiles."""

from fsmkit.pathfinding.flow_field import FlowField
from fsmkit.pathfinding.graph import AStar, NodeHandle
from fsmkit.pathfinding.graph_search import GraphSearch
from fsmkit.pathfinding.grid import Grid
from fsmkit.pathfinding.grid_search import GridSearch
from fsmkit.pathfinding.heuristics import chebyshev, euclidean, manhattan, octile
from fsmkit.pathfinding.path import AStarPath
from fsmkit.pathfinding.protocols import Heuristic, Reachability
from fsmkit.pathfinding.search import Search
from fsmkit.pathfinding.smoothing import line_of_sight, smooth
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
