"""Sprites of pygame as the actions see them: their images are redrawn from an original."""

from __future__ import annotations

from contextlib import suppress
from itertools import product
from math import floor
from numbers import Real
from typing import Any, NamedTuple, TypeAlias
from weakref import WeakKeyDictionary, WeakValueDictionary, finalize, ref

import pygame
from attrs import define, field, fields
from pygame import Surface

from fsmkit.engines.parts.things import WHITE, Tint, Tinted
from fsmkit.space import Position

TintAndScale: TypeAlias = tuple[Tint, float, float]
"""Tint, and scale of the width and of the height."""


@define(eq=False)
class RedrawnImage:
    """An image that is always drawn from the original, so that its quality does not degrade."""

    original: Surface
    smooth: bool
    shown: Surface = field(init=False)
    """The image as last drawn."""
    _shown_as: tuple[TintAndScale, float] | None = field(
        default=((WHITE, 1.0, 1.0), 0.0), init=False
    )
    _upright: tuple[TintAndScale, Surface] | None = field(default=None, init=False)
    """The same before it was turned: many frames change only the angle."""
    _sheet: Surface | None = field(default=None, init=False)
    """The original with alpha, and with margins if smooth."""

    def __attrs_post_init__(self) -> None:
        self.shown = self.original

    def refine(self) -> None:
        self.smooth = True
        self._sheet = self._upright = None
        if self.shown is not self.original:
            self._shown_as = None

    def draw(self, color: Tint, scale: tuple[float, float], angle: float) -> Surface:
        """Return the image in this colour and size, turned clockwise by `angle` degrees."""
        wanted, angle = (color, *scale), angle % 360.0
        if (wanted, angle) != self._shown_as:
            if self._upright is None or self._upright[0] != wanted:
                self._upright = wanted, self._tinted_and_scaled(*wanted)
            self.shown = self._turned(self._upright[1], angle)
            self._shown_as = wanted, angle
        return self.shown

    def _tinted_and_scaled(self, color: Tint, x: float, y: float) -> Surface:
        if self._sheet is None:
            self._sheet = _with_alpha(self.original)
            if self.smooth:
                self._sheet = _with_margins(self._sheet)
        image = self._sheet.copy()
        tint = [min(max(pixel(number), 0), 255) for number in color]
        image.fill(tint, special_flags=pygame.BLEND_RGBA_MULT)
        width, height = image.get_size()
        size = pixel(width * abs(x)), pixel(height * abs(y))
        resize = pygame.transform.smoothscale if self.smooth else pygame.transform.scale
        return pygame.transform.flip(resize(image, size), x < 0.0, y < 0.0)

    def _turned(self, image: Surface, angle: float) -> Surface:
        if angle == 0.0:
            return image
        if self.smooth and angle % 90.0:
            return pygame.transform.rotozoom(image, -angle, 1.0)
        return pygame.transform.rotate(image, -angle)


def pixel(number: float) -> int:
    """Return the nearest integer; halves always go up, so that steady motion looks steady."""
    return floor(number + 0.5)


def _with_alpha(image: Surface) -> Surface:
    """Return a copy in which every pixel has its own alpha; a colour key becomes transparent."""
    copy = Surface(image.get_size(), pygame.SRCALPHA)
    copy.blit(image, (0, 0))
    return copy


def _with_margins(image: Surface) -> Surface:
    """Return a copy whose shapes have transparent margins, or smooth edges would mix with black."""
    margins = Surface(image.get_size(), pygame.SRCALPHA)
    for shift in product((-1, 0, 1), repeat=2):
        margins.blit(image, shift)
    margins.fill((255, 255, 255, 0), special_flags=pygame.BLEND_RGBA_MULT)
    seen = pygame.mask.from_surface(image, 0)
    return seen.to_surface(margins, setsurface=image, unsetcolor=None)


class Pose(NamedTuple):
    rotation: float = 0.0
    forward: float = 0.0
    """The rotation of the image unturned, by the transform that last turned it."""
    scale: Position = 1.0
    tint: Tint = WHITE


@define(eq=False)
class Appearance:
    """The image of a sprite and its exact position, shared by all of its transforms.

    It is given the sprite with every call and keeps none, so that it can live as long as that.
    """

    pose: Pose = field(factory=Pose, init=False)
    _smooth: bool = field(default=False, init=False)
    _picture: RedrawnImage | None = field(default=None, init=False)
    """The image of the sprite, unless something else has given it another one since."""
    _place: tuple[float, ...] = field(default=(), init=False)
    _centre: Position = field(default=None, init=False)
    """The centre of the rect at that place; if it differs, something else has moved the sprite."""

    def refine(self) -> None:
        self._smooth = True
        if self._picture is not None:
            self._picture.refine()

    def place(self, sprite: Any) -> tuple[float, ...]:
        """Return the position of the sprite, with the fractions that its rect drops."""
        centre = sprite.rect.center
        if centre != self._centre:
            self._place, self._centre = tuple(map(float, centre)), centre
        return self._place

    def move(self, sprite: Any, place: Position) -> None:
        x, y = place
        rect = sprite.rect
        rect.center = (pixel(x), pixel(y)) if isinstance(rect, pygame.Rect) else (x, y)
        self._place, self._centre = (float(x), float(y)), rect.center
        _mark_dirty(sprite)

    def picture(self, sprite: Any) -> RedrawnImage | None:
        image = sprite.image
        if image is None:
            self._picture = None
        elif self._picture is None or image is not self._picture.shown:
            self._picture = RedrawnImage(self._original_of(image), self._smooth)
        return self._picture

    def give(self, sprite: Any, original: Surface) -> None:
        picture = RedrawnImage(original, self._smooth)
        self._show(sprite, picture, self.pose)
        self._picture = picture

    def change(self, sprite: Any, pose: Pose) -> None:
        picture = self.picture(sprite)
        if picture is not None:
            self._show(sprite, picture, pose)
        self.pose = pose

    def _show(self, sprite: Any, picture: RedrawnImage, pose: Pose) -> None:
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
        appearance, original = _drawn.get(image, (None, image))
        return original if appearance is not None and appearance() is self else image


