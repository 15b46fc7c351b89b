"""Positions: of a target of any kind, and partway between two."""

from __future__ import annotations

from typing import Any

from actions.parts.raw_things import check_no_raw_thing
from fsmkit.space import Position, Space, difference, shifted


def position_of(target: Any, space: Space) -> Position:
    """Return the position of `target`, a position or anything that has one, in `space`.

    TypeError for a thing of a game engine that has none; see `raw_things`.

    >>> position_of((1.0, 2.0), Space.WORLD)
    (1.0, 2.0)
    """
    position = getattr(target, space.attribute("position"), target)
    if position is target and type(target) is not tuple:
        check_no_raw_thing(target, "A target", space)
    return position


def partway(here: Position, there: Position, share: float) -> Position:
    """Return the position `share` of the way from `here` to `there`, in the type of `here`.

    >>> partway((0.0, 0.0), (8.0, 4.0), 0.25)
    (2.0, 1.0)
    """
    return shifted(here, difference(here, there), share)
