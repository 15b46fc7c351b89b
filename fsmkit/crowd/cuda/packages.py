"""numba-cuda, the optional package of a crowd on a GPU: imported here and nowhere else."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

from numba import cuda as numbas_cuda
from numba.core.errors import NumbaPerformanceWarning

from fsmkit.crowd.errors import CrowdError

if find_spec("numba_cuda") is None:  # numba alone has an older one
    raise ImportError("A crowd on a GPU needs numba-cuda: pip install 'fsmkit[cuda]'.")

cuda: Any = numbas_cuda
"""`numba.cuda`, which numba-cuda replaces."""

__all__ = ["NumbaPerformanceWarning", "check_card", "cuda", "is_simulated"]


def is_simulated() -> bool:
    """Return True if numba simulates the card: NUMBA_ENABLE_CUDASIM was 1 when it was imported."""
    return "simulator" in cuda.to_device.__module__


def check_card() -> None:
    """Raise CrowdError unless there is a card with CUDA that can be used."""
    if cuda.is_available():
        return
    raise CrowdError(
        'target="cuda" needs an NVIDIA card with its driver, and numba finds none: '
        f"{_reason()}. Leave target out to run on the processor, or try it without a card in the "
        "simulator, which is slow: set NUMBA_ENABLE_CUDASIM=1 before Python starts. "
        "`python -m numba -s` shows what numba finds."
    )


def _reason() -> str:
    """Return why there is none, in one line."""
    lines = str(cuda.cuda_error() or "no card").strip().splitlines()
    return " ".join(line.strip() for line in lines if line.strip(" :")).rstrip(".:")
