"""Positions: of a target of any kind, of a thing and its target, and partway between two."""

from __future__ import annotations

from typing import Any

from actions.parts.parameters import is_computed
from actions.parts.raw_things import check_no_raw_thing
from fsmkit.space import Position, Space, components, difference, like, shifted


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


def may_move(target: Any, space: Space) -> bool:
    """Return True unless `target` is a position, which stays where it is.

    >>> may_move((1.0, 2.0), Space.WORLD), may_move(lambda: (1.0, 2.0), Space.WORLD)
    (False, True)
    """
    return is_computed(target) or hasattr(target, space.attribute("position"))


def ends_of(thing: Any, target: Any, space: Space) -> tuple[Position, Position]:
    """Return where a thing and its target are, both in the type and precision of the thing.

    In another precision it would never be exactly at its target.

    >>> ends_of([0.0, 0.0], (3.0, 4.0), Space.WORLD)
    ([0.0, 0.0], [3.0, 4.0])
    """
    here = position_of(thing, space)
    return here, like(here, components(position_of(target, space)))


def partway(here: Position, there: Position, share: float) -> Position:
    """Return the position `share` of the way from `here` to `there`, in the type of `here`.

    >>> partway((0.0, 0.0), (8.0, 4.0), 0.25)
    (2.0, 1.0)
    """
    return shifted(here, difference(here, there), share)
