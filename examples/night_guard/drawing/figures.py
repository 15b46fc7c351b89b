"""The people, seen from above: drawn large once, then turned and made smaller in every frame."""

from __future__ import annotations

from functools import cache
from math import cos, radians, sin
from typing import Final

import pygame
from attrs import define, field
from pygame import Surface

from drawing.canvas import TILE, Color, at, clear, scaled, soft_shadow
from fsmkit.space import Position, Transform, distance

LARGE: Final = 240
"""Pixels of the large drawing, in which the person looks to the right."""
NATURAL: Final = 1.5 * TILE / LARGE

STRIDE: Final = 0.9
"""Tiles in which a person takes two steps."""

SKIN: Final[Color] = (226, 178, 142)
UNIFORM: Final[Color] = (58, 82, 140)
BLACK: Final[Color] = (30, 30, 38)


@define
class Figure:
    """A person on the screen; remembers how far he has gone, to move his feet."""

    look: Surface
    shoes: Color
    gone: float = 0.0
    last: Position = field(default=None)

    def draw(self, surface: Surface, body: Transform) -> None:
        """Draw him where his body is."""
        self.gone += distance(self.last, body.position) if self.last else 0.0
        moves, self.last = self.last not in (None, body.position), body.position
        swing = sin(self.gone / STRIDE * 6.2832)
        middle = at(body.position)
        shadow = soft_shadow_of_person()
        surface.blit(shadow, shadow.get_rect(center=(middle[0] + 4, middle[1] + 7)))
        for side in (-1, 1):
            self._draw_foot(surface, middle, body.rotation, side, swing * moves)
        turned = pygame.transform.rotozoom(self.look, -body.rotation + 4 * swing * moves, NATURAL)
        surface.blit(turned, turned.get_rect(center=middle))

    def _draw_foot(
        self, surface: Surface, middle: tuple[float, float], angle: float, side: int, swing: float
    ) -> None:
        ahead, aside = side * swing * 9.0, side * 6.0
        c, s = cos(radians(angle)), sin(radians(angle))
        place = (middle[0] + c * ahead - s * aside, middle[1] + s * ahead + c * aside)
        pygame.draw.circle(surface, self.shoes, place, 5)


@cache
def soft_shadow_of_person() -> Surface:
    """Return the shadow under a person."""
    return soft_shadow((30, 26), 150, 5)


def guard_look() -> Surface:
    """Return the picture of a uniform, a cap with a shield, and a torch."""
    surface = clear((LARGE, LARGE))
    _paint_body(surface, UNIFORM)
    for side in (-1, 1):
        pygame.draw.circle(surface, (224, 184, 90), (112, 120 + side * 44), 9)
    pygame.draw.line(surface, scaled(UNIFORM, 0.8), (122, 158), (164, 142), 22)
    pygame.draw.circle(surface, SKIN, (166, 142), 12)
    pygame.draw.line(surface, (60, 60, 66), (166, 142), (196, 138), 14)
    pygame.draw.circle(surface, (255, 246, 210), (198, 138), 10)
    pygame.draw.circle(surface, SKIN, (128, 120), 32)
    pygame.draw.ellipse(surface, (22, 26, 44), (126, 92, 46, 56))
    pygame.draw.circle(surface, scaled(UNIFORM, 0.62), (116, 120), 36)
    pygame.draw.circle(surface, scaled(UNIFORM, 0.85), (114, 118), 28)
    pygame.draw.circle(surface, (236, 200, 104), (144, 120), 7)
    return surface


def thief_look() -> Surface:
    """Return the picture of a striped jersey, a black cap and a mask."""
    surface = clear((LARGE, LARGE))
    _paint_body(surface, (224, 220, 214))
    stripes = clear((LARGE, LARGE))
    _paint_body(stripes, BLACK)
    for y in range(60, 180, 26):
        pygame.draw.rect(stripes, (0, 0, 0, 0), (0, y, LARGE, 13))
    surface.blit(stripes, (0, 0))
    for side in (-1, 1):
        pygame.draw.circle(surface, BLACK, (152, 120 + side * 46), 12)
    pygame.draw.circle(surface, SKIN, (126, 120), 33)
    pygame.draw.rect(surface, BLACK, (136, 92, 18, 56), border_radius=6)
    for side in (-1, 1):
        pygame.draw.circle(surface, (250, 250, 250), (150, 120 + side * 13), 6)
    pygame.draw.circle(surface, BLACK, (112, 120), 34)
    pygame.draw.circle(surface, (70, 70, 84), (106, 114), 20)
    pygame.draw.circle(surface, BLACK, (108, 117), 19)
    return surface


def _paint_body(surface: Surface, color: Color) -> None:
    """Shoulders and arms."""
    pygame.draw.ellipse(surface, scaled(color, 0.6), (76, 52, 76, 136))
    pygame.draw.ellipse(surface, color, (80, 56, 68, 128))
