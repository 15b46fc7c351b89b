"""Whether there is anything to play on: pygame-ce, and a screen for its window."""

from __future__ import annotations

import os

INSTALL = "Night Guard is drawn with pygame-ce: pip install 'fsmkit[pygame]'."


def obstacle(*, to_a_window: bool = True) -> str:
    """Return what keeps the game from being drawn, in a sentence; nothing if nothing does."""
    try:
        import pygame
    except ImportError as error:
        is_missing = isinstance(error, ModuleNotFoundError) and error.name == "pygame"
        return f"{'pygame-ce is not installed' if is_missing else error}. {INSTALL}"
    if not getattr(pygame, "IS_CE", False):
        return f"The pygame that is installed is not pygame-ce. {INSTALL}"
    if to_a_window and "SDL_VIDEODRIVER" not in os.environ:
        try:
            pygame.display.init()
        except pygame.error as error:
            return f"There is no screen for a window: {error}."
        if pygame.display.get_driver() == "offscreen":  # what SDL takes where there is no other
            return "There is no screen for a window."
    return ""
