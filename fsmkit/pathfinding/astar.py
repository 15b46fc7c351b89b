"""AStar: a graph of positions of any kind, its nodes, and GraphSearch, the A* search in it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from copy import copy
from heapq import heappop, heappush
from math import inf
from types import MappingProxyType
from typing import Any, Final, Generic, NoReturn, Self, TypeAlias
from weakref import ref

from fsmkit.pathfinding.costs import checked_estimate, checked_weight
from fsmkit.pathfinding.search import AStarPath, Heuristic, PositionT, Reachability, Search


class NodeHandle(Generic[PositionT]):
    """A position in the graph. Made by `AStar.add`.

    A deep copy of a handle, or a pickle, contains the whole graph.

    >>> from fsmkit.pathfinding import AStar
    >>> graph = AStar()
    >>> door = graph.add((2.0, 0.0))
    >>> door.position
    (2.0, 0.0)
    """

    __slots__ = ("_graph", "_paths", "_sources", "position")

    def __init__(self, graph: AStar[PositionT] | None, position: PositionT) -> None:
        self.position = position
        self._graph = graph
        self._paths: dict[NodeHandle[PositionT], float] = {}
        self._sources: dict[NodeHandle[PositionT], None] = {}

    @property
    def paths(self) -> Mapping[NodeHandle[PositionT], float]:
        """The nodes that a path leads to from here, as it is now -> its weight; read-only."""
        return MappingProxyType(dict(self._paths))

    def add_path(self, other: NodeHandle[PositionT], weight: float) -> None:
        """Add a one-way path from here to `other`; `weight` is its cost.

        A second call changes the weight. Numbers of other kinds are converted to floats. Raises
        ValueError for a weight that is not a finite number >= 0, and for a node of another
        graph; TypeError unless `other` is a handle.
        """
        graph = self._graph_with(other)
        checked = checked_weight(weight, self, other)
        if self._paths.get(other) != checked:
            graph._before_change(self)
            self._paths[other] = checked
            other._sources[self] = None

    def remove_path(self, other: NodeHandle[PositionT]) -> None:
        """Remove the path from here to `other`; KeyError if there is none."""
        if self._graph is None or other not in self._paths:
            raise KeyError(f"There is no path from {self!r} to {other!r}.")
        self._graph._before_change(self)
        del self._paths[other]
        del other._sources[self]

    def __repr__(self) -> str:
        return f"<NodeHandle at {self.position!r}>"

    def __copy__(self) -> NoReturn:
        raise TypeError(f"{self!r} belongs to its graph alone. Copy them with copy.deepcopy().")

    def __reduce__(self) -> tuple[Any, ...]:
        """Leave the paths to the graph: copying from node to node would recurse too deep."""
        return NodeHandle, (None, None), (self.position, self._graph)

    def __setstate__(self, state: tuple[PositionT, AStar[PositionT] | None]) -> None:
        self.position, self._graph = state

    def _graph_with(self, other: NodeHandle[PositionT]) -> AStar[PositionT]:
        if not isinstance(other, NodeHandle):
            raise TypeError(
                f"The other node must be a handle that add() has returned, got {other!r}."
            )
        if self._graph is None:
            raise ValueError(f"{self!r} is no longer a node of its graph. Add its position again.")
        if other._graph is not self._graph:
            raise ValueError(
                f"{other!r} is not (or no longer) a node of the same graph. Add it first."
            )
        return self._graph


class AStar(Generic[PositionT]):
    """A graph of positions of any kind, and the search for the cheapest path in it.

    The algorithm is A* (Hart, Nilsson and Raphael, 1968). Of nodes that look equally good the one
    found last is expanded first, so that an open field is crossed and not flooded.

    The graph may change at any time. A running search continues with the graph as it was when it
    began; its `is_outdated` says whether the graph has changed since.

    `len(graph)`, `handle in graph` and iteration are about the nodes, in the order in which they
    were added. A graph can be copied with `copy.deepcopy` and pickled, with its handles wherever
    they are stored, however long its chains are.

    >>> rooms = AStar()
    >>> hall, kitchen, garden = (rooms.add(name) for name in ("hall", "kitchen", "garden"))
    >>> hall.add_path(kitchen, 2.0)
    >>> kitchen.add_path(garden, 1.0)
    >>> path = AStarPath()
    >>> rooms.resolve_path(path, hall, garden, lambda position, goal: 0.0)
    >>> list(path), path.cost
    (['hall', 'kitchen', 'garden'], 3.0)
    """

    version: int
    """Grows with every change of the nodes, the paths or a weight."""

    _searches: set[ref[GraphSearch[PositionT]]]
    """The running searches."""

    def __new__(cls, *_arguments: object, **_options: object) -> Self:
        """Return a graph that already accepts searches while both are being copied."""
        graph = super().__new__(cls)
        graph._searches = set()
        return graph

    def __init__(self) -> None:
        self.version = 0
        self._nodes: dict[NodeHandle[PositionT], None] = {}

    def __len__(self) -> int:
        return len(self._nodes)

    def __iter__(self) -> Iterator[NodeHandle[PositionT]]:
        return iter(self._nodes)

    def __contains__(self, handle: object) -> bool:
        return isinstance(handle, NodeHandle) and handle in self._nodes

    def add(self, position: PositionT) -> NodeHandle[PositionT]:
        """Add a node at `position` and return its handle."""
        handle = NodeHandle(self, position)
        self._nodes[handle] = None
        self.version += 1
        return handle

    def remove(self, handle: NodeHandle[PositionT]) -> None:
        """Remove a node and all paths to and from it. ValueError if it is not in this graph.

        Takes time in proportion to the number of these paths.
        """
        self._check(handle)
        for node in (handle, *handle._sources):
            self._before_change(node)
        for source in handle._sources:
            del source._paths[handle]
        for other in handle._paths:
            del other._sources[handle]
        handle._paths.clear()
        handle._sources.clear()
        handle._graph = None
        del self._nodes[handle]

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
        ValueError for nodes of another graph, and for an estimate that is not a number >= 0.
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
        """Begin the same search, to be continued with `step` over several frames.

        It uses the graph as it is now, whatever changes in between. If the heuristic or the
        reachability raises, `step` raises that error, and the next `step` continues with the same
        node.
        """
        self._check(start)
        self._check(goal)
        if not callable(heuristic):
            raise TypeError(
                f"The heuristic must be a function of two positions, got {heuristic!r}."
            )
        return GraphSearch(
            path, start, goal, heuristic, reachability, graph=self, max_nodes=max_nodes
        )

    def __copy__(self) -> NoReturn:
        raise TypeError("A graph cannot share its nodes. Copy it with copy.deepcopy().")

    def __reduce__(self) -> tuple[Any, ...]:
        """Write the paths as numbers: copying from node to node would recurse too deep."""
        numbers = {node: number for number, node in enumerate(self._nodes)}
        paths = [{numbers[o]: weight for o, weight in n._paths.items()} for n in self._nodes]
        others = {k: v for k, v in vars(self).items() if k not in {"_nodes", "_searches"}}
        return type(self).__new__, (type(self),), (others, [*self._nodes], paths)

    def __setstate__(
        self,
        state: tuple[dict[str, Any], list[NodeHandle[PositionT]], list[dict[int, float]]],
    ) -> None:
        others, nodes, paths = state
        vars(self).update(others)
        self._nodes = dict.fromkeys(nodes)
        for node, near in zip(nodes, paths, strict=True):
            for number, weight in near.items():
                node._paths[nodes[number]] = weight
                nodes[number]._sources[node] = None

    def _before_change(self, node: NodeHandle[PositionT]) -> None:
        """Give the paths of `node`, as they are now, to the running searches."""
        self.version += 1
        searches = [search for reference in tuple(self._searches) if (search := reference())]
        are_kept = [search.keep(node, node._paths) for search in searches]
        if any(are_kept):
            node._paths = dict(node._paths)

    def _check(self, handle: NodeHandle[PositionT]) -> None:
        if handle not in self:
            raise ValueError(
                f"{handle!r} is not (or no longer) a node of this graph. Add it first."
            )


Candidate: TypeAlias = tuple[float, int, float, NodeHandle[PositionT]]
"""Estimated cost of a way over a node, a number that orders equals, cost so far, and the node."""

MEMORY: Final = ("_costs", "_estimates", "_came_from", "_opened", "_kept")
"""The attributes that only a running search needs."""


class GraphSearch(Search[PositionT]):
    """A search from one node to another. Made by `AStar.begin`.

    A node to which a cheaper way is found is expanded again, so that the path is the cheapest with
    any heuristic that never overestimates, even an inconsistent one.

    It continues with the graph as it was at the beginning, even if `start` or `goal` is removed.

    >>> from fsmkit.pathfinding import AStar, AStarPath, euclidean
    >>> graph = AStar()
    >>> here, there = graph.add((0, 0)), graph.add((3, 4))
    >>> here.add_path(there, 5.0)
    >>> search = graph.begin(AStarPath(), here, there, euclidean)
    >>> search.step(10), list(search.path)
    (True, [(0, 0), (3, 4)])
    """

    def __init__(
        self,
        path: AStarPath[PositionT],
        start: NodeHandle[PositionT],
        goal: NodeHandle[PositionT],
        heuristic: Heuristic[PositionT],
        reachability: Reachability[PositionT] | None,
        *,
        graph: AStar[PositionT],
        max_nodes: int | None,
    ) -> None:
        estimate = checked_estimate(heuristic(start.position, goal.position), start)
        is_vain = reachability is not None and not reachability.is_reachable(goal.position)
        # not earlier: if the above raises, the path stays as it was
        super().__init__(path, max_nodes)
        self.graph = graph
        self.start = start
        self.goal = goal
        self.heuristic = heuristic
        self.reachability = reachability
        self._version = graph.version
        self._kept: dict[NodeHandle[PositionT], dict[NodeHandle[PositionT], float]] = {}
        self._costs = {start: 0.0}
        self._estimates = {start: estimate}
        self._came_from: dict[NodeHandle[PositionT], NodeHandle[PositionT]] = {}
        self._tie = 0
        self._opened: list[Candidate[PositionT]] = [(estimate, 0, 0.0, start)]
        if is_vain:
            self.is_over = True
        else:
            self._follow_changes()

    @property
    def is_outdated(self) -> bool:
        """True if the graph has changed since the search began."""
        return self.graph.version != self._version

    def keep(self, node: NodeHandle[PositionT], paths: dict[NodeHandle[PositionT], float]) -> bool:
        """Keep these paths of `node`; False if earlier ones are kept already."""
        return self._kept.setdefault(node, paths) is paths

    def __copy__(self) -> Self:
        """Return an independent search that goes on from here, and fills a path of its own."""
        other = object.__new__(type(self))
        own = {name: copy(getattr(self, name)) for name in ("path", *MEMORY)}
        other.__setstate__({**vars(self), **own})
        return other

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        if not self.is_over:
            self._follow_changes()

    def _follow_changes(self) -> None:
        self.graph._searches.add(ref(self, self.graph._searches.discard))

    def _expand(self, nodes: float) -> None:
        """Run the inner loop. For speed it uses local variables and hardly calls anything."""
        opened, costs, came_from, kept = self._opened, self._costs, self._came_from, self._kept
        estimates, heuristic, goal = self._estimates, self.heuristic, self.goal
        can_move = None if self.reachability is None else self.reachability.can_move
        while nodes > 0 and not self.is_over and opened and opened[0][3] is not goal:
            candidate = heappop(opened)
            _, _, cost, node = candidate
            if cost > costs[node]:
                continue  # a cheaper way to it has been found since
            try:
                paths = kept[node] if node in kept else node._paths  # noqa: SIM401  # faster
                for other, weight in paths.items():
                    new_cost = cost + weight
                    if other in costs and costs[other] <= new_cost:
                        continue
                    if can_move is not None and not can_move(node.position, other.position):
                        continue
                    estimate = estimates.get(other)
                    if estimate is None:
                        estimate = heuristic(other.position, goal.position)
                        if type(estimate) is not float or not estimate >= 0.0:
                            estimate = checked_estimate(estimate, other)
                        estimates[other] = estimate
                    came_from[other] = node
                    self._tie = tie = self._tie - 1
                    heappush(opened, (new_cost + estimate, tie, new_cost, other))
                    costs[other] = new_cost
            except BaseException:
                heappush(opened, (-inf, *candidate[1:]))  # it is next when the search continues
                raise
            self.nodes += 1
            nodes -= 1
        self._settle()

    def _settle(self) -> None:
        """End the search if its next node is the goal, or if there is none."""
        opened, costs = self._opened, self._costs
        while opened and opened[0][2] > costs[opened[0][3]]:
            heappop(opened)
        if not self.is_over and (not opened or opened[0][3] is self.goal):
            self._finish()

    def _finish(self, *, gave_up: bool = False) -> None:
        reached = self.goal in self._costs
        last = self.goal if reached else self._nearest()
        way, cost = self._way_to(last), self._costs[last]
        self._conclude(way, cost, reachable=reached, gave_up=gave_up)
        self._forget()

    def _forget(self) -> None:
        self.graph._searches.discard(ref(self))
        for name in MEMORY:
            getattr(self, name).clear()

    def _nearest(self) -> NodeHandle[PositionT]:
        """Return the node nearest to the goal, of those to which a way was found."""
        return min(self._costs, key=lambda node: (self._estimates[node], self._costs[node]))

    def _way_to(self, node: NodeHandle[PositionT]) -> list[PositionT]:
        way = [node.position]
        while node is not self.start:
            node = self._came_from[node]
            way.append(node.position)
        return way[::-1]
