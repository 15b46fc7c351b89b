"""raylib: a sprite as transform, its frames, keys, mouse, touches, sounds and overlay.

raylib calls nothing by itself and keeps no list of things. So `attach`, `send_keys`, `send_mouse`
and `send_collisions` each return a function for the game loop to call, once per frame. The package
is called `raylib` on PyPI; its module is `pyray`.
"""

from __future__ import annotations

import copyreg
from cmath import rect
from collections.abc import Callable, Iterable
from copy import copy, deepcopy
from math import copysign, radians
from numbers import Real
from typing import Any, Final, TypeAlias

from attrs import Factory, define, field

from fsmkit.engines.parts import missing

try:
    import pyray
    from pyray import Camera2D, Vector2, ffi
except ImportError as error:
    raise missing("raylib", "raylib", error, "pyray", "raylib") from error

from fsmkit import TimeReference
from fsmkit.core.checks.arguments import shown
from fsmkit.engines.held import Held
from fsmkit.engines.parts.delivery import Machines, Pointer, Recipients, Touches
from fsmkit.engines.parts.keys import Bindings, Keys
from fsmkit.engines.parts.outlines import Outline, overlapping
from fsmkit.engines.parts.things import Tinted, check_things, is_collection
from fsmkit.engines.parts.updates import Frames, Lifetime
from fsmkit.engines.raylib.keys import PolledKeys, is_down, own_key, went_down
from fsmkit.engines.raylib.overlay import Overlay
from fsmkit.sound import Playing, play
from fsmkit.space import Position, components, register_vector
from fsmkit.timing import FixedStep

__all__ = [
    "Held",
    "Overlay",
    "Sprite",
    "attach",
    "send_collisions",
    "send_keys",
    "send_mouse",
]

Drawables: TypeAlias = Any
"""One thing, several, or a function that returns them."""

WorldPoint: TypeAlias = tuple[float, float]


@define(eq=False)
class Sprite(Tinted):
    """A thing to draw once a frame: `position`, `rotation`, `scale`, `color`, `alpha`.

    It shows `texture`, or the part `source` of it, `(x, y, width, height)` in pixels, which may
    change at any time, as for an animation. `size` is the width and height at scale 1, by default
    those of the picture. Without a texture it is a rectangle of that size. ValueError without both.

    Units and axes are raylib's: pixels, x to the right, y down. `position` is the centre, a tuple
    or a Vector2. `rotation` is in degrees from x towards y, so clockwise on the screen, and is
    where the sprite faces; `forward` is where its picture faces unturned: -90 for one that faces
    up. `scale` is a number, or one for the width and one for the height; a negative one mirrors.
    `color` is a tint from 0 to 255, three numbers or four: a tuple such as `pyray.RED`, or a Tint.

    Set `active` to False when it dies: it is no longer drawn or touched, and its machine ends with
    it.

    >>> guard = Sprite(size=(40, 20), position=(100.0, 50.0), forward=-90.0)
    >>> guard.color = pyray.RED
    >>> guard.color, guard.rotation
    ((230, 41, 55, 255), -90.0)
    """

    forward: float = field(default=0.0, kw_only=True)
    texture: Any = None
    position: Position = (0.0, 0.0)
    rotation: float = field(default=Factory(lambda sprite: sprite.forward, takes_self=True))
    scale: Position = 1.0
    _size: Position | None = field(default=None, kw_only=True)
    source: Position | None = field(default=None, kw_only=True)
    active: bool = field(default=True, kw_only=True)

    def __attrs_post_init__(self) -> None:
        if self.texture is None and self._size is None:
            raise ValueError("A Sprite must have a texture or a size, got neither.")

    @property
    def size(self) -> tuple[float, float]:
        """The width and height at scale 1, in pixels."""
        if self._size is not None:
            width, height = components(self._size)
        else:
            _, _, width, height = self._part()
        return width, height

    @size.setter
    def size(self, size: Position) -> None:
        self._size = size

    @property
    def outline(self) -> Outline:
        """The rectangle that it covers, turned and scaled."""
        width, height = (abs(length) for length in self._extent())
        upright = Outline.rectangle(-width / 2, -height / 2, width / 2, height / 2)
        turn = rect(1.0, radians(self.rotation - self.forward))
        return upright.placed(complex(*components(self.position)), turn)

    def draw(self) -> None:
        """Draw it, between `begin_drawing()` and `end_drawing()`, unless it is dead."""
        if not self.active:
            return
        width, height = self._extent()
        x, y = components(self.position)
        place = x, y, abs(width), abs(height)
        middle = abs(width) / 2, abs(height) / 2
        turn = self.rotation - self.forward
        tint = tuple(min(max(round(number), 0), 255) for number in self._shown())
        if self.texture is None:
            pyray.draw_rectangle_pro(place, middle, turn, tint)
        else:
            left, top, wide, high = self._part()
            part = left, top, copysign(wide, width), copysign(high, height)  # less than 0 mirrors
            pyray.draw_texture_pro(self.texture, part, place, middle, turn, tint)

    def __deepcopy__(self, memo: dict[int, Any]) -> Sprite:
        memo[id(self.texture)] = self.texture  # it is in the memory of the graphics card
        twin = memo[id(self)] = copy(self)
        for name in ("position", "scale", "source", "_size"):
            setattr(twin, name, deepcopy(getattr(self, name), memo))
        return twin

    def _part(self) -> tuple[float, ...]:
        if self.source is None:
            return 0.0, 0.0, float(self.texture.width), float(self.texture.height)
        return components(self.source)

    def _extent(self) -> tuple[float, float]:
        """Return its width and height on the screen; a mirrored one is less than 0."""
        x, y = (self.scale,) * 2 if isinstance(self.scale, Real) else components(self.scale)
        width, height = self.size
        return width * float(x), height * float(y)


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
    machines are updated in steps of exactly that many seconds, as many as are due. With a
    `sprite` they are stopped once it is no longer `active`; for a group it may be a function from a
    machine to its own. The call returns the seconds unscaled, for everything else that moves.
    """
    wanted = "sprite must be a Sprite, or a thing that is `active` or not"
    lifetime = Lifetime(machines, sprite, _is_gone, lambda it: hasattr(it, "active"), wanted)
    frames = Frames(machines, max_dt, time, step, lifetime)

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
    whenever its direction has changed; those in `held` are only kept up to date. Without the focus
    nothing is held. Raises ValueError for a key that does not exist.
    """
    return PolledKeys(Keys(machines, pressed, released or {}, held, own_key)).poll


