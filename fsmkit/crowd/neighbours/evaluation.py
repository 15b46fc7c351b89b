"""Evaluation of declarations: from the columns of all agents to the new values of their fields.

`answers` is a pure function of plain data, so it can run anywhere: another process needs a
declaration and the columns in `Declaration.read` of the whole crowd, in any order, and computes the
same bits. Agents are sorted into cells, so that agents nearby are in the same or an adjacent cell.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from math import floor, inf, isinf
from typing import Any, Final

from attrs import evolve, frozen

from fsmkit.crowd.errors import CrowdError
from fsmkit.crowd.neighbours import near_kernel
from fsmkit.crowd.neighbours.buffers import Buffers
from fsmkit.crowd.neighbours.declaration import (
    ALL,
    Aggregate,
    AtPlaces,
    Choice,
    Declaration,
    InSpace,
    Nearest,
    Quantity,
)
from fsmkit.crowd.neighbours.place_kernel import at_places, table_of
from fsmkit.crowd.neighbours.query import (
    REQUEST,
    Agents,
    Magnitudes,
    NeighbourQuery,
    chosen,
    marked,
)
from fsmkit.crowd.packages import np

MIN_AGENTS_PER_THREAD: Final = 16_384
"""The number of agents that are worth a thread of their own."""

MARGIN: Final = 1.0 + 2.0**-10
"""The width of a cell, as a multiple of the greatest distance.

The surplus allows for the rounding of quotients up to FARTHEST: no two agents that are near are
two cells apart.
"""

FEW: Final = 4096
"""The number of agents that may count from which it is worth leaving out those far away."""

FARTHEST: Final = 2.0**40
"""The number of the last cell; agents beyond it are in it as well."""


@frozen(eq=False)
class Renewed:
    """New values of some agents' fields."""

    rows: Any
    """A slice of the agents that were asked for, or their numbers."""
    values: Mapping[str, Any]
    """Field -> its values in these rows."""


def renewed(
    declaration: Declaration,
    agents: Agents,
    own: slice = slice(None),
    *,
    buffers: Buffers,
    threads: int = 1,
    max_candidates: float = inf,
) -> list[Renewed]:
    """Return what is to be written for those agents in `own` that a quantity is declared for.

    The arrays are in `buffers`. Raises the errors of `answers`, before anything is to be written.
    """
    found: list[Renewed] = []
    for number, (choice, part) in enumerate(by_asked(declaration)):
        room = buffers.part(number)
        rows: Any = slice(None)
        asked: Any = own
        if choice != ALL:
            mask = chosen(agents, choice, room.array("asked", len(agents), np.bool_))[own]
            rows = marked(mask, room.array("asked rows", len(mask)))
            asked = rows + range(len(agents))[own].start if own.start else rows
        values = answers(
            part, agents, asked, buffers=room, threads=threads, max_candidates=max_candidates
        )
        found.append(Renewed(rows, values))
    return found


def by_asked(declaration: Declaration) -> list[tuple[Choice, Declaration]]:
    """Return a declaration in parts, one for each choice of agents that get new values."""
    quantities: dict[Choice, list[Quantity]] = {}
    for each in declaration.quantities:
        quantities.setdefault(each.asked, []).append(each)
    if len(quantities) == 1:
        return [(choice, declaration) for choice in quantities]
    return [
        (choice, evolve(declaration, quantities=tuple(part))) for choice, part in quantities.items()
    ]


def answers(
    declaration: Declaration,
    agents: Agents,
    asked: Any = slice(None),
    *,
    buffers: Buffers | None = None,
    threads: int = 1,
    max_candidates: float = inf,
) -> dict[str, Any]:
    """Return field -> its new values for the agents in `asked`; `agents` are the whole crowd.

    `asked` is a slice, or the numbers of rows. Raises CrowdError for coordinates and values that
    are not finite, and if agents would be compared with more than `max_candidates` others each, on
    average.
    """
    room = Buffers() if buffers is None else buffers
    magnitudes = Magnitudes.of(declaration, agents)
    if isinstance(declaration, AtPlaces):
        query = NeighbourQuery(declaration, agents, magnitudes, room)
        table = table_of(query)
        if not isinstance(asked, slice) or len(range(len(agents))[asked]) < len(agents):
            query = NeighbourQuery(declaration, agents.part(asked), magnitudes, room)
        return at_places(query, table)
    assert isinstance(declaration, InSpace)
    space = SearchSpace.of(declaration, agents, room)
    if not isinstance(asked, slice) and 2 * len(asked) < len(agents):
        check_numbers(declaration, agents)
        space, asked = space.around_asked(asked)
    on_sides = [each for each in declaration.quantities if isinstance(each, Nearest) and each.side]
    others = tuple(each for each in declaration.quantities if each not in on_sides)
    query = NeighbourQuery(evolve(declaration, quantities=others), space.agents, magnitudes, room)
    found = next_on_sides(query, space, asked, on_sides) if on_sides else {}
    if others:
        rows = range(len(space.agents))[asked] if isinstance(asked, slice) else asked
        whole, real = query.room(0)
        if len(rows):
            whole, real = near(query, space.position, space.around, rows, threads, max_candidates)
        for number, quantity in enumerate(others):
            found |= query.answer(number, quantity, whole, real)
    return found


