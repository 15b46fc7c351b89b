"""A gamepad that SDL itself makes up: pygame takes it for one that is plugged in."""

import ctypes
from pathlib import Path
from typing import Final

import pygame

from fsmkit.engines.parts.keys import AXES

BUTTONS: Final = (
    "a", "b", "x", "y", "back", "guide", "start",
    "left stick", "right stick", "left shoulder", "right shoulder",
    "dpad up", "dpad down", "dpad left", "dpad right",
)  # fmt: skip
"""In the order of SDL_GameControllerButton."""

A_GAMEPAD: Final = 1
"""SDL_JOYSTICK_TYPE_GAMECONTROLLER."""


def sdl() -> ctypes.CDLL | None:
    """Return the SDL that pygame uses; None where its file is not found."""
    beside = Path(pygame.__file__).parents[1] / "pygame_ce.libs"
    found = sorted(beside.glob("libSDL2-2*"))
    return ctypes.CDLL(str(found[0])) if found else None


class VirtualGamepad:
    """One gamepad, until it is unplugged."""

    def __init__(self) -> None:
        library = sdl()
        assert library is not None
        pygame.joystick.init()
        self._sdl = library
        self._sdl.SDL_JoystickOpen.restype = ctypes.c_void_p
        index = self._sdl.SDL_JoystickAttachVirtual(A_GAMEPAD, len(AXES), len(BUTTONS), 0)
        self._joystick = ctypes.c_void_p(self._sdl.SDL_JoystickOpen(index))
        self.is_plugged_in = True
        self.instance = self._sdl.SDL_JoystickInstanceID(self._joystick)

    def move(self, axis: str, position: float) -> None:
        value = ctypes.c_int16(round(position * 32767))
        self._sdl.SDL_JoystickSetVirtualAxis(self._joystick, AXES.index(axis), value)

    def press(self, button: str, is_down: bool = True) -> None:
        self._sdl.SDL_JoystickSetVirtualButton(self._joystick, BUTTONS.index(button), int(is_down))

    def release(self, button: str) -> None:
        self.press(button, is_down=False)

    def unplug(self) -> None:
        count = pygame.joystick.get_count()
        ids = [self._sdl.SDL_JoystickGetDeviceInstanceID(index) for index in range(count)]
        self._sdl.SDL_JoystickDetachVirtual(ids.index(self.instance))
        self.is_plugged_in = False
