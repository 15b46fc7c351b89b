"""Text that stays on its line, of anything."""

from __future__ import annotations

from io import StringIO
from typing import Final

from fsmkit.console import Console

PAPER: Final = Console(StringIO(), environment={})
"""A console that can write everything, without colours."""


def printable(text: str) -> str:
    r"""`text` with `\n` and the like for what cannot be seen."""
    return PAPER.shown(text)


def described(value: object) -> str:
    """What can be said of `value`; of one whose `__repr__` fails, of what class it is."""
    try:
        return repr(value)
    except Exception:
        return f"<{type(value).__name__}>"
