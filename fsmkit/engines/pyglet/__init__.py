"""pyglet: sprites as transforms, its clock, keys, gamepads, collisions and mouse as events."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any, Final

from attrs import define, field

import fsmkit.engines.pyglet.sounds  # noqa: F401  # has its sounds known
from fsmkit import TimeReference
from fsmkit.engines.held import Held
from fsmkit.engines.parts.delivering import Hearers, Machines, Touching
from fsmkit.engines.parts.frames import Frames
from fsmkit.engines.parts.keys import Bindings
from fsmkit.engines.parts.lifetime import ThingGoneError, lifetime_of
from fsmkit.engines.parts.pointing import Pointing
from fsmkit.engines.parts.things import checked_things, is_collection
from fsmkit.engines.parts.tinted import Color, Tinted
from fsmkit.engines.pyglet.events import (
    Mouse,
    Place,
    all_of,
    key_handlers,
    keys_of,
    listen,
)
from fsmkit.engines.pyglet.gamepads import listen_to_gamepads
from fsmkit.engines.pyglet.outlines import (
    can_be_deleted,
    is_gone,
    layer,
    living,
    outline_of,
    overlap,
    overlapping,
)
from fsmkit.engines.pyglet.package import get_default, pyglet
from fsmkit.space import Position
from fsmkit.timing import FixedStep

__all__ = [
    "Held",
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
    Raises ThingGoneError when one is written to that has been deleted.
    """

    sprite: Any
    forward: float = field(default=0.0, kw_only=True)

    @property
    def position(self) -> Position:
        """The position."""
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

    def _shown(self) -> Color:
        now = tuple(self.sprite.color)
        return self.painted if now == _whole(self.painted) else now

    def _paint(self, color: Color) -> None:
        self._living().color = _whole(color)
        super()._paint(color)

    def _living(self) -> Any:
        """Return the sprite, to be written to."""
        if is_gone(self.sprite):
            raise ThingGoneError(
                f"This {type(self.sprite).__name__} has been deleted. To end its machine with it, "
                "give attach() the sprite: attach(fsm, sprite=sprite)."
            )
        return self.sprite


def _whole(color: Color) -> tuple[int, ...]:
    """Return `color` as engines need it: whole numbers from 0 to 255."""
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
    in steps of exactly so many seconds (or a FixedStep). With a `sprite`, which may be a shape,
    they are stopped once that has been deleted; for a group it may be a function from a machine to
    its own. `clock` is a `pyglet.clock.Clock`, by default that of `pyglet.app.run()`.
    """
    wanted = "sprite must be a Sprite, a shape or a label of pyglet"
    lifetime = lifetime_of(machines, sprite, is_gone, can_be_deleted, wanted)
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
    buttons of `pyglet.window.mouse`, those of gamepads by name (`"gamepad a"`), and what is `Held`;
    the key is the event's data, for a Held its direction. Those in `held` are only kept up to date.
    Modifiers do not matter. What is held is released when the window loses the keyboard.

    `window` is by default the only one; raises ValueError if there are none or several, and for
    names that no key has. `gamepads` is a `pyglet.input.ControllerManager` of the game's own.
    """
    keys = keys_of(machines, pressed, released, held, vars(pyglet.window.key))
    window = only_window("send keys") if window is None else window
    stop = listen(window, key_handlers(keys))
    return all_of((stop, *listen_to_gamepads(keys, gamepads)))


def send_collisions(
    machines: Hearers,
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
    thing to its machine, which is then sent the other one. What has been deleted touches nothing.

    pyglet has no collisions of its own, so every `interval` seconds those that are near each other
    are compared by `overlap`, or all of them by `collided(thing, other)`. Call the result to stop;
    it stops by itself once a single thing is deleted. `clock` is as for `attach`.
    """
    checked_things("send_collisions", things, others)
    many = is_collection(things)
    touching = Touching(machines, event, ended, many, is_gone=is_gone)
    meeting = overlapping if collided is None else partial(_all_by, collided)

    def update(_passed: float) -> bool:
        touching.update(meeting(living(things), living(others)))
        return many or not is_gone(things)

    return _schedule(update, interval, clock)


def send_mouse(
    machines: Hearers,
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
    """Send events for what the mouse does on `things`; call the result to stop.

    `pressed` is sent when `button` goes down on a thing, `released` when it goes up again, wherever
    the mouse is by then, `entered` and `left` when the mouse, or the thing, comes and goes. The
    data is the thing: the uppermost one that is visible, by the orders of its groups, else the last
    of the collection. `things` and `machines` are as for `send_collisions`, the rest as for
    `send_keys`.

    A place in the window is one in the world by the window's `view` and `projection`; a camera that
    sets these while it draws only has a function for it: `to_world=camera.to_world`, say, which
    gets x and y and returns both.
    """
    checked_things("send_mouse", things)
    window = only_window("follow the mouse") if window is None else window
    to_world = partial(_in_view, window) if to_world is None else to_world

    def under(place: Place) -> list[Any]:
        x, y, *_ = to_world(*place)
        point = complex(x, y)
        shown = [thing for thing in living(things) if thing.visible and point in outline_of(thing)]
        return sorted(shown, key=layer)

    mouse = Mouse(Pointing(machines, pressed, released, entered, left), button, under)
    unlisten = listen(window, mouse.handlers())

    def update(_passed: float) -> bool:
        mouse.look()
        if is_collection(things) or not is_gone(things):
            return True
        unlisten()
        return False

    unschedule = _schedule(update, interval, clock)
    return all_of((unlisten, unschedule))


def only_window(purpose: str) -> Any:
    """Return the window of a program that has one; ValueError if there are none or several."""
    windows = list(pyglet.app.windows)
    if len(windows) != 1:
        raise ValueError(
            f"There must be one window to {purpose}, got {len(windows)}. Say which one: window=."
        )
    return windows[0]


def _in_view(window: Any, x: float, y: float) -> tuple[float, float]:
    """Return the place in the world that is drawn at a place of the window."""
    across, up = 2.0 * x / window.width - 1.0, 2.0 * y / window.height - 1.0
    to_world = ~(window.projection @ window.view)
    place = to_world @ pyglet.math.Vec4(across, up, 0.0, 1.0)
    return (place.x, place.y)


def _all_by(
    collided: Callable[[Any, Any], bool], ones: Sequence[Any], others: Sequence[Any]
) -> Iterator[tuple[Any, Any]]:
    for one in ones:
        yield from ((one, other) for other in others if other is not one and collided(one, other))


def _schedule(update: Callable[[float], bool], interval: float, clock: Any) -> Callable[[], None]:
    """Call `update` every `interval` seconds until it returns False."""
    clock = get_default() if clock is None else clock

    def call(passed: float) -> None:
        if not update(passed):
            clock.unschedule(call)

    clock.schedule_interval(call, interval)
    return partial(clock.unschedule, call)
