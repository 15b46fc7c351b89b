"""Working out a flow field by compiled code: as a whole, and in part after a change."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Collection
from typing import Any, Final

from fsmkit.pathfinding.compiled import field_kernel
from fsmkit.pathfinding.compiled.kernel import ENTRY, push
from fsmkit.pathfinding.compiled.packages import np
from fsmkit.pathfinding.compiled.terrain import CompiledTerrain
from fsmkit.pathfinding.field_labels import NO_WAY, Labels, Steps
from fsmkit.pathfinding.terrain import Terrain

ROOM: Final = 1024
"""The number of entries that a heap begins with."""


def settle(labels: Labels, terrain: CompiledTerrain) -> int:
    """Work out all labels, from fresh ones; return the number of tiles that have a way."""
    known = *_arrays(labels), np.frombuffer(labels.starts), labels.limit
    costs, hops, _, limit = known
    heap, state = np.empty(ROOM + len(labels.goals), ENTRY), np.zeros(2, np.int64)
    for index in labels.goals:
        if (label := labels.of_goal(index, terrain)) != NO_WAY:
            labels[index] = label
            push(heap, state[field_kernel.OPENED], *label, index)
            state[field_kernel.OPENED] += 1
    tiles, stride, min_free = _map(terrain)
    _grow(heap, lambda room: field_kernel.settle(
        tiles, terrain.exits, stride, costs, hops, limit, room, state
    ))  # fmt: skip
    field_kernel.settle_walls(tiles, stride, min_free, *known)
    return int(state[field_kernel.FOUND])


def repair(labels: Labels, terrain: Terrain, changed: Collection[int]) -> Collection[int] | None:
    """Mend the labels after the costs of some tiles have changed; return the tiles touched.

    None if it has given up; see `Engine.repair`.
    """
    if len(changed) > labels.patience:
        return None
    known = *_map(terrain), *_arrays(labels), np.frombuffer(labels.starts), labels.limit
    near = around(changed, terrain.stride)
    heap, state = np.empty(ROOM + near.size, ENTRY), np.zeros(2, np.int64)
    touched = np.empty(labels.patience + 1, np.int32)
    field_kernel.look_at_all(*known, heap, state, near)
    _grow(heap, lambda room: field_kernel.repair(*known, room, state, touched))
    if state[field_kernel.FOUND] > labels.patience:
        return None
    found: Collection[int] = np.unique(touched[: state[field_kernel.FOUND]]).tolist()
    return found


def find_steps(
    labels: Labels, terrain: Terrain, steps: Steps, near: Collection[int] | None
) -> None:
    """Write the step to the tile to go to next: for the tiles around some, or for all."""
    size = len(labels.costs)
    indices = np.arange(size, dtype=np.int32) if near is None else around(near, terrain.stride)
    dx, dy = (np.frombuffer(each, np.int8) for each in steps)
    field_kernel.find_steps(*_map(terrain), *_arrays(labels), indices, dx, dy)


def walk(labels: Labels, terrain: Terrain, start: int) -> tuple[array[int], float]:
    """Return the indices of the tiles on the way from `start` to a goal, and its cost."""
    way = np.empty(labels.hops[start] + 1, np.int32)
    cost = field_kernel.walk(*_map(terrain), *_arrays(labels), start, way)
    return array("i", way.tobytes()), cost


def around(indices: Collection[int], stride: int) -> Any:
    """Return the indices, and those of the eight tiles around each, each once."""
    offsets = np.array([row + step for row in (-stride, 0, stride) for step in (-1, 0, 1)])
    centers = np.fromiter(indices, np.int32, len(indices))
    return np.unique(np.add.outer(centers, offsets)).astype(np.int32)


def _map(terrain: Terrain) -> tuple[Any, int, int]:
    return np.frombuffer(terrain.costs), terrain.stride, terrain.min_free


def _arrays(labels: Labels) -> tuple[Any, Any]:
    return np.frombuffer(labels.costs), np.frombuffer(labels.hops, np.int32)


def _grow(heap: Any, work: Callable[[Any], bool]) -> None:
    """Do the work; when the heap is too small, go on with a larger one."""
    while not work(heap):
        heap = np.concatenate((heap, np.empty_like(heap)))
