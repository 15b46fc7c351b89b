"""Overlay: the states of machines over a game, drawn by pygame."""

from __future__ import annotations

from collections.abc import Callable
from io import BytesIO
from typing import Any, Final

import pygame
from attrs import define, field

from fsmkit.engines.parts.keys import Keys
from fsmkit.engines.parts.overlay import (
    EVENT,
    LIFT,
    PADDING,
    PLATE,
    PLATE_ALPHA,
    PLATE_HEIGHT,
    Box,
    Plate,
    Rgb,
    StateOverlay,
)
from fsmkit.engines.pygame.keys import own_key, passing_on
from fsmkit.space import Position

FONT_SIZE: Final = 20
"""Of pygame's own font: its letters are 14 pixels high."""

MOST_PLATES: Final = 500
"""Labels that are kept painted."""


@define(eq=False)
class Overlay(StateOverlay):
    """Shows over a game the state of each machine, and the diagram of one of them in a corner.

    A label over each thing has the names of the machine and of its state, in the state's colour,
    and for a second the event that led there. In the diagram the current state and the arrow that
    was taken last are lit. `key` shows and hides it all, `next_key` shows the diagram of the next
    machine; None for no such key. With `shown=False` it is hidden at first.

    The thing of a machine is its context, if that has a `rect` or a `position`, or the context's
    `transform`, `body`, `sprite`, `node` or `entity`; `thing` may be a function from a machine to
    it, or to None for no label. With a camera, `place` turns its position into a pixel.

    `followed` is the machine of the diagram, by default the first one, or a function that returns
    it; `corner` is `"top right"`, `"top left"`, `"bottom right"` or `"bottom left"`, by default one
    in which no thing is. Raises ImportError if there is no Graphviz to draw the diagram; without it
    `diagram=False` shows the labels alone.

    Call `hear` with every pygame event, and `draw` once per frame, after the game itself is drawn.

    >>> from fsmkit import Fsm
    >>> overlay = Overlay(Fsm("Guard"), diagram=False)
    >>> overlay.hear(pygame.event.Event(pygame.KEYDOWN, key=pygame.K_F3)), overlay.shown
    (True, False)
    """

    hear: Callable[[pygame.event.Event], bool] = field(init=False)
    """Notes a pygame event; returns True if it was of one of the keys."""
    _font: pygame.font.Font = field(init=False)
    _plates: dict[Plate, pygame.Surface] = field(factory=dict, init=False)
    _scaled: tuple[object, pygame.Surface] | None = field(default=None, init=False)
    """The diagram as it is drawn, after the image that it is made of."""

    def draw(self, surface: pygame.Surface) -> None:
        """Draw it on a surface, unless it is hidden."""
        if not self.shown:
            return
        look = self.look(*surface.get_size())
        if look.diagram is not None:
            image, box = look.diagram
            surface.blit(self._surface_of(image, box), box[:2])
        surface.fblits([(self._painted(each.plate), (each.x, each.y)) for each in look.labels])

    def _begin(self) -> None:
        pygame.font.init()
        self._font = pygame.font.Font(None, FONT_SIZE)
        self.hear = passing_on(Keys(self._switch(), self._keys, own=own_key))

    def _position_of(self, thing: Any) -> Position | None:
        rect = getattr(thing, "rect", None)
        return rect.center if rect is not None else super()._position_of(thing)

    def _lift_of(self, thing: Any) -> float:
        rect = getattr(getattr(thing, "sprite", thing), "rect", None)
        return rect.height / 2 if rect is not None else LIFT

    def _width_of(self, text: str) -> float:
        return self._font.size(text)[0]

    def _surface_of(self, image: Any, box: Box) -> pygame.Surface:
        size = round(box.width), round(box.height)
        if self._scaled is None or self._scaled[0] is not image or self._scaled[1].size != size:
            surface = pygame.image.load(BytesIO(image.png), "diagram.png")
            surface = pygame.transform.smoothscale(surface, size)
            if pygame.display.get_surface() is not None:
                surface = surface.convert_alpha()  # is drawn ten times as fast
            self._scaled = image, surface
        return self._scaled[1]

    def _painted(self, plate: Plate) -> pygame.Surface:
        known = self._plates.get(plate)
        if known is None:
            if len(self._plates) > MOST_PLATES:
                self._plates.clear()
            known = self._plates[plate] = self._paint(plate)
        return known

    def _paint(self, plate: Plate) -> pygame.Surface:
        surface = pygame.Surface((round(plate.width), PLATE_HEIGHT), pygame.SRCALPHA)
        area = surface.get_rect()
        pygame.draw.rect(surface, (*PLATE, PLATE_ALPHA), area, border_radius=7)
        pygame.draw.rect(surface, plate.color, area, 1, border_radius=7)
        self._write(surface, plate.text, plate.color, PADDING)
        if plate.event:
            self._write(surface, plate.event, EVENT, plate.event_x, round(255 * plate.glow))
        return surface

    def _write(
        self, surface: pygame.Surface, text: str, color: Rgb, x: float, alpha: int = 255
    ) -> None:
        line = self._font.render(text, True, color)
        line.set_alpha(alpha)
        surface.blit(line, line.get_rect(midleft=(x, surface.get_height() / 2)))
