"""A line on the terminal that shows the progress of a command, and a word about what takes long."""

from __future__ import annotations

import sys
from collections.abc import Callable
from shutil import get_terminal_size
from threading import Event, Thread
from time import monotonic
from typing import Final, Self, TextIO

from fsmkit.terminal.console import cut

DELAY: Final = 1.0
"""Seconds before anything appears."""

INTERVAL: Final = 0.1
COLUMNS: Final = 30


class Progress:
    """Shows on `stream`, if it is a terminal, how much of `total` is done; without one, the title.

    Used as a context manager, it removes the line at the end.
    """

    def __init__(
        self, title: str, total: float | None = None, stream: TextIO | None = None
    ) -> None:
        self.title = title
        self.total = total
        stream = stream or sys.stderr  # None in a program without a console
        self._terminal = stream if stream is not None and stream.isatty() else None
        self._next = monotonic() + DELAY
        self._shown = False

    def show(self, done: float = 0.0) -> None:
        if self._terminal is None or monotonic() < self._next:
            return
        self._next = monotonic() + INTERVAL
        bar = "" if self.total is None else _bar(done, self.total)
        room = get_terminal_size().columns - len(bar) - 1  # what wraps could not be removed
        self._terminal.write(f"\r{cut(self.title, room)}{bar}")
        self._terminal.flush()
        self._shown = True

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.clear()

    def clear(self) -> None:
        """Remove the line, until it is shown again."""
        if self._terminal is not None and self._shown:
            self._terminal.write("\r\033[K")
            self._terminal.flush()
            self._shown = False


def _bar(done: float, total: float) -> str:
    share = min(1.0, done / total) if total else 1.0
    return f"  [{'#' * round(share * COLUMNS):{COLUMNS}}] {share:4.0%}"


class Overdue:
    """A block; if it takes longer than DELAY seconds, another thread calls `notice`.

    It calls it again, as long after, where it has returned False.
    """

    def __init__(self, notice: Callable[[], bool | None]) -> None:
        self._notice = notice
        self._is_over = Event()
        self._thread = Thread(target=self._wait, daemon=True)

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(self, *_error: object) -> None:
        self._is_over.set()
        self._thread.join()  # so that a notice that has begun is complete

    def _wait(self) -> None:
        while not self._is_over.wait(DELAY) and self._notice() is False:
            pass
