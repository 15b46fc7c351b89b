"""Keeps Ctrl-C where Python drops exceptions, such as while numba compiles."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from types import FrameType

from fsmkit.introspection.blocks import block


@block
def interrupts(*signals: signal.Signals) -> Iterator[Callable[[], None]]:
    """Let each of the signals raise KeyboardInterrupt, and yield a function that repeats it.

    An exception in a callback from C is printed and dropped, and numba compiles in such callbacks.
    The function, called once a step, raises KeyboardInterrupt again if a signal has arrived.
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
