"""StateOverlay: what an overlay shows of machines at work, whatever the engine that draws it.

It is read from the machines in the frames in which it is shown, and no other: they have no
observer, and an overlay that is hidden costs nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal, NamedTuple, TypeAlias, get_args

from attrs import Attribute, define, field, frozen

from fsmkit import Fsm
from fsmkit.core.checks import arguments
from fsmkit.core.checks.arguments import shown
from fsmkit.engines.parts.delivery import Machines, check_machines
from fsmkit.engines.parts.trail import Trail
from fsmkit.introspection.nesting import members
from fsmkit.space import Position, components
from fsmkit.svg.state_colours import StateColours
from fsmkit.svg.theme import DARK, PALETTE

if TYPE_CHECKING:
    from fsmkit.engines.parts.live_diagram import DiagramImage, LiveDiagram

Rgb: TypeAlias = tuple[int, int, int]
ScreenPoint: TypeAlias = tuple[float, float]
"""Pixels from the left and from the top."""

Corner: TypeAlias = Literal["top right", "top left", "bottom right", "bottom left"]
CORNERS: Final[tuple[Corner, ...]] = get_args(Corner)

THINGS: Final = ("transform", "body", "sprite", "node", "entity")
"""The attributes of a context that are asked for a position, if it has none itself."""

PLATE_HEIGHT: Final = 22
PADDING: Final = 8
"""Pixels beside the text of a label."""
GAP: Final = 8
"""And between the state and the event."""
LIFT: Final = 26
"""From the position of a thing to the label above it."""

MARGIN: Final = 12
"""From the diagram, with its title, to the edges of the screen."""
LARGEST: Final = (0.4, 0.55)
"""The shares of the screen's width and height that the diagram takes at most."""

MOST_WIDTHS: Final = 2_000
"""Texts whose widths are kept."""

PLATE_ALPHA: Final = 215
"""Of 255: the world is seen through what is drawn over it."""


def rgb(color: str) -> Rgb:
    """Return the numbers of a colour of the theme.

    >>> rgb("#77aadd")
    (119, 170, 221)
    """
    red, green, blue = bytes.fromhex(color.removeprefix("#"))
    return red, green, blue


PLATE: Final = rgb(DARK.page)
EVENT: Final = rgb(DARK.ink)
FILLS: Final = tuple(map(rgb, PALETTE))


class Box(NamedTuple):
    """A rectangle of the screen, in pixels from the left and from the top."""

    x: float
    y: float
    width: float
    height: float

    def holds(self, point: ScreenPoint) -> bool:
        return (
            self.x <= point[0] <= self.x + self.width and self.y <= point[1] <= self.y + self.height
        )


@frozen
class Plate:
    """What a label looks like: its border and its text have the colour of the state."""

    width: float
    text: str
    event: str
    """The event that led here, at the right of the text, in `EVENT`; empty once it has faded."""
    event_x: float
    """Pixels from the left edge."""
    color: Rgb
    glow: float
    """The opacity of the event, from 0 to 1."""


@frozen
class StateLabel:
    """A plate of `PLATE_HEIGHT` pixels, over the head of a thing or over the diagram."""

    machine: Fsm[Any] | None
    """The one whose thing it is over; None for the title of the diagram."""
    x: float
    y: float
    """Its left upper corner."""
    plate: Plate


class OverlayLook(NamedTuple):
    labels: list[StateLabel]
    diagram: tuple[DiagramImage, Box] | None


def _check_function(_: object, attribute: Attribute[Any], value: object) -> None:
    if not (value is None or callable(value)):
        raise TypeError(f"Overlay: {attribute.name} must be a function, got {shown(value)}.")


def _check_followed(_: object, __: object, value: Any) -> None:
    if not (value is None or isinstance(value, Fsm) or callable(value)):
        raise TypeError(
            f"Overlay: followed must be an Fsm, or a function that returns one, got {shown(value)}."
        )


def _check_flag(_: object, attribute: Attribute[Any], value: object) -> None:
    arguments.flag(value, f"Overlay: {attribute.name}")


def _check_corner(_: object, __: object, value: object) -> None:
    if value is not None:
        arguments.choice(value, "Overlay: corner", CORNERS)


