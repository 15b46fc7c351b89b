"""Functions that numba compiles when they are first called."""

from __future__ import annotations

from typing import Any

from fsmkit.crowd.packages import numba


def compiled(function: Any) -> Any:
    """Compile a function when it is called; it runs without the lock of the interpreter.

    The code is kept on disk, and loaded from there by later programs, where there is a folder
    that can be written to.
    """
    try:
        return numba.njit(nogil=True, cache=True)(function)
    except RuntimeError:  # no folder to keep it in
        return numba.njit(nogil=True)(function)
