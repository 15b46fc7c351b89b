"""The search for agents nearby in plain Python: the reference for the compiled kernel."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import product
from math import inf, isinf
from typing import Any, TypeAlias

from fsmkit.crowd.neighbours.evaluation import CellAxis, axis_of, number
from fsmkit.crowd.neighbours.query import NeighbourQuery, Op, QueryRequest
from fsmkit.crowd.packages import np

Offset: TypeAlias = tuple[float, ...]
Cell: TypeAlias = tuple[int, ...]


def near(
    query: NeighbourQuery, position: Any, lengths: Any, asked: range, *_threads: Any
) -> tuple[Any, Any]:
    around = lengths.tolist()
    whole, real = query.room(len(asked))
    points = list(map(tuple, position.T.tolist()))
    axes = [axis_of(row, query.size, length) for row, length in zip(position, around, strict=True)]
    cells: dict[Cell, list[int]] = defaultdict(list)
    own = [_cell(point, axes, around) for point in points]
    for agent, cell in enumerate(own):
        cells[cell].append(agent)
    answerer = _Answerer(query, whole, real)
    for target, agent in enumerate(asked):
        others = [
            other for cell in _beside(own[agent], axes, around) for other in cells.get(cell, ())
        ]
        ways = {
            other: tuple(map(shorter, points[other], points[agent], around))
            for other in others
            if other != agent
        }
        answerer.answer(target, ways)
    return whole, real


def shorter(other: float, own: float, around: float) -> float:
    """Return the offset from one agent to another, the shorter one in a world that wraps."""
    way = other - own
    if way > 0.5 * around:
        return way - around
    return way + around if way < -0.5 * around else way


def _cell(point: Offset, axes: Sequence[CellAxis], around: Sequence[float]) -> Cell:
    numbers = (number(x, axis.width) for x, axis in zip(point, axes, strict=True))
    return tuple(
        n if isinf(length) else n % axis.cells
        for n, axis, length in zip(numbers, axes, around, strict=True)
    )


def _beside(cell: Cell, axes: Sequence[CellAxis], around: Sequence[float]) -> Iterator[Cell]:
    """Yield a cell and the cells around it, each once."""
    along = [
        {n - 1, n, n + 1} if isinf(length) else {(n + step) % axis.cells for step in (-1, 0, 1)}
        for n, axis, length in zip(cell, axes, around, strict=True)
    ]
    yield from product(*along)


class _Answerer:
    """Writes the answers for one agent at a time."""

    def __init__(self, query: NeighbourQuery, whole: Any, real: Any) -> None:
        self._requests = query.requests
        self._ids = query.agents.ids.tolist()
        self._flags = query.flags.tolist()
        self._values = [column.tolist() for column in query.values]
        self._whole = whole
        self._real = real
        self._limit = query.size * query.size

    def answer(self, target: int, ways: dict[int, Offset]) -> None:
        """Answer all requests, given the offsets to agents that may be near."""
        squares = {o: x * x + y * y + z * z for o, (x, y, z) in ways.items()}
        for request in self._requests:
            limit = min(self._limit, request.limit)
            chosen = [
                other
                for other, square in squares.items()
                if square <= limit and self._flags[other] >> request.bit & 1
            ]
            self._write(request, target, chosen, ways, squares)

    def _write(
        self,
        request: Any,
        target: int,
        chosen: list[int],
        ways: dict[int, Offset],
        squares: dict[int, float],
    ) -> None:
        place, column = request.whole, request.column
        match Op(request.op):
            case Op.COUNT:
                self._whole[place, target] = len(chosen)
            case Op.SUM:
                self._whole[place, target] = sum(self._values[column][other] for other in chosen)
            case Op.MEAN:
                total = sum(self._values[column][other] for other in chosen)
                self._real[request.real, target] = mean(request, total, len(chosen))
            case Op.OFFSET:
                up = request.up, request.more_up
                total = sum(int(np.rint(ways[o][column] * up[0] * up[1])) for o in chosen)
                self._real[request.real, target] = mean(request, total, len(chosen))
            case Op.LEAST | Op.MOST as op:
                values = [self._values[column][other] for other in chosen]
                best = min if op is Op.LEAST else max
                self._whole[place, target] = best(values, default=request.default)
            case Op.NEAREST:
                first = min(chosen, key=lambda o: (squares[o], self._ids[o]), default=-1)
                self._whole[place, target] = first
                self._real[request.real, target] = squares.get(first, inf)


def mean(request: QueryRequest, total: int, count: int) -> float:
    """Return the mean of the values, whose integers add up to `total`."""
    if not count:
        return float(request.otherwise)
    return float(float(total) / float(count) * request.down * request.more_down)
