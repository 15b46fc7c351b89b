"""Signal: how a loop that is held at a breakpoint waits for the requests of pages."""

from __future__ import annotations

from typing import Protocol


class Signal(Protocol):
    """Given by pages, awaited by the loop; `threading.Event` is one."""

    def set(self) -> None:
        """Give it."""

    def clear(self) -> None:
        """Take it back."""

    def wait(self, timeout: float) -> object:
        """Wait until it is given, for at most that many seconds."""
