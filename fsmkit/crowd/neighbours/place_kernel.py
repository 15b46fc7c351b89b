"""Counting at places, compiled: each function is one pass over the agents.

`columns` are the numbers of the agents' places, and `first` is that of the first column of a table.
An agent weighs `table[code + 1]`: 1 if it counts, otherwise 0. Indices are unsigned, so that no
negative ones are looked for, which took longer than the counting.
"""

from __future__ import annotations

from typing import Any

from fsmkit.crowd.compiled_function import compiled
from fsmkit.crowd.packages import np


@compiled
def limits(places: Any) -> tuple[int, int]:
    """Return the lowest and the highest number."""
    lowest = highest = places[0]
    for i in range(places.size):
        lowest, highest = min(lowest, places[i]), max(highest, places[i])
    return lowest, highest


@compiled
def count(columns: Any, first: int, codes: Any, table: Any, counts: Any) -> None:
    """Add each agent to the column of its place."""
    for i in range(columns.size):
        weight = table[np.uint64(np.int64(codes[i]) + 1)]
        counts[np.uint64(columns[i] - first)] += weight


@compiled
def add_up(
    columns: Any, first: int, codes: Any, table: Any, values: Any, totals: Any
) -> None:  # fmt: skip
    """Add the value of each agent that counts to the column of its place."""
    for i in range(columns.size):
        weight = table[np.uint64(np.int64(codes[i]) + 1)]
        totals[np.uint64(columns[i] - first)] += weight * values[i]


@compiled
def others(
    columns: Any, first: int, codes: Any, table: Any, counts: Any, found: Any
) -> None:  # fmt: skip
    """Write how many others count at the place of each agent."""
    for i in range(columns.size):
        weight = table[np.uint64(np.int64(codes[i]) + 1)]
        found[i] = counts[np.uint64(columns[i] - first)] - weight


@compiled
def of_others(
    columns: Any, first: int, codes: Any, table: Any, values: Any, totals: Any, found: Any
) -> None:  # fmt: skip
    """Write the sum of the values of the others that count at the place of each agent."""
    for i in range(columns.size):
        weight = table[np.uint64(np.int64(codes[i]) + 1)]
        found[i] = totals[np.uint64(columns[i] - first)] - weight * values[i]


@compiled
def mean_of_others(
    columns: Any, first: int, codes: Any, table: Any, values: Any, counts: Any, totals: Any,
    down: float, more_down: float, otherwise: float, found: Any,
) -> None:  # fmt: skip
    """Write their mean, as a number again."""
    for i in range(columns.size):
        weight = table[np.uint64(np.int64(codes[i]) + 1)]
        place = np.uint64(columns[i] - first)
        number = counts[place] - weight
        mean = otherwise
        if number > 0:
            total = totals[place] - weight * values[i]
            mean = float(total) / float(number) * down * more_down
        found[i] = mean
