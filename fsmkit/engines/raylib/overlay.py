"""Overlay: the states of machines over a game, drawn by raylib."""

from __future__ import annotations

from typing import Any, Final

import pyray
from attrs import define, field

from fsmkit.engines.parts.keys import Keys
from fsmkit.engines.parts.outlines import Outline
from fsmkit.engines.parts.overlay import (
    EVENT,
    LIFT,
    PADDING,
    PLATE,
    PLATE_ALPHA,
    PLATE_HEIGHT,
    Box,
    StateLabel,
    StateOverlay,
)
from fsmkit.engines.raylib.keys import PolledKeys, own_key

FONT_SIZE: Final = 20
"""Twice that of raylib's own font, whose letters are dots."""

WHITE: Final = (255, 255, 255, 255)


@define(eq=False)
class Overlay(StateOverlay):
    """Shows over a game the state of each machine, and the diagram of one of them in a corner.

    A label over each thing has the names of the machine and of its state, in the state's colour,
    and for a second the event that led there. In the diagram the current state and the arrow that
    was taken last are lit. `key` shows and hides it all, `next_key` shows the diagram of the next
    machine; None for no such key. With `shown=False` it is hidden at first.

    The thing of a machine is its context, if that has a `position`, or the context's `transform`,
    `body`, `sprite`, `node` or `entity`; `thing` may be a function from a machine to it, or to None
    for no label. With a camera, `place` turns its position into a pixel: `place=lambda position:
    pyray.get_world_to_screen_2d(position, camera)`.

    `followed` is the machine of the diagram, by default the first one, or a function that returns
    it; `corner` is `"top right"`, `"top left"`, `"bottom right"` or `"bottom left"`, by default one
    in which no thing is. Raises ImportError if there is no Graphviz to draw the diagram; without it
    `diagram=False` shows the labels alone.

    Call `draw` once per frame, after the game itself and before `end_drawing()`; it looks at the
    keys too.
    """

    _polled: PolledKeys = field(init=False)
    _texture: Any = field(default=None, init=False)
    """The texture of the diagram."""
    _image: object = field(default=None, init=False)
    """The image that it is made of."""

    def draw(self) -> None:
        """Look at the keys, and draw it unless it is hidden."""
        self._polled.poll()
        if not self.shown:
            return
        look = self.look(pyray.get_screen_width(), pyray.get_screen_height())
        if look.diagram is not None:
            self._draw_diagram(*look.diagram)
        for label in look.labels:
            self._draw_label(label)

    def _begin(self) -> None:
        self._polled = PolledKeys(Keys(self._switch(), self._keys, own=own_key))

    def _lift_of(self, thing: Any) -> float:
        outline: Outline | None = getattr(thing, "outline", None)
        if outline is None:
            return LIFT
        _, (top, bottom) = outline.spans
        return (bottom - top) / 2.0

    def _width_of(self, text: str) -> float:
        return float(pyray.measure_text(text, FONT_SIZE))

    def _draw_label(self, label: StateLabel) -> None:
        x, y, plate = round(label.x), round(label.y), label.plate
        area = (x, y, round(plate.width), PLATE_HEIGHT)
        pyray.draw_rectangle_rec(area, (*PLATE, PLATE_ALPHA))
        pyray.draw_rectangle_lines_ex(area, 1.0, (*plate.color, 255))
        top = y + (PLATE_HEIGHT - FONT_SIZE) // 2 + 1
        pyray.draw_text(plate.text, x + PADDING, top, FONT_SIZE, (*plate.color, 255))
        if plate.event:
            color = (*EVENT, round(255 * plate.glow))
            pyray.draw_text(plate.event, x + round(plate.event_x), top, FONT_SIZE, color)

    def _draw_diagram(self, image: Any, box: Box) -> None:
        if self._image is not image:
            if self._texture is not None:
                pyray.unload_texture(self._texture)
            picture = pyray.load_image_from_memory(".png", image.png, len(image.png))
            self._texture, self._image = pyray.load_texture_from_image(picture), image
            pyray.unload_image(picture)
        whole = 0.0, 0.0, *map(float, image.size)
        pyray.draw_texture_pro(self._texture, whole, tuple(box), (0.0, 0.0), 0.0, WHITE)
