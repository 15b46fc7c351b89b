"""Working out a flow field in plain Python: as a whole, and in part after a change."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from heapq import heapify, heappop, heappush
from math import inf

from fsmkit.pathfinding.field_labels import NO_WAY, OUTSIDE, Label, Labels, Steps
from fsmkit.pathfinding.terrain import Terrain
from fsmkit.pathfinding.tile import DIAGONAL, Diagonals


def settle(labels: Labels, terrain: Terrain) -> int:
    """Work out all labels, from fresh ones; return the number of tiles that have a way.

    Dijkstra's algorithm (1959), from the goals against the direction of the steps. A wall gets the
    label of the best step out of it, and leads nowhere.
    """
    opened = []
    for index in labels.goals:
        if (label := labels.of_goal(index, terrain)) != NO_WAY:
            labels[index] = label
            opened.append((*label, index))
    heapify(opened)
    costs, hops, limit, found = labels.costs, labels.hops, labels.limit, 0
    tiles = terrain.costs
    while opened:
        cost, number, index = heappop(opened)
        if cost != costs[index] or number != hops[index]:
            continue  # a better way from it was found meanwhile
        found += 1
        number += 1
        for near, weight in steps_to(index, terrain):
            new = cost + weight
            if new > limit or new > costs[near]:
                continue
            if new < costs[near] or number < hops[near]:
                costs[near] = new
                hops[near] = number
                if tiles[near]:
                    heappush(opened, (new, number, near))
    return found


def repair(labels: Labels, terrain: Terrain, changed: Collection[int]) -> set[int] | None:
    """Mend the labels after the costs of some tiles have changed; return the tiles touched.

    None if it has given up; see `Engine.repair`.

    The algorithm is DynamicSWSF-FP (Ramalingam and Reps, 1996), for several changes at once. A
    label that is too good is taken away, one that is not good enough is set, in the order of the
    labels; so no tile is touched more than twice, and none whose label stays the same.
    """
    if len(changed) > labels.patience:
        return None
    repairing = Repair(labels, terrain)
    for index in around(changed, terrain.stride):
        if labels.costs[index] != OUTSIDE:
            repairing.look_at(index)
    repairing.run()
    return set(repairing.touched) if len(repairing.touched) <= labels.patience else None


class Repair:
    """A repair under way: the tiles whose labels do not fit those around them, the least first."""

    def __init__(self, labels: Labels, terrain: Terrain) -> None:
        self.labels = labels
        self.terrain = terrain
        self.touched: list[int] = []
        """The indices of the tiles touched; some of them twice."""
        self._opened: list[tuple[float, int, int]] = []

    def look_at(self, index: int) -> None:
        """Take note of a tile if its label does not fit those around it."""
        best, label = self.labels.best(index, self.terrain), self.labels[index]
        if best != label:
            heappush(self._opened, (*min(best, label), index))

    def run(self) -> None:
        """Touch tiles until all labels fit, or too many were."""
        while self._opened and len(self.touched) <= self.labels.patience:
            cost, number, index = heappop(self._opened)
            label, best = self.labels[index], self.labels.best(index, self.terrain)
            if min(best, label) != (cost, number):
                self.look_at(index)  # the tiles around it have changed since it was noted
            elif best != label:
                self.labels[index] = best if best < label else NO_WAY
                self.touched.append(index)
                self.look_at(index)
                self._look_around(index, label)

    def _look_around(self, index: int, old: Label) -> None:
        label, limit = self.labels[index], self.labels.limit
        for near, weight in steps_to(index, self.terrain):
            offered = after(label, weight, limit)
            if offered < self.labels[near]:
                heappush(self._opened, (*offered, near))
            elif self.labels[near] == after(old, weight, limit):
                self.look_at(near)  # its way led over this tile


def find_steps(labels: Labels, terrain: Terrain, steps: Steps, near: Iterable[int] | None) -> None:
    """Write the step to the tile to go to next: for the tiles around some, or for all."""
    dx, dy = steps
    indices = range(len(labels.costs)) if near is None else around(near, terrain.stride)
    for index in indices:
        (x, y), (next_x, next_y) = terrain.tile(index), terrain.tile(labels.next(index, terrain))
        dx[index], dy[index] = next_x - x, next_y - y


def walk(labels: Labels, terrain: Terrain, start: int) -> tuple[list[int], float]:
    """Return the indices of the tiles on the way from `start` to a goal, and its cost."""
    way, cost = [start], 0.0
    while (there := labels.next(way[-1], terrain)) != way[-1]:
        cost += dict(terrain.steps_from(way[-1]))[there]
        way.append(there)
    return way, cost


def after(label: Label, weight: float, limit: float) -> Label:
    """Return the label that a step with that cost gives, if it leads to a tile with `label`."""
    cost = label[0] + weight
    return (cost, label[1] + 1) if cost <= limit and cost < inf else NO_WAY


def steps_to(index: int, terrain: Terrain) -> Iterator[tuple[int, float]]:
    """Yield the indices of the tiles one step away from which one can go to `index`, with its cost.

    They may be walls: a way may begin in one.
    """
    costs, stride = terrain.costs, terrain.stride
    cost = costs[index]
    if not cost:
        return
    for step in (1, stride, -1, -stride):
        yield index + step, cost
    if terrain.diagonals is Diagonals.NEVER:
        return
    cost *= DIAGONAL
    for aside, ahead in ((1, stride), (-1, stride), (-1, -stride), (1, -stride)):
        free = bool(costs[index + aside]) + bool(costs[index + ahead])
        if free >= terrain.min_free:
            yield index + aside + ahead, cost


def around(indices: Iterable[int], stride: int) -> set[int]:
    """Return the indices, and those of the eight tiles around each."""
    offsets = [row + step for row in (-stride, 0, stride) for step in (-1, 0, 1)]
    return {index + offset for index in indices for offset in offsets}
