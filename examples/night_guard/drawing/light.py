"""The light: moonlight through the windows, the guards' torches, and the siren's red."""

from __future__ import annotations

from math import cos, radians, sin
from typing import Final

import pygame
from difficulty import Sight
from game import Game
from pygame import Surface
from watch import Guard
from world import World

from drawing.canvas import TILE, Color, add_light, at, glow, mixed, scaled
from drawing.moods import mood_of
from drawing.walls import statues, windows
from fsmkit import Fsm
from fsmkit.space import Position

NIGHT: Final[Color] = (92, 102, 150)
RED_NIGHT: Final[Color] = (176, 62, 76)
MOON: Final[Color] = (58, 86, 180)
SPOT: Final[Color] = (116, 92, 60)
EXIT: Final[Color] = (20, 110, 60)
DUST: Final[Color] = (34, 34, 34)
"""The share of a beam that one sees in the air."""

COARSE: Final = 2
"""Light is worked out for squares of so many pixels."""
RAYS: Final = 56
INTO_THE_WALL: Final = 0.08
UP_THE_WALL: Final = 0.5
"""Tiles of a wall that light still falls on; those that one sees from the front have more."""


class Light:
    """The brightness of each place, by which the picture is multiplied."""

    def __init__(self, world: World, sight: Sight) -> None:
        self.world = world
        width, height = world.size
        self.size = (width * TILE, height * TILE)
        self.moonlight = _moonlight(world)
        for block in statues(world):
            middle = [sum(axis) / len(block) for axis in zip(*block, strict=True)]
            x, y = at(middle)
            add_light(self.moonlight, glow(44, SPOT, 1.2), (x / COARSE, y / COARSE))
        self.map = Surface(self.moonlight.get_size())
        self.beams = Surface(self.moonlight.get_size())
        self.beam = glow(round(sight.range * TILE / COARSE), (255, 255, 255), 0.6)

    def shine_on(self, scene: Surface, game: Game) -> None:
        """Bring the night to a scene, with every light that is on."""
        self.map.fill(mixed(NIGHT, RED_NIGHT, game.siren.light))
        add_light(self.map, self.moonlight, self.map.get_rect().center)
        self._add(glow(70, (124, 132, 160)), game.thief.body.position)
        self._add(glow(60, scaled(EXIT, 0.6 + game.world.gate.opening)), game.world.gate.tile)
        for jewel in game.jewels:
            bright = jewel.presence * (0.55 + 0.45 * jewel.glint)
            self._add(glow(34, scaled((120, 110, 130), round(bright, 1))), jewel.tile)
        self.beams.fill((0, 0, 0))
        for guard in game.guards:
            self._add_torch(guard)
        add_light(self.map, self.beams, self.map.get_rect().center)
        smooth = pygame.transform.smoothscale(self.map, self.size)
        scene.blit(smooth, (0, 0), special_flags=pygame.BLEND_RGB_MULT)
        self.beams.fill(DUST, special_flags=pygame.BLEND_RGB_MULT)
        haze = pygame.transform.smoothscale(self.beams, self.size)
        scene.blit(haze, (0, 0), special_flags=pygame.BLEND_RGB_ADD)

    def _add(self, light: Surface, place: Position, to: Surface | None = None) -> None:
        x, y = at(place)
        add_light(self.map if to is None else to, light, (x / COARSE, y / COARSE))

    def _add_torch(self, machine: Fsm[Guard]) -> None:
        """Draw the cone in which he sees, up to the walls."""
        eyes, sight = machine.context.body, machine.context.difficulty.sight
        cone = Surface(self.beam.get_size())
        middle = cone.get_width() / 2
        corners = [(middle, middle)]
        for ray in range(RAYS + 1):
            angle = eyes.rotation + sight.angle * (ray / RAYS - 0.5)
            dx, dy = cos(radians(angle)), sin(radians(angle))
            into = INTO_THE_WALL + UP_THE_WALL * max(0.0, -dy)
            length = (self.world.reach(eyes.position, angle, sight.range) + into) * TILE / COARSE
            corners.append((middle + dx * length, middle + dy * length))
        pygame.draw.polygon(cone, mood_of(machine).color, corners)
        cone.blit(self.beam, (0, 0), special_flags=pygame.BLEND_RGB_MULT)
        self._add(pygame.transform.box_blur(cone, 2), eyes.position, self.beams)
        self._add(glow(30, scaled(mood_of(machine).color, 0.75)), eyes.position)


def _moonlight(world: World) -> Surface:
    """Return the moonlight through the windows, which never changes."""
    width, height = world.size
    tile = TILE / COARSE
    surface = Surface((round(width * tile), round(height * tile)))
    for x, y in windows(world):
        for pane in range(3):
            left = (x + 0.2 + 0.2 * pane) * tile
            top, bottom = (y + 1.1) * tile, (y + 4.2) * tile
            slant = 1.5 * tile
            patch = [
                (left, top), (left + 0.16 * tile, top),
                (left + slant + 0.3 * tile, bottom), (left + slant, bottom),
            ]  # fmt: skip
            pygame.draw.polygon(surface, MOON, patch)
    return pygame.transform.gaussian_blur(surface, 3)
