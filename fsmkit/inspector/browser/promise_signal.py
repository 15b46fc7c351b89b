"""PromiseSignal: waits at a breakpoint while the browser goes on; the only file on Pyodide."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from pyodide.ffi import can_run_sync, run_sync


class PromiseSignal:
    """Puts the stack of the waiting call aside, and takes it up again when the signal is given."""

    def __init__(self) -> None:
        self._given = asyncio.Event()

    def set(self) -> None:
        """Give it."""
        self._given.set()

    def clear(self) -> None:
        """Take it back."""
        self._given.clear()

    def wait(self, timeout: float) -> None:
        """Wait until it is given, for at most that many seconds."""
        run_sync(self._wait(timeout))

    async def _wait(self, timeout: float) -> None:
        with suppress(TimeoutError):
            await asyncio.wait_for(self._given.wait(), timeout)


def promise_signal() -> PromiseSignal | None:
    """Return a signal; None if this browser cannot put a stack aside."""
    return PromiseSignal() if can_run_sync() else None
