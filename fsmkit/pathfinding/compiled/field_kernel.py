"""The inner loops of flow fields, compiled: those of `GridEngine`, operation by operation."""

from __future__ import annotations

from math import inf
from typing import Any, Final

from fsmkit.pathfinding.compiled.kernel import (
    AHEAD,
    ASIDE,
    BOOL,
    COSTS,
    EXITS,
    FLOAT,
    HEAP,
    INT,
    LENGTH,
    LOWEST_BIT,
    STATE,
    pop,
    push,
)
from fsmkit.pathfinding.compiled.numba_packages import compiled, numba
from fsmkit.pathfinding.grid_engine import OUTSIDE

WHOLE: Final = numba.int32[::1]
SMALL: Final = numba.int8[::1]
VOID: Final = numba.void
LABEL: Final = numba.types.Tuple((FLOAT, INT))  # type: ignore[no-untyped-call]

FIELD: Final = numba.types.Tuple(  # type: ignore[no-untyped-call]
    (COSTS, INT, INT, COSTS, WHOLE, COSTS, FLOAT)
)
"""A terrain and the labels: the costs of the tiles, the stride, how many tiles beside a corner must
be free; the costs and hops of the labels, the initial costs of goals, and the limit."""

# Places in the state
OPENED, FOUND = range(2)


@compiled(BOOL(COSTS, INT, INT, INT, INT))
def _is_open(tiles: Any, stride: int, min_free: int, index: int, direction: int) -> bool:
    if direction < 4:
        return True
    free = int(tiles[index + ASIDE[direction]] != 0.0)
    free += int(tiles[index + AHEAD[direction] * stride] != 0.0)
    return free >= min_free


@compiled(LABEL(FIELD, INT))
def _best(field: Any, index: int) -> tuple[float, int]:
    tiles, stride, min_free, costs, hops, starts, limit = field
    cost, number = inf, 0
    if tiles[index] > 0.0 and starts[index] <= limit:
        cost = starts[index]
    for direction in range(8 if min_free < 3 else 4):
        near = index + ASIDE[direction] + AHEAD[direction] * stride
        if tiles[near] == 0.0 or not _is_open(tiles, stride, min_free, index, direction):
            continue
        new = costs[near] + tiles[near] * LENGTH[direction]
        if new < cost or (new == cost and new < inf and hops[near] + 1 < number):
            cost, number = new, hops[near] + 1
    if cost <= limit and cost < inf:
        return cost, number
    return inf, 0


@compiled(BOOL(FIELD, EXITS, HEAP, STATE))
def settle(field: Any, exits: Any, heap: Any, state: Any) -> bool:
    """Settle the tiles in the heap, and all that lead there, except walls.

    Returns False if it stopped before that because the heap has to grow.
    """
    tiles, stride, _, costs, hops, _, limit = field
    opened, found = state[OPENED], state[FOUND]
    offsets = (1, stride, -1, -stride, 1 + stride, stride - 1, -1 - stride, 1 - stride)
    while opened > 0 and opened + 8 <= heap.size:
        first = heap[0]
        cost, number, index = first.estimate, first.tie, first.index
        opened -= 1
        pop(heap, opened)
        if cost != costs[index] or number != hops[index]:
            continue  # a better way from it has been found since
        found += 1
        number += 1
        leads = exits[index]  # steps are allowed in both directions or none; only costs differ
        weight = tiles[index]
        while leads:
            direction = LOWEST_BIT[leads]
            leads &= leads - 1
            near = index + offsets[direction]
            new = cost + weight * LENGTH[direction]
            if new > limit or new > costs[near]:
                continue
            if new < costs[near] or number < hops[near]:
                costs[near] = new
                hops[near] = number
                push(heap, opened, new, number, near)
                opened += 1
    state[OPENED], state[FOUND] = opened, found
    return bool(opened == 0)


@compiled(VOID(FIELD))
def settle_walls(field: Any) -> None:
    """Give the walls the labels of the best steps out of them."""
    tiles, stride, _, costs, hops, _, _ = field
    for index in range(stride, tiles.size - stride):
        if tiles[index] == 0.0 and costs[index] != OUTSIDE:
            best = _best(field, index)
            costs[index], hops[index] = best


