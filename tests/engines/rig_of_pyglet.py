"""pyglet at work without a screen, for the laws and for tests of its keys, mouse and collisions."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import pyglet
import pytest
from fake_gamepads import Manager, controller
from hand_turned import FRAME, HandTurned

from fsmkit.engines.pyglet import (
    SpriteTransform,
    attach,
    send_collisions,
    send_keys,
    send_mouse,
)

Stop = Callable[[], object]

AXES = {"left stick x": "leftx", "left stick y": "lefty", "left trigger": "lefttrigger"}


class PygletRig:
    thing_option = "sprite"
    left, right = 0xFF51, 0xFF53  # as in pyglet.window.key, which cannot be read before a window
    has_lifetimes = True
    goes_on_after_errors = False
    can_be_written_when_gone = False
    has_mouse = True
    has_gamepad = True

    def __init__(self, window: Any) -> None:
        self.window = window
        self.clock = HandTurned()
        self.pad = controller()
        self.manager = Manager(self.pad)
        self.place = (0.0, 0.0)
        self.stops: list[Stop] = []

    def end(self) -> None:
        for stop in self.stops:
            stop()

    def thing(self, position: Sequence[float]) -> Any:
        white = pyglet.image.SolidColorImagePattern((255, 255, 255, 255))
        picture = white.create_image(20, 20)
        picture.anchor_x = picture.anchor_y = 10
        return pyglet.sprite.Sprite(picture, *position)

    def transform(self, thing: Any) -> Any:
        return SpriteTransform(thing)

    def group(self, *things: Any) -> Any:
        return list(things)

    def kill(self, thing: Any) -> None:
        thing.delete()

    def attach(self, machines: Any, **options: Any) -> Stop:
        return self._kept(attach(machines, interval=FRAME, clock=self.clock, **options))

    def send_keys(self, machines: Any, pressed: Mapping[Any, str], **options: Any) -> Stop:
        options = {"window": self.window, "gamepads": self.manager} | options
        return self._kept(send_keys(machines, pressed, **options))

    def send_collisions(
        self, machines: Any, things: Any, others: Any, event: str, **options: Any
    ) -> Stop:
        options = {"clock": self.clock, "interval": FRAME} | options
        return self._kept(send_collisions(machines, things, others, event, **options))

    def send_mouse(self, machines: Any, things: Any, **events: Any) -> Stop:
        options = {"clock": self.clock, "interval": FRAME, "window": self.window} | events
        return self._kept(send_mouse(machines, things, **options))

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
        self.happen("on_mouse_release", *self.place, 1, 0)

    def press_mouse(self) -> None:
        self.happen("on_mouse_press", *self.place, 1, 0)

    def forget(self) -> None:
        self.stops.clear()

    def frames(self, count: int = 1) -> None:
        for _ in range(count):
            self.clock.frames(1)
            self.window.dispatch_events()

    def _kept(self, stop: Stop) -> Stop:
        self.stops.append(stop)
        return stop


@contextmanager
def pyglet_window(width: int = 64, height: int = 64) -> Iterator[Any]:
    """Return an invisible window, if OpenGL is available."""
    pyglet.options.headless = True
    try:
        eight_bits = pyglet.gl.Config(red_size=8, green_size=8, blue_size=8)
        window = pyglet.window.Window(width, height, config=eight_bits)
    except Exception as error:  # of one kind or another, depending on what is missing
        pytest.skip(f"pyglet cannot draw here without a screen: {error!r}")
    yield window
    window.close()
