"""A line on the terminal that shows the progress of a command."""

from __future__ import annotations

import sys
from shutil import get_terminal_size
from time import monotonic
from typing import Final, Self, TextIO

from fsmkit.terminal.console import cut

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
        stream = stream or sys.stderr  # None in a program without a console
        self._terminal = stream if stream is not None and stream.isatty() else None
        self._next = monotonic() + DELAY
        self._shown = False

    def show(self, done: float) -> None:
        if self._terminal is None or monotonic() < self._next:
            return
        self._next = monotonic() + INTERVAL
        share = min(1.0, done / self.total) if self.total else 1.0
        bar = f"  [{'#' * round(share * COLUMNS):{COLUMNS}}] {share:4.0%}"
        room = get_terminal_size().columns - len(bar) - 1  # what wraps could not be removed
        self._terminal.write(f"\r{cut(self.title, room)}{bar}")
        self._terminal.flush()
        self._shown = True

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        if self._terminal is not None and self._shown:
            self._terminal.write("\r\033[K")
            self._terminal.flush()