@compiled(LABEL(LABEL, LABEL))
def _lesser(label: Any, other: Any) -> Any:
    return label if label < other else other  # noqa: FURB136  # numba has no min() of tuples


@compiled(VOID(FIELD, HEAP, STATE, INT))
def look_at(field: Any, heap: Any, state: Any, index: int) -> None:
    """Queue a tile if its label does not fit those around it."""
    _, _, _, costs, hops, _, _ = field
    best, label = _best(field, index), (costs[index], int(hops[index]))
    if best != label:
        cost, number = _lesser(label, best)
        push(heap, state[OPENED], cost, number, index)
        state[OPENED] += 1


@compiled(VOID(FIELD, HEAP, STATE, WHOLE))
def look_at_all(field: Any, heap: Any, state: Any, indices: Any) -> None:
    """Queue several tiles, for which the heap must have room."""
    _, _, _, costs, _, _, _ = field
    for place in range(indices.size):
        index = indices[place]
        if costs[index] != OUTSIDE:
            look_at(field, heap, state, index)


@compiled(BOOL(FIELD, HEAP, STATE, WHOLE))
def repair(field: Any, heap: Any, state: Any, touched: Any) -> bool:
    """Touch tiles until all labels fit, or `touched` is full, which gets their indices.

    Returns False if it stopped before that because the heap has to grow.
    """
    tiles, stride, min_free, costs, hops, _, limit = field
    while state[OPENED] > 0 and state[FOUND] < touched.size:
        if state[OPENED] + 10 > heap.size:
            return False
        cost, number, index = heap[0].estimate, heap[0].tie, heap[0].index
        state[OPENED] -= 1
        pop(heap, state[OPENED])
        label, best = (costs[index], int(hops[index])), _best(field, index)
        if best == label:
            continue
        if _lesser(label, best) != (cost, number):
            look_at(field, heap, state, index)  # the tiles around it have changed since
            continue
        touched[state[FOUND]] = index
        state[FOUND] += 1
        costs[index], hops[index] = best if best < label else (inf, 0)
        look_at(field, heap, state, index)
        if tiles[index] == 0.0:
            continue
        for direction in range(8 if min_free < 3 else 4):
            if not _is_open(tiles, stride, min_free, index, direction):
                continue
            near = index + ASIDE[direction] + AHEAD[direction] * stride
            weight = tiles[index] * LENGTH[direction]
            offered, by = costs[index] + weight, hops[index] + 1
            before = label[0] + weight
            if (
                offered <= limit
                and offered < inf
                and (offered, by) < (costs[near], int(hops[near]))
            ):
                push(heap, state[OPENED], offered, by, near)
                state[OPENED] += 1
            elif costs[near] == before < inf and hops[near] == label[1] + 1:
                look_at(field, heap, state, near)
    return True


@compiled(INT(FIELD, INT))
def _next(field: Any, index: int) -> int:
    """Return the direction of the step to the next tile; -1 if there is none."""
    tiles, stride, min_free, costs, hops, _, _ = field
    if hops[index] > 0:
        for direction in range(8 if min_free < 3 else 4):
            near = index + ASIDE[direction] + AHEAD[direction] * stride
            if (
                tiles[near] != 0.0
                and hops[near] == hops[index] - 1
                and costs[near] + tiles[near] * LENGTH[direction] == costs[index]
                and _is_open(tiles, stride, min_free, index, direction)
            ):
                return direction
    return -1


@compiled(FLOAT(FIELD, INT, WHOLE))
def walk(field: Any, start: int, way: Any) -> float:
    """Write the tiles on the way from `start` to a goal into `way`; return its cost."""
    tiles, stride, _, _, _, _, _ = field
    index, cost = start, 0.0
    way[0] = start
    for place in range(1, way.size):
        direction = _next(field, index)
        index += ASIDE[direction] + AHEAD[direction] * stride
        cost += tiles[index] * LENGTH[direction]
        way[place] = index
    return cost


@compiled(VOID(FIELD, WHOLE, SMALL, SMALL))
def find_steps(field: Any, indices: Any, dx: Any, dy: Any) -> None:
    for place in range(indices.size):
        index = indices[place]
        direction = _next(field, index)
        dx[index] = ASIDE[direction] if direction >= 0 else 0
        dy[index] = AHEAD[direction] if direction >= 0 else 0
