"""Loads the kernel: bodies in C for a few methods of the core, where they have been built."""

import os
import warnings
from importlib import import_module
from types import SimpleNamespace

from fsmkit.core import deciding, definition, fsm, processing, visit


def load_kernel() -> bool:
    """Put the kernel to work; False without one, with one that does not fit, or by FSMKIT_PURE."""
    if os.environ.get("FSMKIT_PURE", "") not in {"", "0"}:
        return False
    place = name = "fsmkit.core._kernel"
    try:
        kernel = import_module(name)
        place = kernel.__file__ or place
        modules = (visit, deciding, definition, processing, fsm)
        core = {name: thing for module in modules for name, thing in vars(module).items()}
        kernel.install(SimpleNamespace(**core))
    except Exception as error:  # of whatever kind: it may have been built for any other version
        if not (isinstance(error, ModuleNotFoundError) and error.name == name):
            warnings.warn(
                f"The kernel {place!r} must fit the Python code of fsmkit beside it, got "
                f"{type(error).__name__}: {error}. The pure core runs in its place. To rebuild the "
                "kernel, install fsmkit again: `pip install --force-reinstall ...` or "
                "`uv sync --reinstall-package fsmkit`.",
                RuntimeWarning,
                stacklevel=1,
            )
        return False
    return True
