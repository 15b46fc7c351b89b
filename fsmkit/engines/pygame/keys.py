"""Keys, mouse buttons and gamepads of pygame: by name, and by its events."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, Final
from warnings import catch_warnings

import pygame
from attrs import define, field

from fsmkit.core.checks.arguments import shown
from fsmkit.core.words.suggestions import did_you_mean
from fsmkit.engines.parts.keys import AXES, BUTTONS, GamepadKeys, Keys, checked_button

FIRST_KEY: Final = pygame.K_BACKSPACE
"""Smaller numbers are buttons of the mouse."""

FURTHEST: Final = 32767.0
"""pygame's number for an axis at its end."""


def _constant_of(button: str) -> int:
    """Return pygame's number: CONTROLLER_BUTTON_LEFTSTICK, CONTROLLER_BUTTON_DPAD_UP."""
    name = button.replace("dpad ", "dpad_").replace(" ", "").upper()
    return int(getattr(pygame, f"CONTROLLER_BUTTON_{name}"))


BUTTON_NAMES: Final = {_constant_of(button): button for button in BUTTONS}


@define(eq=False)
class Gamepads(GamepadKeys):
    _opened: dict[int, Any] = field(factory=dict, init=False)
    """Instance -> controller: pygame closes one that nothing refers to."""

    def __attrs_post_init__(self) -> None:
        from pygame._sdl2 import controller  # pygame's name for it; not in every build

        super().__attrs_post_init__()
        pygame.joystick.init()  # tells the instance of a controller
        if not controller.get_init():
            controller.init()
            pygame.register_quit(controller.quit)  # pygame.quit() forgets it
        for index in range(controller.get_count()):
            self._open(index)

    def hear(self, event: pygame.event.Event) -> bool:
        if event.type == pygame.CONTROLLERDEVICEADDED:
            self._open(event.device_index)
            return False
        number = self.numbers.get(event.dict.get("instance_id", -1))
        if number is None:
            return False
        match event.type:
            case pygame.CONTROLLERBUTTONDOWN if event.button in BUTTON_NAMES:
                return self.press(number, BUTTON_NAMES[event.button])
            case pygame.CONTROLLERBUTTONUP if event.button in BUTTON_NAMES:
                return self.release(number, BUTTON_NAMES[event.button])
            case pygame.CONTROLLERAXISMOTION if event.axis < len(AXES):
                return self.move(number, AXES[event.axis], max(-1.0, event.value / FURTHEST))
            case pygame.CONTROLLERDEVICEREMOVED:
                self.unplug(event.instance_id)
                del self._opened[event.instance_id]
        return False

    def _open(self, index: int) -> None:
        from pygame._sdl2 import controller

        if controller.is_controller(index):
            pad = controller.Controller(index)
            instance = pad.as_joystick().get_instance_id()
            self._opened[instance] = pad
            self.plug_in(instance)


def passing_on(keys: Keys) -> Callable[[pygame.event.Event], bool]:
    """Return a function that passes pygame's events on; opens gamepads if the keys name any."""
    gamepads = Gamepads(keys) if keys.on_gamepad else None

    def hear(event: pygame.event.Event) -> bool:
        match event.type:
            case pygame.KEYDOWN if event.key >= FIRST_KEY:
                return keys.press(event.key)
            case pygame.KEYUP if event.key >= FIRST_KEY:
                return keys.release(event.key)
            case pygame.MOUSEBUTTONDOWN if event.button < FIRST_KEY:
                return keys.press(event.button)
            case pygame.MOUSEBUTTONUP if event.button < FIRST_KEY:
                return keys.release(event.button)
            case pygame.WINDOWFOCUSLOST:
                keys.release_all()
                return False
        return gamepads is not None and gamepads.hear(event)

    return hear


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
        raise ValueError(f"send_keys: a key must be a number or a name, got {shown(key)}.")
    if key.startswith("gamepad "):
        return checked_button(key)
    try:
        with catch_warnings(action="ignore"):  # that pygame.init() has not been called
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
