"""The floor: boards in the rooms, marble in the hall, and carpets with a golden hem."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random
from typing import Final

import pygame
from pygame import Rect, Surface
from world import World

from drawing.canvas import Color, mixed, scaled
from fsmkit.pathfinding import Tile

BOARDS: Final[Color] = (178, 120, 78)
MARBLE: Final[Color] = (160, 164, 180)
GOLD: Final[Color] = (214, 170, 92)
CARPETS: Final[list[Color]] = [(150, 34, 50), (40, 84, 136), (34, 112, 90), (116, 50, 122)]


def paint_floor(surface: Surface, world: World, size: int) -> None:
    """Paint what one walks on; a tile has `size` pixels."""
    rng = Random(7)
    width, height = world.size
    for y in range(height):
        for x in range(width):
            tile = Rect(x * size, y * size, size, size)
            if _is_marble(world, (x, y)):
                _paint_marble(surface, tile, (x + y) % 2, rng)
            else:
                _paint_boards(surface, tile, x, rng)
    for number, carpet in enumerate(carpets(world)):
        _paint_carpet(surface, _around(carpet, size), CARPETS[number % len(CARPETS)])


def _is_marble(world: World, tile: Tile) -> bool:
    """Return True if the tile is marble, or something that stands on marble."""
    x, y = tile
    near = [tile, (x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1)]
    return any(world.letter(each) == ":" for each in near)


def carpets(world: World) -> list[set[Tile]]:
    """Return the tiles of each carpet, with what stands on it or lies under a jewel."""
    left = {tile for letter in ",oT" for tile in world.all_of(letter)}
    found = []
    while left:
        carpet = _connected(min(left), left)
        left -= carpet
        found.append(carpet)
    return found


def _connected(start: Tile, tiles: set[Tile]) -> set[Tile]:
    reached, open_ones = {start}, [start]
    while open_ones:
        x, y = open_ones.pop()
        near = {(x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)} & tiles
        open_ones += near - reached
        reached |= near
    return reached


def _around(tiles: Iterable[Tile], size: int) -> Rect:
    rects = [Rect(x * size, y * size, size, size) for x, y in tiles]
    return rects[0].unionall(rects[1:])


def _paint_boards(surface: Surface, tile: Rect, column: int, rng: Random) -> None:
    board = tile.height // 4
    for row in range(4):
        rect = Rect(tile.x, tile.y + row * board, tile.width, board)
        color = scaled(BOARDS, rng.uniform(0.86, 1.08))
        pygame.draw.rect(surface, color, rect)
        grain = scaled(color, 0.93)
        for _ in range(2):
            y = rect.y + rng.randrange(3, board - 2)
            start = rect.x + rng.randrange(rect.width // 2)
            pygame.draw.line(surface, grain, (start, y), (start + rng.randrange(10, 40), y))
        dark = scaled(BOARDS, 0.62)
        pygame.draw.line(surface, dark, rect.topleft, rect.topright)
        if (row + column) % 2:
            pygame.draw.line(surface, dark, rect.topleft, rect.bottomleft, 2)


def _paint_marble(surface: Surface, tile: Rect, parity: int, rng: Random) -> None:
    color = scaled(MARBLE, (1.0, 0.78)[parity] * rng.uniform(0.97, 1.03))
    pygame.draw.rect(surface, color, tile)
    x, y = tile.x + rng.randrange(tile.width), tile.y
    vein = mixed(color, (255, 255, 255), 0.16)
    while y < tile.bottom:
        step = (x + rng.randrange(-14, 15), y + rng.randrange(8, 18))
        surface.set_clip(tile)
        pygame.draw.aaline(surface, vein, (x, y), step)
        x, y = step
    surface.set_clip(None)
    pygame.draw.rect(surface, scaled(color, 0.85), tile, 1)


def _paint_carpet(surface: Surface, rect: Rect, color: Color) -> None:
    carpet = rect.inflate(-rect.height // 40 - 6, -8)
    shadow = Surface(carpet.size)
    shadow.set_alpha(90)
    surface.blit(shadow, carpet.move(3, 5))
    for x in (carpet.left - 6, carpet.right):
        for y in range(carpet.top + 4, carpet.bottom - 4, 6):
            pygame.draw.line(surface, scaled(GOLD, 0.8), (x, y), (x + 6, y), 2)
    pygame.draw.rect(surface, color, carpet, border_radius=4)
    pygame.draw.rect(surface, scaled(color, 0.72), carpet.inflate(-10, -10), 10)
    pygame.draw.rect(surface, GOLD, carpet.inflate(-16, -16), 2)
    pygame.draw.rect(surface, GOLD, carpet.inflate(-34, -34), 1)
    _paint_pattern(surface, carpet.inflate(-40, -40), color)


def _paint_pattern(surface: Surface, rect: Rect, color: Color) -> None:
    """Small diamonds in rows."""
    for row, y in enumerate(range(rect.top + 12, rect.bottom - 6, 20)):
        for x in range(rect.left + 12 + 14 * (row % 2), rect.right - 6, 28):
            diamond = [(x, y - 5), (x + 5, y), (x, y + 5), (x - 5, y)]
            pygame.draw.polygon(surface, scaled(color, 1.35), diamond)
