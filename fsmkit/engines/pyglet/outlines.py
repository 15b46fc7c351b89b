"""The outlines of pyglet's sprites, shapes and labels, to tell which of them overlap."""

from __future__ import annotations

from cmath import rect
from collections.abc import Iterator, Sequence
from math import radians
from typing import Any, Final

from fsmkit.engines.parts import outlines
from fsmkit.engines.parts.outlines import NOTHING, Outline
from fsmkit.engines.parts.things import is_collection
from fsmkit.engines.pyglet.package import pyglet

NOT_DELETED: Final = object()
"""Stands for the vertices of what has none."""


def is_gone(thing: Any) -> bool:
    """Return True if a sprite or shape has been deleted; there is no public name for that."""
    return getattr(thing, "_vertex_list", NOT_DELETED) is None


def living(things: Any) -> list[Any]:
    """Return what there is of these things, of which there may be one."""
    return [
        thing for thing in (things if is_collection(things) else [things]) if not is_gone(thing)
    ]


def overlap(one: Any, other: Any) -> bool:
    """Return True if two sprites, shapes or labels overlap, turned and scaled as they are.

    Of sprites and labels their rectangles count, of circles and rectangles what they are, of other
    shapes their convex hull. Those that just touch at an edge do not overlap, nor do deleted ones.
    Raises TypeError for anything else.
    """
    return outline_of(one).overlaps(outline_of(other))


def overlapping(ones: Sequence[Any], others: Sequence[Any]) -> Iterator[tuple[Any, Any]]:
    """Yield the pairs that overlap, in order; only those near each other are compared."""
    ours, theirs = ([outline_of(thing) for thing in things] for things in (ones, others))
    return ((ones[i], others[j]) for i, j in outlines.overlapping(ours, theirs))


def outline_of(thing: Any) -> Outline:
    """Return the outline of a sprite, shape or label in the world."""
    if is_gone(thing):
        return NOTHING
    shape = _unturned(thing)
    return shape.placed(complex(thing.x, thing.y), rect(1.0, -radians(thing.rotation)))


def _unturned(thing: Any) -> Outline:
    """Return its outline around its position, as if that were 0."""
    if isinstance(thing, pyglet.sprite.Sprite):
        picture: Any = thing._texture  # the frame shown; there is no public name
        wide, high = thing.scale * thing.scale_x, thing.scale * thing.scale_y
        left, bottom = -picture.anchor_x, -picture.anchor_y
        right, top = left + picture.width, bottom + picture.height
        return Outline.rectangle(left * wide, bottom * high, right * wide, top * high)
    if isinstance(thing, pyglet.shapes.ShapeBase):
        return _of_shape(thing)
    if isinstance(thing, pyglet.text.layout.TextLayout):
        x, y = thing.x, thing.y
        return Outline.rectangle(thing.left - x, thing.bottom - y, thing.right - x, thing.top - y)
    raise TypeError(
        f"{thing!r} is no sprite, shape or label of pyglet. For things of your own give "
        "send_collisions() a function: collided=lambda one, other: ..."
    )


def _of_shape(shape: Any) -> Outline:
    shapes = pyglet.shapes
    left, bottom = -shape.anchor_x, -shape.anchor_y
    if isinstance(shape, shapes.Circle):
        return Outline((complex(left, bottom),), shape.radius)
    rectangles = (shapes.Rectangle, shapes.BorderedRectangle, shapes.Box, shapes.RoundedRectangle)
    if isinstance(shape, rectangles):
        return Outline.rectangle(left, bottom, left + shape.width, bottom + shape.height)
    numbers = shape._vertex_list.position[:]  # what is drawn; there is no public name
    return Outline.around(map(complex, numbers[::2], numbers[1::2]))


def layer(thing: Any) -> list[int]:
    """Return the orders of a thing's groups, from the outermost inwards, as batches draw them."""
    orders, group = [0], thing.group
    while group is not None:
        orders.append(group.order)
        group = group.parent
    return orders[::-1]
