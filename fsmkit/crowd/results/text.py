"""A table of results as text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from fsmkit.terminal.console import width

MOST_ROWS: Final = 24
"""The most rows that are shown whole; of more, the first and the last ones."""


def table_text(columns: Mapping[str, Sequence[Any]]) -> str:
    """Return columns as lines of text, numbers with six digits.

    >>> print(table_text({"speed": [0.5, 2.0], "count(Ill)": [12, 3456]}))
    speed  count(Ill)
      0.5          12
        2        3456
    """
    shown = [_cells(name, cells) for name, cells in columns.items()]
    return "\n".join("  ".join(row) for row in zip(*shown, strict=True))


def _cells(name: str, cells: Sequence[Any]) -> list[str]:
    """Return the name and the cells of a column as texts of one width."""
    texts = [name, *map(_text, cells)]
    if len(cells) > MOST_ROWS:
        half = MOST_ROWS // 2
        texts = [*texts[: half + 1], "...", *texts[-half:]]
    most = max(map(width, texts))
    return [" " * (most - width(text)) + text for text in texts]


def _text(cell: Any) -> str:
    return f"{cell:.6g}" if isinstance(cell, float) else str(cell)
