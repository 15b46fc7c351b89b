"""Overlay: the states of machines over a game, drawn by Panda3D."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from attrs import define, field
from direct.task.TaskManagerGlobal import taskMgr
from panda3d.core import (
    ATS_none,
    CardMaker,
    NodePath,
    PNMImage,
    Point2,
    Point3,
    StringStream,
    TextNode,
    Texture,
    TransparencyAttrib,
    Vec3,
)

from fsmkit import Fsm
from fsmkit.engines.panda3d.keys import send_keys
from fsmkit.engines.panda3d.nodes import game
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
from fsmkit.space import Position, components

FONT_SIZE: Final = 15
"""Pixels of a line."""
BASELINE: Final = 16
"""From the upper edge of a label to the line that its letters stand on."""

ABOVE: Final = 6
"""Pixels from the top of a model to its label."""

IN_FRONT: Final = 1_000
"""The order among the children of `render2d`: after `aspect2d`."""

AFTER_THE_GAME: Final = 45
"""The order of its task: after the tasks of the game, before the drawing."""


@define(eq=False)
class Overlay(StateOverlay):
    """Shows over a game the state of each machine, and the diagram of one of them in a corner.

    A label over each thing has the names of the machine and of its state, in the state's colour,
    and for a second the event that led there. In the diagram the current state and the arrow that
    was taken last are lit. `key` shows and hides it all, `next_key` shows the diagram of the next
    machine; None for no such key. With `shown=False` it is hidden at first.

    The thing of a machine is its context, if that is a NodePath or has a `position`, or the
    context's `transform`, `body`, `sprite`, `node` or `entity`; `thing` may be a function from a
    machine to it, or to None for no label. A label is above a node, as `base.cam` sees it, or below
    `render2d`. For things with a `position` of their own, `place` may turn it into a pixel, counted
    from the left and the top.

    `followed` is the machine of the diagram, by default the first one, or a function that returns
    it; `corner` is `"top right"`, `"top left"`, `"bottom right"` or `"bottom left"`, by default one
    in which no thing is. Raises ImportError if there is no Graphviz to draw the diagram; without it
    `diagram=False` shows the labels alone.

    A task draws it in every frame, until `stop` is called.
    """

    stop: Callable[[], None] = field(init=False)
    """Ends the overlay."""
    _root: Any = field(init=False)
    _drawn: dict[Fsm[Any] | None, DrawnLabel] = field(factory=dict, init=False)
    _card: Any = field(default=None, init=False)
    """The node of the diagram."""
    _image: object = field(default=None, init=False)
    """The image that it is made of."""
    _heights: dict[Any, float] = field(factory=dict, init=False)
    """Node -> how far it reaches above its position."""

    def draw(self) -> None:
        """Place all that is shown; the task does so in every frame."""
        window = game().win
        if not self.shown or window is None:
            self._root.hide()
            return
        self._root.show()
        width, height = window.getXSize(), window.getYSize()
        self._root.setScale(_flat(2.0 / width, 2.0 / height) + Vec3.forward())
        look = self.look(width, height)
        drawn, self._drawn = self._drawn, {}
        for label in look.labels:
            self._drawn[label.machine] = self._label(drawn.pop(label.machine, None), label)
        for gone in drawn.values():
            gone.path.removeNode()
        if look.diagram is not None:
            self._place_diagram(*look.diagram)

    def _begin(self) -> None:
        self._root = game().render2d.attachNewNode("fsmkit-overlay", IN_FRONT)
        self._root.setPos(_flat(-1.0, 1.0))
        self._root.setTransparency(TransparencyAttrib.MAlpha)
        unlisten = self._listen(self._switch())

        def update(task: Any) -> Any:
            self.draw()
            return task.cont

        task = taskMgr.add(update, "fsmkit-overlay", sort=AFTER_THE_GAME)

        def stop() -> None:
            unlisten()
            taskMgr.remove(task)
            self._root.removeNode()

        self.stop = stop

    def _listen(self, switch: Fsm[Any]) -> Callable[[], None]:
        return send_keys(switch, self._keys)

    def _position_of(self, thing: Any) -> Position | None:
        node = _node_of(thing)
        if node is None:
            return super()._position_of(thing)
        if node.isEmpty():
            return None
        place = node.getPos(game().render)
        return tuple(place + Vec3.up() * self._height_of(node, place))

    def _height_of(self, node: Any, place: Any) -> float:
        key = node.getKey()
        if key not in self._heights:
            bounds = node.getTightBounds(game().render)
            self._heights[key] = (bounds[1] - place).dot(Vec3.up()) if bounds else 0.0
        return self._heights[key]

    def _lift_of(self, thing: Any) -> float:
        return LIFT if _node_of(thing) is None else ABOVE

    def _on_screen(self, thing: Any, position: Position) -> Position | None:
        base, node, point = game(), _node_of(thing), Point2()
        if node is not None and base.render2d.isAncestorOf(node):
            place = base.render2d.getRelativePoint(node, Point3())
            point.set(place.dot(Vec3.right()), place.dot(Vec3.up()))
        else:
            x, y, z, *_ = (*components(position), 0.0)
            seen = base.cam.getRelativePoint(base.render, Point3(x, y, z))
            if not base.cam.node().getLens().project(seen, point):
                return None
        width, height = base.win.getXSize(), base.win.getYSize()
        return (point.x + 1.0) * width / 2.0, (1.0 - point.y) * height / 2.0

    def _width_of(self, text: str) -> float:
        return float(TextNode("fsmkit-text").calcWidth(text)) * FONT_SIZE

    def _label(self, drawn: DrawnLabel | None, label: StateLabel) -> DrawnLabel:
        if drawn is not None and drawn.plate != label.plate:
            drawn.path.removeNode()
            drawn = None
        if drawn is None:
            drawn = DrawnLabel(label.plate, self._root)
        drawn.path.setPos(_flat(round(label.x), -round(label.y)))
        return drawn

    def _place_diagram(self, image: Any, box: Box) -> None:
        if self._image is not image:
            if self._card is not None:
                self._card.removeNode()
            card = CardMaker("fsmkit-diagram")
            card.setFrame(0.0, 1.0, -1.0, 0.0)
            self._card = self._root.attachNewNode(card.generate())
            self._card.setBin("fixed", -1)  # below the labels
            self._card.setTexture(_texture(image.png))
            self._image = image
        self._card.setScale(_flat(round(box.width), round(box.height)) + Vec3.forward())
        self._card.setPos(_flat(round(box.x), -round(box.y)))


class DrawnLabel:
    def __init__(self, plate: Plate, root: Any) -> None:
        self.plate = plate
        self.path = root.attachNewNode("fsmkit-label")
        text = self._write(plate.text, plate.color, 1.0, PADDING)
        edges = (
            -PADDING / FONT_SIZE, (plate.width - PADDING) / FONT_SIZE,
            (BASELINE - PLATE_HEIGHT) / FONT_SIZE, BASELINE / FONT_SIZE,
        )  # fmt: skip
        text.setCardColor(*_shares(PLATE, PLATE_ALPHA / 255.0))
        text.setCardActual(*edges)
        text.setFrameColor(*_shares(plate.color, 1.0))
        text.setFrameActual(*edges)
        if plate.event:
            self._write(plate.event, EVENT, plate.glow, plate.event_x)

    def _write(self, words: str, color: Rgb, alpha: float, x: float) -> Any:
        text = TextNode("fsmkit-text")
        text.setBin("fixed")  # the plate before the text, which has no depth
        text.setText(words)
        text.setTextColor(*_shares(color, alpha))
        path = self.path.attachNewNode(text)
        path.setScale(FONT_SIZE)
        path.setPos(_flat(x, -BASELINE))
        return text


def _flat(right: float, up: float) -> Vec3:
    """Return a vector on the screen; Ursina has other axes for it."""
    return Vec3.right() * right + Vec3.up() * up


def _node_of(thing: Any) -> Any:
    """Return the node of a thing: itself, or that of a NodeTransform; None for others."""
    if isinstance(thing, NodePath):
        return thing
    node = getattr(thing, "node", None)
    return node if isinstance(node, NodePath) else None


def _shares(color: Rgb, alpha: float) -> tuple[float, ...]:
    return (*(number / 255.0 for number in color), alpha)


def _texture(png: bytes) -> Texture:
    picture, texture = PNMImage(), Texture("fsmkit-diagram")
    picture.read(StringStream(png), "diagram.png")
    texture.setAutoTextureScale(ATS_none)
    texture.load(picture)
    return texture
