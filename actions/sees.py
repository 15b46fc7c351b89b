"""Sees: the condition that one thing sees another."""

from __future__ import annotations

from inspect import iscoroutinefunction, isgeneratorfunction, signature
from math import inf
from typing import Any

from attrs import Attribute, field

from actions.definition import define_action
from actions.parts.conditions import Condition, found_by
from actions.parts.parameters import is_computed, is_parameter
from actions.parts.positions import has_attribute, position_of
from actions.parts.validators import is_amount, is_target
from fsmkit import FsmState
from fsmkit.space import angle_to, difference, distance
from fsmkit.timing import arguments

ALL_ROUND = 360.0
"""The field of view, in degrees, of eyes that see everything in range."""


def is_line_of_sight(_condition: object, _field: Attribute[Any], value: object) -> None:
    """Raise TypeError unless `value` tells whether the line between two positions is clear.

    That is a function of both, or something with a method `is_clear`, as a `Grid` has.
    """
    if value is None:
        return
    ask = _clear_line(value)
    if isinstance(value, type) or not callable(ask):
        wanted = "a function of two positions, or something with is_clear(start, end), as a Grid"
        raise TypeError(f"Sees: clear must be {wanted}, got {value!r}.")
    if iscoroutinefunction(ask) or isgeneratorfunction(ask):
        raise TypeError(f"Sees: clear must be a plain function, got {value!r}.")
    try:
        signature(ask).bind(None, None)
    except ValueError:  # its signature cannot be read
        return
    except TypeError:
        raise TypeError(
            f"Sees: clear must take two positions, where the line begins and ends, got {value!r}."
        ) from None


def _clear_line(clear: Any) -> Any:
    """Return the function of two positions."""
    return getattr(clear, "is_clear", clear)


@define_action
class Sees(Condition):
    """A condition: `eyes` sees `target`.

    It holds if the target is within `range` units and in the field of view, and nothing is in the
    way. The field of view is `angle` degrees wide, half on each side of the direction that `eyes`
    faces. Within `close` units the target is also noticed from behind. `clear` says whether the
    line of sight is clear: a function of two positions, or anything with a method `is_clear` for
    them, such as a `Grid` of `fsmkit.pathfinding`. It is called last, and only for targets in range
    and in view.

    Use it wherever a function is accepted:
    `SendEventWhen(Sees(guard, thief, 15.0, angle=60.0), "SEEN")`, a guard `when=`, `WaitUntil`,
    `When`, `Switch`; and in plain code: `if sees():`, or `sees(state)` if something depends on the
    state.

    With `until` a target once seen is not lost at once: it stays seen, wherever `eyes` faces, until
    the distance exceeds `until` units or something is in the way. For this the condition remembers
    its last answer, for each machine that asks and for plain code, so two states or many machines
    can share it.

    `target` is a position, a function that returns one, or anything with a `position`; a function
    may return None if there is no target. `eyes` is a position, a function or a thing, like
    `target`; for an `angle` below 360 it needs a `rotation`, an angle in degrees or a quaternion.
    For `Space.SELF` the `local_` ones are used, also of the target. Raises ValueError for a range
    that is negative or not finite, an `until` below it, and an `angle` that is not from 0 to 360.

    >>> from fsmkit.space import Transform
    >>> guard, thief = Transform((0.0, 0.0), rotation=90.0), Transform((1.0, 9.0))
    >>> sees = Sees(guard, thief, 15.0, angle=60.0)
    >>> sees()
    True
    >>> thief.position = (9.0, 1.0)
    >>> sees()
    False
    """

    eyes: Any = field(validator=[is_parameter, is_target])
    target: Any = field(validator=[is_parameter, is_target])
    range: float
    angle: float = field(default=ALL_ROUND, kw_only=True)
    clear: Any = field(default=None, kw_only=True, validator=is_line_of_sight)
    close: float = field(default=0.0, kw_only=True, validator=is_amount("units", computed=False))
    obstacle: str = field(default="", init=False)
    """What kept a target in range from being seen when it was last looked for."""

    def __attrs_post_init__(self) -> None:
        super().__attrs_post_init__()
        arguments.number(self.angle, "Sees: angle", least=0.0, most=ALL_ROUND, unit=" of degrees")
        if not is_computed(self.eyes):
            self._check_rotation(self.eyes)

    def answer(self, asker: FsmState[Any], reach: float, *, held: bool) -> bool:
        eyes, target = self.eyes, self.target
        if callable(eyes) or callable(target):
            self.asker = id(asker)
            eyes, target = found_by(eyes, asker), found_by(target, asker)
        if eyes is None or target is None:
            self.measured = inf
            return False
        here, there = position_of(eyes, self.space), position_of(target, self.space)
        way = self.measured = distance(here, there)
        self.obstacle = ""
        if not way <= reach:  # `not <=`, as a position may be nan
            return False
        is_noticed = held or way <= self.close or self.angle == ALL_ROUND
        if not (is_noticed or self._faces(eyes, difference(here, there))):
            self.obstacle = "not in view"
            return False
        if self.clear is None or _clear_line(self.clear)(here, there):
            return True
        self.obstacle = "something in the way"
        return False

    def measured_for(self, state: FsmState[Any]) -> str:
        """Return the distance and its limit, and what else kept it from being seen."""
        measured = super().measured_for(state)
        is_known = measured and self.measured != inf and self.obstacle
        return f"{measured}, {self.obstacle}" if is_known else measured

    def _faces(self, eyes: Any, way: tuple[float, ...]) -> bool:
        try:
            rotation = getattr(eyes, self.space.rotation)
        except AttributeError:
            self._check_rotation(eyes)
            raise
        return angle_to(rotation, way) <= self.angle / 2.0

    def _check_rotation(self, eyes: Any) -> None:
        attribute = self.space.rotation
        if self.angle < ALL_ROUND and not has_attribute(eyes, attribute):
            raise TypeError(
                f"Sees: eyes must be something with a {attribute} if an angle is given, "
                f"got {eyes!r}."
            )
