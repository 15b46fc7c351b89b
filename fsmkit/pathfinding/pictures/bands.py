"""Bands: costs in groups, each with a shade or a letter of its own."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from math import ceil, floor, log10

from attrs import frozen

from fsmkit.pathfinding.pictures.content import number_text


@frozen
class Band:
    """The costs from the least to the most, both included."""

    least: float
    most: float

    def __str__(self) -> str:
        least, most = number_text(self.least), number_text(self.most)
        return least if least == most else f"{least} to {most}"


def bands_of(costs: Iterable[float], most: int) -> list[Band]:
    """Return a band for each cost; of many costs, `most` bands with about as many costs in each.

    >>> [str(band) for band in bands_of([3.0, 1.0, 2.0, 7.0], most=3)]
    ['1', '2', '3 to 7']
    """
    known = sorted(set(costs))
    count = min(most, len(known))
    ends = [len(known) * n // count for n in range(count + 1)] if count else []
    return [Band(known[start], known[end - 1]) for start, end in pairwise(ends)]


def equal_bands(costs: Iterable[float], most: int) -> list[Band]:
    """Return a band for each cost; of many costs, at most `most` bands of equal, round widths.

    >>> [str(band) for band in equal_bands([0.0, 1.0, 1.5, 7.1], most=3)]
    ['0 to 5', '5 to 10']
    """
    known = sorted(set(costs))
    if len(known) <= most:
        return [Band(cost, cost) for cost in known]
    least, largest = known[0], known[-1]
    step = next(
        step
        for step in _round_numbers((largest - least) / most)
        if ceil(largest / step) - floor(least / step) <= most
    )
    ends = [step * number for number in range(floor(least / step), ceil(largest / step) + 1)]
    ends[0], ends[-1] = min(ends[0], least), max(ends[-1], largest)  # as floats are
    return [Band(start, end) for start, end in pairwise(ends)]


def _round_numbers(least: float) -> Iterator[float]:
    """Yield 1, 2, 5, 10, 20 and so on, or fractions of these, from about `least` on."""
    exponent = floor(log10(least))
    while True:
        yield from (
            digit * 10.0**exponent for digit in (1, 2, 5) if digit * 10.0**exponent >= least
        )
        exponent += 1


def numbered(rows: Sequence[Sequence[float]], bands: Sequence[Band]) -> list[list[int]]:
    """Return the number of the band of every cost; one more than there are for infinity."""
    ends = [band.most for band in bands]
    numbers = {cost: bisect_left(ends, cost) for cost in {cost for row in rows for cost in row}}
    return [[numbers[cost] for cost in row] for row in rows]
