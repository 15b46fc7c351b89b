"""The nearest on a line, ahead or behind: the car in front."""

from __future__ import annotations

from math import inf
from typing import Any

from fsmkit.crowd.neighbours.agents import Agents
from fsmkit.crowd.packages import np


def on_line(
    agents: Agents, position: Any, chosen: Any, side: int, around: float
) -> tuple[Any, Any]:
    """Return the row of the next agent of `chosen`, a mask, for each, and the distance to it.

    Agents are in the order of their position, those at the same one in that of their ids. The next
    one of the last is the first if the line is a ring of the length `around`. The row is -1 and the
    distance infinite where there is none.
    """
    if not len(agents):
        return np.empty(0, np.int64), np.empty(0)
    order = _order(agents.ids, position)
    counts = chosen[order]
    places = np.flatnonzero(counts)
    if not places.size:
        return np.full(len(agents), -1), np.full(len(agents), inf)
    passed = np.cumsum(counts)
    number = passed if side > 0 else passed - counts - 1
    is_beyond = (number == places.size) | (number < 0)
    other = order[places[number % places.size]]
    distance = (position[other] - position[order]) * side
    distance[is_beyond] += around
    distance += 0.0  # no minus zero
    nobody = (other == order) | np.isinf(distance)
    who, way = np.empty_like(other), np.empty_like(distance)
    who[order] = np.where(nobody, -1, other)
    way[order] = np.where(nobody, inf, distance)
    return who, way


def _order(ids: Any, position: Any) -> Any:
    """Return the rows in the order of position and id."""
    if (ids[1:] > ids[:-1]).all():  # as they always are in one crowd
        return np.argsort(position, kind="stable")
    return np.lexsort((ids, position))
