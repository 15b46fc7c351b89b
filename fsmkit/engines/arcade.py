"""Arcade: sprites as transforms, its frames as clock, keys and collisions as events."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from attrs import define

from fsmkit import Fsm, FsmGroup, TimeReference
from fsmkit.space import Position

try:
    import arcade
except ModuleNotFoundError as error:
    raise ImportError(
        "fsmkit.engines.arcade needs Arcade: pip install 'fsmkit[arcade]'."
    ) from error

import fsmkit.engines.sounds.arcade  # noqa: F401  # has its sounds known
from fsmkit.engines.delivering import Touching
from fsmkit.engines.pyglet import SpriteTransform as PygletTransform
from fsmkit.engines.pyglet import key_handlers, listen


@define(eq=False)
class SpriteTransform(PygletTransform):
    """A Sprite as the actions see it: `position`, `rotation`, `scale`, `color`, `alpha`.

    Positions are two numbers in pixels, x to the right and y up. `rotation` is in degrees from x
    towards y, opposite to Arcade's `angle`, and is where the picture faces; `forward` is where it
    faces unturned: 90 for one that faces up. `scale` is read as two numbers, and written as two or
    as one. `color` is a tint, 0 to 255, white by default: three numbers, or four once it has been
    set with four; `alpha` is the fourth.
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


def attach(
    machines: Fsm[Any] | FsmGroup,
    *,
    view: Any = None,
    max_dt: float = 0.25,
    time: TimeReference | None = None,
) -> Callable[[], None]:
    """Let Arcade's window update `machines` in every frame; call the result to stop that.

    They get the seconds of `on_update`, at most `max_dt` per frame, scaled by `time`. With a `view`
    they run only while that is shown. Raises RuntimeError if there is no window yet.
    """

    def update(delta_time: float) -> None:
        dt = min(delta_time, max_dt)
        machines.update(dt if time is None else time.scaled(dt))

    return _listen(view, {"on_update": update})


def send_keys(
    machines: Fsm[Any] | FsmGroup,
    pressed: Mapping[int, str],
    *,
    released: Mapping[int, str] | None = None,
    view: Any = None,
) -> Callable[[], None]:
    """Send the events of `pressed` and `released` when their keys are; call the result to stop.

    Keys are those of `arcade.key` and the mouse buttons (`arcade.MOUSE_BUTTON_LEFT`); the key is
    the event's data. Modifiers do not matter. `view` is as for `attach`.
    """
    return _listen(view, key_handlers(machines, pressed, released or {}))


def send_collisions(
    machines: Fsm[Any] | FsmGroup,
    sprite: Any,
    others: Iterable[Any],
    event: str,
    *,
    ended: str | None = None,
    view: Any = None,
) -> Callable[[], None]:
    """Send `event` when `sprite` begins to touch another one, `ended` when it no longer does.

    The data is the other sprite, one of `others`: a SpriteList or a plain list, which may change.
    The hit boxes are compared in every frame. Call the result to stop. `view` is as for `attach`.
    """
    touching = Touching(machines, event, ended)

    def update(_delta_time: float) -> None:
        touching.update((sprite, other) for other in _touched(sprite, others))

    return _listen(view, {"on_update": update})


def _touched(sprite: Any, others: Any) -> list[Any]:
    if isinstance(others, arcade.SpriteList):  # may have a spatial hash
        return arcade.check_for_collision_with_list(sprite, others)
    return [
        other
        for other in others
        if other is not sprite and arcade.check_for_collision(sprite, other)
    ]


def _listen(view: Any, handlers: Mapping[str, Callable[..., None]]) -> Callable[[], None]:
    """Let the window call `handlers`, with a `view` only while that is shown."""
    window = arcade.get_window()

    def while_shown(handler: Callable[..., None]) -> Callable[..., None]:
        def handle(*args: Any) -> None:
            if view is None or window.current_view is view:
                handler(*args)

        return handle

    return listen(window, {name: while_shown(handlers[name]) for name in handlers})
