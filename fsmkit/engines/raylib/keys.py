"""What raylib knows of its keys, mouse buttons and gamepads: names, and which of them are down."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final, NamedTuple

import pyray
from attrs import define, field
from pyray import GamepadAxis, GamepadButton, KeyboardKey

from fsmkit.core.words.suggestions import did_you_mean
from fsmkit.engines.held import Held
from fsmkit.engines.parts.delivering import Machines
from fsmkit.engines.parts.gamepad import checked_button
from fsmkit.engines.parts.keys import Bindings, Keys

GAMEPADS: Final = 4
"""As many as raylib watches."""

KEYS: Final = {
    **{
        name[4:].lower().replace("_", " "): int(key)
        for name, key in vars(pyray).items()
        if name.startswith("KEY_") and name != "KEY_NULL"
    },
    **{str(digit): KeyboardKey.KEY_ZERO + digit for digit in range(10)},
}
"""Name -> number."""

MOUSE: Final = {"mouse left": 0, "mouse right": 1, "mouse middle": 2}
BUTTONS: Final = {
    "a": GamepadButton.GAMEPAD_BUTTON_RIGHT_FACE_DOWN,
    "b": GamepadButton.GAMEPAD_BUTTON_RIGHT_FACE_RIGHT,
    "x": GamepadButton.GAMEPAD_BUTTON_RIGHT_FACE_LEFT,
    "y": GamepadButton.GAMEPAD_BUTTON_RIGHT_FACE_UP,
    "back": GamepadButton.GAMEPAD_BUTTON_MIDDLE_LEFT,
    "start": GamepadButton.GAMEPAD_BUTTON_MIDDLE_RIGHT,
    "guide": GamepadButton.GAMEPAD_BUTTON_MIDDLE,
    "left shoulder": GamepadButton.GAMEPAD_BUTTON_LEFT_TRIGGER_1,
    "right shoulder": GamepadButton.GAMEPAD_BUTTON_RIGHT_TRIGGER_1,
    "left stick": GamepadButton.GAMEPAD_BUTTON_LEFT_THUMB,
    "right stick": GamepadButton.GAMEPAD_BUTTON_RIGHT_THUMB,
    "dpad up": GamepadButton.GAMEPAD_BUTTON_LEFT_FACE_UP,
    "dpad down": GamepadButton.GAMEPAD_BUTTON_LEFT_FACE_DOWN,
    "dpad left": GamepadButton.GAMEPAD_BUTTON_LEFT_FACE_LEFT,
    "dpad right": GamepadButton.GAMEPAD_BUTTON_LEFT_FACE_RIGHT,
}
AXES: Final = {
    "left stick x": GamepadAxis.GAMEPAD_AXIS_LEFT_X,
    "left stick y": GamepadAxis.GAMEPAD_AXIS_LEFT_Y,
    "right stick x": GamepadAxis.GAMEPAD_AXIS_RIGHT_X,
    "right stick y": GamepadAxis.GAMEPAD_AXIS_RIGHT_Y,
    "left trigger": GamepadAxis.GAMEPAD_AXIS_LEFT_TRIGGER,
    "right trigger": GamepadAxis.GAMEPAD_AXIS_RIGHT_TRIGGER,
}


class Key(NamedTuple):
    """What can be pressed; `device` is "key", "mouse", or the number of a gamepad, 0 for any."""

    device: str | int
    number: int


def own_key(key: object) -> Key:
    """Return a key as raylib knows it; ValueError for one that does not exist.

    >>> own_key("space"), own_key("KEY_LEFT_SHIFT"), own_key(pyray.MOUSE_BUTTON_RIGHT)
    (Key(device='key', number=32), Key(device='key', number=340), Key(device='mouse', number=1))
    >>> own_key("gamepad 2 a")
    Key(device=2, number=7)
    """
    if isinstance(key, str):
        return _key_named(key)
    if isinstance(key, int) and not isinstance(key, bool):
        if key in range(7) and not isinstance(key, KeyboardKey):  # as keys they are those of phones
            return Key("mouse", int(key))
        if key in KEYS.values():
            return Key("key", int(key))
    raise ValueError(
        f"raylib has no such key as {key!r}. Keys are its numbers (pyray.KEY_SPACE, "
        "pyray.MOUSE_BUTTON_LEFT) or names such as 'space'."
    )


def _key_named(name: str) -> Key:
    if name.startswith("gamepad"):
        device, part = _gamepad_part(checked_button(name))
        return Key(device, int(BUTTONS[part]))
    plain = name.lower().replace("_", " ").removeprefix("key ")
    if plain in KEYS:
        return Key("key", KEYS[plain])
    if plain in MOUSE:
        return Key("mouse", MOUSE[plain])
    raise ValueError(
        f"raylib has no such key as {name!r}. {did_you_mean(plain, [*KEYS, *MOUSE])}Names are "
        "those of its KeyboardKey, such as 'space', 'left shift', 'kp 1', and 'mouse left'."
    )


def _gamepad_part(name: str) -> tuple[int, str]:
    """Return the number of the gamepad, 0 for any, and the name of its button or axis."""
    _, _, rest = name.partition(" ")
    number, _, part = rest.partition(" ")
    return (int(number), part) if number.isdecimal() else (0, rest)


def is_down(key: Key) -> bool:
    """Return True while a key is held down."""
    return _ask(key, pyray.is_key_down, pyray.is_mouse_button_down, pyray.is_gamepad_button_down)


def went_down(key: Key) -> bool:
    """Return True in the frame in which a key was pressed."""
    return _ask(
        key,
        pyray.is_key_pressed,
        pyray.is_mouse_button_pressed,
        pyray.is_gamepad_button_pressed,
    )


def _ask(
    key: Key,
    of_key: Callable[[int], bool],
    of_mouse: Callable[[int], bool],
    of_gamepad: Callable[[int, int], bool],
) -> bool:
    if key.device == "key":
        return of_key(key.number)
    if key.device == "mouse":
        return of_mouse(key.number)
    return any(of_gamepad(gamepad, key.number) for gamepad in _gamepads(key.device))


def axis_position(name: str) -> float:
    """Return where an axis stands; of several gamepads' it is the one furthest off its middle."""
    number, part = _gamepad_part(name)
    axis = AXES[part]
    places = [pyray.get_gamepad_axis_movement(gamepad, axis) for gamepad in _gamepads(number)]
    if part.endswith("trigger"):  # raylib's go from -1.0
        places = [(place + 1.0) / 2.0 for place in places]
    return max(places, key=abs, default=0.0)


