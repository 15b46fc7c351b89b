"""Held: keys that are held down, and an axis of a gamepad, as one value."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from math import isfinite, isnan
from typing import Any

from attrs import define, field

from fsmkit.core.checks.arguments import shown


class HeldAxis:
    """Stands for the axis among the keys that are held: a class, since its copies are itself."""


@define(eq=False, init=False)
class Held:
    """Keys that are held down, of which the newest wins, and the `value` that it has.

    `Held("left", "right")` is -1.0 while the left key is held, 1.0 while the right one is, and 0.0
    otherwise; `Held("shift")` is 1.0 or 0.0. A mapping gives any other values, which several keys
    may share, and `at_rest` is the value without a key:
    `Held({"up": (0, 1), "down": (0, -1), "w": (0, 1)}, at_rest=(0, 0))`.

    An `axis` of a gamepad counts too, from -1.0 to 1.0: it is pressed while it is further than
    `dead_zone` from its middle, and its value grows from 0 there. `newest` is the key itself, the
    name of the axis, or None if nothing is held.

    Give it to `send_keys` of an engine, which keeps it up to date. By hand, or in a test, call
    `press`, `release` and `move`. Raises ValueError without keys or axis, for a repeated key, for
    more than two keys without values, and for a dead zone outside 0 <= zone < 1; TypeError for a
    list of keys, and for an axis beside values other than numbers.

    >>> walk = Held("left", "right")
    >>> walk.press("right"), walk.press("left")
    (True, True)
    >>> walk.value, walk.newest
    (-1.0, 'left')
    >>> walk.release("left"), walk.value
    (True, 1.0)
    """

    values: dict[Hashable, Any]
    at_rest: Any
    axis: str | None
    dead_zone: float
    _down: list[Hashable] = field(repr=False)
    """The keys that are held, the newest last."""
    _position: float = field(repr=False)
    """Where the axis stands, without its dead zone."""

    def __init__(
        self,
        *keys: Hashable | Mapping[Any, Any],
        axis: str | None = None,
        dead_zone: float = 0.2,
        at_rest: Any = 0.0,
    ) -> None:
        self.values = _values_of(keys, axis)
        self.axis, self.at_rest, self.dead_zone = axis, at_rest, dead_zone
        self._down, self._position = [], 0.0
        if not (isfinite(dead_zone) and 0.0 <= dead_zone < 1.0):
            raise ValueError(f"Held: dead_zone must be in 0 <= zone < 1, got {shown(dead_zone)}.")
        if not (axis is None or isinstance(axis, str)):
            raise TypeError(
                f"Held: axis must be a name, such as 'gamepad left stick x', got {shown(axis)}."
            )
        if axis is not None and not all(isinstance(it, int | float) for it in self.values.values()):
            raise TypeError(
                f"Held: an axis needs keys whose values are numbers, got {self.values!r}. "
                "Use one Held for x and one for y."
            )

    @property
    def newest(self) -> Hashable | None:
        """The key pressed last of those that are held, or the axis; None if nothing is held."""
        if not self._down:
            return None
        return self.axis if self._down[-1] is HeldAxis else self._down[-1]

    @property
    def value(self) -> Any:
        """The value of the newest key, or of the axis."""
        if not self._down:
            return self.at_rest
        return self._position if self._down[-1] is HeldAxis else self.values[self._down[-1]]

    @property
    def direction(self) -> Any:
        """The value, but -1.0 or 1.0 for an axis anywhere outside its dead zone."""
        if self._down and self._down[-1] is HeldAxis:
            return 1.0 if self._position > 0.0 else -1.0
        return self.value

    def press(self, key: Hashable) -> bool:
        """Note that a key has gone down; return False if it is not one of these."""
        if key not in self.values:
            return False
        if key not in self._down:  # a key that repeats while held stays as old as it is
            self._down.append(key)
        return True

    def release(self, key: Hashable) -> bool:
        """Note that a key has gone up; return False if it is not one of these."""
        if key in self._down:
            self._down.remove(key)
        return key in self.values

    def move(self, axis: str, position: float) -> bool:
        """Note where an axis stands, from -1.0 to 1.0; return False for another axis.

        Raises ValueError for NaN.
        """
        if axis != self.axis:
            return False
        if isnan(position):
            raise ValueError(f"Held: {axis!r} must be at a number from -1 to 1, got {position!r}.")
        beyond = max(0.0, min(1.0, abs(position)) - self.dead_zone) / (1.0 - self.dead_zone)
        self._position = beyond if position > 0.0 else -beyond
        if not beyond:
            self._down = [key for key in self._down if key is not HeldAxis]
        elif HeldAxis not in self._down:
            self._down.append(HeldAxis)
        return True

    def release_all(self) -> None:
        """Note that nothing is held any more, as when the window loses the focus."""
        self._down, self._position = [], 0.0


def _values_of(keys: tuple[Any, ...], axis: str | None) -> dict[Hashable, Any]:
    if len(keys) == 1 and isinstance(keys[0], Mapping):
        values: dict[Hashable, Any] = dict(keys[0])
    elif not all(isinstance(key, Hashable) for key in keys):
        raise TypeError(
            f"Held: keys must be given one by one, as Held('left', 'right'), got {keys!r}."
        )
    elif len(keys) == 2 and keys[0] == keys[1]:
        raise ValueError(f"Held: the two keys must be different ones, got {keys!r}.")
    elif len(keys) <= 2:
        values = dict(zip(keys, (1.0,) if len(keys) == 1 else (-1.0, 1.0), strict=False))
    else:
        raise ValueError(
            f"Held: keys must be one or two, or a mapping from keys to values, got {keys!r}."
        )
    if not values and axis is None:
        raise ValueError("Held: give it keys, such as Held('left', 'right'), or an axis.")
    return values
