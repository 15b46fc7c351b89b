"""Raw things: objects of a game engine that no action can move as they are, and what to do then."""

from __future__ import annotations

from typing import Any, Final

from fsmkit.space import Space

_ADVICE: Final = (
    (("topleft", "inflate"), "Give its center, or make a SpriteTransform of the sprite it is of."),
    (("rect",), "Make a SpriteTransform of it, as in fsmkit.engines.pygame, and give that."),
    (("each_arbiter",), "Make a BodyTransform of it, as in fsmkit.engines.pymunk, and give that."),
    (("getPos",), "Make a NodeTransform of it, as in fsmkit.engines.panda3d, and give that."),
)
"""What such objects have, as no engine is imported to ask it; and what makes them fit."""

KEPT_BY_TRANSFORMS: Final = ("position", "rotation", "scale", "color", "alpha")


def advice_for(thing: Any) -> str:
    """Return what to do with a thing that lacks what an action needs; empty if nobody knows.

    >>> from types import SimpleNamespace
    >>> advice_for(SimpleNamespace(rect=(0, 0, 32, 32)))
    ' Make a SpriteTransform of it, as in fsmkit.engines.pygame, and give that.'
    """
    for names, advice in _ADVICE:
        if all(has_attribute(thing, name) for name in names):
            return f" {advice}"
    return ""


def check_no_raw_thing(target: Any, what: str, space: Space) -> None:
    """Raise TypeError, by the name `what`, for a target whose place only its engine can tell."""
    if not has_attribute(target, space.attribute("position")) and (advice := advice_for(target)):
        raise TypeError(f"{what} must be a position or have one, got {target!r}.{advice}")


def has_attribute(thing: Any, name: str) -> bool:
    """Return True if a thing has an attribute, or its class says that it will have it."""
    try:
        return hasattr(thing, name) or hasattr(type(thing), name)
    except Exception:  # it has, though it cannot tell its value yet
        return True
