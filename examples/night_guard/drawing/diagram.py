"""The machine of a guard, in a corner of the picture: the state that he is in is lit."""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise
from math import atan2, cos, dist, pi, sin
from textwrap import wrap
from typing import Any, Final

import pygame
from attrs import define, field, frozen
from game import Game
from layout import Box, Layout, layout_of, shape_of
from pygame import Rect, Surface
from watch import Guard

from drawing.canvas import PANEL_HEIGHT, TILE, Color, at, clear, mixed, write
from drawing.moods import mood_of
from fsmkit import Fsm
from fsmkit.space import Position, distance, lerp

INCH: Final = 60
"""Pixels of an inch of the layout."""
FINE: Final = 2
"""It is drawn so many times as large, and then made smaller, for smooth lines."""
MARGIN: Final = 16
HEADER: Final = 34
AWAY_FROM_EDGE: Final = 12
ROOM: Final = 3 * TILE
"""It moves to another corner when the thief comes nearer to it than half of that."""
LOYALTY: Final = 1.0
"""Tiles: another guard must be nearer by so much to be shown in his place."""
AFTERGLOW: Final = 1.2
"""Seconds for which the last arrow is lit."""
SHADES: Final = 4

CHANGED: Final = (
    "The guards have other states or transitions than those that the game came with. "
    "To have them drawn: pip install 'fsmkit[diagram]'"
)

PAPER: Final[Color] = (14, 15, 28)
CARD: Final[Color] = (44, 47, 72)
LINE: Final[Color] = (128, 134, 178)
INK: Final[Color] = (222, 224, 238)
FAINT: Final[Color] = (150, 156, 186)


@define(eq=False)
class Diagram:
    """Shows the guard who is nearest to the thief."""

    shown: str = field(default="", init=False)
    corner: Rect | None = field(default=None, init=False)

    def draw(self, surface: Surface, game: Game) -> None:
        """Draw his machine where it does not hide the thief."""
        machine = self._nearest(game)
        picture = picture_of(machine)
        surface.blit(picture, self._place(surface, picture.get_size(), game))

    def _nearest(self, game: Game) -> Fsm[Guard]:
        thief = game.thief.body.position

        def away(machine: Fsm[Guard]) -> float:
            bonus = LOYALTY if machine.name == self.shown else 0.0
            return distance(machine.context.body.position, thief) - bonus

        machine = min(game.guards, key=away)
        self.shown = machine.name
        return machine

    def _place(self, surface: Surface, size: tuple[int, int], game: Game) -> Rect:
        """Return the corner where it is, or the one farthest from the thief if he comes near."""
        thief = at(game.thief.body.position)
        place = self.corner
        if place is None or place.size != size or place.inflate(ROOM, ROOM).collidepoint(thief):
            place = max(_corners(surface, size), key=lambda each: dist(each.center, thief))
        self.corner = place
        return place


def _corners(surface: Surface, size: tuple[int, int]) -> list[Rect]:
    width, height = surface.get_size()
    right, bottom = (
        width - AWAY_FROM_EDGE - size[0],
        height - PANEL_HEIGHT - AWAY_FROM_EDGE - size[1],
    )
    return [Rect((x, y), size) for x in (right, AWAY_FROM_EDGE) for y in (AWAY_FROM_EDGE, bottom)]


@frozen
class Lit:
    """What is lit in a picture."""

    current: str
    suspended: tuple[str, ...]
    last: str
    """The state before."""
    event: str
    color: Color
    glow: float
    """The share of light that the last arrow has left."""


def picture_of(machine: Fsm[Any]) -> Surface:
    """Return the picture of a machine as it is now, or a text that says what it needs."""
    try:
        layout = layout_of(shape_of(machine))
    except ImportError:  # there is no Graphviz
        return _note(machine.name)
    return _picture(layout, machine.name, _what_is_lit(machine))


def _what_is_lit(machine: Fsm[Any]) -> Lit:
    current, last = machine.current_state, machine.previous_state
    left = max(0.0, 1.0 - machine.time_in_state / AFTERGLOW)
    return Lit(
        current.name if current is not None else "",
        tuple(state.name for state in machine.suspended),
        last.name if last is not None else "",
        machine.last_event or "",
        mood_of(machine).color,
        round(left * SHADES) / SHADES,
    )


