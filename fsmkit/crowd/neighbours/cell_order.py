"""CellOrder: agents sorted into cells, so that those near are in the same or an adjoining cell."""

from __future__ import annotations

from collections.abc import Sequence
from math import floor, inf, isinf
from typing import Any, Final

from attrs import frozen

from fsmkit.crowd.neighbours import near_kernel
from fsmkit.crowd.packages import np

MARGIN: Final = 1.0 + 2.0**-10
"""The width of a cell, as a multiple of the greatest distance.

The little more is for the rounding of quotients up to FARTHEST: no two agents that are near are
two cells apart.
"""

FARTHEST: Final = 2.0**40
"""The number of the last cell; whoever is beyond it is in it as well."""


@frozen
class Axis:
    """The cells along one coordinate.

    There are `cells` of them. Cells that are a multiple of that apart are the same one, so that
    memory depends on the number of agents and not on the size of the world.
    """

    width: float
    lowest: int
    cells: int


def axis_of(column: Any, size: float, around: float) -> Axis:
    """Return the cells that a coordinate needs for agents that see as far as `size`."""
    width = size * MARGIN
    if not isinf(around):
        cells = min(max(1, floor(around / width)), int(FARTHEST))
        return Axis(around / cells, 0, cells)
    lowest, highest = (number(float(each), width) for each in (column.min(), column.max()))
    return Axis(width, lowest, highest - lowest + 1)


def number(coordinate: float, width: float) -> int:
    """Return the number of the cell that a coordinate is in."""
    return floor(min(max(coordinate / width, -FARTHEST), FARTHEST))


def folded(axes: Sequence[Axis], around: Sequence[float], limit: int) -> list[Axis]:
    """Return the axes with so few cells that all together are at most `limit`.

    A world that wraps keeps a whole number of foldings: its cells get a little wider instead.
    """
    counts = [axis.cells for axis in axes]
    while counts[0] * counts[1] * counts[2] > limit:
        longest = counts.index(max(counts))
        counts[longest] = (counts[longest] + 1) // 2
    result = []
    for axis, count, length in zip(axes, counts, around, strict=True):
        width = axis.width
        if not isinf(length):
            width = length / (axis.cells // count * count)
        result.append(Axis(width, axis.lowest, count))
    return result


@frozen(eq=False)
class CellOrder:
    """The agents in the order of their cells."""

    shape: Any
    """The number of cells along each coordinate, int64."""
    starts: Any
    """The place in `order` at which each cell begins, and after it the end; int64."""
    order: Any
    """The agents' rows, cell by cell; int64."""

    @classmethod
    def of(cls, position: Any, size: float, around: Sequence[float]) -> CellOrder:
        """Sort agents; `position` has three rows, wrapped coordinates where the world wraps."""
        agents = position.shape[1]
        axes = [axis_of(column, size, a) for column, a in zip(position, around, strict=True)]
        axes = folded(axes, around, 64 + 2 * agents)
        shape = np.array([axis.cells for axis in axes], np.int64)
        starts = np.zeros(int(shape.prod()) + 2, np.int64)
        cells, order = np.empty(agents, np.int64), np.empty(agents, np.int64)
        near_kernel.sort(
            position,
            np.array([axis.width for axis in axes]),
            np.array([axis.lowest for axis in axes], np.int64),
            shape,
            FARTHEST,
            cells,
            starts,
            order,
        )
        return cls(shape, starts[:-1], order)

    def cell_of(self, place: int) -> int:
        """Return the cell that a place in `order` belongs to."""
        return int(np.searchsorted(self.starts, place, side="right")) - 1

    @property
    def candidates(self) -> float:
        """The approximate number of agents that each is compared with, on average."""
        inside = np.diff(self.starts).astype(np.float64)
        return float((inside * inside).sum() / max(1, len(self.order)))


def wrapped(coordinate: Any, around: float) -> Any:
    """Return a coordinate within a world that wraps, from 0 to before its size."""
    if around == inf or not coordinate.size:
        return coordinate
    if coordinate.min() >= 0.0 and coordinate.max() < around:
        return coordinate
    within = np.fmod(coordinate, around)  # it is exact
    within = np.where(within < 0.0, within + around, within)
    return np.where(within >= around, 0.0, within)
