"""CompiledEngine: A* and flow fields by compiled code, several paths at once over threads."""

from __future__ import annotations

import os
from array import array
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from math import ceil, inf
from typing import Any, Final

from fsmkit.pathfinding.compiled import field_kernel, kernel
from fsmkit.pathfinding.compiled.numba_packages import np
from fsmkit.pathfinding.grid_engine import NO_WAY, GivenT, GridEngine, Labels, ResultT, StepTables
from fsmkit.pathfinding.grid_search import GridSearch
from fsmkit.pathfinding.terrain import Terrain
from fsmkit.pathfinding.tile import Diagonals

NO_LIMIT: Final = 2**62
ROOM: Final = 1024
"""The initial number of entries of a heap."""


class CompiledTerrain(Terrain):
    def __init__(self, costs: array[float], width: int, height: int, diagonals: Diagonals) -> None:
        super().__init__(costs, width, height, diagonals)
        self.costs_array = np.frombuffer(costs)
        """The same costs; both use one memory."""
        self.exits = np.zeros(len(costs), np.uint8)
        """The directions in which one may leave the tile at each index, as bits."""
        self._find_exits(self.stride + 1, len(costs) - self.stride - 2)

    def copy(self) -> CompiledTerrain:
        other = super().copy()
        assert isinstance(other, CompiledTerrain)
        other.costs_array, other.exits = np.frombuffer(other.costs), self.exits.copy()
        return other

    def set_cost(self, index: int, cost: float) -> None:
        super().set_cost(index, cost)
        for middle in (index - self.stride, index, index + self.stride):
            if self.stride < middle < len(self.exits) - self.stride:
                self._find_exits(middle - 1, middle + 1)

    def _find_exits(self, first: int, last: int) -> None:
        kernel.find_exits(self.costs_array, self.exits, self.stride, self.min_free, first, last)


class CompiledWorkspace:
    """The arrays that a search writes into, with a place for each tile.

    Nothing has to be cleaned: each search has a number, and what it did not write does not count.
    Memory is used only for what was written.
    """

    def __init__(self, width: int, height: int) -> None:
        size = (width + 2) * (height + 2)
        self.nodes = np.zeros(size, kernel.NODE)
        self.heap = np.empty(ROOM, kernel.ENTRY)
        self.found = np.empty(size, np.int32)
        self.state = np.zeros(5, np.int64)

    @property
    def arrays(self) -> tuple[Any, ...]:
        """In the order of `kernel.SPACE`."""
        return self.nodes, self.heap, self.found, self.state


class CompiledSearch(GridSearch):
    terrain: CompiledTerrain
    _workspace: CompiledWorkspace

    def _begin(self) -> None:
        kernel.begin(self._workspace.arrays, self.start)

    def _expand(self, nodes: float) -> None:
        terrain, space = self.terrain, self._workspace
        limit = NO_LIMIT if nodes >= NO_LIMIT else self.nodes + ceil(max(nodes, 0.0))
        has_diagonals = terrain.diagonals is not Diagonals.NEVER
        known = terrain.costs_array, terrain.exits, terrain.stride, has_diagonals
        while not kernel.expand(known, space.arrays, self._least, self.goal, limit):
            space.heap = twice_as_large(space.heap)
        self.nodes = int(space.state[kernel.EXPANDED])
        if not space.state[kernel.OPENED] or space.heap[0]["index"] == self.goal:
            self._finish()

    def _cost(self, index: int) -> float:
        node = self._workspace.nodes[index]
        is_found = node["stamp"] >= self._workspace.state[kernel.STAMP]
        return float(node["cost"]) if is_found else inf

    def _nearest(self) -> int:
        return int(kernel.nearest(self.terrain.stride, self.goal, self._workspace.arrays))

    def _way_to(self, index: int) -> array[int]:
        space = self._workspace
        number = kernel.way(space.nodes, self.start, index, space.found)
        return array("i", space.found[:number][::-1].tobytes())

    def _clean_up(self) -> None:
        """Do nothing: what another search has written does not count."""


