"""Sprite: a picture with a place, for raylib, which itself knows only pictures."""

from __future__ import annotations

from cmath import rect
from copy import copy, deepcopy
from math import copysign, radians
from numbers import Real
from typing import Any

import pyray
from attrs import Factory, define, field

from fsmkit.engines.parts.outlines import Outline
from fsmkit.engines.parts.tinted import Tinted
from fsmkit.space import Position, components


def _forward(sprite: Sprite) -> float:
    return sprite.forward


@define(eq=False)
class Sprite(Tinted):
    """A thing to draw once a frame: `position`, `rotation`, `scale`, `color`, `alpha`.

    It shows `texture`, or the part `source` of it, `(x, y, width, height)` in pixels, which may
    change at any time, as for an animation. `size` is the width and height at scale 1, by default
    those of the picture. Without a texture it is a rectangle of that size. ValueError without both.

    Units and axes are raylib's: pixels, x to the right, y down. `position` is the centre, a tuple
    or a Vector2. `rotation` is in degrees from x towards y, so clockwise on the screen, and is
    where the sprite faces; `forward` is where its picture faces unturned: -90 for one that faces
    up. `scale` is a number, or one for the width and one for the height; a negative one mirrors.
    `color` is a tint from 0 to 255, three numbers or four: a tuple such as `pyray.RED`, or a Color.

    Set `active` to False for what is dead: it is neither drawn nor touched any more, and its
    machine ends with it.

    >>> guard = Sprite(size=(40, 20), position=(100.0, 50.0), forward=-90.0)
    >>> guard.color = pyray.RED
    >>> guard.color, guard.rotation
    ((230, 41, 55, 255), -90.0)
    """

    forward: float = field(default=0.0, kw_only=True)
    texture: Any = None
    position: Position = (0.0, 0.0)
    rotation: float = field(default=Factory(_forward, takes_self=True))
    scale: Position = 1.0
    _size: Position | None = field(default=None, kw_only=True)
    source: Position | None = field(default=None, kw_only=True)
    active: bool = field(default=True, kw_only=True)

    def __attrs_post_init__(self) -> None:
        if self.texture is None and self._size is None:
            raise ValueError("A Sprite must have a texture or a size, got neither.")

    @property
    def size(self) -> tuple[float, float]:
        """The width and height at scale 1, in pixels."""
        if self._size is not None:
            width, height = components(self._size)
        else:
            _, _, width, height = self._part()
        return width, height

    @size.setter
    def size(self, size: Position) -> None:
        self._size = size

    @property
    def outline(self) -> Outline:
        """The rectangle that it covers, turned and scaled."""
        width, height = (abs(length) for length in self._extent())
        upright = Outline.rectangle(-width / 2, -height / 2, width / 2, height / 2)
        return upright.placed(complex(*components(self.position)), self._turn())

    def draw(self) -> None:
        """Draw it, between `begin_drawing()` and `end_drawing()`, unless it is dead."""
        if not self.active:
            return
        width, height = self._extent()
        x, y = components(self.position)
        place = x, y, abs(width), abs(height)
        middle = abs(width) / 2, abs(height) / 2
        turn = self.rotation - self.forward
        tint = tuple(min(max(round(number), 0), 255) for number in self._shown())
        if self.texture is None:
            pyray.draw_rectangle_pro(place, middle, turn, tint)
        else:
            left, top, wide, high = self._part()
            part = left, top, copysign(wide, width), copysign(high, height)  # less than 0 mirrors
            pyray.draw_texture_pro(self.texture, part, place, middle, turn, tint)

    def __deepcopy__(self, memo: dict[int, Any]) -> Sprite:
        memo[id(self.texture)] = self.texture  # it lies in the memory of the graphics card
        twin = memo[id(self)] = copy(self)
        for name in ("position", "scale", "source", "_size"):
            setattr(twin, name, deepcopy(getattr(self, name), memo))
        return twin

    def _part(self) -> tuple[float, ...]:
        """Return the part of the texture that is shown."""
        if self.source is None:
            return 0.0, 0.0, float(self.texture.width), float(self.texture.height)
        return components(self.source)

    def _extent(self) -> tuple[float, float]:
        """Return its width and height on the screen; one that is mirrored is less than 0."""
        x, y = (self.scale,) * 2 if isinstance(self.scale, Real) else components(self.scale)
        width, height = self.size
        return width * float(x), height * float(y)

    def _turn(self) -> complex:
        return rect(1.0, radians(self.rotation - self.forward))
