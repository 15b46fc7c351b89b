"""The legend of a chart: names in rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

ROW: Final = 22.0
"""The height of a row."""
LETTER_WIDTH: Final = 7.5
"""The approximate width of a letter, in pixels."""
KEY: Final = 38.0
"""The room for the colour before a name, and for the gap after it."""


def legend_rows(names: Sequence[str], width: float) -> list[list[tuple[str, float]]]:
    """Return rows of names, not wider than `width`, each with its distance from the left.

    >>> legend_rows(["Sitting", "Standing"], 150.0)
    [[('Sitting', 0.0)], [('Standing', 0.0)]]
    """
    rows: list[list[tuple[str, float]]] = []
    x = width
    for name in names:
        need = LETTER_WIDTH * len(name) + KEY
        if not rows or x + need > width:
            rows.append([])
            x = 0.0
        rows[-1].append((name, x))
        x += need
    return rows
