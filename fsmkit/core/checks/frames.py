"""Frames: what the call stack tells about a refused call, and about a Ctrl-C."""

from __future__ import annotations

import sys
from sys import _getframe as current_frame
from types import FunctionType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import FrameType


def is_inside(machine: object, acting: object) -> bool:
    """Whether this thread is in a call of `machine`, in which `acting` has a callback running.

    If not, the call comes from another thread.
    """
    frame: FrameType | None = current_frame()
    while frame is not None and _is_of_the_core(frame):
        frame = frame.f_back  # the refused call itself
    while frame is not None:
        wanted = machine if _is_of_the_core(frame) else acting
        if wanted is not None and any(value is wanted for value in frame.f_locals.values()):
            return True
        frame = frame.f_back
    return False


def _is_of_the_core(frame: FrameType) -> bool:
    return frame.f_code.co_filename.startswith(CORE)


CORE = is_inside.__code__.co_filename.rpartition("checks")[0]
"""The folder of the core as its code names it: in a frozen program not as `__file__` does."""


def came_before(function: object) -> bool:
    """Whether the exception being handled, such as a Ctrl-C, came before the call of `function`.

    Then the traceback ends at the frame that handles it, or leads to a signal handler.
    """
    kind, _, traceback = sys.exc_info()
    if kind is None or issubclass(kind, Exception) or traceback is None:
        return False
    inner = traceback.tb_next
    if inner is None or not isinstance(function, FunctionType):
        return inner is None
    return inner.tb_frame.f_code is not function.__code__
