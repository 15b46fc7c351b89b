"""SetColorByDuration: take a thing from one colour to another within a certain time."""

from __future__ import annotations

from numbers import Integral
from typing import Any

from attrs import define, field

from actions.parts import attributes
from actions.parts.blend import Blend
from actions.parts.parameters import Param
from actions.parts.validators import is_name_in, is_writable
from fsmkit.space import components, is_registered, lerp, like

Color = Any
"""A tuple of numbers, or the like: `(255, 0, 0)`, `(1.0, 0.0, 0.0, 0.5)`, a `pygame.Color`."""


@define(eq=False, repr=False, slots=False)
class SetColorByDuration(Blend):
    """Bring the colour of `target` from `start` to `end` in `duration` seconds.

    A colour is a tuple of numbers in whatever range, or an iterable class that is made of such
    numbers, like `pygame.Color`. Both ends must have equally many. If all of them are integers, the
    colours between are rounded to integers. Easing does not lead beyond the ends.

    `start=None` means: from its colour now. `target` is anything with such an `attribute`,
    or a mapping with such a key. Between equal ends it finishes on enter, at its end. Raises
    AttributeError (KeyError) on enter if there is no such attribute (key), ValueError if the ends
    do not match.

    >>> from types import SimpleNamespace
    >>> from fsmkit import Fsm
    >>> lamp = SimpleNamespace(color=(255, 255, 0))
    >>> fsm = Fsm("Lamp")
    >>> dim = SetColorByDuration(lamp, None, (0, 0, 0), duration=3.0)
    >>> _ = fsm.add_state("Dim").add_action(dim)
    >>> fsm.start()
    >>> fsm.update(2)
    >>> lamp.color
    (85, 85, 0)
    """

    target: Any = field(validator=is_writable)
    start: Param[Color] | None
    end: Param[Color]
    duration: Param[float]
    attribute: Any = field(default="color", kw_only=True, validator=is_name_in("target"))

    @property
    def writes(self) -> tuple[object, str] | None:
        return self.target, self.attribute

    def read(self) -> Color:
        return attributes.read(self.target, self.attribute)

    def write(self, value: Color) -> None:
        attributes.write(self.target, self.attribute, value)

    def between(self, start: Color, end: Color, share: float) -> Color:
        numbers = lerp(components(start), components(end), min(1.0, max(0.0, share)))
        if _is_whole(start) and _is_whole(end):
            numbers = tuple(round(number) for number in numbers)
        return like(start, numbers)


def _is_whole(color: Color) -> bool:
    numbers = components(color) if is_registered(color) else color
    return all(isinstance(number, Integral) for number in numbers)
