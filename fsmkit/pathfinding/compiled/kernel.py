"""The inner loops of a search, compiled: those of `GridSearch`, operation by operation.

So that both find the same tiles at the same costs to the last bit, the sums, the order of the
neighbours and the order of equals in the queue are the same.
"""

from __future__ import annotations

from math import inf
from typing import Any, Final

from fsmkit.pathfinding.compiled.numba_packages import compiled, np, numba
from fsmkit.pathfinding.grid_engine import pull as pull_in_python
from fsmkit.pathfinding.tile import DIAGONAL, DIAGONAL_SAVING

NODE: Final = np.dtype([("cost", np.float64), ("came_from", np.int32), ("stamp", np.int32)])
"""What a search knows about a tile: the cost of the best way to it, the index of the one before it,
and a stamp, which says in which search these were written, and whether it has expanded the tile."""

ENTRY: Final = np.dtype([("estimate", np.float64), ("tie", np.int32), ("index", np.int32)])
"""A tile in the queue: the estimated cost of a way over it; of equal ones the least `tie` first."""

ASIDE: Final = (1, 0, -1, 0, 1, -1, -1, 1)
AHEAD: Final = (0, 1, 0, -1, 1, 1, -1, -1)

LENGTH: Final = (1.0, 1.0, 1.0, 1.0, DIAGONAL, DIAGONAL, DIAGONAL, DIAGONAL)
"""The eight directions: columns, rows, and the length of the step."""

LOWEST_BIT: Final = np.array([(bits & -bits).bit_length() - 1 for bits in range(256)], np.int8)

LAST_STAMP: Final = 2**31 - 4

# Places in the state of a search
STAMP, OPENED, TIE, FOUND, EXPANDED = range(5)

NODES: Final = numba.from_dtype(NODE)[::1]
HEAP: Final = numba.from_dtype(ENTRY)[::1]
COSTS: Final = numba.float64[::1]
EXITS: Final = numba.uint8[::1]
INDICES: Final = numba.int32[::1]
STATE: Final = numba.int64[::1]
INT: Final = numba.int64
BOOL: Final = numba.boolean
FLOAT: Final = numba.float64

TERRAIN: Final = numba.types.Tuple((COSTS, EXITS, INT, BOOL))  # type: ignore[no-untyped-call]
"""The costs of the tiles, the directions in which one may leave them, the stride, and whether there
are diagonal steps."""

SPACE: Final = numba.types.Tuple((NODES, HEAP, INDICES, STATE))  # type: ignore[no-untyped-call]
"""What a search writes into: its nodes, its queue, the tiles found, and its state."""


@compiled(numba.boolean(FLOAT, INT, FLOAT, INT))
def _is_before(estimate: float, tie: int, other_estimate: float, other_tie: int) -> bool:
    """Return True if the first entry comes first; no branches, which would be unpredictable."""
    return (estimate < other_estimate) | ((estimate == other_estimate) & (tie < other_tie))


@compiled(numba.void(HEAP, INT, FLOAT, INT, INT))
def push(heap: Any, place: int, estimate: float, tie: int, index: int) -> None:
    while place > 0:
        above = heap[(place - 1) >> 1]
        if not _is_before(estimate, tie, above.estimate, above.tie):
            break
        here = heap[place]
        here.estimate, here.tie, here.index = above.estimate, above.tie, above.index
        place = (place - 1) >> 1
    here = heap[place]
    here.estimate, here.tie, here.index = estimate, tie, index


@compiled(numba.void(HEAP, INT))
def pop(heap: Any, last: int) -> None:
    """Remove the first entry of the heap, whose last one is at the place `last`.

    The gap moves down to the end, and the last entry from there up, as in Python's heapq.
    """
    place, below = 0, 1
    while below < last:
        if below + 1 < last:
            left, right = heap[below], heap[below + 1]
            below += int(_is_before(right.estimate, right.tie, left.estimate, left.tie))
        here, next_one = heap[place], heap[below]
        here.estimate, here.tie, here.index = next_one.estimate, next_one.tie, next_one.index
        place, below = below, 2 * below + 1
    moved = heap[last]
    push(heap, place, moved.estimate, moved.tie, moved.index)


