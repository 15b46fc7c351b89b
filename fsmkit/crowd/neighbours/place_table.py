"""PlaceTable: what there is at each place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from attrs import frozen

from fsmkit.crowd.neighbours import place_kernel
from fsmkit.crowd.neighbours.agents import Agents
from fsmkit.crowd.neighbours.declaration import AtPlaces
from fsmkit.crowd.neighbours.extent import Extent
from fsmkit.crowd.neighbours.question import Op, Question, ask
from fsmkit.crowd.packages import np

COUNT: Final = Op.COUNT
SUM: Final = Op.SUM


@frozen(eq=False)
class PlaceTable:
    """How many agents count at each place, and the sums of their values, for each request.

    Tables of parts of a crowd, with the extent of the whole one, add up. Plain data.
    """

    places: Any
    """The numbers of the places, rising, int64."""
    counts: Any
    """int64, a row for each request."""
    totals: Any
    """int64, a row for each request."""

    @classmethod
    def joined(cls, parts: Sequence[PlaceTable]) -> PlaceTable:
        """Return the table of the agents of several parts."""
        places = np.unique(np.concatenate([each.places for each in parts]))
        shape = len(parts[0].counts), places.size
        counts, totals = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
        for each in parts:
            columns = np.searchsorted(places, each.places)
            counts[:, columns] += each.counts
            totals[:, columns] += each.totals
        return cls(places, counts, totals)


def ask_at_places(declaration: AtPlaces, agents: Agents, extent: Extent) -> Question:
    """Return the question for some agents; `extent` is that of the whole crowd."""
    return ask(agents, declaration.name, declaration.quantities, 0.0, extent)


def table_of(declaration: AtPlaces, question: Question) -> PlaceTable:
    """Return what there is at each place."""
    places = question.agents.columns[declaration.place]
    known, columns, first = _known(places)
    requests = question.requests
    counts = np.zeros((len(requests), known.size), np.int64)
    totals = np.zeros_like(counts)
    for number, request in enumerate(requests):
        codes, table = question.counting(request)
        if request.op != SUM:
            place_kernel.count(columns, first, codes, table, counts[number])
        if request.op != COUNT:
            values = question.values[request.column]
            place_kernel.add_up(columns, first, codes, table, values, totals[number])
    return PlaceTable(known, counts, totals)


def at_places(declaration: AtPlaces, question: Question, table: PlaceTable) -> dict[str, Any]:
    """Return what is to be written for each of the agents in question, itself not counted."""
    columns, first = _columns(table.places, question.agents.columns[declaration.place])
    whole, real = question.room(len(question.agents))
    answers: dict[str, Any] = {}
    for number, (request, quantity) in enumerate(
        zip(question.requests, declaration.quantities, strict=True)
    ):
        own = columns, first, *question.counting(request)
        if request.op == COUNT:
            place_kernel.others(*own, table.counts[number], whole[request.whole])
        else:
            values, totals = question.values[request.column], table.totals[number]
            if request.op == SUM:
                place_kernel.of_others(*own, values, totals, whole[request.whole])
            else:
                place_kernel.mean_of_others(
                    *own, values, table.counts[number], totals,
                    request.down, request.more_down, request.otherwise, real[request.real],
                )  # fmt: skip
        answers |= question.answer(number, quantity, whole, real)
    return answers


def _known(places: Any) -> tuple[Any, Any, int]:
    """Return the places, rising; the columns of the agents, and the number of the first column.

    Those between the places are among them if there are hardly more.
    """
    if not places.size:
        return np.empty(0, np.int64), places, 0
    first, last = place_kernel.limits(places)
    if last - first <= 4 * places.size + 1024:
        return np.arange(first, last + 1), places, first
    known, columns = np.unique(places, return_inverse=True)
    return known, columns, 0


def _columns(known: Any, places: Any) -> tuple[Any, int]:
    """Return the columns of agents in a table of `known`, and the number of the first column."""
    if known.size and int(known[-1]) - int(known[0]) + 1 == known.size:
        return places, int(known[0])
    return np.searchsorted(known, places), 0
