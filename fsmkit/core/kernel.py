"""Loads the kernel: C bodies for a few methods of the core, where it has been built."""

import os
import warnings
from importlib import import_module

from fsmkit.core import fsm as helpers
from fsmkit.core.action import FsmAction
from fsmkit.core.fsm import Fsm
from fsmkit.core.state import FsmState
from fsmkit.core.visit import Visit

KERNEL = "fsmkit.core._kernel"


def load_kernel() -> bool:
    """Put the kernel to work; False if there is none, it does not fit, or FSMKIT_PURE is set."""
    if os.environ.get("FSMKIT_PURE", "0") not in {"", "0"}:
        return False
    place = KERNEL
    try:
        kernel = import_module(KERNEL)
        place = getattr(kernel, "__file__", None) or place
        kernel.install(Fsm, FsmState, FsmAction, Visit, helpers)
    except Exception as error:  # it may be of any version, or no kernel at all
        if isinstance(error, ModuleNotFoundError) and error.name == KERNEL:
            return False
        warnings.warn(
            f"{place} must be built from the fsmkit beside it, got {error!r}. The pure core runs "
            "instead. Rebuild it: `pip install --force-reinstall` or "
            "`uv sync --reinstall-package fsmkit`.", RuntimeWarning, stacklevel=2)  # fmt: skip
        return False
    return True
