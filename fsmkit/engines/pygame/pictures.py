"""Images of pygame, tinted, scaled and turned from an original."""

from __future__ import annotations

from itertools import product
from math import floor
from typing import TypeAlias

import pygame
from attrs import define, field
from pygame import Surface

from fsmkit.engines.parts.tinted import WHITE, Color

Dress: TypeAlias = tuple[Color, float, float]
"""Tint, and scale of the width and of the height."""


@define(eq=False)
class Picture:
    """An image that is always drawn from the original, so that its quality does not degrade."""

    original: Surface
    smooth: bool
    shown: Surface = field(init=False)
    """The image as last drawn."""
    _shown_as: tuple[Dress, float] | None = field(default=((WHITE, 1.0, 1.0), 0.0), init=False)
    _upright: tuple[Dress, Surface] | None = field(default=None, init=False)
    """The same before it was turned: many frames change only the angle."""
    _sheet: Surface | None = field(default=None, init=False)
    """The original with alpha, and with margins if smooth."""

    def __attrs_post_init__(self) -> None:
        self.shown = self.original

    def refine(self) -> None:
        """Draw smoothly from now on."""
        self.smooth = True
        self._sheet = self._upright = None
        if self.shown is not self.original:
            self._shown_as = None

    def draw(self, color: Color, scale: tuple[float, float], angle: float) -> Surface:
        """Return the image in this colour and size, turned clockwise by `angle` degrees."""
        dress, angle = (color, *scale), angle % 360.0
        if (dress, angle) != self._shown_as:
            if self._upright is None or self._upright[0] != dress:
                self._upright = dress, self._dressed(*dress)
            self.shown = self._turned(self._upright[1], angle)
            self._shown_as = dress, angle
        return self.shown

    def _dressed(self, color: Color, x: float, y: float) -> Surface:
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
