"""Keys, mouse and gamepads of Ursina as events and as values, and the scripts that it calls."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Mapping
from enum import Enum
from types import SimpleNamespace
from typing import Any, Final

from attrs import define, field
from direct.showbase.DirectObject import DirectObject
from direct.task.TaskManagerGlobal import taskMgr
from panda3d.core import InputDevice
from ursina import Entity, application, destroy, input_handler, mouse
from ursina.input_handler import held_keys

from fsmkit.core.words.suggestions import did_you_mean
from fsmkit.engines.held import Held
from fsmkit.engines.panda3d.collisions import collection, is_removed
from fsmkit.engines.panda3d.keys import is_character, is_on_gamepad, known_names
from fsmkit.engines.panda3d.nodes import when_focus_is_lost
from fsmkit.engines.parts.delivery import Machines, Pointer, Recipients
from fsmkit.engines.parts.keys import Bindings, Keys, names_of

ARROWS: Final[Mapping[str, str]] = {
    name: f"{name} arrow" for name in ("left", "right", "up", "down")
}

RENAMED: Final = re.compile(r"(arrow|page|wheel)_\w+|mouse\d|[lr](shift|control|alt)")
"""Names of Panda3D for which Ursina has others."""


def send_keys(
    machines: Machines,
    pressed: Bindings,
    *,
    released: Bindings | None = None,
    held: Held | Iterable[Held] = (),
    entity: Any = None,
) -> Callable[[], None]:
    """Send the events of `pressed` and `released` when their keys are; call the result to stop.

    Keys have Ursina's names (`"space"`, `"left mouse down"`, in `released` without `" up"`), or are
    its `Keys`; the arrow keys also have the names `"left"`, `"right"`, `"up"` and `"down"`, and
    gamepads those that all engines share (`"gamepad a"`). The key is the event's data. Names that
    were bound with `input_handler.bind` are keys too.

    A `Held` is a key too: it sends its event whenever its direction changes. Those in `held` are
    only kept up to date. When the window loses the focus, all of them are released.

    With an `entity` keys count while it is enabled, and until it is destroyed. They wait while the
    application is paused, unless the entity has `ignore_paused`. Raises ValueError for an unknown
    name, TypeError for one that is not a text.
    """
    keys = Keys(machines, pressed, released or {}, held, own=own_name)
    heard = HeardKeys(keys)
    return add_script(entity, update=heard.update, hear=heard.hear, lose_focus=keys.release_all)


def send_mouse(
    machines: Recipients,
    entities: Any | Container[Any],
    pressed: str | None = None,
    *,
    released: str | None = None,
    entered: str | None = None,
    left: str | None = None,
    button: str = "left mouse down",
) -> Callable[[], None]:
    """Send events when the mouse is used on entities; call the result to stop.

    `pressed` and `released` are sent for `button`, `entered` and `left` when the mouse comes and
    goes; the release is sent for the entity that was pressed, wherever the mouse is then.
    `entities` is an Entity or a collection of them, which may change. They need a collider:
    Ursina's own `mouse.hovered_entity` decides, the user interface before the scene, the nearest
    first.

    The data is the entity. `machines` may be a function from an entity to its machine, None for an
    entity without one. For a single entity it stops when that is destroyed. Raises ValueError for a
    `button` that does not exist.
    """
    name = own_name(button)
    one = entities if isinstance(entities, Entity) else None
    things = entities_of(entities, "send_mouse: entities")
    pointer = Pointer(machines, pressed, released, entered, left)

    def point() -> None:
        entity = mouse.hovered_entity
        is_upon = entity and entity.hovered and entity.enabled  # false once destroyed
        pointer.point([entity] if is_upon and entity in things else [])

    def hear(key: str) -> None:
        if key == name:
            point()
            pointer.press()
        elif key == name.replace(" down", " up"):
            pointer.release()

    return add_script(update=point, hear=hear, lose_focus=pointer.release, ends_with=one)


@define(eq=False)
class HeardKeys:
    keys: Keys
    _down: set[str] = field(factory=set, init=False)
    """Ursina's names of the keys that are held."""
    _axes: dict[str, float] = field(factory=dict, init=False)

    def hear(self, name: str) -> None:
        """Note a key, by the name that scripts hear: one that ends with " up" is released."""
        for own in _shared_names(name):
            if own in self.keys.known:
                if held_keys.get(_held_name(name)):
                    self._down.add(name)
                self.keys.press(own)
        if name.endswith(" up"):
            self._release(name.removesuffix(" up").replace(" mouse", " mouse down"))

    def update(self) -> None:
        """Note unheard changes: of the axes, and of keys while the script did not run."""
        for name in sorted(self._down):
            if not held_keys.get(_held_name(name)):
                self._release(name)
        if self.keys.on_gamepad:
            welcome_new_gamepads()
        for axis in sorted(self.keys.axes):
            values = (value for name, value in held_keys.items() if axis in _shared_names(name))
            now = float(max(values, key=abs, default=0.0))
            if now != self._axes.get(axis, 0.0):
                self._axes[axis] = now
                self.keys.move(axis, now)

    def _release(self, name: str) -> None:
        self._down.discard(name)
        for own in _shared_names(name):
            self.keys.release(own)


