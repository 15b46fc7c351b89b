"""Move: move a thing from one position to another within a certain time."""

from __future__ import annotations

from typing import Any

from attrs import define, field

from actions.parts.blend import Blend
from actions.parts.parameters import Param
from actions.parts.validators import has, is_space
from fsmkit.space import Position, Space


@define(eq=False, repr=False, slots=False)
class Move(Blend):
    """Move `transform` from `start` to `end` in `duration` seconds.

    `start=None` means: from where it is now. `transform` is anything with a `position` (for
    `Space.SELF` a `local_position`). Between equal ends it finishes on enter, at its end.

    >>> from fsmkit import Fsm
    >>> from fsmkit.space import Transform
    >>> cart = Transform((0.0, 0.0))
    >>> fsm = Fsm("Cart")
    >>> move = fsm.add_state("Roll").add_action(Move(cart, None, (8.0, 0.0), duration=2.0))
    >>> fsm.start()
    >>> fsm.update(0.5)
    >>> cart.position
    (2.0, 0.0)
    >>> fsm.update(99)
    >>> cart.position, move.finished
    ((8.0, 0.0), True)
    """

    transform: Any = field(validator=has("position"))
    start: Param[Position] | None
    end: Param[Position]
    duration: Param[float]
    space: Space = field(default=Space.WORLD, kw_only=True, validator=is_space)

    @property
    def writes(self) -> tuple[object, str] | None:
        return self.transform, "position"

    def read(self) -> Position:
        return getattr(self.transform, self.space.attribute("position"))

    def write(self, value: Position) -> None:
        setattr(self.transform, self.space.attribute("position"), value)