class CompiledEngine(GridEngine):
    compiled = True
    terrain = CompiledTerrain
    search = CompiledSearch
    workspace = CompiledWorkspace

    def pull(self, terrain: Terrain, way: Sequence[int]) -> tuple[list[int], list[float]]:
        corners, limits = np.empty(len(way), np.int32), np.empty(len(way))
        indices = np.asarray(way, np.int32)
        number = kernel.pull(np.frombuffer(terrain.costs), terrain.stride, indices, corners, limits)
        return corners[:number].tolist(), limits[:number].tolist()

    def map(
        self, search: Callable[[GivenT], ResultT], given: Sequence[GivenT], threads: int | None
    ) -> list[ResultT]:
        with ThreadPoolExecutor(threads or os.cpu_count()) as pool:
            return list(pool.map(search, given))

    def settle(self, labels: Labels, terrain: Terrain) -> int:
        assert isinstance(terrain, CompiledTerrain)
        known = _field(labels, terrain)
        heap, state = np.empty(ROOM + len(labels.goals), kernel.ENTRY), np.zeros(2, np.int64)
        for index in labels.goals:
            if (label := labels.of_goal(index, terrain)) != NO_WAY:
                labels[index] = label
                kernel.push(heap, state[field_kernel.OPENED], *label, index)
                state[field_kernel.OPENED] += 1
        while not field_kernel.settle(known, terrain.exits, heap, state):
            heap = twice_as_large(heap)
        field_kernel.settle_walls(known)
        return int(state[field_kernel.FOUND])

    def repair(
        self, labels: Labels, terrain: Terrain, changed: Collection[int]
    ) -> Collection[int] | None:
        if len(changed) > labels.patience:
            return None
        known = _field(labels, terrain)
        near = around(changed, terrain.stride)
        heap, state = np.empty(ROOM + near.size, kernel.ENTRY), np.zeros(2, np.int64)
        touched = np.empty(labels.patience + 1, np.int32)
        field_kernel.look_at_all(known, heap, state, near)
        while not field_kernel.repair(known, heap, state, touched):
            heap = twice_as_large(heap)
        if state[field_kernel.FOUND] > labels.patience:
            return None
        found: list[int] = np.unique(touched[: state[field_kernel.FOUND]]).tolist()
        return found

    def walk(self, labels: Labels, terrain: Terrain, start: int) -> tuple[Sequence[int], float]:
        way = np.empty(labels.hops[start] + 1, np.int32)
        cost = field_kernel.walk(_field(labels, terrain), start, way)
        return array("i", way.tobytes()), cost

    def find_steps(
        self, labels: Labels, terrain: Terrain, steps: StepTables, near: Collection[int] | None
    ) -> None:
        size = len(labels.costs)
        indices = np.arange(size, dtype=np.int32) if near is None else around(near, terrain.stride)
        dx, dy = (np.frombuffer(each, np.int8) for each in steps)
        field_kernel.find_steps(_field(labels, terrain), indices, dx, dy)


def around(indices: Collection[int], stride: int) -> Any:
    offsets = np.array([row + step for row in (-stride, 0, stride) for step in (-1, 0, 1)])
    centers = np.fromiter(indices, np.int32, len(indices))
    return np.unique(np.add.outer(centers, offsets)).astype(np.int32)


def twice_as_large(heap: Any) -> Any:
    return np.concatenate((heap, np.empty_like(heap)))


def _field(labels: Labels, terrain: Terrain) -> tuple[Any, ...]:
    tiles, costs, starts = map(np.frombuffer, (terrain.costs, labels.costs, labels.starts))
    hops = np.frombuffer(labels.hops, np.int32)
    return tiles, terrain.stride, terrain.min_free, costs, hops, starts, labels.limit