def next_on_sides(
    query: NeighbourQuery, space: SearchSpace, asked: Any, quantities: Sequence[Nearest]
) -> dict[str, Any]:
    """Return the values of quantities along a line, ahead or behind."""
    agents, buffers, order = space.agents, query.buffers, space.line()
    found: dict[str, Any] = {}
    for number, each in enumerate(quantities):
        counts = chosen(agents, each.where, buffers.array("counts", len(agents), np.bool_))
        rows = buffers.array(f"next {number}", len(agents))
        distance = buffers.array(f"distance {number}", len(agents), np.float64)
        near_kernel.next_on_line(
            order, counts, space.position[0], each.side, float(space.around[0]),
            min(each.within, query.size), rows, distance,
        )  # fmt: skip
        found |= query.nearest(each, rows[asked], distance[asked])
    return found


def check_numbers(declaration: Declaration, agents: Agents) -> None:
    """Raise CrowdError for a NaN among the values that are compared, whoever is asked for."""
    for each in declaration.quantities:
        if isinstance(each, Aggregate) and each.kind in ("least", "most"):
            agents.number(each.field, f"{declaration.name} compares it, so it")


@frozen(eq=False)
class SearchSpace:
    """Agents and their coordinates."""

    declaration: InSpace
    agents: Agents
    position: Any
    """Three rows, wrapped where the world wraps."""
    around: Any
    """The size of the world along each coordinate."""
    buffers: Buffers

    @classmethod
    def of(cls, declaration: InSpace, agents: Agents, buffers: Buffers) -> SearchSpace:
        """Raise CrowdError for a coordinate that is not finite."""
        names = declaration.coordinates
        around = np.array([*declaration.around, *[inf] * (3 - len(names))])
        position = buffers.array("position", (3, len(agents)), np.float64)
        for row, name, length in zip(position, names, around, strict=False):
            row[:] = agents.finite(name, f"{declaration.name} has it as a coordinate, so it")
            wrap(row, length)
        position[len(names) :] = 0.0
        return cls(declaration, agents, position, around, buffers)

    def around_asked(self, asked: Any) -> tuple[SearchSpace, Any]:
        """Return the space of the agents in the rows `asked` and those that they may see.

        Also return the rows of `asked` there.
        """
        agents, buffers = self.agents, self.buffers
        relevant = buffers.array("relevant", len(agents), np.bool_)
        counts = buffers.array("counts", len(agents), np.bool_)
        relevant[:] = False
        wheres = dict.fromkeys(each.where for each in self.declaration.quantities)
        for where in wheres if len(asked) else ():
            np.logical_or(relevant, chosen(agents, where, counts), out=relevant)
        if np.count_nonzero(relevant) > FEW:
            self._keep_near(asked, relevant)
        relevant[asked] = True
        rows = marked(relevant, buffers.array("relevant rows", len(agents)))
        position = np.take(self.position, rows, axis=1)
        there = SearchSpace(self.declaration, agents.part(rows), position, self.around, buffers)
        return there, np.searchsorted(rows, asked)

    def _keep_near(self, asked: Any, relevant: Any) -> None:
        """Take the mark from agents that are too far from all of the asked."""
        most = 64 + 2 * len(asked)
        cells = CellIndex.of(self.position, self.declaration.size, self.around, most, self.buffers)
        is_near = np.zeros(int(cells.shape.prod()), np.uint8)
        beside = np.empty((3, 3), np.int64)
        near_kernel.keep_near(asked, cells.numbers, cells.shape, beside, is_near, relevant)

    def line(self) -> Any:
        """Return the rows of agents on a line, in the order of position and id."""
        ids = self.agents.ids
        if (ids[1:] > ids[:-1]).all():  # as they always are in one crowd
            return np.argsort(self.position[0], kind="stable")
        return np.lexsort((ids, self.position[0]))


