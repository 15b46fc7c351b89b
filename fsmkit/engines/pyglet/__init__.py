"""pyglet: sprites as transforms, its clock, keys, gamepads, collisions, mouse, sounds, overlay."""

from __future__ import annotations

from cmath import rect
from collections.abc import Callable, Iterable
from functools import partial
from math import radians
from typing import Any, Final, Protocol, runtime_checkable

from attrs import define, field

from fsmkit import TimeReference
from fsmkit.core.checks.arguments import shown
from fsmkit.engines.held import Held
from fsmkit.engines.parts.delivery import Machines, Pointer, Recipients, Touches
from fsmkit.engines.parts.keys import Bindings, Keys
from fsmkit.engines.parts.outlines import NOTHING, Outline, overlapping
from fsmkit.engines.parts.things import Tint, Tinted, check_things, is_collection
from fsmkit.engines.parts.updates import Frames, Lifetime, ThingGoneError
from fsmkit.engines.pyglet import events
from fsmkit.engines.pyglet.events import get_default, only_window, pyglet
from fsmkit.engines.pyglet.overlay import Overlay
from fsmkit.sound import Playing, play
from fsmkit.space import Position
from fsmkit.timing import FixedStep

__all__ = [
    "Held",
    "Overlay",
    "SpriteTransform",
    "ThingGoneError",
    "attach",
    "overlap",
    "send_collisions",
    "send_keys",
    "send_mouse",
]

LEFT_BUTTON: Final = 1
"""`pyglet.window.mouse.LEFT`, which cannot be read before there is a screen."""

FRAME: Final = 1 / 60
"""The seconds from one update to the next, by default those of pyglet's drawing."""


@define(eq=False)
class SpriteTransform(Tinted):
    """A Sprite as the actions see it: `position`, `rotation`, `scale`, `color`, `alpha`.

    Positions are two numbers in pixels, x to the right and y up; `z` stays as it is. `rotation` is
    in degrees from x towards y, opposite to pyglet's own, and is where the picture faces; `forward`
    is where it faces unturned: 90 for one that faces up. `scale` is read as two numbers, and
    written as two or as one. `color` is a tint, 0 to 255, white by default: three numbers, or four
    once it has been set with four; `alpha` is the fourth. Labels and shapes have all but a scale.
    Raises ThingGoneError when a deleted one is written to.
    """

    sprite: Any
    forward: float = field(default=0.0, kw_only=True)

    @property
    def position(self) -> Position:
        """The position, in pixels."""
        x, y, *_ = self.sprite.position
        return (x, y)

    @position.setter
    def position(self, position: Position) -> None:
        x, y = position
        self._living().position = (x, y, *self.sprite.position[2:])

    @property
    def rotation(self) -> float:
        """The direction it faces, in degrees."""
        return self.forward - float(self.sprite.rotation)

    @rotation.setter
    def rotation(self, rotation: float) -> None:
        self._living().rotation = self.forward - rotation

    @property
    def scale(self) -> Position:
        """The scale along its two axes."""
        sprite = self.sprite
        return (sprite.scale * sprite.scale_x, sprite.scale * sprite.scale_y)

    @scale.setter
    def scale(self, scale: Position) -> None:
        x, y = scale if isinstance(scale, Iterable) else (scale, scale)
        sprite, even = self._living(), x == y
        sprite.scale = x if even else 1.0
        sprite.scale_x, sprite.scale_y = (1.0, 1.0) if even else (x, y)

    def _shown(self) -> Tint:
        now = tuple(self.sprite.color)
        return self.painted if now == _whole(self.painted) else now

    def _paint(self, color: Tint) -> None:
        self._living().color = _whole(color)
        super()._paint(color)

    def _living(self) -> Any:
        if is_gone(self.sprite):
            raise ThingGoneError(
                f"This {type(self.sprite).__name__} has been deleted. To end its machine with it, "
                "give attach() the sprite: attach(fsm, sprite=sprite)."
            )
        return self.sprite


def _whole(color: Tint) -> tuple[int, ...]:
    """Return a colour as integers from 0 to 255, as engines need it."""
    return tuple(min(255, max(0, round(number))) for number in color)


def attach(
    machines: Machines,
    *,
    interval: float = FRAME,
    max_dt: float = 0.25,
    time: TimeReference | None = None,
    step: float | FixedStep | None = None,
    sprite: Any = None,
    clock: Any = None,
) -> Callable[[], None]:
    """Let pyglet's clock update `machines` every `interval` seconds; call the result to stop that.

    They get the seconds that have passed, at most `max_dt` at once, scaled by `time`; with a `step`
    in steps of exactly that many seconds (or a FixedStep). With a `sprite`, which may be a shape,
    they are stopped once that has been deleted; for a group it may be a function from a machine to
    its own. `clock` is a `pyglet.clock.Clock`, by default that of `pyglet.app.run()`.
    """
    wanted = "sprite must be a Sprite, a shape or a label of pyglet"
    lifetime = Lifetime(machines, sprite, is_gone, can_be_deleted, wanted)
    frames = Frames(machines, max_dt, time, step, lifetime)
    return _schedule(frames.update, interval, clock)