def send_collisions(
    machines: Recipients,
    things: Drawables,
    others: Drawables,
    event: str,
    *,
    ended: str | None = None,
    collided: Callable[[Any, Any], bool] | None = None,
) -> Callable[[], None]:
    """Return a function to call once per frame: it sends `event` when a thing touches another.

    `ended` is sent when it no longer does, also because one of them is gone. `things` and `others`
    are each a sprite, a list of them, which may change, or a function that returns one, for a game
    that rebuilds its lists. The data is the other sprite; for a list of `things` it is the pair,
    unless `machines` is a function from a thing to its own.

    Sprites touch if their turned rectangles overlap. For things of your own, `collided` tells
    whether two of them touch: `lambda a, b: pyray.check_collision_circles(a.position, 9,
    b.position, 9)`. A thing whose `active` is False is gone.
    """
    check_things("send_collisions", *(it for it in (things, others) if not callable(it)))
    is_many = is_collection(_now(things))
    touches = Touches(machines, event, ended, is_many, is_gone=_is_gone)

    def check() -> None:
        ones, twos = _living(things), _living(others)
        touches.update(overlapping(ones, twos, _outline, collided))

    return check


def send_mouse(
    machines: Recipients,
    things: Drawables,
    pressed: str | None = None,
    *,
    released: str | None = None,
    entered: str | None = None,
    left: str | None = None,
    button: Any = "mouse left",
    camera: Any = None,
    hit: Callable[[Any, WorldPoint], bool] | None = None,
) -> Callable[[], None]:
    """Return a function to call once per frame: it sends the events of the mouse on things.

    `entered` and `left` are sent when the mouse enters and leaves a thing, `pressed` and `released`
    for a button, with the thing as data. Of several things under the mouse it is the last one,
    which is drawn on top. `things` are a sprite, a list of them, or a function that returns it;
    `machines` may be a function from a thing to its own.

    `camera` is the Camera2D, if they are drawn with one: a point of the screen becomes one of its
    world. For things of your own, `hit` tells whether a thing is at such a point.
    """
    check_things("send_mouse", *(it for it in (things,) if not callable(it)))
    pointer = Pointer(machines, pressed, released, entered, left)
    source = own_key(button)
    is_held = False

    def is_at(thing: Any, place: WorldPoint) -> bool:
        return complex(*place) in _outline(thing) if hit is None else hit(thing, place)

    def check() -> None:
        nonlocal is_held
        place = _point_of_mouse(camera)
        pointer.point([] if place is None else [it for it in _living(things) if is_at(it, place)])
        if not is_held and went_down(source):
            is_held = True
            pointer.press()
        if is_held and not (is_down(source) and pyray.is_window_focused()):
            is_held = False
            pointer.release()

    return check


