"""String pulling on the indices of a terrain; numba compiles the same text where it is there."""

from __future__ import annotations

from typing import Any


def pull(costs: Any, stride: int, way: Any, corners: Any, limits: Any) -> int:  # noqa: C901, PLR0912  # one piece, for numba
    """Write the places on `way` at which it really has to turn into `corners`; return how many.

    `costs` are those of a terrain and `way` indices in it. `limits` gets the cost of the cheapest
    tile between each corner and the one before it. From a corner it looks ahead twice as far each
    time, until the straight line is not free, and then between: so it takes time in proportion to
    the length of the way, but for a logarithm.
    """
    number = here = 0
    while here < len(way) - 1:
        free, limit = here + 1, costs[way[here + 1]]
        step = way[free] - way[here]
        if abs(step) in (1, stride):  # along a row or a column the line crosses the way alone
            while (
                free + 1 < len(way)
                and way[free + 1] - way[free] == step
                and costs[way[free + 1]] == limit
            ):
                free += 1
        blocked, reach = len(way), 1
        while free + 1 < blocked:
            # Look ahead, or between what is free and what is blocked.
            probe = free + reach if blocked == len(way) else (free + blocked) // 2
            if probe >= blocked:
                probe = blocked - 1
            least = limit
            for place in range(free + 1, probe + 1):
                least = min(least, costs[way[place]])
            # Walk along the line, from one tile to the next that it crosses.
            index, end = way[here], way[probe]
            columns, rows = end % stride - index % stride, end // stride - index // stride
            aside = 1 if columns > 0 else -1
            ahead = stride if rows > 0 else -stride
            columns, rows = abs(columns), abs(rows)
            lead = rows - columns  # the sign says which edge comes next: a column's if negative
            is_free = True
            while index != end and is_free:
                is_corner = lead == 0
                if is_corner:
                    is_free = (
                        0.0 < costs[index + aside] <= least and 0.0 < costs[index + ahead] <= least
                    )
                if lead <= 0:
                    index += aside
                    lead += 2 * rows
                    if is_corner:
                        index += ahead
                        lead -= 2 * columns
                else:
                    index += ahead
                    lead -= 2 * columns
                is_free = is_free and 0.0 < costs[index] <= least
            if is_free:
                free, limit = probe, least
                reach *= 2
            else:
                blocked = probe
        corners[number], limits[number] = free, limit
        number += 1
        here = free
    return number
