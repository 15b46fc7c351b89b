"""Colours: red, green and blue in whatever range, and perhaps alpha."""

from __future__ import annotations

from contextlib import suppress
from typing import Any, Final, TypeAlias

from fsmkit.space import components, is_registered

Color: TypeAlias = Any
"""A tuple of numbers, or the like: `(255, 0, 0)`, `(1.0, 0.0, 0.0, 0.5)`, a `pygame.Color`."""

NO_NAMES: Final = (
    "Write its numbers, as (255, 0, 0), or what your engine makes of the name, as "
    "pygame.Color('red') or arcade.color.RED."
)
"""What to do with `"red"`, of which only an engine knows the numbers and their range."""


def channels(color: Color) -> tuple[float, ...]:
    """Return the numbers of a colour; TypeError for what is none, such as a name.

    >>> channels((255, 0, 0))
    (255.0, 0.0, 0.0)
    """
    advice = ""
    if isinstance(color, str):
        advice = f" {NO_NAMES}"
    else:
        with suppress(TypeError):
            return components(color)
    raise TypeError(f"A colour must be a tuple or vector of numbers, got {color!r}.{advice}")


def written(color: Color) -> tuple[float, ...]:
    """Return the numbers of a colour as they were written: whole ones stay whole."""
    return channels(color) if is_registered(color) else tuple(color)


def has_alpha(color: Color) -> bool:
    """Return True if a colour has a fourth number."""
    return _count(color) == 4


def lacks_alpha(color: Color, other: Color) -> bool:
    """Return True if `color` consists of three numbers and `other` of four."""
    return _count(color) == 3 and _count(other) == 4


def with_alpha(color: Color, alpha: float) -> Color:
    """Return `color` with `alpha`, unless it has one already.

    >>> with_alpha([1, 2, 3], 255), with_alpha((1, 2, 3, 0), 255)
    ([1, 2, 3, 255], (1, 2, 3, 0))
    """
    if _count(color) != 3:
        return color
    return [*color, alpha] if isinstance(color, list) else (*color, alpha)


def advice_for_colors(start: Color, end: Color) -> str:
    """Return what to do with two colours that have nothing between them; empty if nobody knows."""
    if isinstance(start, str) or isinstance(end, str):
        return f" {NO_NAMES}"
    if lacks_alpha(start, end) or lacks_alpha(end, start):
        return " For colours with alpha use SetColorByDuration, which takes it along."
    return ""


def _count(color: Any) -> int:
    """How many numbers a colour consists of; 0 for what is none."""
    try:
        return len(channels(color))
    except TypeError:
        return 0
