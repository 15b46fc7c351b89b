"""Blocks: slices laid out on a line so that none is too small to see."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from attrs import define

from fsmkit.recording.timeline.tracks import Slice

MIN_SHARE: Final = 0.15
"""The least share of a block that a state in it gets."""


@define
class Block:
    """One slice, or several that share a place because there is no room for each."""

    slices: list[Slice]
    start: float
    end: float

    @property
    def is_crowded(self) -> bool:
        """True if it stands for several visits."""
        return len(self.slices) > 1

    def shares(self) -> dict[str, float]:
        """Return state -> its share of the block, from 0 to 1; a state of no duration gets some."""
        seconds: dict[str, float] = {}
        for piece in self.slices:
            spent = seconds.get(piece.visit.state, 0.0)
            seconds[piece.visit.state] = spent + piece.end - piece.start
        least = sum(seconds.values()) * MIN_SHARE or 1.0
        total = sum(max(least, spent) for spent in seconds.values())
        return {state: max(least, spent) / total for state, spent in seconds.items()}


def blocks_of(
    slices: Iterable[Slice], place: Callable[[float], float], least: float
) -> list[Block]:
    """Return blocks in the order of `slices`, which do not overlap; each is at least `least` long.

    `place` maps a time to its place on the line. A slice that is too short takes room from the next
    one. Slices that begin within it join it, so that none is more than `least` away from its place.
    """
    blocks: list[Block] = []
    for piece in slices:
        start, end = place(piece.start), place(piece.end)
        reached = blocks[-1].end if blocks else start
        if end - max(start, reached) >= least:
            blocks.append(Block([piece], max(start, reached), end))
        elif start < reached:
            blocks[-1].slices.append(piece)
            blocks[-1].end = max(end, reached)
        else:
            blocks.append(Block([piece], start, start + least))
    return blocks
