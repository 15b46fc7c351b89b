"""Threads: whether a call that is refused comes from inside the machine or from another thread."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import FrameType

CORE = Path(__file__).parents[1]


def is_inside(machine: object, acting: object) -> bool:
    """Whether this thread is the one that is in a call of `machine`, where `acting` is called."""
    frame: FrameType | None = sys._getframe()
    while frame is not None and _is_of_the_core(frame):
        frame = frame.f_back  # the refused call itself
    while frame is not None:
        wanted = machine if _is_of_the_core(frame) else acting
        if wanted is not None and any(value is wanted for value in frame.f_locals.values()):
            return True
        frame = frame.f_back
    return False


def _is_of_the_core(frame: FrameType) -> bool:
    return CORE in Path(frame.f_code.co_filename).parents
