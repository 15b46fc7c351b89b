"""Arcade: sprites as transforms, its frames as clock, keys, collisions, mouse, sounds, overlay."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any, Final

from attrs import define, field

from fsmkit.engines.parts import missing

try:
    import arcade
    from arcade import SpriteList  # missing in a file of the user's called arcade.py
except ImportError as error:
    raise missing("Arcade", "arcade", error, "arcade", "pyglet") from error
except AttributeError as error:  # Arcade itself has imported a user's pyglet.py
    raise missing("Arcade", "arcade", ImportError(str(error)), "arcade", "pyglet") from error

from fsmkit import TimeReference
from fsmkit.engines.arcade.overlay import Overlay
from fsmkit.engines.held import Held
from fsmkit.engines.parts.delivery import Machines, Pointer, Recipients, Touches
from fsmkit.engines.parts.keys import Bindings, Keys
from fsmkit.engines.parts.outlines import overlapping_spans
from fsmkit.engines.parts.things import check_things, is_collection
from fsmkit.engines.parts.updates import Frames, Lifetime, was_removed
from fsmkit.engines.pyglet import PlayingPlayer, events
from fsmkit.engines.pyglet import SpriteTransform as PygletTransform
from fsmkit.sound import Playing, play
from fsmkit.space import Position
from fsmkit.timing import FixedStep

__all__ = [
    "Held",
    "Overlay",
    "SpriteTransform",
    "attach",
    "send_collisions",
    "send_keys",
    "send_mouse",
]

UPDATES: Final = 60
"""The updates per second for which Arcade's `change_x` and `change_y` are meant."""


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
        """The velocity by `change_x` and `change_y`, in pixels a second."""
        x, y = self.sprite.velocity
        return (x * UPDATES, y * UPDATES)

    @velocity.setter
    def velocity(self, velocity: Position) -> None:
        x, y = velocity
        self.sprite.velocity = (x / UPDATES, y / UPDATES)

    def _living(self) -> Any:
        return self.sprite  # Arcade keeps sprites that were removed


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
    in steps of exactly that many seconds (or a FixedStep). With a `view` they run only while it is
    shown. With a `sprite` they are stopped once that has been removed from its sprite lists, as
    `sprite.kill()` does; for a group it may be a function from a machine to its own. Raises
    RuntimeError if there is no window yet.
    """
    lifetime = Lifetime(
        machines, sprite, is_gone, arcade.BasicSprite, "sprite must be an Arcade Sprite"
    )
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
    buttons (`arcade.MOUSE_BUTTON_LEFT`), those of gamepads by name (`"gamepad a"`), and every
    `Held`; the key is the event's data, for a Held its direction. Those in `held` are only kept up
    to date. Modifiers do not matter. Held keys are released when the window loses the focus, and
    when the view is hidden. `view` is as for `attach`.

    Raises ValueError for unknown names. `gamepads` is an `arcade.ControllerManager` of the game's
    own.
    """
    window = _Window(view)
    own = partial(events.own_key, names=events.names_of_keys(vars(arcade.key)))
    keys = Keys(machines, pressed, released or {}, held, own)
    stop = window.listen(events.key_handlers(keys), hidden=keys.release_all)
    return events.all_of((stop, *events.listen_to_gamepads(keys, gamepads, window.is_shown)))


