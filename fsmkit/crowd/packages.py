"""The optional packages of a crowd, numpy and numba: imported here and nowhere else."""

from __future__ import annotations

try:
    import numba
    import numpy as np
except ImportError as error:
    raise ImportError("A crowd needs numpy and numba: pip install 'fsmkit[crowd]'.") from error

__all__ = ["np", "numba"]
