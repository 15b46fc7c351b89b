"""Texts: the panel below the museum, the signs over the guards' heads, and the cards."""

from __future__ import annotations

from typing import Final

import pygame
from chronicle import Chronicle
from game import Game
from pygame import Rect, Surface
from watch import Guard

from drawing.canvas import PANEL_HEIGHT, TILE, Color, at, clear, scaled, write, written
from drawing.moods import mood_of
from drawing.things import GEMS, draw_gem
from fsmkit import Fsm

INK: Final[Color] = (226, 228, 240)
FAINT: Final[Color] = (128, 134, 164)
PANEL: Final[Color] = (18, 19, 30)
GOLD: Final[Color] = (226, 184, 104)
KEYS: Final = "arrows  steer     shift  sneak     F1  inspector     F2  states"


def draw_panel(surface: Surface, game: Game, chronicle: Chronicle, hint: str) -> None:
    """Draw the jewels he has, what happened last, and the keys."""
    width, height = surface.get_size()
    panel = Rect(0, height - PANEL_HEIGHT, width, PANEL_HEIGHT)
    pygame.draw.rect(surface, PANEL, panel)
    pygame.draw.line(surface, scaled(GOLD, 0.6), panel.topleft, panel.topright, 2)
    for number, jewel in enumerate(game.jewels):
        middle = (panel.left + 34 + 34 * number, panel.centery)
        taken = 1.0 - jewel.presence
        draw_gem(surface, middle, 12, scaled(GEMS[jewel.name], 0.18 + 0.82 * taken))
    news = hint or "".join(chronicle.lines[-1:])
    write(surface, news, 26, GOLD if hint else INK, midleft=(panel.left + 140, panel.centery))
    write(surface, KEYS, 21, FAINT, midright=(width - 24, panel.centery))


def draw_signs(surface: Surface, machines: list[Fsm[Guard]]) -> None:
    """Draw a `?` or `!` over each guard's head."""
    for machine in machines:
        mood = mood_of(machine)
        x, y = at(machine.context.body.position)
        write(surface, mood.sign, 42, (0, 0, 0), center=(x + 2, y - 30))
        write(surface, mood.sign, 42, mood.color, center=(x, y - 32))


def draw_states(surface: Surface, machines: list[Fsm[Guard]]) -> None:
    """In their place the name of the state that he is in, on labels that leave each other room."""
    labels: list[Rect] = []
    for machine in machines:
        state, color = machine.current_state, mood_of(machine).color
        text = written(f"{machine.name}: {state.name if state else '-'}", 20, color)
        x, y = at(machine.context.body.position)
        label = text.get_rect(midbottom=(x, y - 26)).inflate(14, 8).clamp(surface.get_rect())
        while label.collidelist(labels) >= 0:
            label.move_ip(0, -label.height - 2)
        labels.append(label)
        plate = clear(label.size)
        pygame.draw.rect(plate, (*PANEL, 225), plate.get_rect(), border_radius=7)
        pygame.draw.rect(plate, color, plate.get_rect(), 1, border_radius=7)
        surface.blit(plate, label)
        surface.blit(text, text.get_rect(center=label.center))


def draw_card(surface: Surface, title: str, lines: list[str], share: float) -> None:
    """Draw a title over the darkened museum; it comes up as `share` goes from 0 to 1."""
    width, height = surface.get_size()
    veil = clear((width, height))
    veil.fill((8, 9, 18, round(150 * share)))
    write(veil, title, 118, GOLD, center=(width / 2, height * 0.36))
    for number, line in enumerate(lines):
        middle = (width / 2, height * 0.5 + number * TILE)
        write(veil, line, 32, INK if number else GOLD, center=middle)
    veil.set_alpha(round(255 * share))
    surface.blit(veil, (0, 0))
