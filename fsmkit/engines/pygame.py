"""pygame-ce: sprites as transforms, its clock, keys and collisions of sprites as events.

pygame calls nothing by itself. So `attach`, `send_keys` and `send_collisions` each return a
function for the game loop to call: once per frame, for every pygame event, once per frame.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import product
from math import floor
from numbers import Real
from typing import Any

from attrs import define, field

from fsmkit import Fsm, FsmGroup, TimeReference
from fsmkit.engines.delivering import Touching, offer
from fsmkit.engines.tinted import WHITE, Color, Tinted
from fsmkit.space import Position

try:
    import pygame
    from pygame import Surface
except ImportError as error:
    raise ImportError(
        "fsmkit.engines.pygame needs pygame-ce: pip install 'fsmkit[pygame]'."
    ) from error

import fsmkit.engines.sounds.pygame  # noqa: F401  # has its sounds known


@define(eq=False)
class Picture:
    """An image that is always drawn from the original, so that its quality does not degrade."""

    original: Surface
    smooth: bool
    shown: Surface = field(init=False)
    """The image as last drawn."""
    look: tuple[Color, float, float] = field(default=(WHITE, 1.0, 1.0), init=False)
    angle: float = field(default=0.0, init=False)
    _upright: Surface | None = field(default=None, init=False)
    """The same before it was turned: many frames change only the angle."""
    _sheet: Surface | None = field(default=None, init=False)
    """The original with alpha, and with margins if smooth."""

    def __attrs_post_init__(self) -> None:
        self.shown = self.original

    def draw(self, color: Color, scale: tuple[float, float], angle: float) -> Surface:
        """Return the image in this colour and size, turned clockwise by `angle` degrees."""
        look, angle = (color, *scale), angle % 360.0
        if (look, angle) != (self.look, self.angle):
            if self._upright is None or look != self.look:
                self._upright = self._dressed(*look)
            self.look, self.angle = look, angle
            self.shown = self._turned(self._upright, angle)
        return self.shown

    def _dressed(self, color: Color, x: float, y: float) -> Surface:
        if self._sheet is None:
            self._sheet = _with_alpha(self.original)
            if self.smooth:
                self._sheet = _with_margins(self._sheet)
        image = self._sheet.copy()
        tint = [min(max(_pixel(number), 0), 255) for number in color]
        image.fill(tint, special_flags=pygame.BLEND_RGBA_MULT)
        width, height = image.get_size()
        size = _pixel(width * abs(x)), _pixel(height * abs(y))
        resize = pygame.transform.smoothscale if self.smooth else pygame.transform.scale
        return pygame.transform.flip(resize(image, size), x < 0.0, y < 0.0)

    def _turned(self, image: Surface, angle: float) -> Surface:
        if angle == 0.0:
            return image
        if self.smooth and angle % 90.0:
            return pygame.transform.rotozoom(image, -angle, 1.0)
        return pygame.transform.rotate(image, -angle)


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

    _rotation: float = field(init=False, repr=False)
    _scale: Position = field(default=1.0, init=False, repr=False)
    _picture: Picture | None = field(default=None, init=False, repr=False)
    """The image of the sprite, unless something else has given it another one since."""
    _place: tuple[float, ...] = field(default=(), init=False, repr=False)
    _centre: Position = field(default=None, init=False, repr=False)
    """The centre of the rect at that place; if it has changed, something else has moved it."""

    def __attrs_post_init__(self) -> None:
        sprite = self.sprite
        if sprite.rect is None and sprite.image is None:
            raise ValueError(
                f"A sprite must have an image or a rect, got {sprite!r}. Give it one of them first."
            )
        if sprite.rect is None:
            sprite.rect = sprite.image.get_rect()
        self._rotation = self.forward
        self._take_image()

    @property
    def position(self) -> Position:
        """The position of its centre, in pixels."""
        centre = self.sprite.rect.center
        if centre != self._centre:
            self._place, self._centre = tuple(map(float, centre)), centre
        return self._place

    @position.setter
    def position(self, position: Position) -> None:
        x, y = position
        rect = self.sprite.rect
        rect.center = (_pixel(x), _pixel(y)) if isinstance(rect, pygame.Rect) else (x, y)
        self._place, self._centre = (float(x), float(y)), rect.center
        self._changed()

    @property
    def rotation(self) -> float:
        """The direction it faces, in degrees."""
        return self._rotation

    @rotation.setter
    def rotation(self, rotation: float) -> None:
        self._rotation = rotation
        self._draw()

    @property
    def scale(self) -> Position:
        """The scale, as one number or as two."""
        return self._scale

    @scale.setter
    def scale(self, scale: Position) -> None:
        if isinstance(scale, Real):
            self._scale = scale
        else:
            width, height = scale
            self._scale = width, height
        self._draw()

    @property
    def image(self) -> Surface | None:
        """The original, which is tinted, scaled and turned."""
        picture = self._take_image()
        return None if picture is None else picture.original

    @image.setter
    def image(self, image: Surface) -> None:
        self._picture = Picture(image, self.smooth)
        self._show(self._picture)

    def _take_image(self) -> Picture | None:
        """Return the picture of the sprite; an image that was not drawn here is an original."""
        image = self.sprite.image
        if image is None:
            self._picture = None
        elif self._picture is None or image is not self._picture.shown:
            self._picture = Picture(image, self.smooth)
        return self._picture

    def _paint(self, color: Color) -> None:
        super()._paint(color)
        self._draw()

    def _draw(self) -> None:
        picture = self._take_image()
        if picture is not None:
            self._show(picture)

    def _show(self, picture: Picture) -> None:
        scale = self._scale
        x, y = (float(scale),) * 2 if isinstance(scale, Real) else scale
        image = picture.draw(self.painted, (x, y), self._rotation - self.forward)
        if image is self.sprite.image:
            return
        self.sprite.image = image
        if image.get_size() != self.sprite.rect.size:
            place = self.position
            self.sprite.rect.size = image.get_size()
            self.position = place
        self._changed()

    def _changed(self) -> None:
        if getattr(self.sprite, "dirty", 1) == 0:  # a DirtySprite is drawn only when dirty
            self.sprite.dirty = 1


def attach(
    machines: Fsm[Any] | FsmGroup,
    *,
    fps: float = 60.0,
    max_dt: float = 0.25,
    time: TimeReference | None = None,
    clock: pygame.time.Clock | None = None,
) -> Callable[[], float]:
    """Return a function to call once per frame: it waits for the frame and updates `machines`.

    It waits so that there are at most `fps` frames per second (0: without waiting), with `clock`,
    or with one of its own. The machines get the seconds since the last call, at most `max_dt`,
    scaled by `time`. The call returns these seconds unscaled, for everything else that moves.
    """
    clock = clock or pygame.time.Clock()

    def tick() -> float:
        dt = min(clock.tick(fps) / 1000.0, max_dt)
        machines.update(dt if time is None else time.scaled(dt))
        return dt

    return tick


def send_keys(
    machines: Fsm[Any] | FsmGroup,
    pressed: Mapping[int, str],
    *,
    released: Mapping[int, str] | None = None,
) -> Callable[[pygame.event.Event], bool]:
    """Return a function to call with every pygame event: it sends those of the keys.

    `pressed` and `released` map keys to events. Keys are pygame's numbers (`pygame.K_SPACE`), mouse
    buttons too (`pygame.BUTTON_LEFT`); the number is the event's data. The call returns True if it
    was one of them.
    """
    down, up = (pygame.KEYDOWN, pygame.MOUSEBUTTONDOWN), (pygame.KEYUP, pygame.MOUSEBUTTONUP)
    events = {
        (kind, key): event
        for kinds, keys in ((down, pressed), (up, released or {}))
        for kind in kinds
        for key, event in keys.items()
    }

    def handle(event: pygame.event.Event) -> bool:
        key = event.dict.get("key", event.dict.get("button", pygame.K_UNKNOWN))
        name = events.get((event.type, key))
        if name is not None:
            offer(machines, name, key)
        return name is not None

    return handle


def send_collisions(
    machines: Fsm[Any] | FsmGroup,
    sprite: Any,
    group: pygame.sprite.AbstractGroup[Any],
    event: str,
    *,
    ended: str | None = None,
    collided: Callable[[Any, Any], bool] | None = None,
) -> Callable[[], None]:
    """Return a function to call once per frame: it sends `event` when `sprite` touches another.

    `ended` is sent when it no longer does. The data is the other sprite, one of `group`, which may
    change. `collided` tells whether two sprites touch, as for `pygame.sprite.spritecollide`: their
    rects by default, or `pygame.sprite.collide_mask`, `collide_circle`...
    """
    touching = Touching(machines, event, ended)

    def check() -> None:
        hits = pygame.sprite.spritecollide(sprite, group, False, collided)
        touching.update((sprite, other) for other in hits)

    return check


def _pixel(number: float) -> int:
    """Return the nearest whole number; halves always go up, so that steady motion looks steady."""
    return floor(number + 0.5)


def _with_alpha(image: Surface) -> Surface:
    """Return a copy in which every pixel has its own alpha; a colour key becomes transparent."""
    copy = Surface(image.get_size(), pygame.SRCALPHA)
    copy.blit(image, (0, 0))
    return copy


def _with_margins(image: Surface) -> Surface:
    """Return a copy whose shapes go on invisibly, as smooth edges would mix with black."""
    margins = Surface(image.get_size(), pygame.SRCALPHA)
    for shift in product((-1, 0, 1), repeat=2):
        margins.blit(image, shift)
    margins.fill((255, 255, 255, 0), special_flags=pygame.BLEND_RGBA_MULT)
    seen = pygame.mask.from_surface(image, 0)
    return seen.to_surface(margins, setsurface=image, unsetcolor=None)
