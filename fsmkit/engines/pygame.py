"""pygame-ce: sprites as transforms, its clock, keys and collisions of sprites as events.

pygame calls nothing by itself. So `attach`, `send_keys` and `send_collisions` each return a
function for the game loop to call: once per frame, for every pygame event, once per frame.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from fsmkit import Fsm, FsmGroup, TimeReference
from fsmkit.engines.delivering import Touching, offer
from fsmkit.engines.missing import missing
from fsmkit.engines.pygame_sprites import SpriteTransform

try:
    import pygame
except ImportError as error:
    raise missing("pygame-ce", "pygame", error) from error

import fsmkit.engines.sounds.pygame  # noqa: F401  # has its sounds known

__all__ = ["SpriteTransform", "attach", "send_collisions", "send_keys"]


def attach(
    machines: Fsm[Any] | FsmGroup,
    *,
    fps: float = 60.0,
    max_dt: float = 0.25,
    time: TimeReference | None = None,
    clock: pygame.time.Clock | None = None,
) -> Callable[[], float]:
    """Return a function to call once per frame: it waits for the frame and updates `machines`.

    It waits so that there are at most `fps` frames per second (0: without waiting), with `clock`,
    or with one of its own. The machines get the seconds since the last call, at most `max_dt`,
    scaled by `time`. The call returns these seconds unscaled, for everything else that moves.
    """
    clock = clock or pygame.time.Clock()

    def tick() -> float:
        dt = min(clock.tick(fps) / 1000.0, max_dt)
        machines.update(dt if time is None else time.scaled(dt))
        return dt

    return tick


def send_keys(
    machines: Fsm[Any] | FsmGroup,
    pressed: Mapping[int, str],
    *,
    released: Mapping[int, str] | None = None,
) -> Callable[[pygame.event.Event], bool]:
    """Return a function to call with every pygame event: it sends those of the keys.

    `pressed` and `released` map keys to events. Keys are pygame's numbers (`pygame.K_SPACE`), mouse
    buttons too (`pygame.BUTTON_LEFT`); the number is the event's data. The call returns True if it
    was one of them.
    """
    down, up = (pygame.KEYDOWN, pygame.MOUSEBUTTONDOWN), (pygame.KEYUP, pygame.MOUSEBUTTONUP)
    events = {
        (kind, key): event
        for kinds, keys in ((down, pressed), (up, released or {}))
        for kind in kinds
        for key, event in keys.items()
    }

    def handle(event: pygame.event.Event) -> bool:
        key = event.dict.get("key", event.dict.get("button", pygame.K_UNKNOWN))
        name = events.get((event.type, key))
        if name is not None:
            offer(machines, name, key)
        return name is not None

    return handle


def send_collisions(
    machines: Fsm[Any] | FsmGroup,
    sprite: Any,
    group: pygame.sprite.AbstractGroup[Any],
    event: str,
    *,
    ended: str | None = None,
    collided: Callable[[Any, Any], bool] | None = None,
) -> Callable[[], None]:
    """Return a function to call once per frame: it sends `event` when `sprite` touches another.

    `ended` is sent when it no longer does. The data is the other sprite, one of `group`, which may
    change. `collided` tells whether two sprites touch, as for `pygame.sprite.spritecollide`: their
    rects by default, or `pygame.sprite.collide_mask`, `collide_circle`...
    """
    touching = Touching(machines, event, ended)

    def check() -> None:
        hits = pygame.sprite.spritecollide(sprite, group, False, collided)
        touching.update((sprite, other) for other in hits)

    return check
