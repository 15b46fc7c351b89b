"""Move: move a thing from one position to another within a certain time."""

from __future__ import annotations

from actions.definition import define_action
from actions.parts.blend import TransformBlend
from actions.parts.parameters import Param
from fsmkit.space import Position


@define_action
class Move(TransformBlend):
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

    start: Param[Position] | None
    end: Param[Position]
    duration: Param[float]

    @property
    def _way_(self) -> tuple[Position, ...]:
        return (self.destination,)