def own_name(key: object) -> str:
    """Return Ursina's name of a key; that of a gamepad as it is.

    >>> own_name("left"), own_name("space"), own_name("gamepad a")
    ('left arrow', 'space', 'gamepad a')
    """
    key = key.value if isinstance(key, Enum) else key
    if is_on_gamepad(key, "Ursina"):
        return str(key)
    key = str(key)
    name = ARROWS.get(key, f"{key} down" if key.endswith(" mouse") else key)
    if not (_exists(name) or _exists(name.removesuffix(" up").removesuffix(" hold"))):
        raise ValueError(
            f"send_keys: {key!r} is not a key of Ursina. {did_you_mean(key, _names())}"
            "Names of your own are known once input_handler.bind() has them."
        )
    return name


def _exists(name: str) -> bool:
    return is_character(name) if len(name) == 1 else name in _names()


def _names() -> set[str]:
    own = {str(key.value) for key in input_handler.Keys}
    kept = {name for name in known_names() if not RENAMED.fullmatch(name)}
    bound = {str(name) for names in input_handler.rebinds.values() for name in names}
    return own | kept | bound


def _held_name(name: str) -> str:
    return name.replace(" mouse down", " mouse")


def _shared_names(name: str) -> tuple[str, ...]:
    """Return a name as it is; a gamepad's as all engines have it, for any gamepad and for this one.

    Ursina's second gamepad is `gamepad_1`.
    """
    pad, _, part = name.partition(" ")
    if not part or not pad.startswith("gamepad"):
        return (name,)
    number = pad.removeprefix("gamepad").removeprefix("_")
    return names_of(part, int(number) + 1 if number else 1)


def welcome_new_gamepads() -> None:
    """Have Ursina read the gamepads that are plugged in now: it looks only at the start."""
    base: Any = application.base
    handler: Any = input_handler
    known = list(getattr(handler, "gamepads", ()))
    now = list(base.devices.getDevices(InputDevice.DeviceClass.gamepad))
    if now == known:
        return
    from ursina import gamepad  # here: it needs the game

    for gone in (pad for pad in known if pad not in now):
        base.detachInputDevice(gone)
    for name in [name for name in held_keys if name.startswith("gamepad")]:
        held_keys[name] = 0  # Ursina writes those of connected gamepads
    handler.gamepads = now
    gamepad.connect_all()


def entities_of(things: Any, what: str) -> Any:
    return collection(things, what, Entity, "an Entity")


def add_script(
    entity: Any = None,
    *,
    update: Callable[[], None],
    hear: Callable[[str], None] | None = None,
    lose_focus: Callable[[], object] | None = None,
    ends_with: Any = None,
    at_end: Callable[[], object] = bool,
) -> Callable[[], None]:
    """Add a script to `entity`, or to an entity of its own; the result removes it again.

    Ursina calls `update` in every frame and `hear` for every key, while the entity is enabled;
    `lose_focus` is called when the window loses the focus, whether it is enabled or not.

    The script is also removed when its entity, or the one that it `ends_with`, has been destroyed,
    and then `at_end` is called. That is checked in every frame, since Ursina does not notify
    scripts.
    """
    own: Any = Entity(name="fsmkit", eternal=True) if entity is None else None
    owner: Any = own if entity is None else entity
    mortal = ends_with if entity is None else entity
    script = SimpleNamespace(update=update, input=hear, enabled=True)
    owner.add_script(script)
    task: Any = None
    focus = DirectObject()
    if lose_focus is not None:
        when_focus_is_lost(focus, lose_focus)

    def remove() -> None:
        nonlocal task
        script.enabled = False
        focus.ignoreAll()
        owner.scripts = [other for other in owner.scripts if other is not script]
        if own is not None and not is_removed(own):
            own.eternal = False
            destroy(own)
        if task is not None:
            taskMgr.remove(task)
            task = None  # or it would hold us forever: Python's collector cannot see into it

    def look(task: Any) -> Any:
        if not is_removed(mortal):
            return task.cont
        remove()
        at_end()
        return task.done

    if mortal is not None:
        task = taskMgr.add(look, "fsmkit-destroyed")
    return remove
