"""Arcade at work without a screen, for the laws and for tests of its keys, mouse and collisions."""

import gc
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import pytest

with pytest.MonkeyPatch.context() as patch:
    patch.setenv("ARCADE_HEADLESS", "True")  # is read when Arcade is imported
    patch.setenv("LD_LIBRARY_PATH", "")  # which Arcade changes for the whole process
    pytest.importorskip("pyglet", reason="pyglet is not installed (the extra arcade)")
    pytest.importorskip(
        "arcade",
        reason="Arcade is not installed (the extra arcade), or OpenGL is not",
        exc_type=ImportError,
    )

import arcade
import pyglet
from hand_turned import FRAME, HandTurned
from hands_at_a_window import HandsAtAWindow, Stop

from fsmkit.engines.arcade import (
    SpriteTransform,
    attach,
    send_collisions,
    send_keys,
    send_mouse,
)


class ArcadeRig(HandsAtAWindow):
    thing_option = "sprite"
    left, right = arcade.key.LEFT, arcade.key.RIGHT
    has_lifetimes = goes_on_after_errors = True
    can_be_written_when_gone = True
    has_mouse = True
    has_gamepad = True

    def __init__(self, window: Any, clock: HandTurned) -> None:
        super().__init__(window)
        self.clock = clock
        self.drawn = arcade.SpriteList()

    def end(self) -> None:
        for stop in self.stops:
            stop()
        self.window.hide_view()

    def thing(self, position: Sequence[float]) -> Any:
        sprite = arcade.SpriteSolidColor(20, 20, *position)
        self.drawn.append(sprite)
        return sprite

    def transform(self, thing: Any) -> Any:
        return SpriteTransform(thing)

    def group(self, *things: Any) -> Any:
        sprites = arcade.SpriteList()
        sprites.extend(things)
        return sprites

    def kill(self, thing: Any) -> None:
        thing.kill()

    def attach(self, machines: Any, **options: Any) -> Stop:
        return self._kept(attach(machines, **options))

    def send_keys(self, machines: Any, pressed: Mapping[Any, str], **options: Any) -> Stop:
        return self._kept(send_keys(machines, pressed, **{"gamepads": self.manager} | options))

    def send_collisions(
        self, machines: Any, things: Any, others: Any, event: str, **options: Any
    ) -> Stop:
        return self._kept(send_collisions(machines, things, others, event, **options))

    def send_mouse(self, machines: Any, things: Any, **events: Any) -> Stop:
        return self._kept(send_mouse(machines, things, **events))

    def forget(self) -> None:
        self.stops.clear()

    def frames(self, count: int = 1, seconds: float = FRAME) -> None:
        for _ in range(count):
            self.clock.frames(1, seconds)
            self.window.dispatch_events()

    def _kept(self, stop: Stop) -> Stop:
        self.stops.append(stop)
        return stop


@contextmanager
def arcade_window(clock: HandTurned, width: int = 64, height: int = 64) -> Iterator[Any]:
    """Return an invisible window, if OpenGL is available, whose frames `clock` calls."""
    applications = pyglet.clock.get_default()
    pyglet.clock.set_default(clock)
    try:
        yield _window(width, height)
        arcade.close_window()
    finally:
        pyglet.clock.set_default(applications)


def _window(width: int, height: int) -> Any:
    gc.collect()  # an earlier window ends the active one when it is collected
    try:
        return arcade.Window(width, height, update_rate=FRAME, draw_rate=FRAME, antialiasing=False)
    except Exception as error:  # of one kind or another, depending on what is missing
        pytest.skip(f"Arcade cannot draw here without a screen: {error!r}")
