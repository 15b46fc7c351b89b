"""The hands of a player at one of pyglet's windows, which Arcade's are too."""

from collections.abc import Callable, Sequence
from typing import Any

from fake_gamepads import Manager, controller

Stop = Callable[[], object]

AXES = {"left stick x": "leftx", "left stick y": "lefty", "left trigger": "lefttrigger"}

LEFT_BUTTON = 1


class HandsAtAWindow:
    """Presses keys and buttons, moves the mouse and the first gamepad, through real events."""

    def __init__(self, window: Any) -> None:
        self.window = window
        self.pad = controller()
        self.manager = Manager(self.pad)
        self.place = (0.0, 0.0)
        self.stops: list[Stop] = []

    def happen(self, event: str, *args: Any) -> None:
        """Let the window hear of `event`, as when it polls the system."""
        self.window.dispatch_event(event, *args)
        self.window.dispatch_events()

    def press(self, key: Any) -> None:
        self.happen("on_key_press", key, 0)

    def release(self, key: Any) -> None:
        self.happen("on_key_release", key, 0)

    def lose_focus(self) -> None:
        self.happen("on_deactivate")

    def move_axis(self, axis: str, position: float) -> None:
        self.pad.device.axes[AXES[axis]].value = position * 1000

    def press_button(self, button: str) -> None:
        self.pad.device.buttons[button.replace(" ", "")].value = True

    def release_button(self, button: str) -> None:
        self.pad.device.buttons[button.replace(" ", "")].value = False

    def point(self, position: Sequence[float]) -> None:
        x, y = self.place = (position[0], position[1])
        self.happen("on_mouse_motion", x, y, 0, 0)

    def click(self) -> None:
        self.press_mouse()
        self.happen("on_mouse_release", *self.place, LEFT_BUTTON, 0)

    def press_mouse(self) -> None:
        self.happen("on_mouse_press", *self.place, LEFT_BUTTON, 0)
