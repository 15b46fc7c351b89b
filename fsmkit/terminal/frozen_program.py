"""Whether other processes can run this Python, and the environment that they need.

They cannot where a program has a Python of its own, as PyInstaller and Nuitka make them.
"""

import os
import sys
from pathlib import Path


def is_frozen() -> bool:
    """Return True in such a program: `sys.executable` is the program, and nothing is installed."""
    return bool(getattr(sys, "frozen", False)) or "__compiled__" in globals()


def environment() -> dict[str, str]:
    """Return the environment for a process that must find the same packages as this one."""
    folders = [each or str(Path.cwd()) for each in sys.path]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(folders)}