def send_keys(
    machines: Machines,
    pressed: Bindings,
    *,
    released: Bindings | None = None,
    held: Held | Iterable[Held] = (),
    window: Any = None,
    gamepads: Any = None,
) -> Callable[[], None]:
    """Send the events of `pressed` and `released` when their keys are; call the result to stop.

    Keys are those of `pyglet.window.key`, as numbers or by name (`"left"`, `"space"`, `"f1"`), the
    buttons of `pyglet.window.mouse`, those of gamepads by name (`"gamepad a"`), and every `Held`;
    the key is the event's data, for a Held its direction. Those in `held` are only kept up to date.
    Modifiers do not matter. Held keys are released when the window loses the focus.

    `window` is by default the only one; raises ValueError if there are none or several, and for
    unknown names. `gamepads` is a `pyglet.input.ControllerManager` of the game's own.
    """
    own = partial(events.own_key, names=events.names_of_keys(vars(pyglet.window.key)))
    keys = Keys(machines, pressed, released or {}, held, own)
    window = only_window("send keys") if window is None else window
    stop = events.listen(window, events.key_handlers(keys))
    return events.all_of((stop, *events.listen_to_gamepads(keys, gamepads)))


def send_collisions(
    machines: Recipients,
    things: Any,
    others: Any,
    event: str,
    *,
    ended: str | None = None,
    collided: Callable[[Any, Any], bool] | None = None,
    interval: float = FRAME,
    clock: Any = None,
) -> Callable[[], None]:
    """Send `event` when one of `things` begins to touch one of `others`, `ended` when it ends.

    Each is a sprite, a shape or a label, or a collection of them, which may change. The data is the
    other one; for a collection of `things` it is the pair, unless `machines` is a function from a
    thing to its machine, which then gets the other one. A deleted thing touches nothing.

    pyglet has no collisions of its own, so every `interval` seconds things near each other are
    compared by `overlap`, or all of them by `collided(thing, other)`. Call the result to stop; for
    a single thing it stops by itself once that is deleted. `clock` is as for `attach`.
    """
    check_things("send_collisions", things, others)
    many = is_collection(things)
    touches = Touches(machines, event, ended, many, is_gone=is_gone)

    def update(_passed: float) -> bool:
        ones, twos = living(things), living(others)
        touches.update(overlapping(ones, twos, outline_of, collided))
        return many or not is_gone(things)

    return _schedule(update, interval, clock)


def send_mouse(
    machines: Recipients,
    things: Any,
    pressed: str | None = None,
    *,
    released: str | None = None,
    entered: str | None = None,
    left: str | None = None,
    button: int = LEFT_BUTTON,
    to_world: Callable[[float, float], Any] | None = None,
    window: Any = None,
    interval: float = FRAME,
    clock: Any = None,
) -> Callable[[], None]:
    """Send events when the mouse is used on `things`; call the result to stop.

    `pressed` is sent when `button` goes down on a thing, `released` when it goes up again, wherever
    the mouse is by then, `entered` and `left` when the mouse, or the thing, comes and goes. The
    data is the thing: the topmost one that is visible, by the orders of its groups, else the last
    of the collection. `things` and `machines` are as for `send_collisions`, the rest as for
    `send_keys`.

    A point of the window becomes one of the world by the window's `view` and `projection`. A camera
    that sets these only while it draws has a function for it: `to_world=camera.to_world`, say,
    which takes x and y and returns both.
    """
    check_things("send_mouse", things)
    window = only_window("follow the mouse") if window is None else window
    to_world = partial(_in_view, window) if to_world is None else to_world

    def under(place: events.WindowPoint) -> list[Any]:
        x, y, *_ = to_world(*place)
        point = complex(x, y)
        shown = [thing for thing in living(things) if thing.visible and point in outline_of(thing)]
        return sorted(shown, key=layer)

    mouse = events.Mouse(Pointer(machines, pressed, released, entered, left), button, under)
    unlisten = events.listen(window, mouse.handlers())

    def update(_passed: float) -> bool:
        mouse.look()
        if is_collection(things) or not is_gone(things):
            return True
        unlisten()
        return False

    unschedule = _schedule(update, interval, clock)
    return events.all_of((unlisten, unschedule))


@runtime_checkable
class MediaSource(Protocol):
    """A source of `pyglet.media`, which can be imported only where there is a screen."""

    def play(self) -> Any: ...
    def get_queue_source(self) -> Any: ...


