"""Working out a flow field, compiled: what `python_field` does, operation by operation."""

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
from fsmkit.pathfinding.compiled.packages import compiled, numba
from fsmkit.pathfinding.field_labels import OUTSIDE

WHOLE: Final = numba.int32[::1]
SMALL: Final = numba.int8[::1]
VOID: Final = numba.void
LABEL: Final = numba.types.Tuple((FLOAT, INT))  # type: ignore[no-untyped-call]

# Places in the state of a piece of work
OPENED, FOUND = range(2)


@compiled(BOOL(COSTS, INT, INT, INT, INT))
def _is_open(tiles: Any, stride: int, min_free: int, index: int, direction: int) -> bool:
    """Tell whether the corner is free that a step in that direction from a tile passes by."""
    if direction < 4:
        return True
    free = int(tiles[index + ASIDE[direction]] != 0.0)
    free += int(tiles[index + AHEAD[direction] * stride] != 0.0)
    return free >= min_free


@compiled(LABEL(COSTS, INT, INT, COSTS, WHOLE, COSTS, FLOAT, INT))
def _best(
    tiles: Any,
    stride: int,
    min_free: int,
    costs: Any,
    hops: Any,
    starts: Any,
    limit: float,
    index: int,
) -> tuple[float, int]:
    """Return what the label of a tile must be, by those of its neighbours."""
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


@compiled(BOOL(COSTS, EXITS, INT, COSTS, WHOLE, FLOAT, HEAP, STATE))
def settle(
    tiles: Any,
    exits: Any,
    stride: int,
    costs: Any,
    hops: Any,
    limit: float,
    heap: Any,
    state: Any,
) -> bool:
    """Settle the tiles in the heap, and all from which one gets there, but for walls.

    Returns False if it stopped before that because the heap has to grow.
    """
    opened, found = state[OPENED], state[FOUND]
    offsets = (1, stride, -1, -stride, 1 + stride, stride - 1, -1 - stride, 1 - stride)
    while opened > 0 and opened + 8 <= heap.size:
        first = heap[0]
        cost, number, index = first.estimate, first.tie, first.index
        opened -= 1
        pop(heap, opened)
        if cost != costs[index] or number != hops[index]:
            continue  # a better way from it was found meanwhile
        found += 1
        number += 1
        leads = exits[index]  # where one may leave it one may come from, but for the cost
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


@compiled(VOID(COSTS, INT, INT, COSTS, WHOLE, COSTS, FLOAT))
def settle_walls(
    tiles: Any, stride: int, min_free: int, costs: Any, hops: Any, starts: Any, limit: float
) -> None:
    """Give the walls the labels of the best steps out of them."""
    for index in range(stride, tiles.size - stride):
        if tiles[index] == 0.0 and costs[index] != OUTSIDE:
            best = _best(tiles, stride, min_free, costs, hops, starts, limit, index)
            costs[index], hops[index] = best


@compiled(VOID(COSTS, INT, INT, COSTS, WHOLE, COSTS, FLOAT, HEAP, STATE, INT))
def look_at(
    tiles: Any,
    stride: int,
    min_free: int,
    costs: Any,
    hops: Any,
    starts: Any,
    limit: float,
    heap: Any,
    state: Any,
    index: int,
) -> None:
    """Put a tile into the heap if its label does not fit those around it."""
    cost, number = _best(tiles, stride, min_free, costs, hops, starts, limit, index)
    old_cost, old_number = costs[index], hops[index]
    if cost == old_cost and number == old_number:
        return
    if old_cost < cost or (old_cost == cost and old_number < number):
        cost, number = old_cost, old_number
    push(heap, state[OPENED], cost, number, index)
    state[OPENED] += 1


@compiled(VOID(COSTS, INT, INT, COSTS, WHOLE, COSTS, FLOAT, HEAP, STATE, WHOLE))
def look_at_all(
    tiles: Any,
    stride: int,
    min_free: int,
    costs: Any,
    hops: Any,
    starts: Any,
    limit: float,
    heap: Any,
    state: Any,
    indices: Any,
) -> None:
    """Do so with several tiles, for which the heap must have room."""
    for place in range(indices.size):
        index = indices[place]
        if costs[index] != OUTSIDE:
            look_at(tiles, stride, min_free, costs, hops, starts, limit, heap, state, index)