def _is_gone(thing: Any) -> bool:
    return not getattr(thing, "active", True)


def _now(things: Drawables) -> Any:
    return things() if callable(things) else things


def _living(things: Drawables) -> list[Any]:
    now = _now(things)
    return [each for each in (now if isinstance(now, Iterable) else (now,)) if not _is_gone(each)]


def _outline(thing: Any) -> Outline:
    try:
        outline: Outline = thing.outline
    except AttributeError:
        raise TypeError(
            f"A thing must be a Sprite, or have an `outline`, got {shown(thing)}. For things of "
            "your own use collided=, for the mouse hit=."
        ) from None
    return outline


def _point_of_mouse(camera: Any) -> WorldPoint | None:
    """Return where the mouse is in the world of the camera; None outside the window."""
    if not pyray.is_cursor_on_screen():
        return None
    place = pyray.get_mouse_position()
    if camera is not None:
        place = pyray.get_screen_to_world_2d(place, camera)
    return place.x, place.y


KINDS: Final[dict[Any, str]] = {
    ffi.typeof(name): name for name in ("Vector2", "Vector3", "Vector4", "Color", "Rectangle")
}
"""The structs that consist of numbers, each with its name."""

STRUCTS: Final = (type(Vector2()), type(Camera2D().target))
"""The types of all structs: of a separate one, and of one inside another."""

SOUND, MUSIC = ffi.typeof("Sound"), ffi.typeof("Music")


def numbers_of(struct: Any) -> tuple[float, ...]:
    """Return the numbers of a vector or a colour; TypeError for another struct of C."""
    kind = ffi.typeof(struct)
    if kind not in KINDS:
        raise TypeError(f"A struct must be a vector or a colour of raylib, got {shown(struct)}.")
    return tuple(float(getattr(struct, name)) for name, _ in kind.fields)


def made_like(struct: Any, numbers: tuple[float, ...]) -> Any:
    return made_of(KINDS[ffi.typeof(struct)], numbers)


def made_of(name: str, numbers: tuple[float, ...]) -> Any:
    """Return a new vector or colour; a colour's numbers become 0 to 255, rounded."""
    if name == "Color":
        numbers = tuple(min(max(round(number), 0), 255) for number in numbers)
    return ffi.new(f"{name} *", numbers)[0]


def taken_apart(struct: Any) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    """Return how `copy` and `pickle` rebuild a struct; TypeError for others, as without this."""
    try:
        return made_of, (KINDS[ffi.typeof(struct)], numbers_of(struct))
    except (KeyError, TypeError):
        raise TypeError(f"cannot pickle {type(struct).__name__!r} object") from None


@define
class PlayingStruct:
    """A Sound or a Music. raylib plays each once at a time: playing it again restarts it.

    As always with raylib, the game calls `update_music_stream` in every frame for a Music.
    """

    sound: Any
    kind: str
    """`sound` or `music_stream`, as in the names of raylib's functions."""
    is_paused: bool = field(default=False, init=False)

    @property
    def is_over(self) -> bool:
        return not (self.is_paused or getattr(pyray, f"is_{self.kind}_playing")(self.sound))

    def stop(self) -> None:
        self.is_paused = False
        self._do("stop")

    def pause(self) -> None:
        if not self.is_over:
            self.is_paused = True
            self._do("pause")

    def resume(self) -> None:
        if self.is_paused:
            self.is_paused = False
            self._do("resume")

    def _do(self, verb: str) -> None:
        getattr(pyray, f"{verb}_{self.kind}")(self.sound)


def play_struct(sound: Any, volume: float = 1.0, loop: bool = False) -> Playing:
    """Play a Sound or a Music of raylib; TypeError for another struct.

    A Sound cannot loop: it ends, and an action that loops it plays it again.
    """
    kind = ffi.typeof(sound)
    if kind is SOUND:
        pyray.set_sound_volume(sound, volume)
        pyray.play_sound(sound)
        return PlayingStruct(sound, "sound")
    if kind is MUSIC:
        sound.looping = loop
        pyray.set_music_volume(sound, volume)
        pyray.play_music_stream(sound)
        return PlayingStruct(sound, "music_stream")
    raise TypeError(f"Of raylib's structs a Sound and a Music can be played, got {shown(sound)}.")


for of_struct in STRUCTS:
    register_vector(of_struct, numbers_of, made_like)
    copyreg.pickle(of_struct, taken_apart)
    play.register(of_struct, play_struct)
