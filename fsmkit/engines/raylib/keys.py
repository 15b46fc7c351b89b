"""Keys, mouse buttons and gamepads of raylib: their names, and which of them are down."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import pyray
from attrs import define, field
from pyray import GamepadAxis, GamepadButton, KeyboardKey

from fsmkit.core.checks.arguments import shown
from fsmkit.core.words.suggestions import did_you_mean
from fsmkit.engines.parts.keys import (
    BUTTONS,
    Keys,
    checked_button,
    engine_axis,
    part_of,
)

GAMEPADS: Final = 4
"""The number of gamepads that raylib reads."""

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


class KeyCode(NamedTuple):
    """A key or button; `device` is "key", "mouse", or the number of a gamepad, 0 for any."""

    device: str | int
    number: int


def own_key(key: object) -> KeyCode:
    """Return a key as raylib knows it; ValueError for one that does not exist.

    >>> own_key("space"), own_key(pyray.MOUSE_BUTTON_RIGHT)
    (KeyCode(device='key', number=32), KeyCode(device='mouse', number=1))
    >>> own_key("KEY_LEFT_SHIFT")
    KeyCode(device='key', number=340)
    >>> own_key("gamepad 2 a")
    KeyCode(device=2, number=7)
    """
    if isinstance(key, str):
        return _key_named(key)
    if isinstance(key, int) and not isinstance(key, bool):
        if key in range(7) and not isinstance(key, KeyboardKey):  # as keys these belong to phones
            return KeyCode("mouse", int(key))
        if key in KEYS.values():
            return KeyCode("key", int(key))
    raise ValueError(
        f"raylib has no such key as {shown(key)}. Keys are its numbers (pyray.KEY_SPACE, "
        "pyray.MOUSE_BUTTON_LEFT) or names such as 'space'."
    )


def _key_named(name: str) -> KeyCode:
    if name.startswith("gamepad"):
        device, part = part_of(checked_button(name))
        return KeyCode(device, int(getattr(GamepadButton, f"GAMEPAD_BUTTON_{BUTTONS[part][1]}")))
    plain = name.lower().replace("_", " ").removeprefix("key ")
    if plain in KEYS:
        return KeyCode("key", KEYS[plain])
    if plain in MOUSE:
        return KeyCode("mouse", MOUSE[plain])
    raise ValueError(
        f"raylib has no such key as {name!r}. {did_you_mean(plain, [*KEYS, *MOUSE])}Names are "
        "those of its KeyboardKey, such as 'space', 'left shift', 'kp 1', and 'mouse left'."
    )


def is_down(key: KeyCode) -> bool:
    return _is(key, "down")


def went_down(key: KeyCode) -> bool:
    return _is(key, "pressed")


def _is(key: KeyCode, state: str) -> bool:
    if isinstance(key.device, str):
        kind = "mouse_button" if key.device == "mouse" else "key"
        return bool(getattr(pyray, f"is_{kind}_{state}")(key.number))
    ask = getattr(pyray, f"is_gamepad_button_{state}")
    return any(ask(pad, key.number) for pad in _gamepads(key.device))


def axis_position(name: str) -> float:
    """Return where an axis stands; of several gamepads the one furthest from its middle counts."""
    number, part = part_of(name)
    axis = getattr(GamepadAxis, f"GAMEPAD_AXIS_{engine_axis(part).upper()}")
    places = [pyray.get_gamepad_axis_movement(gamepad, axis) for gamepad in _gamepads(number)]
    if part.endswith("trigger"):  # raylib's go from -1.0
        places = [(place + 1.0) / 2.0 for place in places]
    return max(places, key=abs, default=0.0)


def _gamepads(number: Any) -> Iterator[int]:
    wanted = range(GAMEPADS) if number == 0 else (number - 1,)
    return filter(pyray.is_gamepad_available, wanted)


@define(eq=False)
class PolledKeys:
    keys: Keys
    _known: tuple[Any, ...] = field(init=False)
    _axes: dict[str, float] = field(init=False)
    """Name -> the last position."""
    _down: set[KeyCode] = field(factory=set, init=False)

    def __attrs_post_init__(self) -> None:
        self._known = tuple(self.keys.known)
        self._axes = dict.fromkeys(self.keys.axes, 0.0)

    def poll(self) -> None:
        if not pyray.is_window_focused():
            self._lose_focus()
            return
        for key in self._known:
            if key not in self._down and went_down(key):
                self._down.add(key)
                self.keys.press(key)
        self._release(key for key in self._known if key in self._down and not is_down(key))
        for name, before in self._axes.items():
            if (now := axis_position(name)) != before:
                self._axes[name] = now
                self.keys.move(name, now)

    def _lose_focus(self) -> None:
        self.keys.release_all()
        self._release(key for key in self._known if key in self._down)
        self._axes = dict.fromkeys(self._axes, 0.0)

    def _release(self, gone: Iterator[KeyCode]) -> None:
        for key in list(gone):
            self._down.discard(key)
            self.keys.release(key)
