"""Gamepads of pygame: their buttons and axes by name, whichever are plugged in."""

from __future__ import annotations

from itertools import count
from typing import Any, Final

import pygame
from attrs import define, field

from fsmkit.engines.parts.gamepad import AXES, BUTTONS, names_of
from fsmkit.engines.parts.keys import Keys

FURTHEST: Final = 32767.0
"""The number of pygame for an axis at its end."""

NAMES: Final = {
    pygame.CONTROLLER_BUTTON_A: "a",
    pygame.CONTROLLER_BUTTON_B: "b",
    pygame.CONTROLLER_BUTTON_X: "x",
    pygame.CONTROLLER_BUTTON_Y: "y",
    pygame.CONTROLLER_BUTTON_BACK: "back",
    pygame.CONTROLLER_BUTTON_START: "start",
    pygame.CONTROLLER_BUTTON_GUIDE: "guide",
    pygame.CONTROLLER_BUTTON_LEFTSHOULDER: "left shoulder",
    pygame.CONTROLLER_BUTTON_RIGHTSHOULDER: "right shoulder",
    pygame.CONTROLLER_BUTTON_LEFTSTICK: "left stick",
    pygame.CONTROLLER_BUTTON_RIGHTSTICK: "right stick",
    pygame.CONTROLLER_BUTTON_DPAD_UP: "dpad up",
    pygame.CONTROLLER_BUTTON_DPAD_DOWN: "dpad down",
    pygame.CONTROLLER_BUTTON_DPAD_LEFT: "dpad left",
    pygame.CONTROLLER_BUTTON_DPAD_RIGHT: "dpad right",
}
"""Button of SDL -> its name."""


@define(eq=False)
class Gamepads:
    """The gamepads that are plugged in, now or later: tells `keys` what happens on them.

    They are numbered from 1; one that is plugged in gets the lowest number that is free. A name
    without a number is that of all of them: it goes down with the first button and up with the
    last, and of several sticks the one counts that is furthest from its middle.
    """

    keys: Keys
    _opened: dict[int, Any] = field(factory=dict, init=False)
    """Instance -> controller: pygame closes those that nobody keeps."""
    _numbers: dict[int, int] = field(factory=dict, init=False)
    _down: dict[str, set[int]] = field(init=False)
    _positions: dict[str, dict[int, float]] = field(init=False)

    def __attrs_post_init__(self) -> None:
        from pygame._sdl2 import controller  # pygame's name for it; not in every build

        pygame.joystick.init()  # tells the instance of a controller
        if not controller.get_init():
            controller.init()
            pygame.register_quit(controller.quit)  # pygame.quit() forgets it
        self._down = {button: set() for button in BUTTONS}
        self._positions = {axis: {} for axis in AXES}
        for index in range(controller.get_count()):
            self._open(index)

    def hear(self, event: pygame.event.Event) -> bool:
        """Note an event of pygame; return True if it was one of the keys."""
        if event.type == pygame.CONTROLLERDEVICEADDED:
            self._open(event.device_index)
            return False
        number = self._numbers.get(event.dict.get("instance_id", -1))
        if number is None:
            return False
        match event.type:
            case pygame.CONTROLLERBUTTONDOWN if event.button in NAMES:
                return self._press(NAMES[event.button], number)
            case pygame.CONTROLLERBUTTONUP if event.button in NAMES:
                return self._release(NAMES[event.button], number)
            case pygame.CONTROLLERAXISMOTION if event.axis < len(AXES):
                return self._move(AXES[event.axis], number, max(-1.0, event.value / FURTHEST))
            case pygame.CONTROLLERDEVICEREMOVED:
                self._close(event.instance_id)
        return False

    def _open(self, index: int) -> None:
        from pygame._sdl2 import controller

        if not controller.is_controller(index):
            return
        pad = controller.Controller(index)
        instance = pad.as_joystick().get_instance_id()
        self._opened[instance] = pad
        taken = self._numbers.values()
        self._numbers.setdefault(instance, next(it for it in count(1) if it not in taken))

    def _close(self, instance: int) -> None:
        number = self._numbers[instance]
        for button in BUTTONS:
            self._release(button, number)
        for axis in AXES:
            self._move(axis, number, 0.0)
        del self._opened[instance], self._numbers[instance]

    def _press(self, button: str, number: int) -> bool:
        any_pad, own = names_of(button, number)
        is_first = not self._down[button]
        self._down[button].add(number)
        return any([self.keys.press(own), is_first and self.keys.press(any_pad)])

    def _release(self, button: str, number: int) -> bool:
        if number not in self._down[button]:
            return False
        any_pad, own = names_of(button, number)
        self._down[button].remove(number)
        is_last = not self._down[button]
        return any([self.keys.release(own), is_last and self.keys.release(any_pad)])

    def _move(self, axis: str, number: int, position: float) -> bool:
        any_pad, own = names_of(axis, number)
        positions = self._positions[axis]
        positions[number] = position
        furthest = max(positions.values(), key=abs)
        return any([self.keys.move(own, position), self.keys.move(any_pad, furthest)])
