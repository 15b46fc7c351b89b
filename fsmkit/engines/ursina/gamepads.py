"""The gamepads of Ursina."""

from __future__ import annotations

from typing import Any

from panda3d.core import InputDevice
from ursina import application, input_handler
from ursina.input_handler import held_keys


def welcome_new_gamepads() -> None:
    """Have Ursina read the gamepads that are there now: it looks for them only at the start."""
    base: Any = application.base
    handler: Any = input_handler
    known = list(getattr(handler, "gamepads", ()))
    now = list(base.devices.getDevices(InputDevice.DeviceClass.gamepad))
    if now == known:
        return
    from ursina import gamepad  # here: it needs the game

    for gone in (pad for pad in known if pad not in now):
        base.detachInputDevice(gone)
    for name in [name for name in held_keys if name.startswith("gamepad")]:
        held_keys[name] = 0  # Ursina writes those of gamepads that are there
    handler.gamepads = now
    gamepad.connect_all()


def value_of_axis(name: str) -> float:
    """Return where an axis stands, as Ursina has it: `gamepad_1` is the second gamepad."""
    pad, _, rest = name.partition(" ")
    number, _, part = rest.partition(" ")
    if number.isdecimal():
        own = pad if number == "1" else f"{pad}_{int(number) - 1}"
        return float(held_keys.get(f"{own} {part}", 0.0))
    ends = f" {rest}"
    return max(
        (float(v) for n, v in held_keys.items() if n.startswith("gamepad") and n.endswith(ends)),
        key=abs,
        default=0.0,
    )
