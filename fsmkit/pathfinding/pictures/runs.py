"""Runs: tiles of one kind that lie side by side, drawn as one line."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from itertools import groupby


def runs_of(rows: Iterable[Sequence[int]], kinds: Collection[int]) -> dict[int, str]:
    """Return, for each of `kinds` that there is, the `d` of an SVG path that draws all its tiles.

    A tile is 1 wide, and so is the line to draw with. Places are relative to the one before, which
    keeps the text short.

    >>> runs_of([[0, 0, 1], [1, 0, 0]], {0})
    {0: 'M0 .5m0 0h2m-1 1h2'}
    """
    pieces: dict[int, list[str]] = {}
    pens: dict[int, tuple[int, int]] = {}
    for y, row in enumerate(rows):
        x = 0
        for kind, run in groupby(row):
            length = sum(1 for _ in run)
            if kind in kinds:
                pen_x, pen_y = pens.get(kind, (0, 0))
                pieces.setdefault(kind, ["M0 .5"]).append(f"m{x - pen_x} {y - pen_y}h{length}")
                pens[kind] = x + length, y
            x += length
    return {kind: "".join(pieces[kind]) for kind in sorted(pieces)}
