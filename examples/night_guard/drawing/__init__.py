"""The look of the night: the only part of the game, with `playing`, that knows pygame."""

from __future__ import annotations

from functools import cache

import pygame
from chronicle import Chronicle
from game import Game
from pygame import Surface
from world import World

from drawing.canvas import PANEL_HEIGHT, TILE
from drawing.diagram import Diagram
from drawing.figures import Figure, guard_look, thief_look
from drawing.floor import paint_floor
from drawing.light import Light
from drawing.panel import draw_panel, draw_signs, draw_states
from drawing.things import draw_door, draw_exit, draw_gate, draw_glint, draw_jewel, draw_noise
from drawing.walls import paint_walls

FINE = 2
"""The museum is painted so many times as large, and then made smaller, for smooth edges."""


def size_of(world: World) -> tuple[int, int]:
    """Return the pixels that a picture of the world takes, with the panel below it."""
    width, height = world.size
    return width * TILE, height * TILE + PANEL_HEIGHT


class Picture:
    def __init__(self, game: Game, chronicle: Chronicle) -> None:
        self.game = game
        self.chronicle = chronicle
        self.museum = _paint_museum(game.world.plan)
        self.light = Light(game.world, game.difficulty.sight)
        self.thief = Figure(thief_look(), (24, 24, 30))
        self.guards = [Figure(guard_look(), (20, 22, 34)) for _ in game.guards]
        self.diagram = Diagram()

    def draw(
        self, surface: Surface, *, states: bool = False, diagram: bool = False, hint: str = ""
    ) -> None:
        """Draw the night as it is.

        `states` shows each guard's over his head, `diagram` the machine of the one who is nearest
        to the thief.
        """
        self._draw_house(surface)
        self.thief.draw(surface, self.game.thief.body)
        for figure, machine in zip(self.guards, self.game.guards, strict=True):
            figure.draw(surface, machine.context.body)
        self.light.shine_on(surface, self.game)
        for jewel in self.game.jewels:
            draw_glint(surface, jewel)
        for noise in self.game.noises:
            draw_noise(surface, noise, self.game.time)
        draw_exit(surface, self.game.world.gate)
        draw_heads = draw_states if states else draw_signs
        draw_heads(surface, self.game.guards)
        if diagram:
            self.diagram.draw(surface, self.game)
        draw_panel(surface, self.game, self.chronicle, hint)

    def _draw_house(self, surface: Surface) -> None:
        surface.blit(self.museum, (0, 0))
        for door in self.game.world.doors_inside:
            draw_door(surface, door)
        draw_gate(surface, self.game.world.gate)
        for jewel in self.game.jewels:
            draw_jewel(surface, jewel)


@cache
def _paint_museum(plan: str) -> Surface:
    world = World(plan)
    width, height = world.size
    large = Surface((width * TILE * FINE, height * TILE * FINE))
    paint_floor(large, world, TILE * FINE)
    paint_walls(large, world, TILE * FINE)
    return pygame.transform.smoothscale(large, (width * TILE, height * TILE))
