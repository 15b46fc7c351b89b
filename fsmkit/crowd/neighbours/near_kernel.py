"""The compiled search for agents nearby.

Agents are processed in blocks: their neighbours are collected first, then each request is answered
for the whole block. A compiled call counts references to its arrays; with a few calls for each
agent that took longer than the work itself.
"""

from __future__ import annotations

from math import floor, inf
from typing import Any, Final

from fsmkit.crowd.neighbours.query import Op
from fsmkit.crowd.packages import compiled, np

ROOM: Final = 4096
"""The neighbours that are collected for a block, unless a single agent has more."""

BLOCK: Final = 512
"""The most agents of a block."""

COUNT, SUM, MEAN, LEAST, MOST, OFFSET, NEAREST = map(int, Op)  # numba knows no enums of a module


@compiled
def find_cells(
    position: Any, width: Any, lowest: Any, shape: Any, farthest: float, cells: Any
) -> None:  # fmt: skip
    """Write the number of each agent's cell."""
    for i in range(cells.size):
        cell = 0
        for axis in range(shape.size - 1, -1, -1):
            quotient = min(max(position[axis, i] / width[axis], -farthest), farthest)
            along = floor(quotient) - lowest[axis]
            if along >= shape[axis]:
                along %= shape[axis]
            cell = cell * shape[axis] + along
        cells[i] = cell


@compiled
def sort(cells: Any, starts: Any, order: Any) -> None:
    """Sort agents by cell, by counting: fill `order`, and `starts`, which are zeros."""
    for i in range(cells.size):
        starts[cells[i] + 2] += 1
    for cell in range(2, starts.size):
        starts[cell] += starts[cell - 1]
    for i in range(cells.size):
        place = starts[cells[i] + 1]
        order[place] = i
        starts[cells[i] + 1] = place + 1


@compiled
def _beside(number: int, cells: int, found: Any) -> int:
    """Write the number of a cell and of those beside it, each once; return how many."""
    if cells < 4:
        for i in range(cells):
            found[i] = i
        return cells
    found[0], found[1], found[2] = (number + cells - 1) % cells, number, (number + 1) % cells
    return 3


