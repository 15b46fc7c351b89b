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


def checked_button(name: str) -> str:
    """Return `name` if it is a gamepad's button; ValueError for others.

    >>> checked_button("gamepad 2 dpad up")
    'gamepad 2 dpad up'
    """
    if _part_of(name) in AXES:
        raise ValueError(f"{name!r} is an axis: give it to a Held, Held(axis={name!r}).")
    return checked_name(name)


def checked_axis(name: str) -> str:
    """Return `name` if it is a gamepad's axis; ValueError for others.

    >>> checked_axis("gamepad left stick x")
    'gamepad left stick x'
    """
    if _part_of(name) in BUTTONS:
        raise ValueError(f"{name!r} is a button, not an axis: give it as a key.")
    return checked_name(name)


def checked_name(name: str) -> str:
    """Return `name` if it is that of a gamepad's button or axis; ValueError for others.

    >>> checked_name("gamepad 2 dpad up")
    'gamepad 2 dpad up'
    """
    if _part_of(name) in (*BUTTONS, *AXES):
        return name
    raise ValueError(
        f"{name!r} is no button or axis of a gamepad. Buttons: {', '.join(BUTTONS)}; "
        f"axes: {', '.join(AXES)}; each after 'gamepad ', or 'gamepad 2 ' for the second one."
    )


def _part_of(name: str) -> str:
    """Return the button or axis that is named, without the gamepad and its number."""
    pad, _, rest = name.partition(" ")
    number, _, part = rest.partition(" ")
    if pad != "gamepad":
        return ""
    return part if number.isdecimal() and number != "0" else rest
