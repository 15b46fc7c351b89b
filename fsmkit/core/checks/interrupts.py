"""Interrupts: whether a Ctrl-C came before a callback or within it."""

from __future__ import annotations

import sys
from types import FunctionType


def came_before(function: object) -> bool:
    """Whether what is being handled, a Ctrl-C or the like, came before the call of `function`.

    Then the traceback leads from the frame that handles it to nowhere, or to a signal handler.
    """
    kind, _, traceback = sys.exc_info()
    if kind is None or issubclass(kind, Exception) or traceback is None:
        return False
    inner = traceback.tb_next
    if inner is None or not isinstance(function, FunctionType):
        return inner is None
    return inner.tb_frame.f_code is not function.__code__