@compiled
def keep_near(asked: Any, cells: Any, shape: Any, beside: Any, is_near: Any, counts: Any) -> None:
    """Take the mark in `counts` from agents that are in no cell in or beside one of the asked.

    `beside` has room for three cells along each coordinate, `is_near` a False for each cell.
    """
    for agent in asked:
        cell = cells[agent]
        if is_near[cell] == 2:
            continue
        along, rest = cell % shape[0], cell // shape[0]
        columns = _beside(along, shape[0], beside[0])
        rows = _beside(rest % shape[1], shape[1], beside[1])
        layers = _beside(rest // shape[1], shape[2], beside[2])
        for layer in range(layers):
            for row in range(rows):
                left = (beside[2, layer] * shape[1] + beside[1, row]) * shape[0]
                for column in range(columns):
                    other = left + beside[0, column]
                    is_near[other] = max(is_near[other], 1)
        is_near[cell] = 2  # its neighbours are marked
    for i in range(cells.size):
        if is_near[cells[i]] == 0:
            counts[i] = False


@compiled
def _ranges(cell: int, shape: Any, starts: Any, found: Any, first: Any, last: Any) -> int:
    """Write the ranges of agents in and around a cell, adjacent ones as one; return how many."""
    ranges = 0
    along, rest = cell % shape[0], cell // shape[0]
    columns = _beside(along, shape[0], found[0])
    rows = _beside(rest % shape[1], shape[1], found[1])
    layers = _beside(rest // shape[1], shape[2], found[2])
    for layer in range(layers):
        for row in range(rows):
            left = (found[2, layer] * shape[1] + found[1, row]) * shape[0]
            for column in range(columns):
                begin, end = starts[left + found[0, column]], starts[left + found[0, column] + 1]
                if ranges and last[ranges - 1] == begin:
                    last[ranges - 1] = end
                elif begin < end:
                    first[ranges], last[ranges] = begin, end
                    ranges += 1
    return ranges


@compiled
def shorter(way: float, around: float) -> float:
    """Return the shorter offset in a world that wraps."""
    return way - np.copysign(around, way) if abs(way) > 0.5 * around else way


@compiled
def _collect(
    agent: int, last_agent: int, cell: int, shape: Any, starts: Any, position: Any, around: Any,
    limit: float, targets: Any, beside: Any, first: Any, last: Any,
    block: Any, ends: Any, near: Any, squares: Any,
) -> tuple[int, int, int]:  # fmt: skip
    """Collect the agents near each agent from `agent` on, while there is room.

    Writes the agents into `block`, and where the part of `near` of each ends into `ends`. Returns
    the number of agents, the next one, and its cell.
    """
    around_x, around_y, around_z = around[0], around[1], around[2]
    number, found, ranges, known, room = 0, 0, 0, -1, 0
    while agent < last_agent and number < block.size:
        while starts[cell + 1] <= agent:
            cell += 1
        if targets[agent] >= 0:
            if known != cell:
                ranges, known, room = _ranges(cell, shape, starts, beside, first, last), cell, 1
                for r in range(ranges):
                    room += last[r] - first[r]
            if found + room > near.size:
                break
            x, y, z = position[0, agent], position[1, agent], position[2, agent]
            for r in range(ranges):
                for other in range(np.uint64(first[r]), np.uint64(last[r])):
                    dx = shorter(position[0, other] - x, around_x)
                    dy = shorter(position[1, other] - y, around_y)
                    dz = shorter(position[2, other] - z, around_z)
                    square = dx * dx + dy * dy + dz * dz
                    place = np.uint64(found)
                    near[place], squares[place] = np.int64(other), square
                    found += (square <= limit) & (np.int64(other) != agent)
            block[number], ends[number + 1] = agent, found
            number += 1
        agent += 1
    return number, agent, cell


@compiled
def _choose(
    request: Any, number: int, ends: Any, near: Any, squares: Any, flags: Any,
    chosen_ends: Any, chosen: Any, chosen_squares: Any,
) -> None:  # fmt: skip
    """Write the agents near those of a block that count for a request."""
    bit, limit, count = np.uint64(request.bit), request.limit, 0
    for k in range(number):
        for i in range(ends[k], ends[k + 1]):
            chosen[count], chosen_squares[count] = near[i], squares[i]
            counts = (flags[near[i]] >> bit) & np.uint64(1) != 0
            count += counts & (squares[i] <= limit)
        chosen_ends[k + 1] = count


@compiled
def _totals(request: Any, number: int, ends: Any, chosen: Any, values: Any, totals: Any) -> None:
    column = request.column
    for k in range(number):
        total = 0
        for i in range(ends[k], ends[k + 1]):
            total += values[column, chosen[i]]
        totals[k] = total


@compiled
def _offsets(
    request: Any, number: int, block: Any, ends: Any, chosen: Any, position: Any, around: Any,
    totals: Any,
) -> None:  # fmt: skip
    """Write the sum of the offsets to the chosen along one coordinate, as integers."""
    axis, up, more_up = request.column, request.up, request.more_up
    length = around[axis]
    for k in range(number):
        total, own = 0, position[axis, block[k]]
        for i in range(ends[k], ends[k + 1]):
            way = shorter(position[axis, chosen[i]] - own, length)
            total += int(np.rint(way * up * more_up))
        totals[k] = total


@compiled
def _extremes(request: Any, number: int, ends: Any, chosen: Any, values: Any, totals: Any) -> None:
    column, sign = request.column, 1 if request.op == LEAST else -1
    for k in range(number):
        best = request.default
        for i in range(ends[k], ends[k + 1]):
            value = values[column, chosen[i]]
            if i == ends[k] or (value < best if sign > 0 else value > best):
                best = value
        totals[k] = best


@compiled
def _nearest(
    number: int, ends: Any, chosen: Any, squares: Any, ids: Any, whole: Any, real: Any
) -> None:
    for k in range(number):
        nearest, best = -1, inf
        for i in range(ends[k], ends[k + 1]):
            other, square = chosen[i], squares[i]
            if square < best or nearest < 0 or (square == best and ids[other] < ids[nearest]):
                nearest, best = other, square
        whole[k], real[k] = nearest, best


@compiled
def _write(
    request: Any, number: int, block: Any, ends: Any, found: Any, squares: Any, rows: Any,
    targets: Any, whole: Any, real: Any,
) -> None:  # fmt: skip
    op, place, real_place = request.op, request.whole, request.real
    down, more_down, otherwise = request.down, request.more_down, request.otherwise
    for k in range(number):
        target, count = targets[block[k]], ends[k + 1] - ends[k]
        if op == COUNT:
            whole[place, target] = count
        elif op in (MEAN, OFFSET):
            mean = otherwise
            if count:
                mean = float(found[k]) / float(count) * down * more_down
            real[real_place, target] = mean
        elif op == NEAREST:
            whole[place, target] = rows[found[k]] if count else -1
            real[real_place, target] = squares[k]
        else:
            whole[place, target] = found[k]


@compiled
def _answer(
    request: Any, number: int, block: Any, ends: Any, chosen: Any, squares: Any, position: Any,
    around: Any, values: Any, ids: Any, rows: Any, targets: Any, whole: Any, real: Any,
) -> None:  # fmt: skip
    found, distances, op = np.empty(number, np.int64), np.empty(number), request.op
    if op == OFFSET:
        _offsets(request, number, block, ends, chosen, position, around, found)
    elif op == NEAREST:
        _nearest(number, ends, chosen, squares, ids, found, distances)
    elif op in (SUM, MEAN):
        _totals(request, number, ends, chosen, values, found)
    elif op != COUNT:
        _extremes(request, number, ends, chosen, values, found)
    _write(request, number, block, ends, found, distances, rows, targets, whole, real)


@compiled
def near(
    agent: int, last_agent: int, cell: int, shape: Any, starts: Any, rows: Any, position: Any,
    around: Any, limit: float, ids: Any, flags: Any, values: Any, targets: Any, requests: Any,
    whole: Any, real: Any,
) -> None:  # fmt: skip
    """Answer the requests for the agents from `agent`, which is in `cell`, to before `last_agent`.

    All arrays of agents are in the order of the cells; `targets` are the places of the answers, -1
    for an agent without any. Adjacent requests that choose the same agents are faster.
    """
    beside, first, last = np.empty((3, 3), np.int64), np.empty(27, np.int64), np.empty(27, np.int64)
    block = np.empty(BLOCK, np.int64)
    ends, chosen_ends = np.zeros(BLOCK + 1, np.int64), np.zeros(BLOCK + 1, np.int64)
    others, squares = np.empty(ROOM, np.int64), np.empty(ROOM)
    chosen, chosen_squares = np.empty(ROOM + 1, np.int64), np.empty(ROOM + 1)
    while agent < last_agent:
        number, agent, cell = _collect(
            agent, last_agent, cell, shape, starts, position, around, limit, targets,
            beside, first, last, block, ends, others, squares,
        )  # fmt: skip
        if not number and agent < last_agent:  # one agent has more neighbours than there is room
            others, squares = np.empty(2 * others.size, np.int64), np.empty(2 * others.size)
            chosen, chosen_squares = np.empty_like(others), np.empty_like(squares)
        for i in range(requests.size):
            one = requests[i]
            if not i or one.bit != requests[i - 1].bit or one.limit != requests[i - 1].limit:
                _choose(
                    one, number, ends, others, squares, flags, chosen_ends, chosen, chosen_squares
                )
            _answer(
                one, number, block, chosen_ends, chosen, chosen_squares, position, around, values,
                ids, rows, targets, whole, real,
            )  # fmt: skip


@compiled
def next_on_line(
    order: Any, counts: Any, position: Any, side: int, around: float, limit: float,
    nearest: Any, distances: Any,
) -> None:  # fmt: skip
    """Write the next agent that counts, on a line on which all are in `order`, and its distance.

    On a ring of the length `around` the first agent follows the last.
    """
    size, found, is_beyond = order.size, -1, True
    for number in range(size):  # the last one that counts precedes the first, on a ring
        agent = order[number if side > 0 else size - 1 - number]
        if counts[agent]:
            found = agent
            break
    for number in range(size):
        agent = order[size - 1 - number if side > 0 else number]
        other, distance = found, inf
        if found >= 0:
            distance = (position[found] - position[agent]) * side
            if is_beyond:
                distance += around
            distance += 0.0  # turns minus zero into zero
        if other == agent or distance > limit or distance == inf:
            other, distance = -1, inf
        nearest[agent], distances[agent] = other, distance
        if counts[agent]:
            found, is_beyond = agent, False
