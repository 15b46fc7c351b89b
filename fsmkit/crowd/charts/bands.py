"""Bands: stacked numbers over time, and the times that are worth drawing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from attrs import frozen

from fsmkit.svg.theme import PALETTE


@frozen
class Band:
    """The area of one name: its lower and upper edge over time."""

    name: str
    number: int
    low: Sequence[int]
    high: Sequence[int]

    @property
    def fill(self) -> str:
        """The class of its colour."""
        return f"fill-{self.number % len(PALETTE)}"

    def visible_ranges(self) -> Iterator[range]:
        """Yield the ranges where it is not empty, with a neighbour on either side."""
        begin: int | None = None
        for i, (low, high) in enumerate(zip(self.low, self.high, strict=True)):
            if high > low and begin is None:
                begin = max(0, i - 1)
            elif high == low and begin is not None:
                yield range(begin, i + 1)
                begin = None
        if begin is not None:
            yield range(begin, len(self.low))


def bands_of(counts: Mapping[str, Sequence[int]]) -> Iterator[Band]:
    """Yield the areas of `counts`, from the bottom up."""
    low: Sequence[int] = [0] * max(map(len, counts.values()), default=0)
    for number, (name, column) in enumerate(counts.items()):
        high = [below + count for below, count in zip(low, column, strict=True)]
        yield Band(name, number, low, high)
        low = high


def one_for_each_pixel(times: Sequence[float], pixels: float) -> list[int]:
    """Return the indices of the times to draw: the first, the last, and about one a pixel."""
    if not times:
        return []
    gap = (times[-1] - times[0]) / pixels
    chosen = [0]
    for i, time in enumerate(times):
        if time - times[chosen[-1]] >= gap and i:
            chosen.append(i)
    return chosen if chosen[-1] == len(times) - 1 else [*chosen, len(times) - 1]