@compiled(numba.void(COSTS, EXITS, INT, INT, INT, INT))
def find_exits(costs: Any, exits: Any, stride: int, min_free: int, first: int, last: int) -> None:
    """Write the directions, as bits, in which one may leave the tiles from `first` to `last`.

    `min_free` tiles beside a corner must be free.
    """
    for index in range(first, last + 1):
        leads = 0
        for direction in range(8 if min_free < 3 else 4):
            aside, ahead = ASIDE[direction], AHEAD[direction] * stride
            if costs[index + aside + ahead] == 0.0:
                continue
            free = int(costs[index + aside] != 0.0) + int(costs[index + ahead] != 0.0)
            if direction < 4 or free >= min_free:
                leads |= 1 << direction
        exits[index] = leads


@compiled(numba.void(SPACE, INT))
def begin(space: Any, start: int) -> None:
    """Begin a search at `start`. A stamp is even, and odd once the tile was expanded."""
    nodes, heap, found, state = space
    if state[STAMP] >= LAST_STAMP:
        state[STAMP] = 0
        for node in range(nodes.size):
            nodes[node].stamp = 0
    state[STAMP] += 2
    state[OPENED] = 1
    state[TIE] = 0
    state[FOUND] = 1
    state[EXPANDED] = 0
    found[0] = start
    nodes[start].stamp = state[STAMP]
    nodes[start].cost = 0.0
    push(heap, 0, 0.0, 0, start)


@compiled(BOOL(TERRAIN, SPACE, FLOAT, INT, INT))
def expand(terrain: Any, space: Any, cheapest: float, goal: int, limit: int) -> bool:
    """Expand tiles until `limit` are expanded, the goal would be next, or none is left.

    Returns False if it stopped earlier because the heap must grow.
    """
    costs, exits, stride, has_diagonals = terrain
    nodes, heap, found, state = space
    goal_x, goal_y = goal % stride, goal // stride
    saving = cheapest * DIAGONAL_SAVING if has_diagonals else 0.0
    stamp, opened, tie, number = state[STAMP], state[OPENED], state[TIE], state[FOUND]
    expanded = state[EXPANDED]
    has_room = True
    offsets = (1, stride, -1, -stride, 1 + stride, stride - 1, -1 - stride, 1 - stride)
    while opened > 0:
        index = heap[0].index
        if nodes[index].stamp != stamp:  # already expanded by a better way
            opened -= 1
            pop(heap, opened)
            continue
        if expanded >= limit or index == goal:
            break
        if opened + 8 > heap.size:
            has_room = False
            break
        opened -= 1
        pop(heap, opened)
        nodes[index].stamp = stamp + 1
        expanded += 1
        x, y = index % stride, index // stride
        cost = nodes[index].cost
        leads = exits[index]
        while leads:
            direction = LOWEST_BIT[leads]
            leads &= leads - 1
            near = index + offsets[direction]
            new = cost + costs[near] * LENGTH[direction]
            node = nodes[near]
            is_new = node.stamp < stamp
            if not new < (inf if is_new else node.cost):
                continue
            if is_new:
                node.stamp = stamp
                found[number] = near
                number += 1
            node.cost = new
            node.came_from = index
            dx = abs(x + ASIDE[direction] - goal_x)
            dy = abs(y + AHEAD[direction] - goal_y)
            tie -= 1
            rest = cheapest * (dx + dy) + saving * min(dx, dy)
            push(heap, opened, new + rest, tie, near)
            opened += 1
    state[OPENED], state[TIE], state[FOUND] = opened, tie, number
    state[EXPANDED] = expanded
    return has_room


@compiled(INT(INT, INT, SPACE))
def nearest(stride: int, goal: int, space: Any) -> int:
    """Return the tile found that would be nearest to the goal without walls."""
    nodes, _, found, state = space
    goal_x, goal_y = goal % stride, goal // stride
    best, best_away = -1, inf
    for place in range(state[FOUND]):
        index = found[place]
        dx, dy = abs(index % stride - goal_x), abs(index // stride - goal_y)
        away = dx + dy + DIAGONAL_SAVING * min(dx, dy)
        if away > best_away:
            continue
        if away == best_away:
            cost, best_cost = nodes[index].cost, nodes[best].cost
            if cost > best_cost or (cost == best_cost and index > best):
                continue
        best, best_away = index, away
    return best


@compiled(INT(NODES, INT, INT, INDICES))
def way(nodes: Any, start: int, last: int, out: Any) -> int:
    """Write the tiles from `last` back to `start` into `out` and return their number."""
    number = 1
    index = last
    out[0] = last
    while index != start:
        index = nodes[index].came_from
        out[number] = index
        number += 1
    return number


pull = compiled(INT(COSTS, INT, INDICES, INDICES, numba.float64[::1]))(pull_in_python)
