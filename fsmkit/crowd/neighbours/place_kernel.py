"""Counting at places: a table of the agents at each place, and the compiled passes that fill it.

`columns` are the numbers of the agents' places, and `first` is that of the first column of a table.
An agent weighs `weights[code + 1]`: 1 if it counts, otherwise 0. Indices are unsigned: checking for
negative ones took longer than the counting.
"""

from __future__ import annotations

from typing import Any

from attrs import frozen

from fsmkit.crowd.neighbours.buffers import Buffers
from fsmkit.crowd.neighbours.query import NeighbourQuery, Op
from fsmkit.crowd.packages import compiled, np


@frozen(eq=False)
class PlaceTable:
    """How many agents count at each place, and the sums of their values, for each request.

    Tables of parts of a crowd, made with the magnitudes of the whole one, add up. Plain data.
    """

    places: Any
    """The numbers of the places, ascending, int64."""
    counts: Any
    """int64, a row for each request."""
    totals: Any
    """int64, a row for each request."""


def table_of(query: NeighbourQuery) -> PlaceTable:
    known, columns, first = _known(_places(query), query.buffers)
    counts = query.buffers.array("counts at places", (len(query.requests), known.size))
    totals = query.buffers.array("totals at places", counts.shape)
    counts[:], totals[:] = 0, 0
    for number, request in enumerate(query.requests):
        codes, weights = query.counting(request)
        if request.op != Op.SUM:
            count_agents(columns, first, codes, weights, counts[number])
        if request.op != Op.COUNT:
            values = query.values[request.column]
            add_values(columns, first, codes, weights, values, totals[number])
    return PlaceTable(known, counts, totals)


def at_places(query: NeighbourQuery, table: PlaceTable) -> dict[str, Any]:
    """Return field -> its new values for the agents of the query; no agent counts itself."""
    columns, first = _columns(table.places, _places(query))
    whole, real = query.room(len(query.agents))
    answers: dict[str, Any] = {}
    for number, (request, quantity) in enumerate(
        zip(query.requests, query.declaration.quantities, strict=True)
    ):
        own = columns, first, *query.counting(request)
        if request.op == Op.COUNT:
            count_others(*own, table.counts[number], whole[request.whole])
        else:
            values, totals = query.values[request.column], table.totals[number]
            if request.op == Op.SUM:
                sum_others(*own, values, totals, whole[request.whole])
            else:
                average_others(
                    *own, values, table.counts[number], totals,
                    request.down, request.more_down, request.otherwise, real[request.real],
                )  # fmt: skip
        answers |= query.answer(number, quantity, whole, real)
    return answers


def _places(query: NeighbourQuery) -> Any:
    [name] = query.declaration.position
    return query.agents.columns[name]


def _known(places: Any, buffers: Buffers) -> tuple[Any, Any, int]:
    """Return the places, ascending; the columns of the agents, and the number of the first column.

    Numbers between the places are included if they are few.
    """
    if not places.size:
        return np.empty(0, np.int64), places, 0
    first, last = limits(places)
    if last - first <= 4 * places.size + 1024:
        known = buffers.array("places", last - first + 1)
        known[0], known[1:] = first, 1
        return np.cumsum(known, out=known), places, first
    known, columns = np.unique(places, return_inverse=True)
    return known, columns, 0


def _columns(known: Any, places: Any) -> tuple[Any, int]:
    if known.size and int(known[-1]) - int(known[0]) + 1 == known.size:
        return places, int(known[0])
    return np.searchsorted(known, places), 0


@compiled
def limits(places: Any) -> tuple[int, int]:
    lowest = highest = places[0]
    for i in range(places.size):
        lowest, highest = min(lowest, places[i]), max(highest, places[i])
    return lowest, highest


@compiled
def count_agents(columns: Any, first: int, codes: Any, weights: Any, counts: Any) -> None:
    for i in range(columns.size):
        weight = weights[np.uint64(np.int64(codes[i]) + 1)]
        counts[np.uint64(columns[i] - first)] += weight


@compiled
def add_values(
    columns: Any, first: int, codes: Any, weights: Any, values: Any, totals: Any
) -> None:  # fmt: skip
    """Add the value of each agent that counts to the column of its place."""
    for i in range(columns.size):
        weight = weights[np.uint64(np.int64(codes[i]) + 1)]
        totals[np.uint64(columns[i] - first)] += weight * values[i]


@compiled
def count_others(
    columns: Any, first: int, codes: Any, weights: Any, counts: Any, found: Any
) -> None:  # fmt: skip
    for i in range(columns.size):
        weight = weights[np.uint64(np.int64(codes[i]) + 1)]
        found[i] = counts[np.uint64(columns[i] - first)] - weight


@compiled
def sum_others(
    columns: Any, first: int, codes: Any, weights: Any, values: Any, totals: Any, found: Any
) -> None:  # fmt: skip
    for i in range(columns.size):
        weight = weights[np.uint64(np.int64(codes[i]) + 1)]
        found[i] = totals[np.uint64(columns[i] - first)] - weight * values[i]


@compiled
def average_others(
    columns: Any, first: int, codes: Any, weights: Any, values: Any, counts: Any, totals: Any,
    down: float, more_down: float, otherwise: float, found: Any,
) -> None:  # fmt: skip
    """Write the mean of those values, as a float."""
    for i in range(columns.size):
        weight = weights[np.uint64(np.int64(codes[i]) + 1)]
        place = np.uint64(columns[i] - first)
        number = counts[place] - weight
        mean = otherwise
        if number > 0:
            total = totals[place] - weight * values[i]
            mean = float(total) / float(number) * down * more_down
        found[i] = mean
