"""Sees: the condition that one thing sees another."""

from __future__ import annotations

from inspect import iscoroutinefunction, isgeneratorfunction, signature
from numbers import Real
from typing import Any

from attrs import Attribute, define, field

from actions.parts.condition import Condition, found_by
from actions.parts.functions import is_parameter
from actions.parts.parameters import is_computed
from actions.parts.positions import position_of
from actions.parts.raw_things import has_attribute
from actions.parts.validators import checked_amount, is_space, is_target
from fsmkit import FsmState
from fsmkit.space import Space, angle_to, difference, distance

ALL_ROUND = 360.0
"""The field of view of eyes that see whatever is in range, in degrees."""


def is_line_of_sight(_condition: object, _field: Attribute[Any], value: object) -> None:
    """Raise TypeError unless `value` can be asked whether the line between two positions is clear.

    That is a function of both, or something with a method `is_clear`, as a `Grid` has.
    """
    if value is None:
        return
    ask = _asking(value)
    if isinstance(value, type) or not callable(ask):
        wanted = "a function of two positions, or something with is_clear(start, end), as a Grid"
        raise TypeError(f"Sees: clear must be {wanted}, got {value!r}.")
    if iscoroutinefunction(ask) or isgeneratorfunction(ask):
        raise TypeError(f"Sees: clear must be a plain function, got {value!r}.")
    try:
        signature(ask).bind(None, None)
    except ValueError:  # nobody knows what it takes
        return
    except TypeError:
        raise TypeError(
            f"Sees: clear must take two positions, where the line begins and ends, got {value!r}."
        ) from None


def _asking(clear: Any) -> Any:
    """Return what is called with two positions."""
    return getattr(clear, "is_clear", clear)


@define(eq=False, repr=False, slots=False)
class Sees(Condition):
    """A condition: `eyes` sees `target`.

    That is so if the target is within `range` units, within the field of view, `angle` degrees wide
    in all, half on each side of where `eyes` faces, and nothing is in the way. Within `close` units
    it is noticed from behind, too. `clear` says whether nothing is in the way: a function of two
    positions, or anything with a method `is_clear` for them, as a `Grid` of `fsmkit.pathfinding`.
    It is asked last, and only about what is near enough and in view.

    It serves wherever a function does: `SendEventWhen(Sees(guard, thief, 15.0, angle=60.0),
    "SEEN")`, a guard `when=`, `WaitUntil`, `When`, `Switch`; and in plain code: `if sees():`, or
    `sees(state)` where something depends on the state.

    With `until` what is seen once is not lost at once: it is seen, wherever `eyes` faces, until the
    distance exceeds `until` units or something is in the way. Then it remembers its last answer,
    for each machine that asks and for plain code. So one condition serves two states, or many
    machines.

    `target` is a position, a function that returns one, or anything with a `position`; a function
    may return None for nobody. So is `eyes`, and for an `angle` below 360 it has a `rotation`, an
    angle in degrees or a quaternion. For `Space.SELF` the `local_` ones are used, of the target
    too. Raises ValueError for a range that is negative or not finite, an `until` below it, and an
    `angle` that is not from 0 to 360.

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
    close: float = field(default=0.0, kw_only=True)
    until: float | None = field(default=None, kw_only=True)
    space: Space = field(default=Space.WORLD, kw_only=True, validator=is_space)

    def __attrs_post_init__(self) -> None:
        super().__attrs_post_init__()
        checked_amount(self.close, "Sees: close", "units")
        if not isinstance(self.angle, Real):
            raise TypeError(f"Sees: angle must be a number (degrees), got {self.angle!r}.")
        if not 0.0 <= self.angle <= ALL_ROUND:
            raise ValueError(f"Sees: angle must be from 0 to 360 degrees, got {self.angle!r}.")
        if not is_computed(self.eyes):
            self._check_rotation(self.eyes)

    def answer(self, asker: FsmState[Any], reach: float, *, held: bool) -> bool:
        eyes, target = found_by(self.eyes, asker), found_by(self.target, asker)
        if eyes is None or target is None:
            return False
        here, there = position_of(eyes, self.space), position_of(target, self.space)
        way = distance(here, there)
        if not way <= reach:  # nor is it in range where one is nowhere, at nan
            return False
        is_noticed = held or way <= self.close or self.angle == ALL_ROUND
        if not (is_noticed or self._faces(eyes, difference(here, there))):
            return False
        return self.clear is None or bool(_asking(self.clear)(here, there))

    def _faces(self, eyes: Any, way: tuple[float, ...]) -> bool:
        self._check_rotation(eyes)
        rotation = getattr(eyes, self.space.attribute("rotation"))
        return angle_to(rotation, way) <= self.angle / 2.0

    def _check_rotation(self, eyes: Any) -> None:
        attribute = self.space.attribute("rotation")
        if self.angle < ALL_ROUND and not has_attribute(eyes, attribute):
            raise TypeError(
                f"Sees: eyes must be something with a {attribute} if an angle is given, "
                f"got {eyes!r}."
            )
