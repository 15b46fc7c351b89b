"""Evaluation of declarations: from the columns of all agents to the new values of their fields.

`answers` is a pure function of plain data, so it can run anywhere: another process needs a
declaration and the columns in `Declaration.read` of the whole crowd, in any order, and computes the
same bits. Agents are sorted into cells, so that agents nearby are in the same or an adjacent cell.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from math import floor, inf, isinf
from typing import Any, Final

from attrs import evolve, frozen

from fsmkit.crowd.errors import CrowdError
from fsmkit.crowd.neighbours import near_kernel
from fsmkit.crowd.neighbours.declaration import AtPlaces, Declaration, InSpace, Nearest
from fsmkit.crowd.neighbours.place_kernel import at_places, table_of
from fsmkit.crowd.neighbours.query import REQUEST, Agents, Magnitudes, NeighbourQuery, chosen
from fsmkit.crowd.packages import np

MIN_AGENTS_PER_THREAD: Final = 16_384
"""The number of agents that are worth a thread of their own."""

MARGIN: Final = 1.0 + 2.0**-10
"""The width of a cell, as a multiple of the greatest distance.

The surplus allows for the rounding of quotients up to FARTHEST: no two agents that are near are
two cells apart.
"""

FARTHEST: Final = 2.0**40
"""The number of the last cell; agents beyond it are in it as well."""


def answers(
    declaration: Declaration,
    agents: Agents,
    asked: slice = slice(None),
    *,
    threads: int = 1,
    max_candidates: float = inf,
) -> dict[str, Any]:
    """Return field -> its new values for the agents in `asked`; `agents` are the whole crowd.

    Raises CrowdError for coordinates and values that are not finite, and if agents would be
    compared with more than `max_candidates` others each, on average.
    """
    magnitudes = Magnitudes.of(declaration, agents)
    if isinstance(declaration, AtPlaces):
        query = NeighbourQuery(declaration, agents, magnitudes)
        table = table_of(query)
        if len(range(len(agents))[asked]) < len(agents):
            query = NeighbourQuery(declaration, agents.part(asked), magnitudes)
        return at_places(query, table)
    assert isinstance(declaration, InSpace)
    position, around = _positions(declaration, agents)
    on_sides = [each for each in declaration.quantities if isinstance(each, Nearest) and each.side]
    others = tuple(each for each in declaration.quantities if each not in on_sides)
    query = NeighbourQuery(evolve(declaration, quantities=others), agents, magnitudes)
    rows = range(len(agents))[asked]
    found: dict[str, Any] = {}
    if others:
        whole, real = query.room(0)
        if rows:
            whole, real = near(query, position, around, rows, threads, max_candidates)
        for number, quantity in enumerate(others):
            found |= query.answer(number, quantity, whole, real)
    for each in on_sides:
        mask = chosen(agents, each.where)
        nearest, distance = on_line(agents, position[0], mask, each.side, float(around[0]))
        nearest, distance = nearest[asked], distance[asked]
        too_far = distance > min(each.within, declaration.size)
        nearest[too_far], distance[too_far] = -1, inf
        found |= query.nearest(each, nearest, distance)
    return found


def _positions(declaration: InSpace, agents: Agents) -> tuple[Any, Any]:
    missing = 3 - len(declaration.coordinates)
    around = np.array([*declaration.around, *[inf] * missing])
    position = np.zeros((3, len(agents)))
    for row, name, length in zip(position, declaration.coordinates, around, strict=False):
        coordinate = agents.finite(name, f"{declaration.name} has it as a coordinate, so it")
        row[:] = wrapped(coordinate, length)
    return position, around


def near(  # noqa: PLR0917  # as the kernel
    query: NeighbourQuery,
    position: Any,
    around: Any,
    asked: range,
    threads: int,
    max_candidates: float,
) -> tuple[Any, Any]:
    """Return the answers for the agents in `asked`, integers and floats, by compiled code."""
    cells = CellOrder.of(position, query.size, around)
    if max_candidates < inf and cells.candidates > max_candidates:
        raise CrowdError(
            f"{query.declaration.name}: the agents are too close together: each has to be compared "
            f"with about {cells.candidates:,.0f} others. Give them their places before you declare "
            "what they see, or use a smaller size."
        )
    # Requests that choose the same agents are answered together if they are adjacent.
    requests = np.array(sorted(query.requests, key=lambda each: (each.bit, each.limit)), REQUEST)
    order = cells.order
    values = np.empty((len(query.values), len(order)), np.int64)
    for row, column in zip(values, query.values, strict=True):
        np.take(column, order, out=row, mode="clip")  # "raise" would buffer it
    whole, real = query.room(len(asked))
    targets = np.full(len(order), -1)
    targets[asked.start : asked.stop] = np.arange(len(asked))
    arguments: Any = (
        cells.shape, cells.starts, order, np.take(position, order, axis=1), around,
        query.size * query.size, query.agents.ids[order], query.flags[order],
        values, targets[order], requests, whole, real,
    )  # fmt: skip
    threads = max(1, min(threads, len(asked) // MIN_AGENTS_PER_THREAD))
    bounds = pairwise(len(order) * number // threads for number in range(threads + 1))
    parts = [(*each, cells.cell_of(each[0]), *arguments) for each in bounds]
    if threads == 1:
        near_kernel.near(*parts[0])
    else:
        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(lambda part: near_kernel.near(*part), parts))
    return whole, real


def on_line(agents: Agents, position: Any, mask: Any, side: int, around: float) -> tuple[Any, Any]:
    """Return, for each agent, the row of the next one of `mask` on a line, and the distance to it.

    Agents are in the order of position and id. If the line is a ring of the length `around`, the
    first agent follows the last. Without a next agent the row is -1 and the distance infinite.
    """
    if (agents.ids[1:] > agents.ids[:-1]).all():  # as they always are in one crowd
        order = np.argsort(position, kind="stable")
    else:
        order = np.lexsort((agents.ids, position))
    counts = mask[order]
    places = np.flatnonzero(counts)
    if not places.size:
        return np.full(len(agents), -1), np.full(len(agents), inf)
    passed = np.cumsum(counts)
    number = passed if side > 0 else passed - counts - 1
    is_beyond = (number == places.size) | (number < 0)
    other = order[places[number % places.size]]
    distance = (position[other] - position[order]) * side
    distance[is_beyond] += around
    distance += 0.0  # turns minus zero into zero
    has_none = (other == order) | np.isinf(distance)
    nearest, way = np.empty_like(other), np.empty_like(distance)
    nearest[order] = np.where(has_none, -1, other)
    way[order] = np.where(has_none, inf, distance)
    return nearest, way


@frozen
class CellAxis:
    """The cells along one coordinate.

    Cells that are a multiple of `cells` apart are the same one, so that memory depends on the
    number of agents and not on the size of the world.
    """

    width: float
    lowest: int
    cells: int


def axis_of(column: Any, size: float, around: float) -> CellAxis:
    width = size * MARGIN
    if not isinf(around):
        cells = min(max(1, floor(around / width)), int(FARTHEST))
        return CellAxis(around / cells, 0, cells)
    lowest, highest = (number(float(each), width) for each in (column.min(), column.max()))
    return CellAxis(width, lowest, highest - lowest + 1)


def number(coordinate: float, width: float) -> int:
    return floor(min(max(coordinate / width, -FARTHEST), FARTHEST))


def folded(axes: Sequence[CellAxis], around: Sequence[float], limit: int) -> list[CellAxis]:
    """Return the axes with fewer cells, at most `limit` in all.

    A world that wraps keeps a whole number of folds: its cells become a little wider instead.
    """
    counts = [axis.cells for axis in axes]
    while counts[0] * counts[1] * counts[2] > limit:
        longest = counts.index(max(counts))
        counts[longest] = (counts[longest] + 1) // 2
    folds = (axis.cells // count * count for axis, count in zip(axes, counts, strict=True))
    return [
        CellAxis(axis.width if isinf(length) else length / cells, axis.lowest, count)
        for axis, count, length, cells in zip(axes, counts, around, folds, strict=True)
    ]


@frozen(eq=False)
class CellOrder:
    shape: Any
    """The number of cells along each coordinate, int64."""
    starts: Any
    """The place in `order` where each cell begins, and the end; int64."""
    order: Any
    """The agents' rows, cell by cell; int64."""

    @classmethod
    def of(cls, position: Any, size: float, around: Sequence[float]) -> CellOrder:
        """Sort agents; `position` has three rows, coordinates wrapped where the world wraps."""
        agents = position.shape[1]
        axes = [axis_of(column, size, a) for column, a in zip(position, around, strict=True)]
        axes = folded(axes, around, 64 + 2 * agents)
        shape = np.array([axis.cells for axis in axes], np.int64)
        starts = np.zeros(int(shape.prod()) + 2, np.int64)
        cells, order = np.empty(agents, np.int64), np.empty(agents, np.int64)
        widths = np.array([axis.width for axis in axes])
        lowest = np.array([axis.lowest for axis in axes], np.int64)
        near_kernel.sort(position, widths, lowest, shape, FARTHEST, cells, starts, order)
        return cls(shape, starts[:-1], order)

    def cell_of(self, place: int) -> int:
        return int(np.searchsorted(self.starts, place, side="right")) - 1

    @property
    def candidates(self) -> float:
        """The approximate number of agents with which each is compared, on average."""
        inside = np.diff(self.starts).astype(np.float64)
        return float((inside * inside).sum() / max(1, len(self.order)))


def wrapped(coordinate: Any, around: float) -> Any:
    """Return a coordinate within a world that wraps, from 0 to below its size."""
    if around == inf or not coordinate.size:
        return coordinate
    if coordinate.min() >= 0.0 and coordinate.max() < around:
        return coordinate
    within = np.fmod(coordinate, around)  # it is exact
    within = np.where(within < 0.0, within + around, within)
    return np.where(within >= around, 0.0, within)