@define
class PlayingPlayer:
    player: Any
    is_stopped: bool = False

    @property
    def is_over(self) -> bool:
        source = self.player.source
        if self.is_stopped or source is None:
            return True
        # Only an event loop tells the player, and none may be running.
        is_timed = source.duration is not None and not self.player.loop
        return is_timed and self.player.time >= source.duration

    def stop(self) -> None:
        # next_source() also has the player dropped by the loop that keeps it alive
        if not self.is_stopped:
            self.is_stopped = True
            self.player.next_source()

    def pause(self) -> None:
        if not self.is_over:
            self.player.pause()

    def resume(self) -> None:
        if not self.is_over:
            self.player.play()


@play.register
def _(source: MediaSource, volume: float = 1.0, loop: bool = False) -> Playing:
    player = source.play()
    player.volume, player.loop = volume, loop
    return PlayingPlayer(player)


def _in_view(window: Any, x: float, y: float) -> tuple[float, float]:
    across, up = 2.0 * x / window.width - 1.0, 2.0 * y / window.height - 1.0
    to_world = ~(window.projection @ window.view)
    place = to_world @ pyglet.math.Vec4(across, up, 0.0, 1.0)
    return (place.x, place.y)


def _schedule(update: Callable[[float], bool], interval: float, clock: Any) -> Callable[[], None]:
    """Call `update` every `interval` seconds until it returns False."""
    clock = get_default() if clock is None else clock

    def call(passed: float) -> None:
        if not update(passed):
            clock.unschedule(call)

    clock.schedule_interval(call, interval)
    return partial(clock.unschedule, call)


NOT_DELETED: Final = object()
"""Stands for the vertices of a thing that has none."""


def is_gone(thing: Any) -> bool:
    """Return True if a sprite or shape has been deleted; there is no public name for that."""
    return getattr(thing, "_vertex_list", NOT_DELETED) is None


def can_be_deleted(thing: Any) -> bool:
    return hasattr(thing, "delete") and hasattr(thing, "position")


def living(things: Any) -> list[Any]:
    return [
        thing for thing in (things if is_collection(things) else [things]) if not is_gone(thing)
    ]


def overlap(one: Any, other: Any) -> bool:
    """Return True if two sprites, shapes or labels overlap, turned and scaled as they are.

    Sprites and labels count by their rectangles, circles and rectangles exactly, other shapes by
    their convex hull. Those that just touch at an edge do not overlap, nor do deleted ones.
    Raises TypeError for anything else.
    """
    return outline_of(one).overlaps(outline_of(other))


def outline_of(thing: Any) -> Outline:
    if is_gone(thing):
        return NOTHING
    shape = _unturned(thing)
    return shape.placed(complex(thing.x, thing.y), rect(1.0, -radians(thing.rotation)))


def _unturned(thing: Any) -> Outline:
    if isinstance(thing, pyglet.sprite.Sprite):
        picture: Any = thing._texture  # the frame shown; there is no public name
        wide, high = thing.scale * thing.scale_x, thing.scale * thing.scale_y
        left, bottom = -picture.anchor_x, -picture.anchor_y
        right, top = left + picture.width, bottom + picture.height
        return Outline.rectangle(left * wide, bottom * high, right * wide, top * high)
    if isinstance(thing, pyglet.shapes.ShapeBase):
        return _of_shape(thing)
    if isinstance(thing, pyglet.text.layout.TextLayout):
        x, y = thing.x, thing.y
        return Outline.rectangle(thing.left - x, thing.bottom - y, thing.right - x, thing.top - y)
    raise TypeError(
        f"A thing must be a sprite, shape or label of pyglet, got {shown(thing)}. For things of "
        "your own give send_collisions() a function: collided=lambda one, other: ..."
    )


def _of_shape(shape: Any) -> Outline:
    shapes = pyglet.shapes
    left, bottom = -shape.anchor_x, -shape.anchor_y
    if isinstance(shape, shapes.Circle):
        return Outline((complex(left, bottom),), shape.radius)
    rectangles = (shapes.Rectangle, shapes.BorderedRectangle, shapes.Box, shapes.RoundedRectangle)
    if isinstance(shape, rectangles):
        return Outline.rectangle(left, bottom, left + shape.width, bottom + shape.height)
    numbers = shape._vertex_list.position[:]  # the points drawn; there is no public name
    return Outline.around(map(complex, numbers[::2], numbers[1::2]))


def layer(thing: Any) -> list[int]:
    """Return the orders of a thing's groups, from the outermost inwards, as batches draw them."""
    orders, group = [0], thing.group
    while group is not None:
        orders.append(group.order)
        group = group.parent
    return orders[::-1]
