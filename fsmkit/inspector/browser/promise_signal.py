"""PromiseSignal: waits at a breakpoint while the browser goes on; the only file on Pyodide."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable


class PromiseSignal:
    """Puts the stack of the waiting call aside, and takes it up again when the signal is given.

    `run_sync`, of Pyodide, returns when what it is given has come to its end.
    """

    def __init__(self, run_sync: Callable[[Awaitable[None]], object]) -> None:
        self._run_sync = run_sync
        self._is_given = False
        self._waiting: asyncio.Future[None] | None = None

    def set(self) -> None:
        """Give it."""
        self._is_given = True
        self._end_waiting()

    def clear(self) -> None:
        """Take it back."""
        self._is_given = False

    def wait(self, timeout: float) -> None:
        """Wait until it is given, for at most that many seconds."""
        if not self._is_given:
            self._run_sync(self._wait(timeout))

    async def _wait(self, timeout: float) -> None:
        # Not asyncio.wait_for: on a busy computer its timer may begin in the past, which Pyodide's
        # event loop refuses.
        loop = asyncio.get_running_loop()
        self._waiting = loop.create_future()
        timer = loop.call_later(timeout, self._end_waiting)
        await self._waiting
        timer.cancel()

    def _end_waiting(self) -> None:
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_result(None)


def promise_signal() -> PromiseSignal | None:
    """Return a signal; None if this browser cannot put a stack aside."""
    from pyodide.ffi import (  # pyright: ignore[reportMissingImports]  # only there it exists
        can_run_sync,
        run_sync,
    )

    return PromiseSignal(run_sync) if can_run_sync() else None
