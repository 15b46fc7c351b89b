"""Blocks: slices laid out on a line so that none is too small to be seen."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from attrs import define

from fsmkit.recording.timeline.tracks import Slice

LEAST_SHARE: Final = 0.15
"""What a state in a block gets at least, as a share of all the time in it."""


@define
class Block:
    """One slice, or several that share a place because there is none for each of them."""

    slices: list[Slice]
    start: float
    end: float

    @property
    def is_crowded(self) -> bool:
        """Whether it stands for several visits."""
        return len(self.slices) > 1

    def shares(self) -> dict[str, float]:
        """State -> its share of the block, from 0 to 1; what took no time has a little as well."""
        seconds: dict[str, float] = {}
        for piece in self.slices:
            spent = seconds.get(piece.visit.state, 0.0)
            seconds[piece.visit.state] = spent + piece.end - piece.start
        least = sum(seconds.values()) * LEAST_SHARE or 1.0
        total = sum(max(least, spent) for spent in seconds.values())
        return {state: max(least, spent) / total for state, spent in seconds.items()}


def blocks_of(
    slices: Iterable[Slice], place: Callable[[float], float], least: float
) -> list[Block]:
    """Blocks in the order of `slices`, which do not overlap; each is at least `least` long.

    `place` says where a time is on the line. A slice that is too short gets the room it needs from
    the one behind it. Slices that begin where it still stands join it, so that none is more than
    `least` away from its place.
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