@define(eq=False)
class StateOverlay:
    """Labels with the states of `machines`, and the diagram of one of them in a corner.

    An engine says in a subclass where things are and how wide texts are, and draws what `look`
    returns.
    """

    Y_IS_UP: ClassVar[bool] = False
    """Whether the pixels of the engine count from the bottom."""

    machines: Machines = field(validator=lambda _, __, value: check_machines("Overlay", value))
    thing: Callable[[Fsm[Any]], Any] | None = field(
        default=None, kw_only=True, validator=_check_function
    )
    place: Callable[[Position], Position | None] | None = field(
        default=None, kw_only=True, validator=_check_function
    )
    followed: Fsm[Any] | Callable[[], Fsm[Any] | None] | None = field(
        default=None, kw_only=True, validator=_check_followed
    )
    corner: Corner | None = field(default=None, kw_only=True, validator=_check_corner)
    diagram: bool = field(default=True, kw_only=True, validator=_check_flag)
    shown: bool = field(default=True, kw_only=True, validator=_check_flag)
    key: Any = field(default="f3", kw_only=True)
    next_key: Any = field(default="f4", kw_only=True)
    _trails: dict[Fsm[Any], Trail] = field(factory=dict, init=False, repr=False)
    _colours: StateColours = field(factory=StateColours, init=False, repr=False)
    _widths: dict[str, float] = field(factory=dict, init=False, repr=False)
    _live: LiveDiagram | None = field(default=None, init=False, repr=False)
    _height: float = field(default=0.0, init=False, repr=False)
    _corner: Corner = field(default=CORNERS[0], init=False, repr=False)
    """Where the diagram is, if it chooses the corner itself."""

    def __attrs_post_init__(self) -> None:
        if self.diagram:
            self._live = _live_diagram()
        self._begin()

    def follow_next(self) -> None:
        """Have the diagram be that of the next machine."""
        running = [each for each in members(self.machines) if each.is_running]
        here = self._followed()
        if here in running:
            self.followed = running[(running.index(here) + 1) % len(running)]

    def look(self, width: float, height: float) -> OverlayLook:
        """Return what is to be drawn in this frame, on a screen of so many pixels."""
        self._height = height
        machines = [each for each in members(self.machines) if each.is_running]
        followed = self._followed() if self._live is not None else None
        seen = dict.fromkeys((*machines, *filter(None, (followed,))))
        self._trails = {each: self._trails.get(each) or Trail(each) for each in seen}
        for trail in self._trails.values():
            trail.look()
        heads = {each: head for each in machines if (head := self._head(each)) is not None}
        labels = list(self._labels(heads, width, height))
        image = None
        if self._live is not None and followed is not None:
            image = self._live.image_of(self._trails[followed])
        if image is None or followed is None:
            return OverlayLook(labels, None)
        box = self._in_corner(_fitted(image.size, width, height), heads, width, height)
        labels.append(self._title(followed, box, width))
        return OverlayLook(labels, (image, box))

    def wait(self) -> None:
        """Wait until the diagram of the last frame has been drawn, as for a screenshot."""
        if self._live is not None:
            self._live.wait()

    # What an engine says of itself

    def _begin(self) -> None:
        """Begin to listen to the keys, and to draw by frames where the engine calls."""

    def _position_of(self, thing: Any) -> Position | None:
        """Return the position of a thing in the world; None if it has none."""
        position: Position | None = getattr(thing, "position", None)
        return position

    def _lift_of(self, _thing: Any) -> float:
        """Return the pixels from there to the lower edge of its label."""
        return LIFT

    def _on_screen(self, _thing: Any, position: Position) -> Position | None:
        """Return the pixel of a position, in the engine's own axes; None if nobody sees it."""
        return position

    def _width_of(self, text: str) -> float:
        """Return the width of a text, in pixels."""
        raise NotImplementedError

    # What is shown

    def _switch(self) -> Fsm[Any]:
        """Return a machine that the keys are sent to."""
        fsm = Fsm[Any]("Overlay", on_unhandled="ignore")
        ready = fsm.add_state("Ready")
        ready.add_transition("TOGGLE", ready, do=self._toggle)
        ready.add_transition("NEXT", ready, do=self.follow_next)
        fsm.start()
        return fsm

    @property
    def _keys(self) -> dict[Any, str]:
        keys = {self.key: "TOGGLE", self.next_key: "NEXT"}
        return {key: event for key, event in keys.items() if key is not None}

    def _toggle(self) -> None:
        self.shown = not self.shown

    def _head(self, machine: Fsm[Any]) -> ScreenPoint | None:
        """Return the pixel above a machine's thing; None if it has none, or that is elsewhere."""
        thing = self._thing_of(machine)
        position = None if thing is None else self._position_of(thing)
        if position is None:
            if thing is None or self.thing is None:
                return None
            raise TypeError(
                f"Overlay: the thing of {machine.name!r} must have a position, got {shown(thing)}."
            )
        point = self.place(position) if self.place else self._on_screen(thing, position)
        if point is None:
            return None
        x, y, *_ = components(point)
        return x, (self._height - y if self.Y_IS_UP else y) - self._lift_of(thing)

    def _thing_of(self, machine: Fsm[Any]) -> Any:
        if self.thing is not None:
            return self.thing(machine)
        context = machine.context
        candidates = (context, *(getattr(context, name, None) for name in THINGS))
        return next(
            (it for it in candidates if it is not None and self._position_of(it) is not None), None
        )

    def _labels(
        self, heads: dict[Fsm[Any], ScreenPoint], width: float, height: float
    ) -> Iterator[StateLabel]:
        """Yield labels that leave each other room: a later one comes above those in its place."""
        rows: dict[int, list[Box]] = {}
        for machine, (x, y) in heads.items():
            if not (0.0 <= x <= width and -LIFT <= y <= height):
                continue
            plate = self._plate(self._trails[machine])
            left = x - (plate.event_x - GAP + PADDING) / 2  # the event does not move the state
            left = min(max(left, 0.0), max(width - plate.width, 0.0))
            top = max(y - PLATE_HEIGHT, 0.0)
            box = _free(Box(left, top, plate.width, PLATE_HEIGHT), rows)
            yield StateLabel(machine, box.x, box.y, plate)

    def _plate(self, trail: Trail) -> Plate:
        text = _one_line(f"{trail.machine.name}: {'/'.join(trail.path) or 'stopped'}")
        event = _one_line(trail.change.event) if trail.change is not None and trail.glow else ""
        event_x = PADDING + self._measured(text) + GAP
        width = event_x + self._measured(event) if event else event_x - GAP
        color = self._color_of(trail.machine)
        return Plate(width + PADDING, text, event, event_x, color, trail.glow)

    def _color_of(self, machine: Fsm[Any]) -> Rgb:
        state = machine.current_state.name if machine.current_state is not None else ""
        if state not in self._colours.numbers:
            self._colours.add(machine.states)
        return FILLS[self._colours.numbers.get(state, 0)]

    def _measured(self, text: str) -> float:
        known = self._widths.get(text)
        if known is None:
            if len(self._widths) > MOST_WIDTHS:
                self._widths.clear()
            known = self._widths[text] = self._width_of(text)
        return known

    def _followed(self) -> Fsm[Any] | None:
        followed = self.followed
        if followed is not None and not isinstance(followed, Fsm):
            followed = followed()
            if followed is not None:
                arguments.instance(followed, "Overlay: what followed() returns", Fsm, "an Fsm")
        if followed is None:
            followed = next((each for each in members(self.machines) if each.is_running), None)
        return followed

    def _title(self, machine: Fsm[Any], box: Box, width: float) -> StateLabel:
        plate = self._plate(self._trails[machine])
        left = max(min(box.x, width - MARGIN - plate.width), 0.0)
        return StateLabel(None, left, box.y - PLATE_HEIGHT, plate)

    def _in_corner(
        self, size: ScreenPoint, heads: Mapping[Fsm[Any], ScreenPoint], width: float, height: float
    ) -> Box:
        """Return the corner where it is, or one where nobody is, once somebody comes there."""
        boxes: dict[Corner, Box] = {
            corner: _corner_box(corner, size, width, height) for corner in CORNERS
        }
        if self.corner is not None:
            return boxes[self.corner]
        points = heads.values()
        if any(map(boxes[self._corner].holds, points)):
            for corner, box in boxes.items():
                if not any(map(box.holds, points)):
                    self._corner = corner
                    break
        return boxes[self._corner]


