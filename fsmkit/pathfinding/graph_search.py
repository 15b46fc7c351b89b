"""GraphSearch: A* over the nodes of a graph."""

from __future__ import annotations

from copy import copy
from heapq import heappop, heappush
from math import inf
from typing import TYPE_CHECKING, Any, Final, Self, TypeAlias
from weakref import ref

from fsmkit.pathfinding.costs import checked_estimate
from fsmkit.pathfinding.path import AStarPath, PositionT
from fsmkit.pathfinding.protocols import Heuristic, Reachability
from fsmkit.pathfinding.search import Search

if TYPE_CHECKING:
    from fsmkit.pathfinding.graph import AStar, NodeHandle

    Candidate: TypeAlias = tuple[float, int, float, NodeHandle[PositionT]]

MEMORY: Final = ("_costs", "_estimates", "_came_from", "_opened", "_kept")
"""The attributes that only a search under way needs."""


class GraphSearch(Search[PositionT]):
    """A search from one node to another. Made by `AStar.begin`.

    A node to which a cheaper way is found is expanded again, so that the path is the cheapest with
    any heuristic that never overestimates, even an inconsistent one.

    It goes on with the graph as it was when it began, even if `start` or `goal` is removed.

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
        super().__init__(path, max_nodes)  # not before: if these raise, the path is as it was
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
            self._be_told_of_changes()

    @property
    def is_outdated(self) -> bool:
        """True if the graph has changed since the search began."""
        return self.graph.version != self._version

    def keep(self, node: NodeHandle[PositionT], paths: dict[NodeHandle[PositionT], float]) -> bool:
        """Go on with these paths of `node`; False if it has paths of an earlier time already."""
        return self._kept.setdefault(node, paths) is paths

    def __copy__(self) -> Self:
        """Return a search that goes on by itself from here, and fills a path of its own."""
        other = object.__new__(type(self))
        own = {name: copy(getattr(self, name)) for name in ("path", *MEMORY)}
        other.__setstate__({**vars(self), **own})
        return other

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        if not self.is_over:
            self._be_told_of_changes()

    def _be_told_of_changes(self) -> None:
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
                continue  # a cheaper way to it was found meanwhile
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
                heappush(opened, (-inf, *candidate[1:]))  # it comes first the next time
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
        self.is_over = True
        reached = self.goal in self._costs
        last = self.goal if reached else self._nearest()
        self.path.fill(
            self._way_to(last),
            self._costs[last],
            reachable=reached,
            nodes=self.nodes,
            gave_up=gave_up,
        )
        self._forget()

    def _forget(self) -> None:
        """Let go of what only a search under way needs."""
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
