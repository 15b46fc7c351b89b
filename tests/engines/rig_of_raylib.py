"""What the laws of all adapters need of raylib: a window, and hands for its keys and its mouse."""

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import pyray
import pytest

from fsmkit.engines.parts.keys import engine_axis
from fsmkit.engines.raylib import Sprite, attach, send_collisions, send_keys, send_mouse
from fsmkit.engines.raylib.keys import KeyCode, own_key

# raylib's automation events: they do to its input what a real device does. The numbers have no
# names in its header.
KEY_UP, KEY_DOWN = 1, 2
MOUSE_BUTTON_UP, MOUSE_BUTTON_DOWN = 5, 6
GAMEPAD_CONNECT, GAMEPAD_DISCONNECT = 9, 10
GAMEPAD_BUTTON_UP, GAMEPAD_BUTTON_DOWN, GAMEPAD_AXIS = 11, 12, 13


@contextmanager
def screen() -> Iterator[None]:
    """Have a screen that nobody sees; skip the test where there is no Xvfb."""
    if shutil.which("Xvfb") is None:
        pytest.skip("raylib cannot do without a screen, and Xvfb is not installed")
    read, write = os.pipe()
    command = ["Xvfb", "-displayfd", str(write), "-screen", "0", "640x480x24", "-nolisten", "tcp"]
    server = subprocess.Popen(command, pass_fds=[write], stderr=subprocess.DEVNULL)
    os.close(write)
    try:
        with os.fdopen(read) as pipe, pytest.MonkeyPatch.context() as patch:
            number = pipe.readline().strip()
            assert number, "Xvfb has not started"
            patch.setenv("DISPLAY", f":{number}")
            patch.delenv("WAYLAND_DISPLAY", raising=False)
            yield
    finally:
        server.terminate()
        server.wait()


@contextmanager
def window(width: int = 400, height: int = 300) -> Iterator[None]:
    """Have a window of raylib on that screen."""
    with screen():
        pyray.set_trace_log_level(pyray.TraceLogLevel.LOG_ERROR)
        pyray.init_window(width, height, "laws")
        if not pyray.is_window_ready():
            pytest.skip("raylib can open no window here: no OpenGL (libgl1-mesa-dri)")
        yield
        pyray.close_window()


def play(kind: int, *numbers: int) -> None:
    """Have raylib's input be as after such an event."""
    params = [*numbers, 0, 0, 0, 0][:4]
    pyray.play_automation_event(pyray.ffi.new("AutomationEvent *", [0, kind, params])[0])


class RaylibRig:
    """A game of raylib."""

    thing_option = "sprite"
    left, right = "left", pyray.KEY_RIGHT
    has_lifetimes = goes_on_after_errors = True
    can_be_written_when_gone = True
    has_mouse = True
    has_gamepad = True

    def __init__(self) -> None:
        self.sprites: list[Sprite] = []
        self.hooks: list[Callable[[], object]] = []

    def thing(self, position: Sequence[float]) -> Sprite:
        sprite = Sprite(size=(20, 20), position=tuple(position))
        self.sprites.append(sprite)
        return sprite

    def transform(self, thing: Sprite) -> Sprite:
        return thing

    def group(self, *things: Sprite) -> list[Sprite]:
        return list(things)

    def kill(self, thing: Sprite) -> None:
        thing.active = False

    def attach(self, machines: Any, **options: Any) -> Callable[[], None]:
        return self._hooked(attach(machines, **options))

    def send_keys(
        self, machines: Any, pressed: Mapping[Any, str], **options: Any
    ) -> Callable[[], None]:
        return self._hooked(send_keys(machines, pressed, **options))

    def send_collisions(
        self, machines: Any, things: Any, others: Any, event: str, **options: Any
    ) -> Callable[[], None]:
        return self._hooked(send_collisions(machines, things, others, event, **options))

    def send_mouse(self, machines: Any, things: Any, **events: Any) -> Callable[[], None]:
        return self._hooked(send_mouse(machines, things, **events))

    def press(self, key: Any) -> None:
        self._press(own_key(key), 1)

    def release(self, key: Any) -> None:
        self._press(own_key(key), 0)

    def lose_focus(self) -> None:
        pyray.set_window_state(pyray.ConfigFlags.FLAG_WINDOW_UNFOCUSED)

    def move_axis(self, axis: str, position: float, gamepad: int = 0) -> None:
        self.plug_in(gamepad)
        number = getattr(pyray.GamepadAxis, f"GAMEPAD_AXIS_{engine_axis(axis).upper()}")
        play(GAMEPAD_AXIS, gamepad, number, round(position * 32768))

    def press_button(self, button: str, gamepad: int = 0) -> None:
        self.plug_in(gamepad)
        play(GAMEPAD_BUTTON_DOWN, gamepad, own_key(f"gamepad {button}").number)

    def release_button(self, button: str, gamepad: int = 0) -> None:
        play(GAMEPAD_BUTTON_UP, gamepad, own_key(f"gamepad {button}").number)

    def plug_in(self, gamepad: int) -> None:
        play(GAMEPAD_CONNECT, gamepad)

    def unplug(self, gamepad: int) -> None:
        play(GAMEPAD_DISCONNECT, gamepad)

    def point(self, position: Sequence[float]) -> None:
        pyray.set_mouse_position(*map(int, position))

    def click(self) -> None:
        self.press_mouse()
        self.frames(1)
        self.release("mouse left")

    def press_mouse(self) -> None:
        self.press("mouse left")

    def forget(self) -> None:
        self.hooks.clear()
        self.sprites.clear()

    def frames(self, count: int = 1) -> None:
        for _ in range(count):
            for hook in list(self.hooks):
                hook()
            pyray.begin_drawing()
            pyray.clear_background(pyray.BLACK)
            for sprite in self.sprites:
                sprite.draw()
            pyray.end_drawing()

    def _hooked(self, hook: Callable[[], object]) -> Callable[[], None]:
        self.hooks.append(hook)
        return lambda: self.hooks.remove(hook) if hook in self.hooks else None

    def _press(self, key: KeyCode, is_down: int) -> None:
        kinds = {"key": (KEY_UP, KEY_DOWN), "mouse": (MOUSE_BUTTON_UP, MOUSE_BUTTON_DOWN)}
        play(kinds[str(key.device)][is_down], key.number)

    def rest(self) -> None:
        """Leave the window to the next test as it was at first."""
        pyray.clear_window_state(pyray.ConfigFlags.FLAG_WINDOW_UNFOCUSED)
        for number in range(512):
            play(KEY_UP, number)
        for button in range(7):
            play(MOUSE_BUTTON_UP, button)
        for gamepad in range(2):
            for axis, button in zip(range(6), range(6), strict=True):
                play(GAMEPAD_AXIS, gamepad, axis, 0 if axis < 4 else -32768)
                play(GAMEPAD_BUTTON_UP, gamepad, button)
            self.unplug(gamepad)
        self.hooks.clear()
        self.frames(2)
