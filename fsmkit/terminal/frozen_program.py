"""Whether this is a program with a Python of its own, as PyInstaller and Nuitka make them."""

import sys


def is_frozen() -> bool:
    """Return True in such a program: `sys.executable` is the program, and nothing is installed."""
    return bool(getattr(sys, "frozen", False)) or "__compiled__" in globals()