@compiled(BOOL(COSTS, INT, INT, COSTS, WHOLE, COSTS, FLOAT, HEAP, STATE, WHOLE))
def repair(
    tiles: Any,
    stride: int,
    min_free: int,
    costs: Any,
    hops: Any,
    starts: Any,
    limit: float,
    heap: Any,
    state: Any,
    touched: Any,
) -> bool:
    """Touch tiles until all labels fit, or `touched` is full, which is given their indices.

    Returns False if it stopped before that because the heap has to grow.
    """
    while state[OPENED] > 0 and state[FOUND] < touched.size:
        if state[OPENED] + 10 > heap.size:
            return False
        cost, number, index = heap[0].estimate, heap[0].tie, heap[0].index
        state[OPENED] -= 1
        pop(heap, state[OPENED])
        old_cost, old_number = costs[index], hops[index]
        new_cost, new_number = _best(tiles, stride, min_free, costs, hops, starts, limit, index)
        if new_cost == old_cost and new_number == old_number:
            continue
        is_better = new_cost < old_cost or (new_cost == old_cost and new_number < old_number)
        least_cost = new_cost if is_better else old_cost
        least_number = new_number if is_better else old_number
        if least_cost != cost or least_number != number:
            look_at(tiles, stride, min_free, costs, hops, starts, limit, heap, state, index)
            continue
        touched[state[FOUND]] = index
        state[FOUND] += 1
        costs[index] = new_cost if is_better else inf
        hops[index] = new_number if is_better else 0
        look_at(tiles, stride, min_free, costs, hops, starts, limit, heap, state, index)
        if tiles[index] == 0.0:
            continue
        for direction in range(8 if min_free < 3 else 4):
            if not _is_open(tiles, stride, min_free, index, direction):
                continue
            near = index + ASIDE[direction] + AHEAD[direction] * stride
            weight = tiles[index] * LENGTH[direction]
            offered, by = costs[index] + weight, hops[index] + 1
            before = old_cost + weight
            if offered <= limit and (
                offered < costs[near] or (offered == costs[near] < inf and by < hops[near])
            ):
                push(heap, state[OPENED], offered, by, near)
                state[OPENED] += 1
            elif costs[near] == before < inf and hops[near] == old_number + 1:
                look_at(tiles, stride, min_free, costs, hops, starts, limit, heap, state, near)
    return True


@compiled(INT(COSTS, INT, INT, COSTS, WHOLE, INT))
def _next(tiles: Any, stride: int, min_free: int, costs: Any, hops: Any, index: int) -> int:
    """Return the direction of the step to the tile to go to next; -1 if there is none."""
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


@compiled(FLOAT(COSTS, INT, INT, COSTS, WHOLE, INT, WHOLE))
def walk(
    tiles: Any, stride: int, min_free: int, costs: Any, hops: Any, start: int, way: Any
) -> float:
    """Write the tiles on the way from `start` to a goal into `way`; return its cost."""
    index, cost = start, 0.0
    way[0] = start
    for place in range(1, way.size):
        direction = _next(tiles, stride, min_free, costs, hops, index)
        index += ASIDE[direction] + AHEAD[direction] * stride
        cost += tiles[index] * LENGTH[direction]
        way[place] = index
    return cost


@compiled(VOID(COSTS, INT, INT, COSTS, WHOLE, WHOLE, SMALL, SMALL))
def find_steps(
    tiles: Any,
    stride: int,
    min_free: int,
    costs: Any,
    hops: Any,
    indices: Any,
    dx: Any,
    dy: Any,
) -> None:
    """Write the steps to the tiles to go to next."""
    for place in range(indices.size):
        index = indices[place]
        direction = _next(tiles, stride, min_free, costs, hops, index)
        dx[index] = ASIDE[direction] if direction >= 0 else 0
        dy[index] = AHEAD[direction] if direction >= 0 else 0
