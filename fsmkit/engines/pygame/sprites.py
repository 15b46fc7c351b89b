"""Sprites of pygame as the actions see them."""

from __future__ import annotations

from contextlib import suppress
from numbers import Real
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary, WeakValueDictionary, finalize, ref

import pygame
from attrs import define, field, fields
from pygame import Surface

from fsmkit.engines.parts.tinted import WHITE, Color, Tinted
from fsmkit.engines.pygame.pictures import Picture, pixel
from fsmkit.space import Position


class Pose(NamedTuple):
    """How an image is shown."""

    rotation: float = 0.0
    forward: float = 0.0
    """The rotation of the image unturned, as the transform has it that has turned it last."""
    scale: Position = 1.0
    tint: Color = WHITE


@define(eq=False)
class Look:
    """What a sprite shows, and where exactly: one for all of its transforms.

    It takes the sprite with every call and keeps none, so that it can live as long as the sprite.
    """

    pose: Pose = field(factory=Pose, init=False)
    _smooth: bool = field(default=False, init=False)
    _picture: Picture | None = field(default=None, init=False)
    """The image of the sprite, unless something else has given it another one since."""
    _place: tuple[float, ...] = field(default=(), init=False)
    _centre: Position = field(default=None, init=False)
    """The centre of the rect at that place; if it has changed, something else has moved it."""

    def refine(self) -> None:
        """Draw smoothly from now on."""
        self._smooth = True
        if self._picture is not None:
            self._picture.refine()

    def place(self, sprite: Any) -> tuple[float, ...]:
        """Return where the sprite is, with the fractions that its rect drops."""
        centre = sprite.rect.center
        if centre != self._centre:
            self._place, self._centre = tuple(map(float, centre)), centre
        return self._place

    def move(self, sprite: Any, place: Position) -> None:
        """Put the centre of the sprite at a place."""
        x, y = place
        rect = sprite.rect
        rect.center = (pixel(x), pixel(y)) if isinstance(rect, pygame.Rect) else (x, y)
        self._place, self._centre = (float(x), float(y)), rect.center
        _mark_dirty(sprite)

    def picture(self, sprite: Any) -> Picture | None:
        """Return the picture of the sprite; an image that was not drawn here is an original."""
        image = sprite.image
        if image is None:
            self._picture = None
        elif self._picture is None or image is not self._picture.shown:
            self._picture = Picture(self._original_of(image), self._smooth)
        return self._picture

    def give(self, sprite: Any, original: Surface) -> None:
        """Show another original."""
        picture = Picture(original, self._smooth)
        self._show(sprite, picture, self.pose)
        self._picture = picture

    def change(self, sprite: Any, pose: Pose) -> None:
        """Show the sprite in another pose."""
        picture = self.picture(sprite)
        if picture is not None:
            self._show(sprite, picture, pose)
        self.pose = pose

    def _show(self, sprite: Any, picture: Picture, pose: Pose) -> None:
        scale = pose.scale
        x, y = (float(scale),) * 2 if isinstance(scale, Real) else scale
        image = picture.draw(pose.tint, (x, y), pose.rotation - pose.forward)
        if image is sprite.image:
            return
        if image is not picture.original:
            _drawn[image] = (ref(self), picture.original)
        sprite.image = image
        if image.get_size() != sprite.rect.size:
            place = self.place(sprite)
            sprite.rect.size = image.get_size()
            self.move(sprite, place)
        _mark_dirty(sprite)

    def _original_of(self, image: Surface) -> Surface:
        look, original = _drawn.get(image, (None, image))
        return original if look is not None and look() is self else image


_looks: WeakValueDictionary[int, Look] = WeakValueDictionary()
"""Id of a sprite -> its look. One that has a look lives at least as long as the look does."""

_drawn: WeakKeyDictionary[Surface, tuple[ref[Look], Surface]] = WeakKeyDictionary()
"""An image that was drawn -> for which look, and from what: somebody may put it back later."""


def look_of(sprite: Any, copied: Look | None = None) -> Look:
    """Return the look of a sprite, the same as long as the sprite lives.

    That of an object without weak references lives as long as one of its transforms. A sprite that
    has none gets a new one, or the one that was `copied` with it.
    """
    look = _looks.get(id(sprite))
    if look is None:
        look = _looks[id(sprite)] = Look() if copied is None else copied
        with suppress(TypeError):  # an object without weak references
            finalize(sprite, id, look).atexit = False  # holds the look until then
    return look


