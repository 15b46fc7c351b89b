"""Arcade: sprites as transforms, its frames as clock, keys, collisions and mouse as events."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final

from attrs import define, field

import fsmkit.engines.arcade.sounds  # noqa: F401  # has its sounds known
from fsmkit import TimeReference
from fsmkit.engines.arcade.package import arcade
from fsmkit.engines.arcade.sprites import is_gone, is_sprite, touching_pairs, under_point
from fsmkit.engines.held import Held
from fsmkit.engines.parts.delivering import Hearers, Machines, Touching
from fsmkit.engines.parts.frames import Frames
from fsmkit.engines.parts.keys import Bindings
from fsmkit.engines.parts.lifetime import lifetime_of
from fsmkit.engines.parts.pointing import Pointing
from fsmkit.engines.parts.things import checked_things, is_collection
from fsmkit.engines.pyglet import SpriteTransform as PygletTransform
from fsmkit.engines.pyglet.events import (
    Handlers,
    Mouse,
    Place,
    all_of,
    key_handlers,
    keys_of,
    listen,
)
from fsmkit.engines.pyglet.gamepads import listen_to_gamepads
from fsmkit.space import Position
from fsmkit.timing import FixedStep

__all__ = ["Held", "SpriteTransform", "attach", "send_collisions", "send_keys", "send_mouse"]

UPDATES: Final = 60
"""The updates a second that Arcade's `change_x` and `change_y` are meant for."""


@define(eq=False)
class SpriteTransform(PygletTransform):
    """A Sprite as the actions see it: `position`, `rotation`, `scale`, `color`, `alpha`.

    Positions are two numbers in pixels, x to the right and y up. `rotation` is in degrees from x
    towards y, opposite to Arcade's `angle`, and is where the picture faces; `forward` is where it
    faces unturned: 90 for one that faces up. `scale` is read as two numbers, and written as two or
    as one. `color` is a tint, 0 to 255, white by default: three numbers, or four once it has been
    set with four; `alpha` is the fourth.

    `velocity` is in pixels a second. Arcade's `change_x` and `change_y` count in sixtieths of it;
    `sprite.update()` and the physics engines move sprites by them.
    """

    @property
    def rotation(self) -> float:
        """The direction it faces, in degrees."""
        return self.forward - float(self.sprite.angle)

    @rotation.setter
    def rotation(self, rotation: float) -> None:
        self.sprite.angle = self.forward - rotation

    @property
    def scale(self) -> Position:
        """The scale along its two axes."""
        return tuple(self.sprite.scale)

    @scale.setter
    def scale(self, scale: Position) -> None:
        self.sprite.scale = scale

    @property
    def velocity(self) -> Position:
        """What `change_x` and `change_y` amount to in a second."""
        x, y = self.sprite.velocity
        return (x * UPDATES, y * UPDATES)

    @velocity.setter
    def velocity(self, velocity: Position) -> None:
        x, y = velocity
        self.sprite.velocity = (x / UPDATES, y / UPDATES)

    def _living(self) -> Any:
        return self.sprite  # Arcade keeps what has been removed


def attach(
    machines: Machines,
    *,
    view: Any = None,
    max_dt: float = 0.25,
    time: TimeReference | None = None,
    step: float | FixedStep | None = None,
    sprite: Any = None,
) -> Callable[[], None]:
    """Let Arcade's window update `machines` in every frame; call the result to stop that.

    They get the seconds of `on_update`, at most `max_dt` per frame, scaled by `time`; with a `step`
    in steps of exactly so many seconds (or a FixedStep). With a `view` they run only while that is
    shown. With a `sprite` they are stopped once that has been removed from its sprite lists, as
    `sprite.kill()` does; for a group it may be a function from a machine to its own. Raises
    RuntimeError if there is no window yet.
    """
    lifetime = lifetime_of(machines, sprite, is_gone, is_sprite, "sprite must be an Arcade Sprite")
    frames = Frames(machines, max_dt, time, step, lifetime)
    return _Window(view).call_by_frames(frames.update)


