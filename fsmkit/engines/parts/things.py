"""Things of an engine: their colours, and whether an argument is one or a collection of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from numbers import Real
from typing import Any, Final, TypeAlias

from attrs import define, field

from fsmkit.core.checks.arguments import shown
from fsmkit.space import Position, components, is_registered

Tint: TypeAlias = tuple[float, ...]

WHITE: Final[Tint] = (255.0,) * 4
"""The tint that changes nothing."""


@define(eq=False)
class Tinted:
    """Something with a tint of red, green, blue and alpha, from 0 to 255."""

    channels: int = field(default=3, init=False, repr=False)
    """How many numbers `color` has."""
    painted: Tint = field(default=WHITE, init=False, repr=False)
    """The tint as it was set here; the engine keeps it in coarser steps."""

    @property
    def color(self) -> Tint:
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
            raise ValueError(f"A colour must be {wanted}, got {shown(color)}.{advice}")
        self.channels = len(numbers)
        self._paint((*numbers, self.alpha)[:4])

    @property
    def alpha(self) -> float:
        """The opacity, from 0 to 255."""
        return self._shown()[3]

    @alpha.setter
    def alpha(self, alpha: float) -> None:
        self._paint((*self._shown()[:3], alpha))

    def _shown(self) -> Tint:
        """Return the tint as it was set, unless something else has changed it since."""
        return self.painted

    def _paint(self, color: Tint) -> None:
        """Store a tint; subclasses hand it to the engine."""
        self.painted = color


def is_collection(things: Any) -> bool:
    return isinstance(things, Iterable)


def check_things(who: str, *things: Any) -> None:
    for each in things:
        if (part := _part_of_transform(each)) is not None:
            raise TypeError(f"{who}: pass the engine's own {part}, {got(each)}")
        if isinstance(each, Iterator) or each is None:
            raise TypeError(
                f"{who}: things must be one, or a collection that can be iterated over repeatedly, "
                f"such as a list; {got(each)}"
            )


def got(thing: Any) -> str:
    """Return the end of a message: what was given and, for a transform, what to give instead."""
    if (part := _part_of_transform(thing)) is None:
        return f"got {shown(thing)}."
    return f"got a {type(thing).__name__}. Give what it was made of, its .{part}."


def _part_of_transform(thing: Any) -> str | None:
    if not isinstance(thing, Tinted):
        return None
    return next((name for name in ("sprite", "node") if hasattr(thing, name)), None)
