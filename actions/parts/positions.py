"""Positions of things and targets of any kind, and advice for engine objects that have none."""

from __future__ import annotations

from copy import copy
from typing import Any, Final

from actions.parts.parameters import is_computed
from fsmkit.space import Position, Space, calculates, components, lerp, like


def position_of(target: Any, space: Space) -> Position:
    """Return the position of `target`, a position or anything that has one, in `space`.

    TypeError for an object of a game engine that has none; see `advice_for`.

    >>> position_of((1.0, 2.0), Space.WORLD)
    (1.0, 2.0)
    """
    if type(target) is tuple or calculates(target):
        return target
    position = getattr(target, space.position, target)
    if position is target:
        check_no_raw_thing(target, "A target", space)
    return position


def may_move(target: Any, space: Space) -> bool:
    """Return True unless `target` is a fixed position.

    >>> may_move((1.0, 2.0), Space.WORLD), may_move(lambda: (1.0, 2.0), Space.WORLD)
    (False, True)
    """
    return is_computed(target) or hasattr(target, space.position)


def ends_of(thing: Any, target: Any, space: Space) -> tuple[Position, Position]:
    """Return the positions of a thing and its target, in the type and precision of the thing.

    In another precision it would never be exactly at its target. The second may be the target's own
    vector, which changes with it.

    >>> from fsmkit.space import Transform
    >>> ends_of(Transform([0.0, 0.0]), (3.0, 4.0), Space.WORLD)
    ([0.0, 0.0], [3.0, 4.0])
    """
    here = getattr(thing, space.position)
    return here, alike(here, target if type(target) is tuple else position_of(target, space))


def alike(here: Position, there: Position) -> Position:
    """Return the position `there` in the type and precision of `here`.

    It may be the same object.

    >>> alike([0.0, 0.0], (3, 4))
    [3.0, 4.0]
    """
    if type(here) is type(there):
        if type(here) is tuple:
            for number in there:
                if type(number) is not float:
                    return components(there)
            return there
        if calculates(here):
            return there
    return like(here, components(there))


def partway(here: Position, there: Position, share: float) -> Position:
    """Return the position `share` of the way from `here` to `there`, which are of one type.

    It is calculated in double precision, whatever their type keeps; at 1 it is exactly `there`.

    >>> partway((0.0, 0.0), (8.0, 4.0), 0.25)
    (2.0, 1.0)
    """
    if type(here) is tuple:
        return lerp(here, there, share)
    if calculates(here):
        return type(here)(*lerp(tuple(here), tuple(there), share))
    return like(here, lerp(components(here), components(there), share))


def unchanging(position: Position) -> Position:
    """Return a position that no one else can change in place."""
    return position if type(position) is tuple else copy(position)


# Objects of engines

_ADVICE: Final = (
    (("topleft", "inflate"), "Give its center, or make a SpriteTransform of its sprite."),
    (("rect",), "Make a SpriteTransform of it, as in fsmkit.engines.pygame, and give that."),
    (("each_arbiter",), "Make a BodyTransform of it, as in fsmkit.engines.pymunk, and give that."),
    (("getPos",), "Make a NodeTransform of it, as in fsmkit.engines.panda3d, and give that."),
)
"""Attributes by which engine objects are recognised without importing the engine, and advice."""

KEPT_BY_TRANSFORMS: Final = ("position", "rotation", "scale", "color", "alpha")


def advice_for(thing: Any) -> str:
    """Return advice for an object of an engine that no action can use as it is; empty for others.

    >>> from types import SimpleNamespace
    >>> advice_for(SimpleNamespace(rect=(0, 0, 32, 32)))
    ' Make a SpriteTransform of it, as in fsmkit.engines.pygame, and give that.'
    """
    for names, advice in _ADVICE:
        if all(has_attribute(thing, name) for name in names):
            return f" {advice}"
    return ""


def check_no_raw_thing(target: Any, what: str, space: Space) -> None:
    """Raise TypeError, by the name `what`, for a target whose position only its engine knows."""
    if not has_attribute(target, space.position) and (advice := advice_for(target)):
        raise TypeError(f"{what} must be a position or have one, got {target!r}.{advice}")


def has_attribute(thing: Any, name: str) -> bool:
    """Return True if a thing has an attribute, or its class declares it."""
    try:
        return hasattr(thing, name) or hasattr(type(thing), name)
    except Exception:  # it has the attribute, though it has no value yet
        return True
