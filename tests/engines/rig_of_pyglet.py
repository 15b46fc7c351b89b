"""pyglet at work without a screen, for the laws and for tests of its keys, mouse and collisions."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import pyglet
import pytest
from hand_turned import FRAME, HandTurned
from hands_at_a_window import HandsAtAWindow, Stop

from fsmkit.engines.pyglet import (
    SpriteTransform,
    attach,
    send_collisions,
    send_keys,
    send_mouse,
)


class PygletRig(HandsAtAWindow):
    thing_option = "sprite"
    left, right = 0xFF51, 0xFF53  # as in pyglet.window.key, which cannot be read before a window
    has_lifetimes = True
    goes_on_after_errors = False
    can_be_written_when_gone = False
    has_mouse = True
    has_gamepad = True

    def __init__(self, window: Any) -> None:
        super().__init__(window)
        self.clock = HandTurned()

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
