"""Progress: a line that says how far a command has got, for those who wait at a terminal."""

from __future__ import annotations

import sys
from time import monotonic
from typing import Final, Self, TextIO

PATIENCE: Final = 1.0
"""Seconds that may pass before there is anything to see."""

INTERVAL: Final = 0.1
COLUMNS: Final = 30


class Progress:
    """Shows on `stream`, if it is a terminal, how much of `total` is done.

    With `with` around the work the line is gone in the end.
    """

    def __init__(self, title: str, total: float, stream: TextIO | None = None) -> None:
        self.title = title
        self.total = total
        self.stream = stream or sys.stderr
        self._is_terminal = self.stream.isatty()
        self._next = monotonic() + PATIENCE
        self._shown = False

    def show(self, done: float) -> None:
        """Say that so much is done."""
        if not self._is_terminal or monotonic() < self._next:
            return
        self._next = monotonic() + INTERVAL
        share = min(1.0, done / self.total) if self.total else 1.0
        bar = "#" * round(share * COLUMNS)
        self.stream.write(f"\r{self.title}  [{bar:{COLUMNS}}] {share:4.0%}")
        self.stream.flush()
        self._shown = True

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        if self._shown:
            self.stream.write("\r\033[K")
            self.stream.flush()
