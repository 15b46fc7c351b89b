"""pygame-ce: sprites as transforms, its clock, keys, collisions and mouse, sounds, an overlay.

pygame calls nothing by itself. So `attach`, `send_keys`, `send_collisions` and `send_mouse` each
return a function for the game loop to call: those of `attach` and `send_collisions` once per frame,
those of `send_keys` and `send_mouse` for every pygame event.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import product
from typing import Any

from attrs import define

from fsmkit.engines.parts import missing

try:
    import pygame
    from pygame.sprite import AbstractGroup, Sprite  # missing in a user's own pygame.py
except ImportError as error:
    raise missing("pygame-ce", "pygame", error) from error

from fsmkit import TimeReference
from fsmkit.core.checks.arguments import shown
from fsmkit.engines.held import Held
from fsmkit.engines.parts.delivery import Machines, Pointer, Recipients, Touches
from fsmkit.engines.parts.keys import Bindings, Keys
from fsmkit.engines.parts.things import check_things, is_collection
from fsmkit.engines.parts.updates import Frames, Lifetime, was_removed
from fsmkit.engines.pygame.keys import own_key, passing_on
from fsmkit.engines.pygame.overlay import Overlay
from fsmkit.engines.pygame.sprites import SpriteTransform
from fsmkit.sound import SILENCE, Playing, play
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
    scaled by `time`; with a `step` in steps of exactly that many seconds, as many as are due. The
    call returns the seconds of the frame, unscaled, for everything else that moves.

    With a `sprite` the machines are stopped, and their exits run, once it is gone: it was
    `alive()`, in a group, and is no longer in any. For an FsmGroup it may be a function from a
    machine to its sprite: then only that machine is stopped, and leaves the group. Raises TypeError
    for anything else.
    """
    clock = clock or pygame.time.Clock()
    lifetime = Lifetime(machines, sprite, is_gone, Sprite, "sprite must be a pygame Sprite")
    frames = Frames(machines, max_dt, time, step, lifetime)

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
    `released` when none of its keys is held any more; those in `held` are only kept up to date.
    When the window loses the focus, all of them are released.

    The call returns True if the event was of one of the keys. Raises ValueError for an unknown
    name.

    >>> from fsmkit import Fsm
    >>> walk = Held("left", "right", axis="gamepad left stick x")
    >>> keys = send_keys(Fsm("Hero"), {"space": "JUMP"}, held=[walk])
    >>> keys(pygame.event.Event(pygame.KEYDOWN, key=pygame.K_LEFT)), walk.value
    (True, -1.0)
    """
    return passing_on(Keys(machines, pressed, released or {}, held, own_key))


def send_collisions(
    machines: Recipients,
    sprite: Any,
    group: Any,
    event: str,
    *,
    ended: str | None = None,
    collided: Callable[[Any, Any], object] | None = None,
) -> Callable[[], bool]:
    """Return a function to call once per frame: it sends `event` when a sprite touches another.

    `sprite` and `group` are a sprite or a group of them each; groups may change. `ended` is sent
    when the two no longer touch. The data is the other sprite, that of `group`; if `sprite` is a
    group it is the pair. `machines` may be a function from the first of the pair to its machine, or
    None: that machine gets the other sprite as data.

    Sprites that are gone, as for `attach`, touch nothing. The call returns False while a single
    `sprite` is gone.

    `collided` tells whether two sprites touch, as for `pygame.sprite.spritecollide`: their rects by
    default, or `pygame.sprite.collide_mask`, `collide_circle`... Raises TypeError unless each is a
    sprite or a group.

    >>> from pygame.sprite import Group
    >>> sheep, wolves = Group(), Group()
    >>> bites = send_collisions(lambda one: one.fsm, sheep, wolves, "BITTEN")
    >>> bites()  # once per frame
    True
    """
    check_sprites("send_collisions", sprite, group)
    many = is_group(sprite)
    touches = Touches(machines, event, ended, many, is_gone=is_gone)

    def check() -> bool:
        ones = present(sprite)
        touches.update(touching_pairs(ones, present(group), collided))
        return many or bool(ones)

    return check


def send_mouse(
    machines: Recipients,
    sprite: Any,
    pressed: str | None = None,
    *,
    released: str | None = None,
    entered: str | None = None,
    left: str | None = None,
    button: int = pygame.BUTTON_LEFT,
    to_world: Callable[[Position], Position] | None = None,
) -> Callable[..., bool]:
    """Return a function to call with every pygame event: it sends the mouse's events on sprites.

    `sprite` is one or a group of them, which may change; of several under the mouse the last one
    counts, which is drawn on top. `pressed` is sent when `button` is pressed on a sprite, and
    `released` when it is released afterwards, wherever that is; `entered` and `left` when the mouse
    enters and leaves a sprite. The data is the sprite. `machines` may be a function from a sprite
    to its machine, or None.

    Where sprites move under a resting mouse, call it once per frame without an event as well. With
    a camera, `to_world` turns a position in the window into one of the sprites' rects. The call
    returns True for a press or a release that was on a sprite.

    >>> from fsmkit import Fsm
    >>> chest = pygame.sprite.Sprite()
    >>> chest.rect = pygame.Rect(0, 0, 40, 30)
    >>> mouse = send_mouse(Fsm("Chest"), chest, "OPEN")
    >>> press = pygame.event.Event(pygame.MOUSEBUTTONDOWN, pos=(20, 20), button=pygame.BUTTON_LEFT)
    >>> mouse(press)
    True
    """
    check_sprites("send_mouse", sprite)
    pointer = Pointer(machines, pressed, released, entered, left)
    place: Position | None = None  # of the mouse in the window; None unless it is known to be there

    def under() -> list[Any]:
        if place is None:
            return []
        point = place if to_world is None else to_world(place)
        visible = (each for each in present(sprite) if getattr(each, "visible", True))
        return [each for each in visible if rect_of(each).collidepoint(point)]

    def hear(event: pygame.event.Event | None = None) -> bool:
        """Note an event, or look again; return True for a press or a release on a thing."""
        nonlocal place
        kind = None if event is None else event.type
        has_place = kind in (pygame.MOUSEMOTION, pygame.MOUSEBUTTONDOWN, pygame.MOUSEBUTTONUP)
        if event is not None and has_place:
            place = event.pos
        elif kind == pygame.WINDOWFOCUSLOST:
            pointer.release()
            return False
        elif kind == pygame.WINDOWLEAVE:
            place = None
        elif kind is not None:
            return False
        pointer.point(under())
        if event is None or event.dict.get("button") != button:
            return False
        return pointer.press() if kind == pygame.MOUSEBUTTONDOWN else pointer.release()

    return hear


@define
class PlayingChannel:
    sound: pygame.mixer.Sound
    channel: pygame.mixer.Channel

    @property
    def is_over(self) -> bool:
        """Whether the channel is silent, or plays another sound by now."""
        # Without the mixer, asking a channel for its sound crashes the process.
        is_open = pygame.mixer.get_init() is not None
        return not (is_open and self.channel.get_busy() and self.channel.get_sound() is self.sound)

    def stop(self) -> None:
        if not self.is_over:
            self.channel.stop()

    def pause(self) -> None:
        if not self.is_over:
            self.channel.pause()

    def resume(self) -> None:
        if not self.is_over:
            self.channel.unpause()


@play.register
def _(sound: pygame.mixer.Sound, volume: float = 1.0, loop: bool = False) -> Playing:
    channel = sound.play(loops=-1 if loop else 0)
    if channel is None:  # all of them are busy
        return SILENCE
    channel.set_volume(volume)
    return PlayingChannel(sound, channel)


def is_gone(sprite: Any) -> bool:
    """Return True if a sprite was seen in a group, `alive()`, and is not in any now."""
    # the method of the class: a game's sprites may have an attribute `alive`
    return isinstance(sprite, Sprite) and was_removed(sprite, is_there=Sprite.alive(sprite))


def is_group(things: Any) -> bool:
    return isinstance(things, AbstractGroup) or not hasattr(things, "rect")


def check_sprites(who: str, *things: Any) -> None:
    check_things(who, *things)
    for each in things:
        if not (hasattr(each, "rect") or is_collection(each)):
            raise TypeError(
                f"{who}: things must be a sprite or a group of them, got {shown(each)}."
            )


def present(things: Any) -> list[Any]:
    return [each for each in (things if is_group(things) else (things,)) if not is_gone(each)]


def touching_pairs(
    ones: list[Any], others: list[Any], collided: Callable[[Any, Any], object] | None
) -> Iterator[tuple[Any, Any]]:
    """Yield the pairs that touch, by their rects or by `collided`.

    The same as `pygame.sprite.groupcollide`, which takes 15 times as long for two groups of 100.
    """
    if collided is not None:
        yield from (pair for pair in product(ones, others) if collided(*pair))
        return
    rects = [rect_of(other) for other in others]
    for one in ones:
        yield from ((one, others[index]) for index in rect_of(one).collidelistall(rects))


def rect_of(sprite: Any) -> Any:
    rect = getattr(sprite, "rect", None)
    if rect is None:
        raise ValueError(
            f"A sprite must have a rect to be touched, got {shown(sprite)}. Give it one, such as "
            "that of its image: sprite.rect = sprite.image.get_rect()."
        )
    return rect