_appearances: WeakValueDictionary[int, Appearance] = WeakValueDictionary()
"""Id of a sprite -> its appearance. A sprite lives at least as long as its appearance."""

_drawn: WeakKeyDictionary[Surface, tuple[ref[Appearance], Surface]] = WeakKeyDictionary()
"""A drawn image -> its appearance and its original: a game may put the image back later."""


def appearance_of(sprite: Any, copied: Appearance | None = None) -> Appearance:
    """Return the appearance of a sprite, the same as long as the sprite lives.

    For an object without weak references it lives as long as one of its transforms. A sprite
    without one gets a new one, or the one that was `copied` with it.
    """
    appearance = _appearances.get(id(sprite))
    if appearance is None:
        appearance = _appearances[id(sprite)] = Appearance() if copied is None else copied
        with suppress(TypeError):  # an object without weak references
            finalize(sprite, id, appearance).atexit = False  # holds the appearance until then
    return appearance


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
    negative number mirrors it. `color` is a tint that multiplies the image, 0 to 255, white
    by default: three numbers, or four once it has been set with four; `alpha` is the fourth.

    When one of these changes, `sprite.image` is redrawn from the original and `sprite.rect` gets
    its size; `smooth` draws finer and slower, and is not meant for pixel art. The original is the
    first `sprite.image`; set `image` here for another one, as for an animation.

    A sprite may have several transforms, as for legs and for a mood: all of them read the values
    that one writes, each with its own `forward`; one that is `smooth` is enough for all.
    Raises TypeError unless it is a Sprite, ValueError for one without an image and a rect.

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
    _kept: tuple[Any, Appearance | None] = field(default=(None, None), init=False, repr=False)
    """The sprite and its appearance, to be copied together."""

    def __attrs_post_init__(self) -> None:
        sprite = self.sprite
        if not (hasattr(sprite, "rect") and hasattr(sprite, "image")):
            raise TypeError(f"SpriteTransform: sprite must be a Sprite, got {sprite!r}.")
        if sprite.rect is None and sprite.image is None:
            raise ValueError(
                f"A sprite must have an image or a rect, got {sprite!r}. Give it one of them first."
            )
        if sprite.rect is None:
            sprite.rect = sprite.image.get_rect()
        if self.smooth:
            self._appearance.refine()
        self._appearance.picture(sprite)

    def __getstate__(self) -> dict[str, Any]:
        own = {each.name: getattr(self, each.name) for each in fields(type(self))}
        return {**getattr(self, "__dict__", {}), **own}

    def __setstate__(self, state: dict[str, Any]) -> None:
        for name, value in state.items():
            setattr(self, name, value)
        appearance_of(*self._kept)  # before another transform of the copied sprite is made

    @property
    def position(self) -> Position:
        """The position of its centre, in pixels."""
        return self._appearance.place(self.sprite)

    @position.setter
    def position(self, position: Position) -> None:
        self._appearance.move(self.sprite, position)

    @property
    def rotation(self) -> float:
        """The direction it faces, in degrees."""
        pose = self._appearance.pose
        if pose.forward == self.forward:
            return pose.rotation
        return pose.rotation - pose.forward + self.forward

    @rotation.setter
    def rotation(self, rotation: float) -> None:
        self._change(rotation=rotation, forward=self.forward)

    @property
    def scale(self) -> Position:
        """The scale, as one number or as two."""
        return self._appearance.pose.scale

    @scale.setter
    def scale(self, scale: Position) -> None:
        if not isinstance(scale, Real):
            width, height = scale
            scale = width, height
        self._change(scale=scale)

    @property
    def image(self) -> Surface | None:
        """The original image, before it is tinted, scaled and turned."""
        picture = self._appearance.picture(self.sprite)
        return None if picture is None else picture.original

    @image.setter
    def image(self, image: Surface) -> None:
        self._appearance.give(self.sprite, image)

    @property
    def _appearance(self) -> Appearance:
        sprite, appearance = self._kept
        appearance = appearance_of(self.sprite, appearance if sprite is self.sprite else None)
        self._kept = self.sprite, appearance
        return appearance

    def _shown(self) -> Tint:
        return self._appearance.pose.tint

    def _paint(self, color: Tint) -> None:
        self._change(tint=color)
        super()._paint(color)

    def _change(self, **changes: Any) -> None:
        appearance = self._appearance
        appearance.change(self.sprite, appearance.pose._replace(**changes))
