"""The ShowBase of the game, and the focus of its window."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any

from direct.showbase.DirectObject import DirectObject


def game(or_else: str = "") -> Any:
    """Return the ShowBase; RuntimeError without one, with what there is to do `or_else`."""
    base = getattr(builtins, "base", None)
    if base is None:
        raise RuntimeError(f"There is no ShowBase yet. Create it first{or_else}.")
    return base


def when_focus_is_lost(listener: DirectObject, call: Callable[[], object]) -> None:
    """Have `listener` call a function whenever the game's window loses the keyboard."""

    def notice(window: Any) -> None:
        if window == game().win and not window.getProperties().getForeground():
            call()

    listener.accept("window-event", notice)
