"""The names of a gamepad's buttons and axes, the same for every engine.

Buttons and axes are named after an Xbox controller, by their place: `"gamepad a"` is the lower one
of four on any make. `"gamepad a"` is that of any gamepad, `"gamepad 2 a"` that of the second one.
"""

from __future__ import annotations

from typing import Final

BUTTONS: Final = (
    "a", "b", "x", "y", "back", "start", "guide",
    "left shoulder", "right shoulder", "left stick", "right stick",
    "dpad up", "dpad down", "dpad left", "dpad right",
)  # fmt: skip
"""Each after "gamepad " or "gamepad 1 "."""

AXES: Final = (
    "left stick x", "left stick y", "right stick x", "right stick y",
    "left trigger", "right trigger",
)  # fmt: skip
"""From -1.0 to 1.0, y in the direction in which the engine's own y grows; triggers from 0.0."""


def names_of(part: str, number: int) -> tuple[str, str]:
    """Return the names of a part of the gamepad with that number, from 1.

    >>> names_of("left stick x", 2)
    ('gamepad left stick x', 'gamepad 2 left stick x')
    """
    return f"gamepad {part}", f"gamepad {number} {part}"


def checked_name(name: str) -> str:
    """Return `name` if it is one of a gamepad's; ValueError for others.

    >>> checked_name("gamepad 2 dpad up")
    'gamepad 2 dpad up'
    """
    _, _, rest = name.partition(" ")
    number, _, part = rest.partition(" ")
    if (part if number.isdecimal() else rest) in (*BUTTONS, *AXES):
        return name
    raise ValueError(
        f"{name!r} is no button or axis of a gamepad. Buttons: {', '.join(BUTTONS)}; "
        f"axes: {', '.join(AXES)}; each after 'gamepad ', or 'gamepad 2 ' for the second one."
    )
