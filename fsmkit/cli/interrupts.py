"""Ctrl-C that is not lost where Python drops exceptions, as while numba compiles."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from types import FrameType

from fsmkit.tooling.blocks import block


@block
def interrupts(*signals: signal.Signals) -> Iterator[Callable[[], None]]:
    """Have each of the signals raise KeyboardInterrupt, and yield a function that asks for it.

    What is raised in a callback from C, and numba compiles in such callbacks, is printed and
    forgotten. The function, called once a step, raises KeyboardInterrupt if one has been raised.
    """
    interrupted = False

    def interrupt(_number: int, _frame: FrameType | None) -> None:
        nonlocal interrupted
        interrupted = True
        raise KeyboardInterrupt

    def check() -> None:
        if interrupted:
            raise KeyboardInterrupt

    before = {each: signal.signal(each, interrupt) for each in signals}
    try:
        yield check
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)
