"""Keys of pygame: as the user writes them, and as its events have them."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, Final
from warnings import catch_warnings

import pygame
from attrs import define, field

from fsmkit.core.words.suggestions import did_you_mean
from fsmkit.engines.parts.gamepad import checked_button
from fsmkit.engines.parts.keys import Keys
from fsmkit.engines.pygame.gamepads import Gamepads

FIRST_KEY: Final = pygame.K_BACKSPACE
"""Smaller numbers are buttons of the mouse."""


@define(eq=False)
class KeyEvents:
    """Tells `keys` of the events of pygame; opens gamepads if one of them asks for that."""

    keys: Keys
    _gamepads: Gamepads | None = field(init=False)

    def __attrs_post_init__(self) -> None:
        self._gamepads = Gamepads(self.keys) if self.keys.on_gamepad else None

    def hear(self, event: pygame.event.Event) -> bool:
        """Note an event of pygame; return True if it was one of the keys."""
        match event.type:
            case pygame.KEYDOWN if event.key >= FIRST_KEY:
                return self.keys.press(event.key)
            case pygame.KEYUP if event.key >= FIRST_KEY:
                return self.keys.release(event.key)
            case pygame.MOUSEBUTTONDOWN if event.button < FIRST_KEY:
                return self.keys.press(event.button)
            case pygame.MOUSEBUTTONUP if event.button < FIRST_KEY:
                return self.keys.release(event.button)
            case pygame.WINDOWFOCUSLOST:
                self.keys.release_all()
                return False
        return self._gamepads is not None and self._gamepads.hear(event)


def own_key(key: Any) -> Hashable:
    """Return the number of pygame for a key, or the name for a button of a gamepad.

    >>> own_key("left") == own_key(pygame.K_LEFT) == pygame.K_LEFT
    True
    >>> own_key("gamepad a")
    'gamepad a'
    """
    if isinstance(key, int):
        return key
    if not isinstance(key, str):
        raise ValueError(f"send_keys: a key must be a number or a name, got {key!r}.")
    if key.startswith("gamepad "):
        return checked_button(key)
    try:
        with catch_warnings(action="ignore"):  # they say that pygame.init() is still to come
            return pygame.key.key_code(key)
    except ValueError:
        raise ValueError(
            f"send_keys: pygame has no key {key!r}. {did_you_mean(key, _names())}Names are those "
            "of pygame.key.name, such as 'left shift', numbers such as pygame.K_LSHIFT, or those "
            "of a gamepad, such as 'gamepad a'."
        ) from None


def _names() -> list[str]:
    numbers = [number for name, number in vars(pygame).items() if name.startswith("K_")]
    with catch_warnings(action="ignore"):
        return list(filter(None, map(pygame.key.name, numbers)))
