"""Asking those near each agent, in plain Python: what the compiled code must do."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import product
from math import inf, isinf
from typing import Any, TypeAlias

from fsmkit.crowd.neighbours.cell_order import Axis, axis_of, number
from fsmkit.crowd.neighbours.question import Op, Question, Request
from fsmkit.crowd.packages import np

Position: TypeAlias = tuple[float, ...]
Cell: TypeAlias = tuple[int, ...]


def near(
    question: Question, position: Any, around: Sequence[float], asked: range
) -> tuple[Any, Any]:
    """Return the answers for the agents in `asked`: whole numbers, and floats."""
    whole, real = question.room(len(asked))
    points = list(map(tuple, position.T.tolist()))
    axes = [
        axis_of(row, question.size, length) for row, length in zip(position, around, strict=True)
    ]
    cells: dict[Cell, list[int]] = defaultdict(list)
    own = [_cell(point, axes, around) for point in points]
    for agent, cell in enumerate(own):
        cells[cell].append(agent)
    answerer = _Answerer(question, whole, real)
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
    """Return the way from one to another, the shorter one in a world that wraps."""
    way = other - own
    if way > 0.5 * around:
        return way - around
    return way + around if way < -0.5 * around else way


def _cell(point: Position, axes: Sequence[Axis], around: Sequence[float]) -> Cell:
    numbers = (number(x, axis.width) for x, axis in zip(point, axes, strict=True))
    return tuple(
        n if isinf(length) else n % axis.cells
        for n, axis, length in zip(numbers, axes, around, strict=True)
    )


def _beside(cell: Cell, axes: Sequence[Axis], around: Sequence[float]) -> Iterator[Cell]:
    """Yield a cell and those around it, each once."""
    along = [
        {n - 1, n, n + 1} if isinf(length) else {(n + step) % axis.cells for step in (-1, 0, 1)}
        for n, axis, length in zip(cell, axes, around, strict=True)
    ]
    yield from product(*along)


class _Answerer:
    """Writes the answers for one agent after the other."""

    def __init__(self, question: Question, whole: Any, real: Any) -> None:
        self._requests = question.requests
        self._ids = question.agents.ids.tolist()
        self._flags = question.flags.tolist()
        self._values = [column.tolist() for column in question.values]
        self._whole = whole
        self._real = real
        self._limit = question.size * question.size

    def answer(self, target: int, ways: dict[int, Position]) -> None:
        """Answer all requests, given the ways to those who may be near."""
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
        ways: dict[int, Position],
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
                self._whole[place, target] = best(values, default=request.nobody)
            case Op.NEAREST:
                first = min(chosen, key=lambda o: (squares[o], self._ids[o]), default=-1)
                self._whole[place, target] = first
                self._real[request.real, target] = squares.get(first, inf)


def mean(request: Request, total: int, count: int) -> float:
    """Return the mean as a number again; `total` is a whole number."""
    if not count:
        return float(request.otherwise)
    return float(float(total) / float(count) * request.down * request.more_down)
