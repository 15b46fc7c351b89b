"""PromiseSignal: waits at a breakpoint while the browser goes on; the only file on Pyodide."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress


class PromiseSignal:
    """Puts the stack of the waiting call aside, and takes it up again when the signal is given.

    `run_sync`, of Pyodide, returns when what it is given has come to its end.
    """

    def __init__(self, run_sync: Callable[[Awaitable[None]], object]) -> None:
        self._run_sync = run_sync
        self._given = asyncio.Event()

    def set(self) -> None:
        """Give it."""
        self._given.set()

    def clear(self) -> None:
        """Take it back."""
        self._given.clear()

    def wait(self, timeout: float) -> None:
        """Wait until it is given, for at most that many seconds."""
        self._run_sync(self._wait(timeout))

    async def _wait(self, timeout: float) -> None:
        with suppress(TimeoutError):
            await asyncio.wait_for(self._given.wait(), timeout)


def promise_signal() -> PromiseSignal | None:
    """Return a signal; None if this browser cannot put a stack aside."""
    from pyodide.ffi import can_run_sync, run_sync  # here: elsewhere there is no such package

    return PromiseSignal(run_sync) if can_run_sync() else None
