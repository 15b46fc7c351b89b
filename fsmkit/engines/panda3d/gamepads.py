"""The gamepads of Panda3D, read in every frame."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import count
from typing import Any, Final

from attrs import define, field
from panda3d.core import GamepadButton, InputDevice

from fsmkit.engines.parts.gamepad import AXES, checked_name
from fsmkit.engines.parts.keys import Keys

BUTTONS: Final[Mapping[str, Any]] = {
    "a": GamepadButton.faceA(),
    "b": GamepadButton.faceB(),
    "x": GamepadButton.faceX(),
    "y": GamepadButton.faceY(),
    "back": GamepadButton.back(),
    "start": GamepadButton.start(),
    "guide": GamepadButton.guide(),
    "left shoulder": GamepadButton.lshoulder(),
    "right shoulder": GamepadButton.rshoulder(),
    "left stick": GamepadButton.lstick(),
    "right stick": GamepadButton.rstick(),
    "dpad up": GamepadButton.dpadUp(),
    "dpad down": GamepadButton.dpadDown(),
    "dpad left": GamepadButton.dpadLeft(),
    "dpad right": GamepadButton.dpadRight(),
}


@define(eq=False)
class Gamepads:
    """Tells `keys` of the buttons and axes of gamepads that matter to them.

    A gamepad has the smallest number that is free when it is plugged in, from 1. What is held on
    one that is unplugged is released.
    """

    keys: Keys
    _parts: dict[str, tuple[int | None, str]] = field(init=False)
    """Name -> the number of the gamepad, None for any, and the button or axis of it."""
    _pads: dict[int, Any] = field(factory=dict, init=False)
    _told: dict[str, float] = field(factory=dict, init=False)

    def __attrs_post_init__(self) -> None:
        names = sorted({*map(str, self.keys.known), *self.keys.axes})
        self._parts = {name: _part_of(name) for name in names if name.startswith("gamepad ")}

    @property
    def matter(self) -> bool:
        """True if any button or axis matters."""
        return bool(self._parts)

    def update(self, game: Any) -> None:
        """Read the gamepads of the ShowBase, and tell what has changed."""
        self._number(list(game.devices.getDevices(InputDevice.DeviceClass.gamepad)))
        for pad in self._pads.values():
            _poll(pad, game.dataRoot)
        for name, (number, part) in self._parts.items():
            pads = [pad for each, pad in self._pads.items() if number in (each, None)]
            now = max((_value(pad, part) for pad in pads), key=abs, default=0.0)
            if now != self._told.get(name, 0.0):
                self._told[name] = now
                self._tell(name, part, now)

    def _tell(self, name: str, part: str, now: float) -> None:
        if part in AXES:
            self.keys.move(name, now)
        else:
            (self.keys.press if now else self.keys.release)(name)

    def _number(self, connected: list[Any]) -> None:
        self._pads = {number: pad for number, pad in self._pads.items() if pad in connected}
        for pad in connected:
            if pad not in self._pads.values():
                self._pads[next(each for each in count(1) if each not in self._pads)] = pad


def _poll(pad: Any, data_root: Any) -> None:
    """Read a gamepad, unless the data graph does: its events are left for nobody else then."""
    nodes = data_root.findAllMatches("**/+InputDeviceNode")
    if not any(path.node().device == pad for path in nodes):
        pad.poll()
        pad.getButtonEvents()


def _part_of(name: str) -> tuple[int | None, str]:
    rest = checked_name(name).removeprefix("gamepad ")
    number, _, part = rest.partition(" ")
    return (int(number), part) if number.isdecimal() else (None, rest)


def _value(pad: Any, part: str) -> float:
    if part in AXES:
        return float(pad.findAxis(_axis(part)).value)
    return float(pad.findButton(BUTTONS[part]).pressed)


def _axis(part: str) -> Any:
    """Return the engine's axis: `left_x` for "left stick x", `left_trigger` for that."""
    return InputDevice.Axis[part.replace(" stick", "").replace(" ", "_")]