def send_collisions(
    machines: Recipients,
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
    machine, which then gets the other one. A sprite that has been removed from its lists touches
    nothing.

    The hit boxes are compared in every frame, by the spatial hash of `others` if they have one.
    Call the result to stop; for a single sprite it stops by itself once that is removed. `view` is
    as for `attach`.
    """
    check_things("send_collisions", things, others)
    many = is_collection(things)
    touches = Touches(machines, event, ended, many, is_gone=is_gone)

    def update(_delta_time: float) -> bool:
        touches.update(touching_pairs(things, others))
        return many or not is_gone(things)

    return _Window(view).call_by_frames(update)


def send_mouse(
    machines: Recipients,
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
    """Send events when the mouse is used on `things`; call the result to stop.

    `pressed` is sent when `button` goes down on a sprite, `released` when it goes up again,
    wherever the mouse is by then, `entered` and `left` when the mouse, or the sprite, comes and
    goes. The data is the sprite: of several the last visible one, which is drawn on top.
    `things` and `machines` are as for `send_collisions`, `view` as for `attach`.

    `camera` is the one that the sprites are drawn with, by default the one last in use.
    """
    check_things("send_mouse", things)
    window = _Window(view)

    def under(place: events.WindowPoint) -> list[Any]:
        x, y, *_ = (window.window.current_camera if camera is None else camera).unproject(place)
        return under_point((x, y), things)

    mouse = events.Mouse(Pointer(machines, pressed, released, entered, left), button, under)

    def update(_delta_time: float) -> bool:
        mouse.look()
        return is_collection(things) or not is_gone(things)

    stops = [window.listen(mouse.handlers(), hidden=mouse.leave)]
    stops.append(window.call_by_frames(update, ended=stops[0]))
    return events.all_of(stops)


@play.register
def _(sound: arcade.Sound, volume: float = 1.0, loop: bool = False) -> Playing:
    return PlayingPlayer(sound.play(volume=volume, loop=loop))


@define(eq=False)
class _Window:
    """The active window, listened to only while `view`, if there is one, is shown."""

    view: Any
    window: Any = field(factory=arcade.get_window)

    def is_shown(self) -> bool:
        return self.view is None or self.window.current_view is self.view

    def listen(
        self, handlers: events.Handlers, hidden: Callable[[], object] | None = None
    ) -> Callable[[], None]:
        """Let the window call `handlers`, and `hidden` in every frame while the view is hidden."""

        def while_shown(handler: Callable[..., object]) -> Callable[..., object]:
            return lambda *args: handler(*args) if self.is_shown() else None

        watched = {name: while_shown(handler) for name, handler in handlers.items()}
        if hidden is not None and self.view is not None:
            watched["on_update"] = lambda _delta_time: None if self.is_shown() else hidden()
        return events.listen(self.window, watched)

    def call_by_frames(
        self, update: Callable[[float], bool], ended: Callable[[], None] | None = None
    ) -> Callable[[], None]:
        def call(delta_time: float) -> None:
            if not update(delta_time):
                stop()
                if ended is not None:
                    ended()

        stop = self.listen({"on_update": call})
        return stop


def is_gone(sprite: Any) -> bool:
    """Return True if a sprite has been removed from the sprite lists it was once seen in."""
    return was_removed(sprite, is_there=bool(sprite.sprite_lists))


def living(things: Any) -> list[Any]:
    if not is_collection(things):
        return [] if is_gone(things) else [things]
    return [sprite for thing in things for sprite in living(thing)]


def touching_pairs(things: Any, others: Any) -> Iterator[tuple[Any, Any]]:
    """Yield the pairs of sprites that touch, in the order of both, or by Arcade's spatial hash."""
    ones = living(things)
    fast = [part for part in _parts(others) if _is_fast(part, len(ones))]
    rest = [sprite for part in _parts(others) if part not in fast for sprite in living(part)]
    for one in ones:
        for part in fast:
            found = arcade.check_for_collision_with_list(one, part)
            yield from ((one, other) for other in _in_order(found, part))
    for i, j in overlapping_spans(_spans(ones), _spans(rest)):
        if ones[i] is not rest[j] and arcade.check_for_collision(ones[i], rest[j]):
            yield ones[i], rest[j]


def under_point(point: tuple[float, float], things: Any) -> list[Any]:
    """Return the visible sprites at a point of the world, the topmost last."""
    found: list[Any] = []
    for part in _parts(things):
        if not isinstance(part, SpriteList):
            found += [part] if part.collides_with_point(point) and not is_gone(part) else []
        elif part.visible:
            found += _in_order(arcade.get_sprites_at_point(point, part), part)
    return [sprite for sprite in found if sprite.visible]


def _parts(things: Any) -> list[Any]:
    if isinstance(things, SpriteList) or not is_collection(things):
        return [things]
    return [part for thing in things for part in _parts(thing)]


def _is_fast(part: Any, count: int) -> bool:
    return isinstance(part, SpriteList) and (part.spatial_hash is not None or count == 1)


def _in_order(found: Sequence[Any], part: Any) -> Sequence[Any]:
    """Return sprites in the order of their list, which the spatial hash does not keep."""
    return sorted(found, key=part.index) if len(found) > 1 else found


def _spans(sprites: Iterable[Any]) -> list[tuple[float, float]]:
    return [(sprite.left, sprite.right) for sprite in sprites]