def send_keys(
    machines: Machines,
    pressed: Bindings,
    *,
    released: Bindings | None = None,
    held: Held | Iterable[Held] = (),
    view: Any = None,
    gamepads: Any = None,
) -> Callable[[], None]:
    """Send the events of `pressed` and `released` when their keys are; call the result to stop.

    Keys are those of `arcade.key`, as numbers or by name (`"left"`, `"space"`, `"f1"`), the mouse
    buttons (`arcade.MOUSE_BUTTON_LEFT`), those of gamepads by name (`"gamepad a"`), and what is
    `Held`; the key is the event's data, for a Held its direction. Those in `held` are only kept up
    to date. Modifiers do not matter. What is held is released when the window loses the keyboard,
    and when the view is hidden. `view` is as for `attach`.

    Raises ValueError for names that no key has. `gamepads` is an `arcade.ControllerManager` of the
    game's own.
    """
    window = _Window(view)
    keys = keys_of(machines, pressed, released, held, vars(arcade.key))
    stop = window.listen(key_handlers(keys), hidden=keys.release_all)
    return all_of((stop, *listen_to_gamepads(keys, gamepads, window.is_shown)))


def send_collisions(
    machines: Hearers,
    things: Any,
    others: Any,
    event: str,
    *,
    ended: str | None = None,
    view: Any = None,
) -> Callable[[], None]:
    """Send `event` when one of `things` begins to touch one of `others`, `ended` when it ends.

    Each is a sprite, a SpriteList or a list of both, and may change. The data is the other one; for
    a collection of `things` it is the pair, unless `machines` is a function from a sprite to its
    machine, which is then sent the other one. A sprite that has been removed from its lists touches
    nothing.

    The hit boxes are compared in every frame, by the spatial hash of `others` if they have one.
    Call the result to stop; it stops by itself once a single sprite is removed. `view` is as for
    `attach`.
    """
    checked_things("send_collisions", things, others)
    many = is_collection(things)
    touching = Touching(machines, event, ended, many, is_gone=is_gone)

    def update(_delta_time: float) -> bool:
        touching.update(touching_pairs(things, others))
        return many or not is_gone(things)

    return _Window(view).call_by_frames(update)


def send_mouse(
    machines: Hearers,
    things: Any,
    pressed: str | None = None,
    *,
    released: str | None = None,
    entered: str | None = None,
    left: str | None = None,
    button: int = arcade.MOUSE_BUTTON_LEFT,
    camera: Any = None,
    view: Any = None,
) -> Callable[[], None]:
    """Send events for what the mouse does on `things`; call the result to stop.

    `pressed` is sent when `button` goes down on a sprite, `released` when it goes up again,
    wherever the mouse is by then, `entered` and `left` when the mouse, or the sprite, comes and
    goes. The data is the sprite: of several the last one that is visible, which is drawn uppermost.
    `things` and `machines` are as for `send_collisions`, `view` as for `attach`.

    `camera` is the one that the sprites are drawn with, by default the one that was last in use.
    """
    checked_things("send_mouse", things)
    window = _Window(view)

    def under(place: Place) -> list[Any]:
        x, y, *_ = (window.window.current_camera if camera is None else camera).unproject(place)
        return under_point((x, y), things)

    mouse = Mouse(Pointing(machines, pressed, released, entered, left), button, under)

    def update(_delta_time: float) -> bool:
        mouse.look()
        return is_collection(things) or not is_gone(things)

    stops = [window.listen(mouse.handlers(), hidden=mouse.leave)]
    stops.append(window.call_by_frames(update, ended=stops[0]))
    return all_of(stops)


@define(eq=False)
class _Window:
    """The active window, listened to only while `view` is shown, if there is one."""

    view: Any
    window: Any = field(factory=arcade.get_window)

    def is_shown(self) -> bool:
        return self.view is None or self.window.current_view is self.view

    def listen(
        self, handlers: Handlers, hidden: Callable[[], None] | None = None
    ) -> Callable[[], None]:
        """Let the window call `handlers`, and `hidden` in every frame in which the view is."""

        def while_shown(handler: Callable[..., None]) -> Callable[..., None]:
            return lambda *args: handler(*args) if self.is_shown() else None

        watched = {name: while_shown(handler) for name, handler in handlers.items()}
        if hidden is not None and self.view is not None:
            watched["on_update"] = lambda _delta_time: None if self.is_shown() else hidden()
        return listen(self.window, watched)

    def call_by_frames(
        self, update: Callable[[float], bool], ended: Callable[[], None] | None = None
    ) -> Callable[[], None]:
        """Let the window call `update` until that returns False, and then `ended`."""

        def call(delta_time: float) -> None:
            if not update(delta_time):
                stop()
                if ended is not None:
                    ended()

        stop = self.listen({"on_update": call})
        return stop
