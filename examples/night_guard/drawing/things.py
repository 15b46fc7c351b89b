"""Doors, the gate, jewels, and the rings in which a noise goes out."""

from __future__ import annotations

from math import cos, pi, sin
from typing import Final

import pygame
from jewels import Jewel
from noises import ECHO, Noise
from pygame import Rect, Surface
from world import Door

from drawing.canvas import TILE, Color, add_light, at, clear, glow, mixed, scaled, write

GEMS: Final[dict[str, Color]] = {
    "ruby": (255, 70, 104),
    "sapphire": (86, 170, 255),
    "emerald": (80, 236, 150),
    "pearl": (240, 226, 214),
    "amber": (255, 176, 60),
    "jade": (110, 220, 120),
}
EXIT: Final[Color] = (90, 255, 160)
WOOD: Final[Color] = (132, 86, 54)
IRON: Final[Color] = (150, 156, 170)
LEAF: Final = 14
"""Pixels: how thick a door is."""


def draw_door(surface: Surface, door: Door) -> None:
    """Two leaves that slide into the wall on both sides."""
    x, y = at(door.tile)
    half = TILE / 2
    length = half * (1.0 - door.opening * 0.85)
    for side in (-1, 1):
        edge, inner = side * half, side * (half - length)
        low, high = min(edge, inner), max(edge, inner)
        if door.is_upright:
            leaf = Rect(round(x - LEAF / 2), round(y + low), LEAF, round(high - low))
        else:
            leaf = Rect(round(x + low), round(y - LEAF / 2), round(high - low), LEAF)
        pygame.draw.rect(surface, scaled(WOOD, 0.5), leaf.move(2, 4))
        pygame.draw.rect(surface, WOOD, leaf, border_radius=2)
        pygame.draw.rect(surface, scaled(WOOD, 1.35), leaf, 1, border_radius=2)


def draw_gate(surface: Surface, gate: Door) -> None:
    """Bars that go up."""
    x, y = at(gate.tile)
    opening = Rect(0, 0, TILE, TILE)
    opening.center = (round(x), round(y))
    pygame.draw.rect(surface, (26, 44, 70), opening)
    height = round(TILE * (1.0 - gate.opening))
    for bar in range(5):
        left = opening.left + 4 + bar * 8
        pygame.draw.rect(surface, IRON, (left, opening.top, 4, height))
    for rail in (0.25, 0.75):
        if height > rail * TILE:
            top = opening.top + rail * TILE - 2
            pygame.draw.rect(surface, scaled(IRON, 0.8), (opening.left, top, TILE, 4))


def draw_exit(surface: Surface, gate: Door) -> None:
    """Draw the sign over the gate, which shines when it is open."""
    x, y = at(gate.tile)
    green = scaled(EXIT, 0.45 + 0.55 * gate.opening)
    sign = Rect(0, 0, 36, 17)
    sign.midbottom = (round(x), round(y - TILE / 2 - 3))
    pygame.draw.rect(surface, scaled(green, 0.25), sign, border_radius=4)
    pygame.draw.rect(surface, green, sign, 1, border_radius=4)
    write(surface, "EXIT", 17, green, center=sign.center)
    add_light(surface, glow(46, scaled(green, 0.35)), sign.center)


def draw_jewel(surface: Surface, jewel: Jewel) -> None:
    """Draw a cushion, and on it a stone with facets while it is there."""
    x, y = at(jewel.tile)
    cushion = Rect(0, 0, 26, 26)
    cushion.center = (round(x), round(y))
    pygame.draw.rect(surface, (0, 0, 0), cushion.move(2, 5), border_radius=6)
    pygame.draw.rect(surface, (196, 160, 96), cushion, border_radius=6)
    pygame.draw.rect(surface, (70, 26, 54), cushion.inflate(-6, -6), border_radius=5)
    if jewel.presence > 0.0:
        rises = 14 * (1.0 - jewel.presence)
        draw_gem(surface, (x, y - 3 - rises), 9 * jewel.presence, GEMS[jewel.name])


def draw_gem(surface: Surface, middle: tuple[float, float], radius: float, color: Color) -> None:
    """Draw a stone, cut in eight facets."""
    x, y = middle
    rim = [
        (x + radius * cos(pi * (k / 4 + 0.125)), y + radius * sin(pi * (k / 4 + 0.125)))
        for k in range(8)
    ]
    for k in range(8):
        bright = 0.55 + 0.45 * cos(pi * (k / 4 + 0.25) - pi * 1.25)
        facet = mixed(scaled(color, 0.5), mixed(color, (255, 255, 255), 0.4), bright)
        pygame.draw.polygon(surface, facet, [rim[k], rim[(k + 1) % 8], (x, y)])
    table = [(x + (a - x) * 0.5, y + (b - y) * 0.5) for a, b in rim]
    pygame.draw.polygon(surface, mixed(color, (255, 255, 255), 0.35), table)


def draw_glint(surface: Surface, jewel: Jewel) -> None:
    """Draw the glow and the star of a jewel, on top of the darkness."""
    x, y = at(jewel.tile)
    bright = jewel.presence * jewel.glint
    shine = glow(30, scaled(GEMS[jewel.name], round(0.35 * jewel.presence + 0.35 * bright, 1)))
    add_light(surface, shine, (x, y))
    for turn in range(4):
        dx, dy = cos(turn * pi / 2 + 0.4), sin(turn * pi / 2 + 0.4)
        tip = (x + dx * 17 * bright, y - 4 + dy * 17 * bright)
        pygame.draw.aaline(surface, (255, 255, 255), (x, y - 4), tip)


def draw_noise(surface: Surface, noise: Noise, now: float) -> None:
    """Draw a ring that grows to where the noise can no longer be heard, and fades."""
    share = (now - noise.time) / ECHO
    radius = noise.loudness * TILE * (1.0 - (1.0 - share) ** 2)
    alpha = round(90 * (1.0 - share) ** 2)
    size = round(2 * radius) + 6
    ring = clear((size, size))
    pygame.draw.aacircle(ring, (214, 228, 255, alpha), (size / 2, size / 2), radius, 2)
    surface.blit(ring, ring.get_rect(center=at(noise.place)))
