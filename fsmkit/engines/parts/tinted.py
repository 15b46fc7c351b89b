"""Tinted: the colours of all transforms of engines."""

from __future__ import annotations

from collections.abc import Iterable
from numbers import Real
from typing import Final, TypeAlias

from attrs import define, field

from fsmkit.space import Position, components, is_registered

Color: TypeAlias = tuple[float, ...]

WHITE: Final[Color] = (255.0,) * 4
"""The tint that changes nothing."""


@define(eq=False)
class Tinted:
    """Something with a tint of red, green, blue and alpha, from 0 to 255."""

    channels: int = field(default=3, init=False, repr=False)
    """The number of numbers in `color`."""
    painted: Color = field(default=WHITE, init=False, repr=False)
    """The tint as it was set here; the engine keeps it in coarser steps."""

    @property
    def color(self) -> Color:
        """The tint: red, green, blue, and perhaps alpha."""
        return self._shown()[: self.channels]

    @color.setter
    def color(self, color: Position) -> None:
        if is_registered(color):
            color = components(color)
        numbers = tuple(color) if isinstance(color, Iterable) else ()
        if len(numbers) not in (3, 4) or not all(isinstance(each, Real) for each in numbers):
            advice = " Write its numbers, as (255, 0, 0)." if isinstance(color, str) else ""
            wanted = "red, green, blue and perhaps alpha"
            raise ValueError(f"A colour must be {wanted}, got {color!r}.{advice}")
        self.channels = len(numbers)
        self._paint((*numbers, self.alpha)[:4])

    @property
    def alpha(self) -> float:
        """The opacity, from 0 to 255."""
        return self._shown()[3]

    @alpha.setter
    def alpha(self, alpha: float) -> None:
        self._paint((*self._shown()[:3], alpha))

    def _shown(self) -> Color:
        """Return the tint as it was set, unless something else has changed it since."""
        return self.painted

    def _paint(self, color: Color) -> None:
        """Store a tint; subclasses hand it to the engine."""
        self.painted = color
