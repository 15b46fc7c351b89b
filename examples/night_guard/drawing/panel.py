"""Texts: the panel below the museum, the signs over the guards' heads, and the cards."""

from __future__ import annotations

from textwrap import wrap
from typing import Final

import pygame
from cards import Card
from chronicle import Chronicle
from events import DOWN, ENTER, RIGHT
from game import Game
from pygame import Rect, Surface
from watch import Guard

from drawing.canvas import PANEL_HEIGHT, TILE, Color, at, clear, scaled, write
from drawing.moods import mood_of
from drawing.things import GEMS, draw_gem
from fsmkit import Fsm

INK: Final[Color] = (226, 228, 240)
FAINT: Final[Color] = (128, 134, 164)
PANEL: Final[Color] = (18, 19, 30)
GOLD: Final[Color] = (226, 184, 104)
KEYS: Final = (
    "arrows, mouse or gamepad  steer     shift  sneak     P  pause     M  sound     Esc  title",
    "F1  inspector     F3  states     F5  reload guards.py",
)
HINT_WIDTH: Final = 84
"""Letters of a line."""
HINT_LINES: Final = 3


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
    if hint:
        _write_hint(surface, hint, (panel.left + 140, panel.centery))
    else:
        news = "".join(chronicle.lines[-1:])
        write(surface, news, 26, INK, midleft=(panel.left + 140, panel.centery))
    for number, line in enumerate(KEYS):
        write(surface, line, 18, FAINT, midright=(width - 24, panel.centery - 9 + 19 * number))


def _write_hint(surface: Surface, hint: str, place: tuple[float, float]) -> None:
    """Write a text so small that it leaves room for the keys; of a long one the begin and end."""
    x, y = place
    lines = [part for line in hint.splitlines() for part in wrap(line, HINT_WIDTH)]
    lines[HINT_LINES - 1 : -1] = []
    for number, line in enumerate(lines):
        write(surface, line, 18, GOLD, midleft=(x, y + 17 * (number + 0.5 - len(lines) / 2)))


def draw_signs(surface: Surface, machines: list[Fsm[Guard]]) -> None:
    """Draw a `?` or `!` over each guard's head."""
    for machine in machines:
        mood = mood_of(machine)
        x, y = at(machine.context.body.position)
        write(surface, mood.sign, 42, (0, 0, 0), center=(x + 2, y - 30))
        write(surface, mood.sign, 42, mood.color, center=(x, y - 32))


def draw_card(surface: Surface, card: Card, choice: tuple[str, str], share: float) -> None:
    """Draw a card over the darkened museum; it comes up as `share` goes from 0 to 1."""
    width, height = surface.get_size()
    veil = clear((width, height))
    veil.fill((8, 9, 18, round(165 * share)))
    write(veil, card.title, 118, GOLD, center=(width / 2, height * 0.3))
    for number, line in enumerate(card.lines):
        middle = (width / 2, height * 0.42 + number * TILE)
        write(veil, line, 32, INK, center=middle)
    if card.offers_choice:
        museum, guards = choice
        _draw_button(veil, "museum", f"<   {museum}   >", "left, right")
        _draw_button(veil, "guards", f"<   {guards}   >", "up, down")
        _draw_button(veil, "begin", "begin the night", "Enter, or A of a gamepad")
    veil.set_alpha(round(255 * share))
    surface.blit(veil, (0, 0))


BUTTONS: Final = {"museum": RIGHT, "guards": DOWN, "begin": ENTER}
"""What can be clicked on a card that offers a choice, from the top, and what that asks for."""


def event_under(pixel: tuple[int, int], size: tuple[int, int], card: Card) -> str | None:
    """Return what a click on a card asks for; None if nothing."""
    if not card.offers_choice:
        return ENTER
    hits = (event for name, event in BUTTONS.items() if button_of(name, size).collidepoint(pixel))
    return next(hits, None)


def button_of(name: str, size: tuple[int, int]) -> Rect:
    """Return where the button with that name is, on a card of a size."""
    width, height = size
    button = Rect(0, 0, 360, 48)
    button.center = (width // 2, round(height * 0.6) + 60 * [*BUTTONS].index(name))
    return button


def _draw_button(veil: Surface, name: str, text: str, keys: str) -> None:
    button = button_of(name, veil.get_size())
    is_last = name == "begin"
    pygame.draw.rect(veil, (*PANEL, 220), button, border_radius=10)
    pygame.draw.rect(veil, GOLD if is_last else scaled(GOLD, 0.55), button, 2, border_radius=10)
    write(veil, text, 30, GOLD if is_last else INK, center=button.center)
    write(veil, keys, 22, FAINT, midleft=(button.right + 20, button.centery))
    if not is_last:
        write(veil, name, 26, FAINT, midright=(button.left - 20, button.centery))