def _live_diagram() -> LiveDiagram:
    """Return one; ImportError without Graphviz. Imported here: with labels alone it is not."""
    from fsmkit.engines.parts.live_diagram import LiveDiagram

    try:
        return LiveDiagram()
    except ImportError as error:
        raise ImportError(
            "The diagram of an Overlay is drawn by Graphviz: pip install 'fsmkit[diagram]', or "
            "have labels alone with diagram=False."
        ) from error


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _free(box: Box, rows: dict[int, list[Box]]) -> Box:
    """Return the box, moved up as far as it is to cover none of those before it; note it."""
    while covered := _covered(box, rows):
        box = box._replace(y=min(each.y for each in covered) - PLATE_HEIGHT - 2)
    rows.setdefault(int(box.y // PLATE_HEIGHT), []).append(box)
    return box


def _covered(box: Box, rows: dict[int, list[Box]]) -> list[Box]:
    row = int(box.y // PLATE_HEIGHT)
    return [
        other
        for number in (row - 1, row, row + 1)
        for other in rows.get(number, ())
        if abs(other.y - box.y) < PLATE_HEIGHT
        and other.x < box.x + box.width
        and box.x < other.x + other.width
    ]


def _fitted(size: tuple[int, int], width: float, height: float) -> ScreenPoint:
    scale = min(1.0, LARGEST[0] * width / size[0], LARGEST[1] * height / size[1])
    return size[0] * scale, size[1] * scale


def _corner_box(corner: Corner, size: ScreenPoint, width: float, height: float) -> Box:
    x = MARGIN if "left" in corner else width - MARGIN - size[0]
    y = MARGIN + PLATE_HEIGHT if "top" in corner else height - MARGIN - size[1]
    return Box(x, y, *size)
