"""A line on the terminal that shows the progress of a command."""

from __future__ import annotations

import sys
from time import monotonic
from typing import Final, Self, TextIO

DELAY: Final = 1.0
"""Seconds before the line appears."""

INTERVAL: Final = 0.1
COLUMNS: Final = 30


class Progress:
    """Shows on `stream`, if it is a terminal, how much of `total` is done.

    Used as a context manager, it removes the line at the end.
    """

    def __init__(self, title: str, total: float, stream: TextIO | None = None) -> None:
        self.title = title
        self.total = total
        self.stream = stream or sys.stderr
        self._is_terminal = self.stream.isatty()
        self._next = monotonic() + DELAY
        self._shown = False

    def show(self, done: float) -> None:
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
