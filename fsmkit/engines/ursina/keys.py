"""Keys, mouse buttons and gamepads of Ursina, as events and as values."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from typing import Any, Final

from attrs import define, field
from ursina import input_handler
from ursina.input_handler import held_keys

from fsmkit.core.words.suggestions import did_you_mean
from fsmkit.engines.held import Held
from fsmkit.engines.panda3d.keys import known_names
from fsmkit.engines.parts.delivering import Machines
from fsmkit.engines.parts.gamepad import checked_button, names_of
from fsmkit.engines.parts.keys import Bindings, Keys
from fsmkit.engines.ursina.gamepads import value_of_axis, welcome_new_gamepads
from fsmkit.engines.ursina.scripts import Script, add_script

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
    gamepads those that all engines share (`"gamepad a"`). The key is the event's data. What was
    bound with `input_handler.bind` is a key too.

    A `Held` is a key too: it sends its event whenever its direction changes. Those in `held` are
    only kept up to date. When the window loses the focus, all of them are released.

    With an `entity` keys count while it is enabled, and until it is destroyed. They wait while the
    application is paused, unless the entity has `ignore_paused`. Raises ValueError for a name that
    no key has, TypeError for one that is no text.
    """
    keys = Keys(machines, pressed, released or {}, held, own=own_name)
    hearing = Hearing(keys)
    return add_script(Script(hearing.update, hearing.hear, keys.release_all), entity)


@define(eq=False)
class Hearing:
    """Tells `keys` what Ursina tells its scripts."""

    keys: Keys
    _down: set[str] = field(factory=set, init=False)
    """The names under which Ursina has the keys that are held."""
    _axes: dict[str, float] = field(factory=dict, init=False)

    def hear(self, name: str) -> None:
        """Note a key, by the name that scripts hear: with " up" at the end it is released."""
        for own in _shared_names(name):
            if own in self.keys.known:
                if held_keys.get(_held_name(name)):
                    self._down.add(name)
                self.keys.press(own)
        if name.endswith(" up"):
            self._release(name.removesuffix(" up").replace(" mouse", " mouse down"))

    def update(self) -> None:
        """Note what has changed without being heard: the axes, and keys while nobody listened."""
        for name in sorted(self._down):
            if not held_keys.get(_held_name(name)):
                self._release(name)
        if self.keys.on_gamepad:
            welcome_new_gamepads()
        for axis in sorted(self.keys.axes):
            now = value_of_axis(axis)
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
    if not isinstance(key, str):
        raise TypeError(
            f"send_keys: a key must be a name of Ursina, such as 'space', or a Held, got {key!r}."
        )
    if key.startswith("gamepad "):
        return checked_button(key)
    name = ARROWS.get(key, f"{key} down" if key.endswith(" mouse") else key)
    if not (_exists(name) or _exists(name.removesuffix(" up").removesuffix(" hold"))):
        raise ValueError(
            f"send_keys: {key!r} is no key of Ursina. {did_you_mean(key, _names())}"
            "Names of your own are known once input_handler.bind() has them."
        )
    return name


def _exists(name: str) -> bool:
    if len(name) == 1:
        return name.isprintable() and not name.isupper()  # Ursina has small letters only
    return name in _names()


def _names() -> set[str]:
    """Return all names of keys: Ursina's own, those of Panda3D that it keeps, those bound."""
    own = {str(key.value) for key in input_handler.Keys}
    kept = {name for name in known_names() if not RENAMED.fullmatch(name)}
    bound = {str(name) for names in input_handler.rebinds.values() for name in names}
    return own | kept | bound


def _held_name(name: str) -> str:
    """Return the name under which Ursina keeps a key that is held."""
    return name.replace(" mouse down", " mouse")


def _shared_names(name: str) -> tuple[str, ...]:
    """Return a name as it is; those of a gamepad as all engines have them.

    Ursina's second gamepad is `gamepad_1`.
    """
    pad, _, part = name.partition(" ")
    if not part or not pad.startswith("gamepad"):
        return (name,)
    number = pad.removeprefix("gamepad").removeprefix("_")
    return names_of(part, int(number) + 1 if number else 1)
