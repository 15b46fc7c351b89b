"""pyglet: sprites as transforms, its clock, keys, mouse buttons and collisions as events."""

from __future__ import annotations

from cmath import rect
from collections.abc import Callable, Iterable, Mapping
from math import radians
from typing import Any, Final

from attrs import define, field

from fsmkit import Fsm, FsmGroup, TimeReference
from fsmkit.engines.delivering import Touching, offer
from fsmkit.engines.tinted import Color, Tinted
from fsmkit.space import Position

try:
    import pyglet
except ModuleNotFoundError as error:
    raise ImportError(
        "fsmkit.engines.pyglet needs pyglet: pip install 'fsmkit[pyglet]'."
    ) from error

import fsmkit.engines.sounds.pyglet  # noqa: F401  # has its sounds known

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
        self.sprite.position = (x, y, *self.sprite.position[2:])

    @property
    def rotation(self) -> float:
        """The direction it faces, in degrees."""
        return self.forward - float(self.sprite.rotation)

    @rotation.setter
    def rotation(self, rotation: float) -> None:
        self.sprite.rotation = self.forward - rotation

    @property
    def scale(self) -> Position:
        """The scale along its two axes."""
        sprite = self.sprite
        return (sprite.scale * sprite.scale_x, sprite.scale * sprite.scale_y)

    @scale.setter
    def scale(self, scale: Position) -> None:
        x, y = scale if isinstance(scale, Iterable) else (scale, scale)
        even = x == y
        self.sprite.scale = x if even else 1.0
        self.sprite.scale_x, self.sprite.scale_y = (1.0, 1.0) if even else (x, y)

    def _shown(self) -> Color:
        now = tuple(self.sprite.color)
        return self.painted if now == _whole(self.painted) else now

    def _paint(self, color: Color) -> None:
        super()._paint(color)
        self.sprite.color = _whole(color)


def _whole(color: Color) -> tuple[int, ...]:
    """Return `color` as engines need it: whole numbers from 0 to 255."""
    return tuple(min(255, max(0, round(number))) for number in color)


def attach(
    machines: Fsm[Any] | FsmGroup,
    *,
    interval: float = FRAME,
    max_dt: float = 0.25,
    time: TimeReference | None = None,
    clock: Any = None,
) -> Callable[[], None]:
    """Let pyglet's clock update `machines` every `interval` seconds; call the result to stop that.

    They get the seconds that have passed, at most `max_dt` at once, scaled by `time`.
    `clock` is a `pyglet.clock.Clock`, by default that of `pyglet.app.run()`.
    """

    def update(passed: float) -> None:
        dt = min(passed, max_dt)
        machines.update(dt if time is None else time.scaled(dt))

    return _schedule(update, interval, clock)


def send_keys(
    machines: Fsm[Any] | FsmGroup,
    pressed: Mapping[int, str],
    *,
    released: Mapping[int, str] | None = None,
    window: Any = None,
) -> Callable[[], None]:
    """Send the events of `pressed` and `released` when their keys are; call the result to stop.

    Keys are those of `pyglet.window.key` and the buttons of `pyglet.window.mouse`; the key is the
    event's data. Modifiers do not matter. `window` is by default the only one; raises ValueError if
    there are none or several.
    """
    handlers = key_handlers(machines, pressed, released or {})
    return listen(_only_window() if window is None else window, handlers)


def send_collisions(
    machines: Fsm[Any] | FsmGroup,
    sprite: Any,
    others: Iterable[Any],
    event: str,
    *,
    ended: str | None = None,
    collided: Callable[[Any, Any], bool] | None = None,
    interval: float = FRAME,
    clock: Any = None,
) -> Callable[[], None]:
    """Send `event` when `sprite` begins to touch another one, `ended` when it no longer does.

    The data is the other sprite, one of `others`, which may change. pyglet has no collisions of its
    own, so `collided(sprite, other)` is called every `interval` seconds, by default `overlap`. Call
    the result to stop. `clock` is as for `attach`.
    """
    touching = Touching(machines, event, ended)
    meets = overlap if collided is None else collided

    def update(_passed: float) -> None:
        touching.update(
            (sprite, other) for other in others if other is not sprite and meets(sprite, other)
        )

    return _schedule(update, interval, clock)


def overlap(one: Any, other: Any) -> bool:
    """Return True if the pictures of two sprites overlap, each a turned and scaled rectangle.

    Those that just touch at an edge do not, nor do deleted ones. By the separating axis theorem two
    rectangles are apart if they are apart along a side of one of them.
    """
    ours, theirs = _corners(one), _corners(other)
    if not ours or not theirs:
        return False
    sides = [corners[i] - corners[0] for corners in (ours, theirs) for i in (1, 3)]
    return all(_overlap_along(side, ours, theirs) for side in sides)


def _corners(sprite: Any) -> list[complex]:
    """Return the corners of its picture, in order, as complex numbers."""
    picture = sprite._texture  # the frame shown, None once deleted; there is no public name
    if picture is None:
        return []
    left, bottom = -picture.anchor_x, -picture.anchor_y
    right, top = left + picture.width, bottom + picture.height
    wide, high = sprite.scale * sprite.scale_x, sprite.scale * sprite.scale_y
    place, turn = complex(sprite.x, sprite.y), rect(1.0, -radians(sprite.rotation))
    corners = ((left, bottom), (right, bottom), (right, top), (left, top))
    return [place + turn * complex(x * wide, y * high) for x, y in corners]


def _overlap_along(side: complex, ours: list[complex], theirs: list[complex]) -> bool:
    mine, yours = ([(corner * side.conjugate()).real for corner in it] for it in (ours, theirs))
    return max(mine) > min(yours) and max(yours) > min(mine)


def key_handlers(
    machines: Fsm[Any] | FsmGroup, pressed: Mapping[int, str], released: Mapping[int, str]
) -> dict[str, Callable[..., None]]:
    """Return handlers for a window that send these events for its keys and mouse buttons."""

    def send(events: Mapping[int, str], key: int) -> None:
        if key in events:
            offer(machines, events[key], key)

    return {
        "on_key_press": lambda key, _modifiers: send(pressed, key),
        "on_key_release": lambda key, _modifiers: send(released, key),
        "on_mouse_press": lambda _x, _y, button, _modifiers: send(pressed, button),
        "on_mouse_release": lambda _x, _y, button, _modifiers: send(released, button),
    }


def listen(window: Any, handlers: Mapping[str, Callable[..., None]]) -> Callable[[], None]:
    """Let `window` call `handlers` too; call the result to stop."""
    window.push_handlers(**handlers)
    window.push_handlers()  # a level for the game's `@window.event`, which would replace ours

    def stop() -> None:
        window.remove_handlers(**handlers)

    return stop


def _only_window() -> Any:
    windows = list(pyglet.app.windows)
    if len(windows) != 1:
        raise ValueError(
            f"There must be one window to send keys, got {len(windows)}. Say which one: window=."
        )
    return windows[0]


def _schedule(update: Callable[[float], None], interval: float, clock: Any) -> Callable[[], None]:
    clock = pyglet.clock.get_default() if clock is None else clock
    clock.schedule_interval(update, interval)

    def stop() -> None:
        clock.unschedule(update)

    return stop
