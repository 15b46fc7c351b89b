"""Place: where the target of an action is, as something that can be compared and saved."""

from __future__ import annotations

from enum import Enum
from math import isclose, isfinite
from numbers import Real
from typing import Any, Final, TypeAlias

from fsmkit.core.words.notes import shown_error
from fsmkit.goap.action import GoapAction
from fsmkit.space import components

Place: TypeAlias = tuple[float, ...] | str | None
"""A position, or the name of a place; None for a target that is neither: it never moves."""

SAME: Final = 1e-9
"""Two coordinates are the same if they differ by no more than this, or by this share of them."""


class TargetGoneError(Exception):
    """The target of an action is nowhere. The argument says so in words."""


def read_target(action: GoapAction) -> tuple[Any, Place]:
    """Return the target of `action`, and its place.

    Raises TargetGoneError if that is None or not finite, or if asking for it raises an error.
    """
    try:
        target = action.target() if callable(action.target) else action.target
        position = getattr(target, "position", target)
        place = place_of(position)
    except Exception as error:
        reason = shown_error(error)
        raise TargetGoneError(f"the target of {action.name!r} is gone ({reason})") from error
    if position is None:
        raise TargetGoneError(f"the target of {action.name!r} is gone")
    if isinstance(place, tuple) and not all(map(isfinite, place)):
        raise TargetGoneError(f"the target of {action.name!r} is nowhere, at {shown(place)}")
    return target, place


def place_of(position: Any) -> Place:
    """Return the place that `position` stands for.

    >>> place_of((3, 4)), place_of(2), place_of("kitchen"), place_of(object())
    ((3.0, 4.0), (2.0,), 'kitchen', None)
    """
    if isinstance(position, str | Enum):
        return str(position)
    if isinstance(position, Real):
        return (float(position),)
    try:
        return components(position)
    except TypeError:
        return None


def checked_position(place: Place, action: GoapAction) -> tuple[float, ...]:
    """Return the place of the target of `action`; TypeError if that is no position."""
    if not isinstance(place, tuple):
        raise TypeError(
            f"GoapAction {action.name!r}: with reach= its target must be a position, or have one, "
            f"got {place or action.target!r}. Give it a position, or leave reach= out."
        )
    return place


def is_same(a: Place, b: Place) -> bool:
    """Return True unless `a` and `b` are known to be different places.

    >>> is_same((0.1 + 0.2, 0.0), (0.3, 0.0)), is_same((0.0, 0.0), (0.0, 0.01))
    (True, False)
    """
    if not isinstance(a, tuple) or not isinstance(b, tuple):
        return a is None or b is None or a == b
    return len(a) == len(b) and all(
        isclose(x, y, rel_tol=SAME, abs_tol=SAME) for x, y in zip(a, b, strict=True)
    )


def shown(place: Place) -> str:
    """Return `place` for a reader.

    >>> shown((4.0, 1.5)), shown("kitchen"), shown(None)
    ('(4, 1.5)', 'kitchen', 'its target')
    """
    if isinstance(place, tuple):
        return f"({', '.join(f'{coordinate:g}' for coordinate in place)})"
    return place or "its target"
