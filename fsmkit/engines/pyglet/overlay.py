"""Overlay: the states of machines over a game, drawn by pyglet."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from io import BytesIO
from typing import Any, ClassVar, Final

from attrs import define, field

from fsmkit import Fsm
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
    StateLabel,
    StateOverlay,
)
from fsmkit.engines.pyglet import events
from fsmkit.engines.pyglet.events import only_window, pyglet
from fsmkit.space import Position, components

FONT_SIZE: Final = 10
"""Points: with the gaps above and below, a line has some 16 pixels."""


@define(eq=False)
class Overlay(StateOverlay):
    """Shows over a game the state of each machine, and the diagram of one of them in a corner.

    A label over each thing has the names of the machine and of its state, in the state's colour,
    and for a second the event that led there. In the diagram the current state and the arrow that
    was taken last are lit. `key` shows and hides it all, `next_key` shows the diagram of the next
    machine; None for no such key. With `shown=False` it is hidden at first.

    The thing of a machine is its context, if that has a `position`, or the context's `transform`,
    `body`, `sprite`, `node` or `entity`; `thing` may be a function from a machine to it, or to None
    for no label. A position becomes a point of the window by the window's `view` and `projection`,
    or by `place`, for a camera that sets these only while it draws.

    `followed` is the machine of the diagram, by default the first one, or a function that returns
    it; `corner` is `"top right"`, `"top left"`, `"bottom right"` or `"bottom left"`, by default one
    in which no thing is. Raises ImportError if there is no Graphviz to draw the diagram; without it
    `diagram=False` shows the labels alone.

    The window draws it after every `on_draw`, until `stop` is called. `window` is by default the
    only one. A program that draws without pyglet's event loop calls `draw`, after the game itself
    is drawn.
    """

    Y_IS_UP: ClassVar[bool] = True

    window: Any = field(default=None, kw_only=True)
    stop: Callable[[], None] = field(init=False)
    """Ends the overlay."""
    _batch: Any = field(init=False)
    _layers: list[Any] = field(init=False)
    """The groups of what is drawn one upon the other; pyglet draws all of a group at once."""
    _drawn: dict[Fsm[Any] | None, _DrawnLabel] = field(factory=dict, init=False)
    _picture: Any = field(default=None, init=False)
    """The sprite of the diagram."""
    _image: object = field(default=None, init=False)
    """The image that it is made of."""
    _to_window: Any = field(default=None, init=False)
    """The matrix from the world to the window, in this frame."""

    def draw(self) -> None:
        """Draw it, unless it is hidden; the window does so after every `on_draw`."""
        if not self.shown:
            return
        self._note_camera()
        look = self.look(self.window.width, self.window.height)
        drawn, self._drawn = self._drawn, {}
        for label in look.labels:
            self._drawn[label.machine] = self._label(drawn.pop(label.machine, None), label)
        for gone in drawn.values():
            gone.delete()
        if look.diagram is not None:
            self._place_picture(*look.diagram)
        with self._over_the_game():
            self._batch.draw()

    def _begin(self) -> None:
        if self.window is None:
            self.window = self._default_window()
        self._batch = pyglet.graphics.Batch()
        self._layers = [pyglet.graphics.Group(order=order) for order in range(4)]
        keys = Keys(self._switch(), self._keys, own=partial(events.own_key, names=self._names()))
        handlers = {"on_refresh": lambda _dt: self.draw(), **events.key_handlers(keys)}
        self.stop = events.listen(self.window, handlers)

    def _default_window(self) -> Any:
        return only_window("draw an overlay")

    def _names(self) -> dict[str, int]:
        return events.names_of_keys(vars(pyglet.window.key))

    def _note_camera(self) -> None:
        self._to_window = self.window.projection @ self.window.view

    def _on_screen(self, _thing: Any, position: Position) -> Position | None:
        x, y, *_ = components(position)
        place = self._to_window @ pyglet.math.Vec4(x, y, 0.0, 1.0)
        width, height = self.window.width, self.window.height
        return (place.x + 1.0) * width / 2.0, (place.y + 1.0) * height / 2.0

    def _lift_of(self, thing: Any) -> float:
        height = getattr(getattr(thing, "sprite", thing), "height", None)
        return LIFT if height is None else float(height) / 2.0

    def _width_of(self, text: str) -> float:
        label = pyglet.text.Label(text, font_size=FONT_SIZE)
        return float(label.content_width)

    @contextmanager
    def _over_the_game(self) -> Iterator[None]:
        """Draw in pixels of the window, whatever the game is seen through."""
        window = self.window
        view, projection = window.view, window.projection
        window.view = pyglet.math.Mat4()
        window.projection = pyglet.math.Mat4.orthogonal_projection(
            0.0, window.width, 0.0, window.height, -255.0, 255.0
        )
        try:
            yield
        finally:
            window.view, window.projection = view, projection

    def _label(self, drawn: _DrawnLabel | None, label: StateLabel) -> _DrawnLabel:
        plate = label.plate
        if drawn is not None and not drawn.says(plate):
            drawn.delete()
            drawn = None
        if drawn is None:
            drawn = _DrawnLabel(plate, self._batch, self._layers)
        drawn.fade(plate.glow)
        drawn.move(round(label.x), round(self.window.height - label.y - PLATE_HEIGHT))
        return drawn

    def _place_picture(self, image: Any, box: Box) -> None:
        if self._image is not image:
            if self._picture is not None:
                self._picture.delete()
            picture = pyglet.image.load("diagram.png", file=BytesIO(image.png))
            self._picture = pyglet.sprite.Sprite(picture, batch=self._batch, group=self._layers[0])
            self._image = image
        x, y = box.x, self.window.height - box.y - box.height
        self._picture.update(x=round(x), y=round(y), scale=box.width / image.size[0])


class _DrawnLabel:
    """A label as pyglet has it: a plate, a text, and perhaps an event."""

    def __init__(self, plate: Plate, batch: Any, layers: list[Any]) -> None:
        self.words = (plate.text, plate.event, plate.color)
        self.glow = 1.0
        self.place: tuple[float, float] = (0.0, 0.0)
        size = round(plate.width), PLATE_HEIGHT
        _, plates, borders, texts = layers
        self.boxes = [
            pyglet.shapes.Rectangle(
                0.0, 0.0, *size, color=(*PLATE, PLATE_ALPHA), batch=batch, group=plates
            ),
            pyglet.shapes.Box(
                0.0, 0.0, *size, thickness=1.0, color=plate.color, batch=batch, group=borders
            ),
        ]
        self.texts = [_text(plate.text, plate.color, PADDING, batch, texts)]
        if plate.event:
            self.texts.append(_text(plate.event, EVENT, plate.event_x, batch, texts))

    def says(self, plate: Plate) -> bool:
        return self.words == (plate.text, plate.event, plate.color)

    def fade(self, glow: float) -> None:
        if glow != self.glow and self.words[1]:
            self.glow = glow
            self.texts[-1].opacity = round(255 * glow)

    def move(self, x: float, y: float) -> None:
        if (x, y) != self.place:
            dx, dy = x - self.place[0], y - self.place[1]
            self.place = (x, y)
            for each in (*self.boxes, *self.texts):
                left, bottom, *rest = each.position
                each.position = (left + dx, bottom + dy, *rest)

    def delete(self) -> None:
        for each in (*self.boxes, *self.texts):
            each.delete()


def _text(text: str, color: Rgb, x: float, batch: Any, group: Any) -> Any:
    return pyglet.text.Label(
        text, x=x, y=PLATE_HEIGHT / 2, anchor_y="center", font_size=FONT_SIZE, color=color,
        batch=batch, group=group,
    )  # fmt: skip