def _mark_dirty(sprite: Any) -> None:
    if getattr(sprite, "dirty", 1) == 0:  # a DirtySprite is drawn only when dirty
        sprite.dirty = 1


@define(eq=False)
class SpriteTransform(Tinted):
    """A Sprite as the actions see it: `position`, `rotation`, `scale`, `color`, `alpha`, `image`.

    Units and axes are pygame's: pixels, x to the right, y down. `position` is the centre of the
    sprite's `rect`; it keeps the fractions that a `Rect` drops, until something else moves it.

    `rotation` is in degrees from x towards y, so clockwise on the screen, and is where the sprite
    faces; `forward` is where its image faces unturned: -90 for one that faces up, 180 to the left.

    `scale` is a number, or one for the width and one for the height: 1 is the size of the image, a
    negative number mirrors it. `color` is a tint that the image is multiplied with, 0 to 255, white
    by default: three numbers, or four once it has been set with four; `alpha` is the fourth.

    When one of these changes, `sprite.image` is redrawn from the original and `sprite.rect` gets
    its size; `smooth` draws finer and slower, and is not meant for pixel art. The original is the
    first `sprite.image`; set `image` here for another one, as for an animation.

    A sprite may have several transforms, as for legs and for a mood: what one writes the others
    read, each with its own `forward`; one that is `smooth` is enough for all.
    Raises ValueError for a sprite without an image and a rect.

    >>> sprite = pygame.sprite.Sprite()
    >>> sprite.image = Surface((40, 20))
    >>> guard = SpriteTransform(sprite)
    >>> guard.position, guard.rotation = (100.25, 50.0), 90.0
    >>> sprite.rect, guard.position
    (Rect(90, 30, 20, 40), (100.25, 50.0))
    """

    sprite: Any
    forward: float = field(default=0.0, kw_only=True)
    smooth: bool = field(default=False, kw_only=True)
    _kept: tuple[Any, Look | None] = field(default=(None, None), init=False, repr=False)
    """The sprite and its look, which are copied together."""

    def __attrs_post_init__(self) -> None:
        sprite = self.sprite
        if sprite.rect is None and sprite.image is None:
            raise ValueError(
                f"A sprite must have an image or a rect, got {sprite!r}. Give it one of them first."
            )
        if sprite.rect is None:
            sprite.rect = sprite.image.get_rect()
        if self.smooth:
            self._look.refine()
        self._look.picture(sprite)

    def __getstate__(self) -> dict[str, Any]:
        own = {each.name: getattr(self, each.name) for each in fields(type(self))}
        return {**getattr(self, "__dict__", {}), **own}

    def __setstate__(self, state: dict[str, Any]) -> None:
        for name, value in state.items():
            setattr(self, name, value)
        look_of(*self._kept)  # before another transform of the copied sprite is made

    @property
    def position(self) -> Position:
        """The position of its centre, in pixels."""
        return self._look.place(self.sprite)

    @position.setter
    def position(self, position: Position) -> None:
        self._look.move(self.sprite, position)

    @property
    def rotation(self) -> float:
        """The direction it faces, in degrees."""
        pose = self._look.pose
        if pose.forward == self.forward:
            return pose.rotation
        return pose.rotation - pose.forward + self.forward

    @rotation.setter
    def rotation(self, rotation: float) -> None:
        self._change(rotation=rotation, forward=self.forward)

    @property
    def scale(self) -> Position:
        """The scale, as one number or as two."""
        return self._look.pose.scale

    @scale.setter
    def scale(self, scale: Position) -> None:
        if not isinstance(scale, Real):
            width, height = scale
            scale = width, height
        self._change(scale=scale)

    @property
    def image(self) -> Surface | None:
        """The original, which is tinted, scaled and turned."""
        picture = self._look.picture(self.sprite)
        return None if picture is None else picture.original

    @image.setter
    def image(self, image: Surface) -> None:
        self._look.give(self.sprite, image)

    @property
    def _look(self) -> Look:
        sprite, look = self._kept
        look = look_of(self.sprite, look if sprite is self.sprite else None)
        self._kept = self.sprite, look
        return look

    def _shown(self) -> Color:
        return self._look.pose.tint

    def _paint(self, color: Color) -> None:
        self._change(tint=color)
        super()._paint(color)

    def _change(self, **changes: Any) -> None:
        look = self._look
        look.change(self.sprite, look.pose._replace(**changes))
