"""The events of a pyglet window, which Arcade's is too: what its keys and the mouse do."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Final, TypeAlias

from attrs import define, field

from fsmkit.core.words.suggestions import did_you_mean
from fsmkit.engines.held import Held
from fsmkit.engines.parts.delivering import Machines
from fsmkit.engines.parts.gamepad import checked_button
from fsmkit.engines.parts.keys import Bindings, Keys
from fsmkit.engines.parts.pointing import Pointing

Handlers: TypeAlias = Mapping[str, Callable[..., None]]
"""The names of a dispatcher's events, and what it calls for them."""

Place: TypeAlias = tuple[float, float]
"""In the window, in its pixels."""

NOT_KEYS: Final = ("MOD_", "MOTION_", "__")
"""How constants begin that stand among the keys and are none."""


def listen(dispatcher: Any, handlers: Handlers) -> Callable[[], None]:
    """Let `dispatcher` call `handlers` too; call the result to stop."""

    def hold_the_level(*_args: Any) -> None:
        """Give the level something that it can be removed by."""

    # pyglet would forget methods that nobody else refers to; a partial is no method
    handlers = {name: partial(handler) for name, handler in handlers.items()}
    dispatcher.push_handlers(**handlers)
    level = {dispatcher.event_types[0]: hold_the_level}
    dispatcher.push_handlers(**level)  # for the game's `@window.event`, which would replace ours

    def stop() -> None:
        dispatcher.remove_handlers(**handlers)
        dispatcher.remove_handlers(**level)

    return stop


def all_of(stops: Iterable[Callable[[], None]]) -> Callable[[], None]:
    """Return one function that calls all of these."""

    def stop() -> None:
        for each in stops:
            each()

    return stop


def key_handlers(keys: Keys) -> dict[str, Callable[..., None]]:
    """Return handlers that hand on the keys and the mouse buttons of a window."""

    def press(key: int, _modifiers: int) -> None:
        keys.press(key)

    def release(key: int, _modifiers: int) -> None:
        keys.release(key)

    def press_button(_x: float, _y: float, button: int, _modifiers: int) -> None:
        keys.press(button)

    def release_button(_x: float, _y: float, button: int, _modifiers: int) -> None:
        keys.release(button)

    return {
        "on_key_press": press,
        "on_key_release": release,
        "on_mouse_press": press_button,
        "on_mouse_release": release_button,
        "on_deactivate": keys.release_all,
    }


def keys_of(
    machines: Machines,
    pressed: Bindings,
    released: Bindings | None,
    held: Held | Iterable[Held],
    constants: Mapping[str, Any],
) -> Keys:
    """Return these keys, by the names in a module of constants; ValueError for one that is none."""
    names = names_of_keys(constants)
    return Keys(machines, pressed, released or {}, held, lambda key: own_key(key, names))


def names_of_keys(constants: Mapping[str, Any]) -> dict[str, int]:
    """Return the keys of a module of constants by their names in small letters.

    >>> names_of_keys({"LEFT": 65361, "_1": 49, "KEY_2": 50, "MOD_SHIFT": 1, "sys": None})
    {'left': 65361, '1': 49, 'key_2': 50, '2': 50}
    """
    names: dict[str, int] = {}
    for name, key in constants.items():
        is_constant = isinstance(key, int) and (name.isupper() or name[1:].isdecimal())
        if is_constant and not name.startswith(NOT_KEYS):
            plain = name.lower().removeprefix("_")
            names[plain] = names[plain.removeprefix("key_")] = key
    return names


def own_key(key: object, names: Mapping[str, int]) -> int | str:
    """Return a key as a window knows it: a number, or the name of a gamepad's button.

    Raises ValueError for a name that no key has, and for anything but text and whole numbers.

    >>> own_key("Page Up", {"pageup": 65365}), own_key("a", {"a": 97}), own_key(" ", {"space": 32})
    (65365, 97, 32)
    """
    if isinstance(key, int) and not isinstance(key, bool):
        return key
    if not isinstance(key, str):
        raise ValueError(f"A key must be a number or a name, got {key!r}.")
    if key.startswith("gamepad"):
        return checked_button(key)
    name = key.lower()
    for spelling in (name, name.replace(" ", "_"), name.replace(" ", "")):
        if spelling in names:
            return names[spelling]
    if len(key) == 1 and ord(name) in names.values():  # such as " " and ","
        return ord(name)
    raise ValueError(
        f"There is no such key as {key!r}. {did_you_mean(key, names)}"
        'Names are those of the constants, such as "left", "space", "lshift", "f1", "a" and "1".'
    )


@define(eq=False)
class Mouse:
    """The mouse of a window, by its events and by frames, as things move under it too."""

    pointing: Pointing
    button: int
    under: Callable[[Place], Sequence[Any]]
    """Returns the things at a place of the window, the uppermost last."""
    place: Place | None = field(default=None, init=False)
    """Where it is; None outside the window."""

    def look(self) -> None:
        """Note what is under it now."""
        self.pointing.point(() if self.place is None else self.under(self.place))

    def drop(self) -> None:
        """Let go of what it has grasped."""
        self.pointing.release()

    def leave(self) -> None:
        """Be nowhere, with nothing grasped."""
        self.drop()
        self.place = None
        self.look()

    def handlers(self) -> dict[str, Callable[..., None]]:
        """Return handlers for the events of the window."""

        def move(x: float, y: float, *_more: Any) -> None:
            self.place = (x, y)
            self.look()

        def press(x: float, y: float, button: int, _modifiers: int) -> None:
            move(x, y)
            if button == self.button:
                self.pointing.press()

        def release(x: float, y: float, button: int, _modifiers: int) -> None:
            move(x, y)
            if button == self.button:
                self.pointing.release()

        def go_out(_x: float, _y: float) -> None:
            self.place = None
            self.look()

        return {
            "on_mouse_motion": move,
            "on_mouse_drag": move,
            "on_mouse_enter": move,
            "on_mouse_leave": go_out,
            "on_mouse_press": press,
            "on_mouse_release": release,
            "on_deactivate": self.drop,
        }
