"""AStar: a graph of positions of any kind, and the search in it."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf
from numbers import Real
from types import MappingProxyType
from typing import Generic

from fsmkit.pathfinding.graph_search import GraphSearch
from fsmkit.pathfinding.path import AStarPath, PositionT
from fsmkit.pathfinding.protocols import Heuristic, Reachability


class NodeHandle(Generic[PositionT]):
    """A position in the graph. Made by `AStar.add`."""

    __slots__ = ("_graph", "_paths", "position")

    def __init__(self, graph: AStar[PositionT], position: PositionT) -> None:
        self.position = position
        self._graph: AStar[PositionT] | None = graph
        self._paths: dict[NodeHandle[PositionT], float] = {}

    @property
    def paths(self) -> Mapping[NodeHandle[PositionT], float]:
        """The nodes that a path leads to from here -> its weight; read-only."""
        return MappingProxyType(self._paths)

    def add_path(self, other: NodeHandle[PositionT], weight: float) -> None:
        """Add a one-way path from here to `other`; `weight` is its cost.

        A second call changes the weight. Raises ValueError for a weight that is negative or not
        finite, and for a node of another graph; TypeError unless `other` is a handle.
        """
        if not isinstance(other, NodeHandle):
            raise TypeError(
                f"The other node must be a handle that add() has returned, got {other!r}."
            )
        if other._graph is None or other._graph is not self._graph:
            raise ValueError(
                f"{other!r} is not (or no longer) a node of the same graph. Add it first."
            )
        if not isinstance(weight, Real) or not 0.0 <= weight < inf:
            raise ValueError(f"A weight must be a finite number >= 0, got {weight!r}.")
        self._paths[other] = weight

    def remove_path(self, other: NodeHandle[PositionT]) -> None:
        """Remove the path from here to `other`; KeyError if there is none."""
        del self._paths[other]

    def __repr__(self) -> str:
        return f"<NodeHandle at {self.position!r}>"


class AStar(Generic[PositionT]):
    """A graph of positions of any kind, and the search for the cheapest path in it.

    The algorithm is A* (Hart, Nilsson and Raphael, 1968). Of nodes that look equally good the one
    found last is expanded first, so that an open field is crossed and not flooded.

    >>> rooms = AStar()
    >>> hall, kitchen, garden = (rooms.add(name) for name in ("hall", "kitchen", "garden"))
    >>> hall.add_path(kitchen, 2.0)
    >>> kitchen.add_path(garden, 1.0)
    >>> path = AStarPath()
    >>> rooms.resolve_path(path, hall, garden, lambda position, goal: 0.0)
    >>> list(path), path.cost
    (['hall', 'kitchen', 'garden'], 3.0)
    """

    def __init__(self) -> None:
        self._nodes: dict[NodeHandle[PositionT], None] = {}

    def __len__(self) -> int:
        return len(self._nodes)

    def add(self, position: PositionT) -> NodeHandle[PositionT]:
        """Add a node at `position` and return its handle."""
        handle = NodeHandle(self, position)
        self._nodes[handle] = None
        return handle

    def remove(self, handle: NodeHandle[PositionT]) -> None:
        """Remove a node and all paths to it. ValueError if it is not in this graph.

        Takes time in proportion to the number of nodes.
        """
        self._check(handle)
        del self._nodes[handle]
        handle._graph = None
        for other in self._nodes:
            other._paths.pop(handle, None)

    def resolve_path(
        self,
        path: AStarPath[PositionT],
        start: NodeHandle[PositionT],
        goal: NodeHandle[PositionT],
        heuristic: Heuristic[PositionT],
        reachability: Reachability[PositionT] | None = None,
        *,
        max_nodes: int | None = None,
    ) -> None:
        """Fill `path` with the cheapest way from `start` to `goal`.

        If there is none it leads to the node that is nearest by `heuristic`; of equally near ones
        to the cheapest. If `reachability` says that the goal cannot be reached at all, nothing is
        searched and the path is empty. `max_nodes` limits the nodes that are expanded. Raises
        ValueError for nodes of another graph.
        """
        self.begin(path, start, goal, heuristic, reachability, max_nodes=max_nodes).run()

    def begin(
        self,
        path: AStarPath[PositionT],
        start: NodeHandle[PositionT],
        goal: NodeHandle[PositionT],
        heuristic: Heuristic[PositionT],
        reachability: Reachability[PositionT] | None = None,
        *,
        max_nodes: int | None = None,
    ) -> GraphSearch[PositionT]:
        """Begin the same search, to be carried on with `step` over several frames."""
        self._check(start)
        self._check(goal)
        return GraphSearch(path, start, goal, heuristic, reachability, max_nodes=max_nodes)

    def _check(self, handle: NodeHandle[PositionT]) -> None:
        if handle not in self._nodes:
            raise ValueError(
                f"{handle!r} is not (or no longer) a node of this graph. Add it first."
            )
