"""Positions: of a target of any kind, and partway between two."""

from __future__ import annotations

from typing import Any

from actions.parts.parameters import value_of
from fsmkit.space import Position, Space, difference, shifted


def position_of(target: Any, space: Space) -> Position:
    """Return the position of `target` in `space`.

    A target is a position, a function that returns one, or anything that has one.

    >>> position_of(lambda: (1.0, 2.0), Space.WORLD)
    (1.0, 2.0)
    """
    target = value_of(target)
    return getattr(target, space.attribute("position"), target)


def partway(here: Position, there: Position, share: float) -> Position:
    """Return the position `share` of the way from `here` to `there`, in the type of `here`.

    >>> partway((0.0, 0.0), (8.0, 4.0), 0.25)
    (2.0, 1.0)
    """
    return shifted(here, difference(here, there), share)