def _gamepads(number: Any) -> Iterator[int]:
    """Yield the numbers, as raylib's, of this gamepad, or of all, if they are plugged in."""
    wanted = range(GAMEPADS) if number == 0 else (number - 1,)
    return filter(pyray.is_gamepad_available, wanted)


@define(eq=False)
class Polled:
    """Hands on to `keys` what has changed since the last frame, asked once per frame."""

    keys: Keys
    sources: list[Key]
    axes: dict[str, float]
    """Name -> where it stood."""
    down: set[Key] = field(factory=set, init=False)

    def poll(self) -> None:
        """Note what is pressed and released by now."""
        if not pyray.is_window_focused():
            self._lose_the_keyboard()
            return
        for key in self.sources:
            if key not in self.down and went_down(key):
                self.down.add(key)
                self.keys.press(key)
        self._release(key for key in self.sources if key in self.down and not is_down(key))
        for name, before in self.axes.items():
            if (now := axis_position(name)) != before:
                self.axes[name] = now
                self.keys.move(name, now)

    def _lose_the_keyboard(self) -> None:
        self.keys.release_all()
        self._release(key for key in self.sources if key in self.down)
        self.axes = dict.fromkeys(self.axes, 0.0)

    def _release(self, gone: Iterator[Key]) -> None:
        for key in list(gone):
            self.down.discard(key)
            self.keys.release(key)


def polled(
    machines: Machines, pressed: Bindings, released: Bindings, held: Held | Iterable[Held]
) -> Polled:
    """Return what polls these keys; ValueError for one that does not exist."""
    sources: dict[Key, None] = {}

    def own(key: object) -> Key:
        source = own_key(key)
        sources[source] = None
        return source

    keys = Keys(machines, pressed, released, held, own)
    return Polled(keys, list(sources), dict.fromkeys(keys.axes, 0.0))
