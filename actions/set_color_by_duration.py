"""SetColorByDuration: change the colour of a thing within a certain time."""

from __future__ import annotations

from numbers import Integral
from typing import Any

from attrs import field

from actions.definition import define_action
from actions.parts import attributes
from actions.parts.attributes import (
    Color,
    channels,
    has_alpha,
    lacks_alpha,
    plain_numbers,
    with_alpha,
    written,
)
from actions.parts.blend import AttributeBlend
from actions.parts.parameters import Param
from actions.parts.validators import is_name_in
from fsmkit.space import lerp, like


@define_action
class SetColorByDuration(AttributeBlend):
    """Bring the colour of `target` from `start` to `end` in `duration` seconds.

    A colour is a tuple of numbers in any range, or an iterable object of such numbers, like
    `pygame.Color`: three of them, or four with alpha. If all of them are integers, the colours
    between are rounded to integers. Easing does not go beyond the ends.

    An end without alpha gets the current one: the fourth number of the target's colour, or its
    `alpha`, if the target has both an `alpha` and a colour of three numbers. Then alpha is written
    there, too.

    `start=None` means: from its colour now. `target` is anything with such an `attribute`, or a
    mapping with such a key. Between equal ends it finishes on enter, at its end. Raises
    AttributeError (KeyError) on enter if there is no such attribute (key), ValueError for alpha
    that it cannot store.

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

    start: Param[Color] | None
    end: Param[Color]
    duration: Param[float]
    attribute: Any = field(default="color", kw_only=True, validator=is_name_in("target"))

    def matched(self, start: Color, end: Color) -> tuple[Color, Color]:
        given = has_alpha(start), has_alpha(end)
        if all(given):
            return start, end
        now = self.read()
        if has_alpha(now):
            alpha = written(now)[3]
        elif not any(given):
            return start, end
        elif self.attribute == "color" and attributes.has_alpha_beside(self.target):
            alpha = attributes.read(self.target, "alpha")
        else:
            wanted = written(end if has_alpha(end) else start)
            raise ValueError(
                f"{type(self).__name__}: the {self.attribute} of {self.target!r} has no alpha, "
                f"got {wanted!r}. Give three: {wanted[:3]!r}."
            )
        return with_alpha(start, alpha), with_alpha(end, alpha)

    def between(self, start: Color, end: Color, share: float) -> Color:
        if not 0.0 <= share <= 1.0:
            share = min(1.0, max(0.0, share))
        if type(start) is type(end) is tuple and len(start) == len(end):
            kind = plain_numbers(start + end)
            if kind is not None:
                numbers = lerp(start, end, share)
                is_rounded = kind is int and 0.0 < share < 1.0
                return tuple(map(round, numbers)) if is_rounded else numbers
        if lacks_alpha(start, end):  # only in the check of constants, before the target is read
            start = with_alpha(start, written(end)[3])
        elif lacks_alpha(end, start):
            end = with_alpha(end, written(start)[3])
        ends = channels(start), channels(end)
        if len(ends[0]) != len(ends[1]):
            raise ValueError(
                f"Two colours must have the same number of components, got {start!r} and {end!r}."
            )
        numbers = lerp(*ends, share)
        if all(isinstance(number, Integral) for color in (start, end) for number in written(color)):
            numbers = tuple(round(number) for number in numbers)
        return like(start, numbers)
