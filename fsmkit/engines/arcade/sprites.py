"""Arcade's sprites and sprite lists: which of them are gone, touch, or are under a point."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final
from weakref import WeakSet

from fsmkit.engines.arcade.package import SpriteList, arcade
from fsmkit.engines.parts.sweeping import overlapping_spans
from fsmkit.engines.parts.things import is_collection

_LISTED: Final[WeakSet[Any]] = WeakSet()
"""The sprites that have been seen in a sprite list."""


def is_gone(sprite: Any) -> bool:
    """Return True if a sprite has been removed from the sprite lists it was once seen in."""
    if sprite is None:  # a machine without one
        return False
    if sprite.sprite_lists:
        _LISTED.add(sprite)
        return False
    return sprite in _LISTED


def living(things: Any) -> list[Any]:
    """Return the sprites there are, in a sprite, a SpriteList or a list of both."""
    if not is_collection(things):
        return [] if is_gone(things) else [things]
    return [sprite for thing in things for sprite in living(thing)]


def touching_pairs(things: Any, others: Any) -> Iterator[tuple[Any, Any]]:
    """Yield the pairs of sprites that touch, in the order of both, or by Arcade's spatial hash."""
    ones = living(things)
    fast = [part for part in _parts(others) if _is_fast(part, len(ones))]
    rest = [sprite for part in _parts(others) if part not in fast for sprite in living(part)]
    for one in ones:
        for part in fast:
            found = arcade.check_for_collision_with_list(one, part)
            yield from ((one, other) for other in _in_order(found, part))
    for i, j in overlapping_spans(_spans(ones), _spans(rest)):
        if ones[i] is not rest[j] and arcade.check_for_collision(ones[i], rest[j]):
            yield ones[i], rest[j]


def under_point(point: tuple[float, float], things: Any) -> list[Any]:
    """Return the visible sprites at a point of the world, the uppermost last."""
    found: list[Any] = []
    for part in _parts(things):
        if not isinstance(part, SpriteList):
            found += [part] if part.collides_with_point(point) and not is_gone(part) else []
        elif part.visible:
            found += _in_order(arcade.get_sprites_at_point(point, part), part)
    return [sprite for sprite in found if sprite.visible]


def _parts(things: Any) -> list[Any]:
    """Return the SpriteLists, and the sprites that are not in one of these."""
    if isinstance(things, SpriteList) or not is_collection(things):
        return [things]
    return [part for thing in things for part in _parts(thing)]


def _is_fast(part: Any, count: int) -> bool:
    """Return True if Arcade finds what touches `count` sprites faster than by comparing them."""
    return isinstance(part, SpriteList) and (part.spatial_hash is not None or count == 1)


def _in_order(found: Sequence[Any], part: Any) -> Sequence[Any]:
    """Return sprites in the order of their list, which the spatial hash does not keep."""
    return sorted(found, key=part.index) if len(found) > 1 else found


def _spans(sprites: Iterable[Any]) -> list[tuple[float, float]]:
    return [(sprite.left, sprite.right) for sprite in sprites]