def near(  # noqa: PLR0917  # as the kernel
    query: NeighbourQuery,
    position: Any,
    around: Any,
    asked: Sequence[int],
    threads: int,
    max_candidates: float,
) -> tuple[Any, Any]:
    """Return the answers for the agents in the rows `asked`, integers and floats."""
    buffers = query.buffers
    cells = CellOrder.of(position, query.size, around, buffers)
    if max_candidates < inf and cells.candidates > max_candidates:
        raise CrowdError(
            f"{query.declaration.name}: the agents are too close together: each has to be compared "
            f"with about {cells.candidates:,.0f} others. Give them their places before you declare "
            "what they see, or use a smaller size."
        )
    # Requests that choose the same agents are answered together if they are adjacent.
    requests = np.array(sorted(query.requests, key=lambda each: (each.bit, each.limit)), REQUEST)
    order, size = cells.order, len(cells.order)
    targets = buffers.array("targets", size)
    targets[:] = -1
    if isinstance(asked, range):
        targets[asked.start : asked.stop] = np.arange(len(asked))
    else:
        targets[asked] = np.arange(len(asked))

    def ordered(name: str, column: Any) -> Any:
        kept = buffers.array(f"{name} by cell", (*column.shape[:-1], size), column.dtype)
        # The mode "raise" would buffer it.
        return np.take(column, order, axis=-1, out=kept, mode="clip")

    values = buffers.array("all values by cell", (len(query.values), size))
    for row, column in zip(values, query.values, strict=True):
        np.take(column, order, out=row, mode="clip")
    whole, real = query.room(len(asked))
    arguments: Any = (
        cells.shape, cells.starts, order, ordered("position", position), around,
        query.size * query.size, ordered("ids", query.agents.ids), ordered("flags", query.flags),
        values, ordered("targets", targets), requests, whole, real,
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
class CellIndex:
    shape: Any
    """The number of cells along each coordinate, int64."""
    numbers: Any
    """The number of each agent's cell, int64."""

    @classmethod
    def of(
        cls, position: Any, size: float, around: Sequence[float], most: int, buffers: Buffers
    ) -> CellIndex:
        """Find the cells, at most so many, of agents whose coordinates are in three rows."""
        axes = [axis_of(column, size, a) for column, a in zip(position, around, strict=True)]
        axes = folded(axes, around, most)
        shape = np.array([axis.cells for axis in axes], np.int64)
        widths = np.array([axis.width for axis in axes])
        lowest = np.array([axis.lowest for axis in axes], np.int64)
        numbers = buffers.array("cells", position.shape[1])
        near_kernel.find_cells(position, widths, lowest, shape, FARTHEST, numbers)
        return cls(shape, numbers)


@frozen(eq=False)
class CellOrder:
    shape: Any
    """The number of cells along each coordinate, int64."""
    starts: Any
    """The place in `order` where each cell begins, and the end; int64."""
    order: Any
    """The agents' rows, cell by cell; int64."""

    @classmethod
    def of(cls, position: Any, size: float, around: Sequence[float], buffers: Buffers) -> CellOrder:
        """Sort agents; `position` has three rows, coordinates wrapped where the world wraps."""
        agents = position.shape[1]
        cells = CellIndex.of(position, size, around, 64 + 2 * agents, buffers)
        starts = buffers.array("starts", int(cells.shape.prod()) + 2)
        starts[:] = 0
        order = buffers.array("order", agents)
        near_kernel.sort(cells.numbers, starts, order)
        return cls(cells.shape, starts[:-1], order)

    def cell_of(self, place: int) -> int:
        return int(np.searchsorted(self.starts, place, side="right")) - 1

    @property
    def candidates(self) -> float:
        """The approximate number of agents with which each is compared, on average."""
        inside = np.diff(self.starts).astype(np.float64)
        return float((inside * inside).sum() / max(1, len(self.order)))


def wrap(coordinate: Any, around: float) -> None:
    """Move a coordinate into a world that wraps, from 0 to below its size."""
    if around == inf or not coordinate.size:
        return
    if coordinate.min() >= 0.0 and coordinate.max() < around:
        return
    np.fmod(coordinate, around, out=coordinate)  # it is exact
    np.add(coordinate, around, out=coordinate, where=coordinate < 0.0)
    coordinate[coordinate >= around] = 0.0
