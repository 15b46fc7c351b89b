"""The look of the night: the only part of the game, with `playing`, that knows pygame."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, Final

import pygame
from chronicle import Chronicle
from game import Game
from pygame import Surface
from watch import Guard
from world import World

from drawing.canvas import PANEL_HEIGHT, TILE, at
from drawing.figures import Figure, guard_look, thief_look
from drawing.floor import paint_floor
from drawing.light import Light
from drawing.panel import draw_panel, draw_signs
from drawing.things import draw_door, draw_exit, draw_gate, draw_glint, draw_jewel, draw_noise
from drawing.walls import paint_walls
from fsmkit import Fsm
from fsmkit.engines.pygame import Overlay
from fsmkit.space import Transform, distance

FINE = 2
"""The museum is painted so many times as large, and then made smaller, for smooth edges."""

LOYALTY: Final = 1.0
"""Tiles: another guard must be nearer to the thief by so much to be followed in his place."""

NO_GRAPHVIZ: Final = "To see the machine of a guard at work: pip install 'fsmkit[diagram]'"


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
        self.overlay: Overlay | None = None

    def draw(
        self, surface: Surface, *, overlay: bool = False, hint: str = "", waits: bool = False
    ) -> None:
        """Draw the night as it is.

        `overlay` shows everybody's state over his head, and the machine of the guard who is nearest
        to the thief; it `waits` until that is drawn, for a film.
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
        if overlay:
            hint = self._draw_overlay(surface, waits=waits) or hint
        else:
            draw_signs(surface, self.game.guards)
        draw_panel(surface, self.game, self.chronicle, hint)

    def _draw_overlay(self, surface: Surface, *, waits: bool) -> str:
        """Draw it over the museum; return what it lacks."""
        overlay = self.overlay = self.overlay or overlay_of(self.game)
        house = surface.subsurface((0, 0, surface.width, surface.height - PANEL_HEIGHT))
        x, _ = at(self.game.thief.body.position)
        if not 0.4 < x / house.width < 0.6:  # it keeps out of his way
            overlay.corner = "top right" if x < house.width / 2 else "top left"
        if waits:
            overlay.look(*house.get_size())
            overlay.wait()
        overlay.draw(house)
        return "" if overlay.diagram else NO_GRAPHVIZ

    def _draw_house(self, surface: Surface) -> None:
        surface.blit(self.museum, (0, 0))
        for door in self.game.world.doors_inside:
            draw_door(surface, door)
        draw_gate(surface, self.game.world.gate)
        for jewel in self.game.jewels:
            draw_jewel(surface, jewel)


def overlay_of(game: Game) -> Overlay:
    """Return the overlay of a night, without a diagram where there is no Graphviz to draw it."""

    def body_of(machine: Fsm[Any]) -> Transform | None:
        is_person = machine is game.hands or machine in game.guards
        return machine.context.body if is_person else None

    def over(*, diagram: bool) -> Overlay:
        return Overlay(
            game.machines, thing=body_of, place=at, followed=nearest_guard(game),
            corner="top right", diagram=diagram, key=None, next_key=None,
        )  # fmt: skip

    try:
        return over(diagram=True)
    except ImportError:
        return over(diagram=False)


def nearest_guard(game: Game) -> Callable[[], Fsm[Guard]]:
    """Return a function that returns the guard nearest to the thief, and does not waver."""
    nearest = game.guards[0]

    def away(machine: Fsm[Guard]) -> float:
        bonus = LOYALTY if machine.name == nearest.name else 0.0
        return distance(machine.context.body.position, game.thief.body.position) - bonus

    def follow() -> Fsm[Guard]:
        nonlocal nearest
        nearest = min(game.guards, key=away)
        return nearest

    return follow


@cache
def _paint_museum(plan: str) -> Surface:
    world = World(plan)
    width, height = world.size
    large = Surface((width * TILE * FINE, height * TILE * FINE))
    paint_floor(large, world, TILE * FINE)
    paint_walls(large, world, TILE * FINE)
    return pygame.transform.smoothscale(large, (width * TILE, height * TILE))
