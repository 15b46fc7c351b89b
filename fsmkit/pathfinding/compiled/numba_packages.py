"""The optional packages of a compiled grid, numpy and numba: imported here and nowhere else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

try:
    import numba
    import numpy as np
except ModuleNotFoundError as error:
    raise ImportError(
        "A compiled Grid needs numpy and numba: pip install 'fsmkit[crowd]'."
    ) from error
except Exception as error:  # of any kind, where numba and numpy do not match
    raise ImportError(f"A compiled Grid needs numba, which does not load here: {error}") from error

if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]  # made of environment variables
    raise ImportError("A compiled Grid needs numba to compile: NUMBA_DISABLE_JIT is set.")

__all__ = ["compiled", "np", "numba"]


def compiled(signature: Any) -> Callable[[Any], Any]:
    """Return a decorator that compiles a function, for arguments of these types.

    The code is kept on disk, and loaded from there by later programs, where there is a folder
    that can be written to. It runs without the lock of the interpreter.
    """

    def compile_function(function: Any) -> Any:
        try:
            return numba.njit(signature, nogil=True, cache=True)(function)
        except RuntimeError:  # no folder to keep it in
            return numba.njit(signature, nogil=True)(function)

    return compile_function
