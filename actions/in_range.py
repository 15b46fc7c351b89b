"""InRange: the condition that two things are close to each other."""

from __future__ import annotations

from math import inf
from typing import Any

from attrs import field

from actions.definition import define_action
from actions.parts.conditions import Condition, found_by
from actions.parts.parameters import is_parameter
from actions.parts.positions import position_of
from actions.parts.validators import is_target
from fsmkit import FsmState
from fsmkit.space import distance


@define_action
class InRange(Condition):
    """A condition: `one` is within `range` units of `target`.

    Use it wherever a function is accepted: `SendEventWhen(InRange(guard, thief, 2.0), "CAUGHT")`, a
    guard `when=`, `WaitUntil`, `When`, `Switch`; and in plain code: `if near():`, or `near(state)`
    if something depends on the state.

    With `until` it does not flicker at the edge: once it holds, it holds until the distance exceeds
    `until` units. For this it remembers its last answer, for each machine that asks and for plain
    code, so two states or many machines can share one condition.

    Both are positions, functions that return one, or anything with a `position` (for `Space.SELF`
    a `local_position`). A function may return None if the thing is missing: then it is not in
    range. Raises ValueError for a range that is negative or not finite, or an `until` below it.

    >>> from fsmkit.space import Transform
    >>> door, hero = Transform((0.0, 0.0)), Transform((5.0, 0.0))
    >>> near = InRange(door, hero, 3.0, until=4.0)
    >>> for x in (5.0, 3.0, 4.0, 4.5, 4.0):
    ...     hero.position = (x, 0.0)
    ...     print(x, near())
    5.0 False
    3.0 True
    4.0 True
    4.5 False
    4.0 False
    """

    one: Any = field(validator=[is_parameter, is_target])
    target: Any = field(validator=[is_parameter, is_target])
    range: float

    def answer(self, asker: FsmState[Any], reach: float, *, held: bool) -> bool:  # noqa: ARG002  # the range says it
        one, target = self.one, self.target
        if callable(one) or callable(target):
            self.asker = id(asker)
            one, target = found_by(one, asker), found_by(target, asker)
        if one is None or target is None:
            self.measured = inf
            return False
        space = self.space
        way = self.measured = distance(position_of(one, space), position_of(target, space))
        return way <= reach
