"""The optional packages of a crowd, numpy and numba: imported here and nowhere else."""

from __future__ import annotations

from typing import Any


def compiled(function: Any) -> Any:
    """Compile a function when it is called; it runs without the lock of the interpreter.

    The code is kept on disk, and loaded from there by later programs, where there is a folder
    that can be written to.
    """
    try:
        return numba.njit(nogil=True, cache=True)(function)
    except RuntimeError:  # no folder to keep it in
        return numba.njit(nogil=True)(function)


try:
    import numba
    import numpy as np
except ImportError as error:
    raise ImportError("A crowd needs numpy and numba: pip install 'fsmkit[crowd]'.") from error

__all__ = ["np", "numba"]
