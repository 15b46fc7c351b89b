"""raylib: a sprite as transform, its frames, keys, mouse and touches as events.

raylib calls nothing by itself and keeps no list of things. So `attach`, `send_keys`, `send_mouse`
and `send_collisions` each return a function for the game loop to call, once per frame. The package
is the one that is called `raylib` on PyPI; its module is `pyray`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import product
from typing import Any, TypeAlias

from fsmkit import TimeReference
from fsmkit.engines.held import Held
from fsmkit.engines.parts.delivering import Hearers, Machines, Touching
from fsmkit.engines.parts.frames import Frames, lifetime_of
from fsmkit.engines.parts.keys import Bindings
from fsmkit.engines.parts.missing import missing
from fsmkit.engines.parts.outlines import Outline
from fsmkit.engines.parts.pointing import Pointing
from fsmkit.engines.parts.sweeping import overlapping_spans
from fsmkit.timing import FixedStep

try:
    import pyray

    import fsmkit.engines.raylib.values  # has its vectors and colours known
except ImportError as error:
    raise missing("raylib", "raylib", error, "pyray", "raylib") from error

import fsmkit.engines.raylib.sounds  # noqa: F401  # has its sounds known
from fsmkit.engines.raylib.keys import is_down, own_key, polled, went_down
from fsmkit.engines.raylib.sprites import Sprite

__all__ = ["Held", "Sprite", "attach", "send_collisions", "send_keys", "send_mouse"]

Things: TypeAlias = Any
"""One thing, several, or a function that returns them."""

Place: TypeAlias = tuple[float, float]


def attach(
    machines: Machines,
    *,
    max_dt: float = 0.25,
    time: TimeReference | None = None,
    step: float | FixedStep | None = None,
    sprite: Any = None,
) -> Callable[[], float]:
    """Return a function to call once per frame: it updates `machines` by the frame's seconds.

    These are raylib's `get_frame_time()`, at most `max_dt`, scaled by `time`. With a `step` the
    machines are updated in steps of exactly so many seconds, as many as have come due. With a
    `sprite` they are stopped once it is no longer `active`; for a group it may be a function from a
    machine to its own. The call returns the seconds unscaled, for everything else that moves.
    """
    frames = Frames(machines, max_dt, time, step, lifetime_of(machines, sprite, _is_gone))

    def tick() -> float:
        dt = pyray.get_frame_time()
        frames.update(dt)
        return min(dt, max_dt)

    return tick


def send_keys(
    machines: Machines,
    pressed: Bindings,
    *,
    released: Bindings | None = None,
    held: Held | Iterable[Held] = (),
) -> Callable[[], None]:
    """Return a function to call once per frame: it sends the events of the keys.

    `pressed` and `released` map keys to events, with the key as data. A key is one of raylib's
    numbers (`pyray.KEY_SPACE`, `pyray.MOUSE_BUTTON_LEFT`), the name of one (`"space"`, `"left"`,
    `"left shift"`), or a gamepad's (`"gamepad a"`, `"gamepad 2 a"`). A `Held` sends its event
    whenever what it stands for has changed; those in `held` are only kept up to date. Without the
    focus nothing is held. Raises ValueError for a key that does not exist.
    """
    return polled(machines, pressed, released or {}, held).poll


def send_collisions(
    machines: Hearers,
    things: Things,
    others: Things,
    event: str,
    *,
    ended: str | None = None,
    collided: Callable[[Any, Any], bool] | None = None,
) -> Callable[[], None]:
    """Return a function to call once per frame: it sends `event` when a thing touches another.

    `ended` is sent when it no longer does, also because one of them is gone. `things` and `others`
    are each a sprite, a list of them, which may change, or a function that returns one, for a
    game that makes its lists anew. The data is the other sprite; of a list of `things` it is the
    pair, unless `machines` is a function from a thing to its own.

    Sprites touch if their turned rectangles overlap. For things of your own, `collided` tells it of
    two of them: `lambda a, b: pyray.check_collision_circles(a.position, 9, b.position, 9)`. A
    thing whose `active` is False is gone.
    """
    is_many = isinstance(_now(things), Iterable)
    touching = Touching(machines, event, ended, is_many, is_gone=_is_gone)

    def check() -> None:
        pairs = _living(things), _living(others)
        if collided is None:
            touching.update(_overlapping(*pairs))
        else:
            touching.update(pair for pair in product(*pairs) if collided(*pair))

    return check


def send_mouse(
    machines: Hearers,
    things: Things,
    pressed: str | None = None,
    *,
    released: str | None = None,
    entered: str | None = None,
    left: str | None = None,
    button: Any = "mouse left",
    camera: Any = None,
    hit: Callable[[Any, Place], bool] | None = None,
) -> Callable[[], None]:
    """Return a function to call once per frame: it sends the events of the mouse on things.

    `entered` and `left` are sent when the mouse comes upon a thing and leaves it, `pressed` and
    `released` for a button, with the thing as data. Of several things under the mouse it is the
    last one, as it is drawn last. `things` are a sprite, a list of them, or a function that returns
    it; `machines` may be a function from a thing to its own.

    `camera` is the Camera2D, if they are drawn with one: `(x, y)` on the screen becomes a place in
    its world. For things of your own, `hit` tells of a thing and such a place whether it is there.
    """
    pointing = Pointing(machines, pressed, released, entered, left)
    source = own_key(button)
    is_held = False

    def check() -> None:
        nonlocal is_held
        place = _place_of_mouse(camera)
        pointing.point([] if place is None else [it for it in _living(things) if at(it, place)])
        if not is_held and went_down(source):
            is_held = True
            pointing.press()
        if is_held and not is_down(source):
            is_held = False
            pointing.release()

    at = _is_at if hit is None else hit
    return check


def _is_gone(thing: Any) -> bool:
    return not getattr(thing, "active", True)


def _now(things: Things) -> Any:
    return things() if callable(things) else things


def _living(things: Things) -> list[Any]:
    now = _now(things)
    return [each for each in (now if isinstance(now, Iterable) else (now,)) if not _is_gone(each)]


def _overlapping(ones: Sequence[Any], others: Sequence[Any]) -> Iterator[tuple[Any, Any]]:
    mine, theirs = ([_outline(thing) for thing in things] for things in (ones, others))
    near = overlapping_spans([it.span for it in mine], [it.span for it in theirs])
    return ((ones[i], others[j]) for i, j in near if mine[i].overlaps(theirs[j]))


def _outline(thing: Any) -> Outline:
    try:
        outline: Outline = thing.outline
    except AttributeError:
        raise TypeError(
            f"What touches must be a Sprite, or have its `outline`, got {thing!r}. For things of "
            "your own use collided=, for the mouse hit=."
        ) from None
    return outline


def _is_at(thing: Any, place: Place) -> bool:
    return complex(*place) in _outline(thing)


def _place_of_mouse(camera: Any) -> Place | None:
    """Return where the mouse is, in the world of the camera; None if it has left the window."""
    if not pyray.is_cursor_on_screen():
        return None
    place = pyray.get_mouse_position()
    if camera is not None:
        place = pyray.get_screen_to_world_2d(place, camera)
    return place.x, place.y
