"""Loops that drive machines by the clock of the computer; the rest of fsmkit reads no clock."""

from __future__ import annotations

import time
from collections.abc import Iterator
from math import inf
from typing import Protocol


class Updatable(Protocol):
    """What can be driven: an Fsm, an FsmGroup, or anything else with `update(dt)`."""

    def update(self, dt: float, /) -> None:
        """Let `dt` seconds pass."""


def run(machine: Updatable, fps: float = 60.0, seconds: float | None = None) -> None:
    """Update `machine` `fps` times a second for `seconds` (None: until an exception ends it).

    Each update is handed the seconds that really went by; after a long one the loop goes on from
    there and does not make up for frames. A machine that stops, or a group whose machines have all
    stopped, ends the loop. Raises ValueError unless `fps` and `seconds` are > 0.
    """
    for pause in _frames(machine, fps, seconds):
        time.sleep(pause)


async def run_async(machine: Updatable, fps: float = 60.0, seconds: float | None = None) -> None:
    """The same as `run`, sleeping with asyncio so that other tasks go on meanwhile."""
    import asyncio  # here: it takes longer to import than all of fsmkit

    for pause in _frames(machine, fps, seconds):
        await asyncio.sleep(pause)


def _frames(machine: Updatable, fps: float, seconds: float | None) -> Iterator[float]:
    """Update once per frame; yield the seconds to sleep until the next one."""
    if not 0.0 < fps < inf:
        raise ValueError(f"fps is frames per second, finite and > 0, not {fps!r}.")
    if seconds is not None and not 0.0 < seconds < inf:
        raise ValueError(f"seconds is finite and > 0, or None for no end, not {seconds!r}.")
    last = due = time.monotonic()
    end = inf if seconds is None else last + seconds
    while getattr(machine, "is_running", True):
        now = time.monotonic()
        due = min(max(due + 1.0 / fps, now), end)
        yield max(0.0, due - now)
        now = time.monotonic()
        machine.update(now - last)
        last = now
        if now >= end:
            return
