"""The things on the plinths: busts, a sarcophagus, and the pride of the house, a golden globe."""

from __future__ import annotations

from math import cos, pi, sin
from typing import Final

import pygame
from pygame import Rect, Surface

from drawing.canvas import Color, mixed, scaled

MARBLE: Final[Color] = (222, 220, 214)
GOLD: Final[Color] = (226, 180, 92)
LAPIS: Final[Color] = (46, 86, 160)


def paint_art(surface: Surface, rect: Rect) -> None:
    """Paint whatever fits on a plinth."""
    if rect.width == rect.height and rect.width > 100:
        _paint_globe(surface, rect.center, rect.width * 0.3)
    elif rect.width > rect.height and rect.x // rect.height % 3 == 2:
        _paint_fossil(surface, rect.inflate(-rect.height * 0.4, -rect.height * 0.5))
    elif rect.width > rect.height:
        _paint_sarcophagus(surface, rect.inflate(-rect.height * 0.5, -rect.height * 0.5))
    else:
        _paint_bust(surface, rect.center, rect.width * 0.26)


def _paint_ball(surface: Surface, middle: tuple[float, float], radius: float, color: Color) -> None:
    """Draw a ball that is lit from the upper left."""
    x, y = middle
    steps = 24
    for step in range(steps):
        share = step / steps
        shade = mixed(scaled(color, 0.5), scaled(color, 1.25), share)
        shift = radius * 0.35 * share
        pygame.draw.circle(surface, shade, (x - shift, y - shift), radius * (1.0 - share * 0.9))


def _paint_globe(surface: Surface, middle: tuple[float, float], radius: float) -> None:
    x, y = middle
    pygame.draw.circle(surface, (40, 30, 26), (x + 6, y + 10), radius)
    _paint_ball(surface, middle, radius, GOLD)
    for tilt in (-0.55, 0.0, 0.55):
        ring = Rect(0, 0, 2 * radius, 2 * radius * abs(sin(tilt)) + 2)
        ring.center = (round(x), round(y + radius * tilt))
        pygame.draw.arc(surface, scaled(GOLD, 0.55), ring, pi, 2 * pi, 3)
    for turn in range(0, 360, 45):
        dx, dy = cos(turn * pi / 180.0), sin(turn * pi / 180.0)
        tip = (x + dx * radius * 1.32, y + dy * radius * 1.32)
        pygame.draw.line(surface, GOLD, (x + dx * radius, y + dy * radius), tip, 4)
        pygame.draw.circle(surface, scaled(GOLD, 1.15), tip, 5)


def _paint_sarcophagus(surface: Surface, rect: Rect) -> None:
    pygame.draw.rect(surface, (40, 30, 26), rect.move(5, 7), border_radius=rect.height // 2)
    pygame.draw.rect(surface, GOLD, rect, border_radius=rect.height // 2)
    body = rect.inflate(-rect.height * 0.24, -rect.height * 0.24)
    pygame.draw.rect(surface, LAPIS, body, border_radius=body.height // 2)
    for x in range(body.left + round(body.height * 1.2), body.right - 8, 14):
        pygame.draw.line(surface, GOLD, (x, body.top + 2), (x, body.bottom - 3), 4)
    face = (body.left + body.height * 0.62, body.centery)
    _paint_ball(surface, face, body.height * 0.34, (206, 150, 104))
    for side in (-1, 1):
        eye = (face[0] - 2, face[1] + side * body.height * 0.13)
        pygame.draw.circle(surface, (30, 24, 20), eye, 3)


def _paint_fossil(surface: Surface, rect: Rect) -> None:
    """Draw a fish that swam here when this was the sea."""
    slab, bone = (120, 104, 84), (236, 226, 200)
    pygame.draw.rect(surface, slab, rect, border_radius=10)
    tail, head = (rect.left + 16, rect.centery), (rect.right - 34, rect.centery)
    pygame.draw.line(surface, bone, tail, head, 5)
    for step in range(9):
        x = tail[0] + 14 + step * (head[0] - tail[0] - 20) / 9
        rib = rect.height * 0.34 * sin(pi * (step + 1.5) / 10.5)
        pygame.draw.line(surface, bone, (x + 8, rect.centery - rib), (x, rect.centery), 3)
        pygame.draw.line(surface, bone, (x + 8, rect.centery + rib), (x, rect.centery), 3)
    for side in (-1, 1):
        fin = (rect.left + 6, rect.centery + side * rect.height * 0.3)
        pygame.draw.line(surface, bone, tail, fin, 4)
    skull = Rect(0, 0, 38, rect.height * 0.52)
    skull.midleft = (round(head[0] - 6), rect.centery)
    pygame.draw.ellipse(surface, bone, skull)
    pygame.draw.circle(surface, slab, (skull.centerx + 4, skull.centery - 4), 4)


def _paint_bust(surface: Surface, middle: tuple[float, float], radius: float) -> None:
    x, y = middle
    shoulders = Rect(0, 0, radius * 2.3, radius * 1.25)
    shoulders.center = (round(x), round(y + radius * 0.25))
    pygame.draw.ellipse(surface, (60, 54, 50), shoulders.move(4, 7))
    pygame.draw.ellipse(surface, scaled(MARBLE, 0.72), shoulders)
    pygame.draw.ellipse(surface, scaled(MARBLE, 0.9), shoulders.inflate(-8, -8))
    _paint_ball(surface, (x, y - radius * 0.1), radius * 0.66, scaled(MARBLE, 0.85))
    for turn in range(200, 345, 24):
        leaf = (
            x + cos(turn * pi / 180.0) * radius * 0.58,
            y - radius * 0.1 + sin(turn * pi / 180.0) * radius * 0.58,
        )
        pygame.draw.circle(surface, (104, 130, 84), leaf, radius * 0.15)
