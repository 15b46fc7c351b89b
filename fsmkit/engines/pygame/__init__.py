"""pygame-ce: sprites as transforms, its clock, its keys, collisions and mouse as events.

pygame calls nothing by itself. So `attach`, `send_keys`, `send_collisions` and `send_mouse` each
return a function for the game loop to call: once per frame, for every pygame event, once per frame,
for every pygame event.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from fsmkit.engines.parts.missing import missing

try:
    import pygame
    import pygame.sprite  # is not to be found in a file of the user's called pygame.py
except ImportError as error:
    raise missing("pygame-ce", "pygame", error) from error

import fsmkit.engines.pygame.sounds  # noqa: F401  # has its sounds known
from fsmkit import TimeReference
from fsmkit.engines.held import Held
from fsmkit.engines.parts.delivering import Hearers, Machines, Touching
from fsmkit.engines.parts.frames import Frames, lifetime_of
from fsmkit.engines.parts.keys import Bindings, Keys
from fsmkit.engines.parts.pointing import Pointing
from fsmkit.engines.pygame.keys import KeyEvents, own_key
from fsmkit.engines.pygame.sprites import SpriteTransform
from fsmkit.engines.pygame.touching import (
    MouseEvents,
    checked_sprites,
    is_gone,
    is_group,
    present,
    touching_pairs,
)
from fsmkit.space import Position
from fsmkit.timing import FixedStep

__all__ = [
    "Held",
    "SpriteTransform",
    "attach",
    "send_collisions",
    "send_keys",
    "send_mouse",
]


def attach(
    machines: Machines,
    *,
    fps: float = 60.0,
    max_dt: float = 0.25,
    time: TimeReference | None = None,
    clock: pygame.time.Clock | None = None,
    step: float | FixedStep | None = None,
    sprite: Any = None,
) -> Callable[[], float]:
    """Return a function to call once per frame: it waits for the frame and updates `machines`.

    It waits so that there are at most `fps` frames per second (0: without waiting), with `clock`,
    or with one of its own. The machines get the seconds since the last call, at most `max_dt`,
    scaled by `time`; with a `step` in steps of exactly so many seconds, as many as have come due.
    The call returns the seconds of the frame, unscaled, for everything else that moves.

    With a `sprite` the machines are stopped, and their exits run, once it is gone: once it was
    `alive()`, in a group, and is in none any more. For an FsmGroup it may be a function from a
    machine to its sprite: that machine alone is stopped then, and leaves the group. Raises
    TypeError for anything else.
    """
    if sprite is not None and not (isinstance(sprite, pygame.sprite.Sprite) or callable(sprite)):
        raise TypeError(
            "attach: sprite must be a pygame Sprite, or a function from a machine to one, "
            f"got {sprite!r}."
        )
    clock = clock or pygame.time.Clock()
    frames = Frames(machines, max_dt, time, step, lifetime_of(machines, sprite, is_gone))

    def tick() -> float:
        dt = min(clock.tick(fps) / 1000.0, max_dt)
        frames.update(dt)
        return dt

    return tick


def send_keys(
    machines: Machines,
    pressed: Bindings,
    *,
    released: Bindings | None = None,
    held: Held | Iterable[Held] = (),
) -> Callable[[pygame.event.Event], bool]:
    """Return a function to call with every pygame event: it sends those of the keys.

    `pressed` and `released` map keys to events, with the key as data. Keys are pygame's numbers
    (`pygame.K_SPACE`), mouse buttons too (`pygame.BUTTON_LEFT`); or names: those of
    `pygame.key.name` (`"left"`, `"space"`, `"left shift"`), and those of a gamepad's buttons
    (`"gamepad a"`, `"gamepad 2 dpad up"`). Gamepads may be plugged in later.

    A `Held` as key sends its event when its direction has changed, with that as data, and in
    `released` when nothing of it is held any more; those in `held` are only kept up to date. When
    the window loses the keyboard, all of them are released.

    The call returns True if it was one of the keys. Raises ValueError for a name that does not
    exist.

    >>> from fsmkit import Fsm
    >>> walk = Held("left", "right", axis="gamepad left stick x")
    >>> keys = send_keys(Fsm("Hero"), {"space": "JUMP"}, held=[walk])
    >>> keys(pygame.event.Event(pygame.KEYDOWN, key=pygame.K_LEFT)), walk.value
    (True, -1.0)
    """
    return KeyEvents(Keys(machines, pressed, released or {}, held, own_key)).hear


def send_collisions(
    machines: Hearers,
    sprite: Any,
    group: Any,
    event: str,
    *,
    ended: str | None = None,
    collided: Callable[[Any, Any], object] | None = None,
) -> Callable[[], bool]:
    """Return a function to call once per frame: it sends `event` when a sprite touches another.

    `sprite` and `group` are a sprite or a group of them each; groups may change. `ended` is sent
    when the two no longer touch. The data is the other sprite, that of `group`; with a group in the
    place of `sprite` it is the pair. `machines` may be a function from the first of the pair to its
    machine, or None: that one gets the other as data.

    Sprites that are gone, as for `attach`, touch nothing. The call returns False while a single
    `sprite` is gone.

    `collided` tells whether two sprites touch, as for `pygame.sprite.spritecollide`: their rects by
    default, or `pygame.sprite.collide_mask`, `collide_circle`... Raises TypeError for what is no
    sprite and no group.

    >>> from pygame.sprite import Group
    >>> sheep, wolves = Group(), Group()
    >>> bites = send_collisions(lambda one: one.fsm, sheep, wolves, "BITTEN")
    >>> bites()  # once per frame
    True
    """
    checked_sprites("send_collisions", sprite, group)
    many = is_group(sprite)
    touching = Touching(machines, event, ended, many, is_gone=is_gone)

    def check() -> bool:
        ones = present(sprite)
        touching.update(touching_pairs(ones, present(group), collided))
        return many or bool(ones)

    return check


def send_mouse(
    machines: Hearers,
    sprite: Any,
    pressed: str | None = None,
    *,
    released: str | None = None,
    entered: str | None = None,
    left: str | None = None,
    button: int = pygame.BUTTON_LEFT,
    to_world: Callable[[Position], Position] | None = None,
) -> Callable[..., bool]:
    """Return a function to call with every pygame event: it sends what the mouse does on sprites.

    `sprite` is one or a group of them, which may change; of several under the mouse the last one
    counts, which is drawn uppermost. `pressed` is sent when `button` is pressed on a sprite, and
    `released` when it is released afterwards, wherever that is; `entered` and `left` when the mouse
    comes upon a sprite and leaves it. The data is the sprite. `machines` may be a function from a
    sprite to its machine, or None.

    Where sprites move under a mouse that rests, call it once per frame without an event as well.
    With a camera, `to_world` turns a position in the window into one of the sprites' rects. The
    call returns True for a press or a release that was on a sprite.

    >>> from fsmkit import Fsm
    >>> chest = pygame.sprite.Sprite()
    >>> chest.rect = pygame.Rect(0, 0, 40, 30)
    >>> mouse = send_mouse(Fsm("Chest"), chest, "OPEN")
    >>> press = pygame.event.Event(pygame.MOUSEBUTTONDOWN, pos=(20, 20), button=pygame.BUTTON_LEFT)
    >>> mouse(press)
    True
    """
    checked_sprites("send_mouse", sprite)
    pointing = Pointing(machines, pressed, released, entered, left)
    return MouseEvents(pointing, sprite, button, to_world).hear
