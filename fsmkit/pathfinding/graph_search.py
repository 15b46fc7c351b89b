"""GraphSearch: A* over the nodes of a graph."""

from __future__ import annotations

from heapq import heappop, heappush
from typing import TYPE_CHECKING

from fsmkit.pathfinding.path import AStarPath, PositionT
from fsmkit.pathfinding.protocols import Heuristic, Reachability
from fsmkit.pathfinding.search import Search

if TYPE_CHECKING:
    from fsmkit.pathfinding.graph import NodeHandle


class GraphSearch(Search[PositionT]):
    """A search from one node to another. Made by `AStar.begin`.

    A node to which a cheaper way is found is expanded again, so that the path is the cheapest with
    any heuristic that never overestimates, even an inconsistent one.
    """

    def __init__(
        self,
        path: AStarPath[PositionT],
        start: NodeHandle[PositionT],
        goal: NodeHandle[PositionT],
        heuristic: Heuristic[PositionT],
        reachability: Reachability[PositionT] | None,
        *,
        max_nodes: int | None,
    ) -> None:
        super().__init__(path, max_nodes)
        self.start = start
        self.goal = goal
        self.heuristic = heuristic
        self.reachability = reachability
        self._costs = {start: 0.0}
        self._came_from: dict[NodeHandle[PositionT], NodeHandle[PositionT]] = {}
        self._estimates = {start: heuristic(start.position, goal.position)}
        self._tie = 0
        self._opened = [(self._estimates[start], 0, 0.0, start)]
        if reachability is not None and not reachability.is_reachable(goal.position):
            self.is_over = True

    def _expand(self, nodes: float) -> None:
        opened, costs = self._opened, self._costs
        while opened and nodes > 0:
            _, _, cost, node = heappop(opened)
            if cost > costs[node]:
                continue  # a cheaper way to it was found meanwhile
            if node is self.goal:
                opened.clear()
                break
            self.nodes += 1
            nodes -= 1
            self._look_around(node, cost)
        while opened and opened[0][2] > costs[opened[0][3]]:
            heappop(opened)
        if not opened or opened[0][3] is self.goal:
            self._finish()

    def _look_around(self, node: NodeHandle[PositionT], cost: float) -> None:
        can_move = self.reachability.can_move if self.reachability is not None else None
        for other, weight in node._paths.items():
            new_cost = cost + weight
            if other in self._costs and self._costs[other] <= new_cost:
                continue
            if can_move is not None and not can_move(node.position, other.position):
                continue
            if other not in self._estimates:
                self._estimates[other] = self.heuristic(other.position, self.goal.position)
            self._costs[other] = new_cost
            self._came_from[other] = node
            self._tie -= 1
            heappush(self._opened, (new_cost + self._estimates[other], self._tie, new_cost, other))

    def _finish(self, *, gave_up: bool = False) -> None:
        self.is_over = True
        reached = self.goal in self._costs
        last = self.goal if reached else self._nearest()
        self.path.fill(
            (node.position for node in self._way_to(last)),
            self._costs[last],
            reachable=reached,
            nodes=self.nodes,
            gave_up=gave_up,
        )

    def _nearest(self) -> NodeHandle[PositionT]:
        """Return the node nearest to the goal, of those to which a way was found."""
        return min(self._costs, key=lambda node: (self._estimates[node], self._costs[node]))

    def _way_to(self, node: NodeHandle[PositionT]) -> list[NodeHandle[PositionT]]:
        way = [node]
        while way[-1] is not self.start:
            way.append(self._came_from[way[-1]])
        return way[::-1]
