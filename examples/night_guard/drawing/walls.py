"""The walls with their paintings and windows, and the statues."""

from __future__ import annotations

from random import Random
from typing import Final

import pygame
from pygame import Rect, Surface
from world import World

from drawing.art import paint_art
from drawing.canvas import Color, clear, mixed, scaled
from fsmkit.pathfinding import Tile

TOP: Final[Color] = (66, 70, 96)
PAPER: Final[Color] = (150, 84, 88)
STONE: Final[Color] = (176, 172, 164)
FRAME: Final[Color] = (206, 160, 84)
FACE: Final = 0.5
"""The share of a tile that the front of a wall takes."""


def paint_walls(surface: Surface, world: World, size: int) -> None:
    """Paint the walls and what hangs on them, and the statues; a tile has `size` pixels."""
    rng = Random(3)
    _paint_shadows(surface, world, size)
    for tile in world.all_of("#"):
        _paint_wall(surface, world, tile, size)
    for tile in world.all_of("#"):
        if _is_front(world, tile) and rng.random() < 0.34:
            _hang_painting(surface, _front(tile, size), rng)
    for tile in windows(world):
        _paint_window(surface, _front(tile, size))
    for block in statues(world):
        _paint_plinth(surface, _block_rect(block, size))
        paint_art(surface, _block_rect(block, size).move(0, -6))


def windows(world: World) -> list[Tile]:
    """Return the places of the windows: every few tiles along the upper wall."""
    return [(x, 0) for x in range(3, world.size[0], 4) if world.letter((x, 1)) != "#"]


def statues(world: World) -> list[list[Tile]]:
    """Return the tiles of each statue; they are rectangles."""
    blocks: list[list[Tile]] = []
    for x, y in world.all_of("@"):
        near = [b for b in blocks if (x - 1, y) in b or (x, y - 1) in b]
        if near:
            near[0].append((x, y))
        else:
            blocks.append([(x, y)])
    return blocks


def _is_wall(world: World, tile: Tile) -> bool:
    return world.letter(tile) == "#"


def _is_front(world: World, tile: Tile) -> bool:
    x, y = tile
    return y + 1 < world.size[1] and not _is_wall(world, (x, y + 1))


def _front(tile: Tile, size: int) -> Rect:
    x, y = tile
    height = round(size * FACE)
    return Rect(x * size, (y + 1) * size - height, size, height)


def _block_rect(block: list[Tile], size: int) -> Rect:
    rects = [Rect(x * size, y * size, size, size) for x, y in block]
    return rects[0].unionall(rects)


def _paint_shadows(surface: Surface, world: World, size: int) -> None:
    """Draw the blurred shadows of walls and statues on the floor."""
    shadows = clear(surface.get_size())
    for letter, reach in (("#", 0.42), ("@", 0.3)):
        for x, y in world.all_of(letter):
            rect = Rect(x * size, y * size, size, size)
            pygame.draw.rect(shadows, (0, 0, 0, 150), rect.move(size * reach / 2, size * reach))
    surface.blit(pygame.transform.gaussian_blur(shadows, size // 8), (0, 0))


def _paint_wall(surface: Surface, world: World, tile: Tile, size: int) -> None:
    x, y = tile
    rect = Rect(x * size, y * size, size, size)
    pygame.draw.rect(surface, TOP, rect)
    if _is_front(world, tile):
        front = _front(tile, size)
        pygame.draw.rect(surface, PAPER, front)
        for x in range(front.left + 4, front.right, 10):
            pygame.draw.line(surface, scaled(PAPER, 0.9), (x, front.top), (x, front.bottom), 3)
        skirting = Rect(front.left, front.bottom - 9, size, 9)
        pygame.draw.rect(surface, (84, 52, 40), skirting)
        pygame.draw.line(surface, (130, 88, 62), skirting.topleft, skirting.topright, 2)
        pygame.draw.line(surface, scaled(TOP, 0.6), front.topleft, front.topright, 4)
    _paint_edges(surface, world, tile, rect)


def _paint_edges(surface: Surface, world: World, tile: Tile, rect: Rect) -> None:
    x, y = tile
    light, dark = scaled(TOP, 1.55), scaled(TOP, 0.55)
    if not _is_wall(world, (x, y - 1)) and y:
        pygame.draw.line(surface, light, rect.topleft, rect.topright, 4)
    if not _is_wall(world, (x - 1, y)) and x:
        pygame.draw.line(surface, light, rect.topleft, rect.bottomleft, 4)
    if not _is_wall(world, (x + 1, y)) and x + 1 < world.size[0]:
        pygame.draw.line(surface, dark, rect.topright, rect.bottomright, 4)


def _hang_painting(surface: Surface, front: Rect, rng: Random) -> None:
    width = rng.choice([22, 30, 40])
    frame = Rect(0, 0, width, 22)
    frame.center = (front.centerx + rng.randrange(-12, 13), front.centery - 3)
    pygame.draw.rect(surface, (0, 0, 0), frame.move(2, 3))
    pygame.draw.rect(surface, FRAME, frame)
    canvas = frame.inflate(-6, -6)
    sky: Color = rng.choice([(70, 120, 150), (196, 150, 96), (80, 60, 96), (150, 80, 70)])
    pygame.draw.rect(surface, sky, canvas)
    ground = Rect(canvas.left, canvas.centery + 1, canvas.width, canvas.height // 2)
    pygame.draw.rect(surface, mixed(sky, (24, 40, 30), 0.7), ground)
    sun = (canvas.left + rng.randrange(4, canvas.width - 3), canvas.top + 5)
    pygame.draw.circle(surface, mixed(sky, (255, 240, 200), 0.8), sun, 3)


def _paint_window(surface: Surface, front: Rect) -> None:
    frame = front.inflate(-14, -8).move(0, -4)
    pygame.draw.rect(surface, (60, 44, 40), frame.inflate(6, 6))
    pygame.draw.rect(surface, (196, 222, 255), frame)
    for x in (frame.left + frame.width // 3, frame.left + 2 * frame.width // 3):
        pygame.draw.line(surface, (60, 44, 40), (x, frame.top), (x, frame.bottom), 3)


def _paint_plinth(surface: Surface, rect: Rect) -> None:
    height = rect.height // (3 if rect.height < rect.width else 5)
    stone = rect.inflate(-10, -10)
    pygame.draw.rect(surface, scaled(STONE, 0.5), stone, border_radius=6)
    top = Rect(stone.left, stone.top - 4, stone.width, stone.height - min(height, 18))
    pygame.draw.rect(surface, STONE, top, border_radius=6)
    pygame.draw.rect(surface, scaled(STONE, 1.2), top, 3, border_radius=6)
    pygame.draw.rect(surface, scaled(STONE, 0.82), top.inflate(-12, -12), 2, border_radius=4)
