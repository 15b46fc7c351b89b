"""Tween: bring any attribute from one value to another within a certain time."""

from __future__ import annotations

from typing import Any

from attrs import define, field

from actions.parts import attributes
from actions.parts.blend import Blend
from actions.parts.colors import advice_for_colors
from actions.parts.parameters import Param
from actions.parts.validators import is_name_in, is_writable


@define(eq=False, repr=False, slots=False)
class Tween(Blend):
    """Bring `attribute` of `target` from `start` to `end` in `duration` seconds.

    `target` is any object, or a mapping: then `attribute` is one of its keys. The value is a
    number, a tuple of numbers, or anything that `fsmkit.space.lerp` knows. `start=None` means:
    from its value now. Between equal ends it finishes on enter, at its end.

    Raises AttributeError (KeyError) on enter if `target` has no such attribute (key), TypeError if
    there is nothing between the ends.

    >>> from fsmkit import Fsm
    >>> sound = {"volume": 1.0}
    >>> fsm = Fsm("Music")
    >>> _ = fsm.add_state("Fade").add_action(Tween(sound, "volume", None, 0.0, duration=2.0))
    >>> fsm.start()
    >>> fsm.update(0.5)
    >>> sound
    {'volume': 0.75}
    """

    target: Any = field(validator=is_writable)
    attribute: Any = field(validator=is_name_in("target"))
    start: Param[Any] | None
    end: Param[Any]
    duration: Param[float]

    @property
    def writes(self) -> tuple[object, str] | None:
        return self.target, self.attribute

    def between(self, start: Any, end: Any, share: float) -> Any:
        try:
            return super().between(start, end, share)
        except (TypeError, ValueError) as error:
            advice = advice_for_colors(start, end) if self.attribute == "color" else ""
            raise type(error)(f"{error}{advice}") from None

    def read(self) -> Any:
        return attributes.read(self.target, self.attribute)

    def write(self, value: Any) -> None:
        attributes.write(self.target, self.attribute, value)