@lru_cache(maxsize=32)
def _picture(layout: Layout, name: str, lit: Lit) -> Surface:
    width, height = (length * INCH + 2 * MARGIN for length in layout.size)
    paper = _paper((round(width), round(height) + HEADER))
    write(paper, name, 28, INK, midleft=(MARGIN, HEADER / 2 + 4))
    if lit.event:
        text = f"{lit.event}   {lit.last}  to  {lit.current}"
        color = mixed(FAINT, lit.color, lit.glow)
        write(paper, text, 20, color, midright=(width - MARGIN, HEADER / 2 + 4))
    large = clear((round(width) * FINE, round(height) * FINE))
    last = lit.last, lit.current
    for arrow in sorted(layout.arrows, key=lambda each: each == last):
        glow = lit.glow if arrow == last else 0.0
        _draw_arrow(large, layout.arrows[arrow], mixed(LINE, lit.color, glow), 1 + glow)
    for state, box in layout.boxes.items():
        _draw_box(large, box, lit.color if state == lit.current else None, state in lit.suspended)
    paper.blit(pygame.transform.smoothscale(large, (round(width), round(height))), (0, HEADER))
    for state, box in layout.boxes.items():
        x, y = _pixel(box.middle, 1)
        write(paper, state, 20, PAPER if state == lit.current else INK, center=(x, y + HEADER))
    return paper


def _note(name: str) -> Surface:
    """Return a text in the place of a picture."""
    lines = wrap(CHANGED, 50)
    paper = _paper((400, HEADER + 22 * len(lines) + MARGIN))
    write(paper, name, 28, INK, midleft=(MARGIN, HEADER / 2 + 4))
    for number, line in enumerate(lines):
        write(paper, line, 20, FAINT, midleft=(MARGIN, HEADER + 22 * (number + 0.5)))
    return paper


def _paper(size: tuple[int, int]) -> Surface:
    paper = clear(size)
    pygame.draw.rect(paper, (*PAPER, 216), paper.get_rect(), border_radius=12)
    pygame.draw.rect(paper, LINE, paper.get_rect(), 1, border_radius=12)
    return paper


def _draw_box(surface: Surface, box: Box, light: Color | None, is_suspended: bool) -> None:
    width, height = (length * INCH * FINE for length in box.size)
    rect = Rect(0, 0, round(width), round(height))
    rect.center = _pixel(box.middle, FINE)
    if light is not None:
        halo = rect.inflate(10 * FINE, 10 * FINE)
        pygame.draw.rect(surface, mixed(PAPER, light, 0.45), halo, border_radius=11 * FINE)
    pygame.draw.rect(surface, light or CARD, rect, border_radius=6 * FINE)
    if is_suspended:
        pygame.draw.rect(surface, INK, rect, 2 * FINE, border_radius=6 * FINE)


def _draw_arrow(surface: Surface, points: list[Position], color: Color, width: float) -> None:
    line = [_pixel(point, FINE) for point in curve(points)]
    thick = round(width * 1.2 * FINE)
    for start, end in pairwise(line):
        pygame.draw.line(surface, color, start, end, thick)
    (x, y), (before_x, before_y) = line[-1], line[-3]
    angle = atan2(y - before_y, x - before_x)
    length = 7 * FINE
    tip = (x + cos(angle) * length * 0.9, y + sin(angle) * length * 0.9)
    wings = [
        (x + cos(angle + side) * length * 0.5, y + sin(angle + side) * length * 0.5)
        for side in (-pi / 2, pi / 2)
    ]
    pygame.draw.polygon(surface, color, [tip, *wings])


def curve(points: list[Position], steps: int = 10) -> list[Position]:
    """Return points along Bezier curves that follow each other."""
    line = [points[0]]
    for first in range(0, len(points) - 1, 3):
        corners = points[first : first + 4]
        line += [_between(corners, step / steps) for step in range(1, steps + 1)]
    return line


def _between(corners: list[Position], share: float) -> Position:
    """Return the point of a Bezier curve at a share of it (de Casteljau)."""
    while len(corners) > 1:
        corners = [lerp(one, other, share) for one, other in pairwise(corners)]
    return corners[0]


def _pixel(place: Position, fine: int) -> tuple[int, int]:
    x, y = place
    return round((x * INCH + MARGIN) * fine), round((y * INCH + MARGIN * 0.6) * fine)
