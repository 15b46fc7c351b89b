"""The canvas: how many pixels a tile has, and a few shapes that all the others draw with."""

from __future__ import annotations

from functools import cache, lru_cache
from typing import Final, TypeAlias

import pygame
from pygame import Surface
from pygame.font import Font

from fsmkit.space import Position

Color: TypeAlias = tuple[int, int, int]

TILE: Final = 40
PANEL_HEIGHT: Final = 56


def at(place: Position) -> tuple[float, float]:
    """Return the pixel of a place on the screen."""
    x, y = place
    return (x + 0.5) * TILE, (y + 0.5) * TILE


def tile_of(pixel: tuple[float, float]) -> Position:
    """Return the place that is at a pixel of the screen."""
    x, y = pixel
    return x / TILE - 0.5, y / TILE - 0.5


def scaled(color: Color, share: float) -> Color:
    """Return a darker colour, or with more than 1 a lighter one."""
    red, green, blue = (max(0, min(255, round(channel * share))) for channel in color)
    return red, green, blue


def mixed(one: Color, other: Color, share: float) -> Color:
    """Return a colour between the two: `one` at 0, `other` at 1."""
    red, green, blue = (round(a + (b - a) * share) for a, b in zip(one, other, strict=True))
    return red, green, blue


@cache
def glow(radius: int, color: Color, hardness: float = 2.0) -> Surface:
    """Return a round light on black, brightest in the middle, to be added to what is there."""
    surface = Surface((2 * radius, 2 * radius))
    for distance in range(radius, 0, -1):
        share = (1.0 - distance / radius) ** hardness
        pygame.draw.circle(surface, scaled(color, share), (radius, radius), distance)
    return surface


def add_light(surface: Surface, light: Surface, middle: tuple[float, float]) -> None:
    """Add a light to a surface, around `middle`."""
    corner = light.get_rect(center=middle)
    surface.blit(light, corner, special_flags=pygame.BLEND_RGB_ADD)


def clear(size: tuple[int, int]) -> Surface:
    """Return a surface that one can see through."""
    return Surface(size, pygame.SRCALPHA)


def soft_shadow(size: tuple[int, int], alpha: int, blur: int) -> Surface:
    """Return an oval shadow with blurred edges."""
    width, height = size
    surface = clear((width + 4 * blur, height + 4 * blur))
    pygame.draw.ellipse(surface, (0, 0, 0, alpha), (2 * blur, 2 * blur, width, height))
    return pygame.transform.gaussian_blur(surface, blur)


@lru_cache(maxsize=64)
def written(text: str, size: int, color: Color) -> Surface:
    """Return a line of text, in the font that pygame brings along."""
    large = Font(None, 2 * size).render(text, True, color)
    width, height = large.get_size()
    return pygame.transform.smoothscale(large, (width // 2, height // 2))


def write(
    surface: Surface, text: str, size: int, color: Color, **place: tuple[float, float]
) -> None:
    """Write a line with its `center`, `midleft`... at a place."""
    line = written(text, size, color)
    surface.blit(line, line.get_rect(**place))
