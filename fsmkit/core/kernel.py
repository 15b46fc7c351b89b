"""Loads the kernel: bodies in C for a few methods of the core, where they have been built.

The kernel holds one set of classes, so it serves the interpreter that loads it first. In the
subinterpreters of that process the pure core runs, as it does where there is no kernel.
"""

import os
import sys
import warnings
from types import FunctionType, SimpleNamespace
from typing import Final

from fsmkit.core import action, definition, delayed, fsm, observers, processing, state, visit

NAME: Final = "fsmkit.core._kernel"


def load_kernel() -> bool:
    """Install the kernel; False if it is missing, does not fit, or is disabled by FSMKIT_PURE."""
    if _is_at_work():  # `fsmkit.core` is being reloaded, its classes are not
        return True
    if os.environ.get("FSMKIT_PURE", "") not in {"", "0"}:
        return False
    place = NAME
    try:
        import fsmkit.core._kernel as kernel  # a statement: PyInstaller and its like look for them

        place = kernel.__file__ or place
        modules = (delayed, observers, definition, action, state, visit, processing, fsm)
        core = {name: thing for module in modules for name, thing in vars(module).items()}
        kernel.install(SimpleNamespace(**core))
    except Exception as error:  # any kind: it may have been built for any other version
        if not _is_expected(error):
            warnings.warn(
                f"The kernel {place!r} must fit the Python code of fsmkit beside it, got "
                f"{type(error).__name__}: {error}. The pure core runs in its place. {_advice()}",
                RuntimeWarning,
                stacklevel=1,
            )
        return False
    return True


def _is_at_work() -> bool:
    """Whether the methods of the classes are the kernel's."""
    return type(fsm.Fsm.send_event).__module__ == NAME


def _advice() -> str:
    if getattr(sys, "frozen", False):  # PyInstaller and its like say so
        return (
            "To have the kernel in this program, install fsmkit again where the program is built, "
            "with the Python that builds it, and build it again."
        )
    return (
        "To rebuild the kernel, install fsmkit again: `pip install --force-reinstall ...` or "
        "`uv sync --reinstall-package fsmkit`."
    )


def _is_expected(error: Exception) -> bool:
    """Whether this is normal: no kernel was built, or it serves another interpreter.

    Nor does it fit a core that Nuitka has compiled: its functions are of another type.
    """
    if isinstance(error, ModuleNotFoundError):
        return error.name == NAME
    if type(fsm.Fsm.send_event) is not FunctionType:  # isinstance() is answered by Nuitka
        return True
    # CPython refuses isolated ones, `install` the others; both messages contain this word.
    return isinstance(error, ImportError) and "subinterpreters" in str(error)
