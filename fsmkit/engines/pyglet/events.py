"""pyglet itself, and the events of its windows and gamepads, which are Arcade's too."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, partial
from logging import getLogger
from typing import Any, Final, TypeAlias

from attrs import define, field

from fsmkit.core.checks.arguments import shown
from fsmkit.core.words.suggestions import did_you_mean
from fsmkit.engines.parts import missing
from fsmkit.engines.parts.delivery import Pointer
from fsmkit.engines.parts.keys import AXES, BUTTONS, GamepadKeys, Keys, checked_button, names_of

try:
    import pyglet
    from pyglet.clock import get_default  # missing in a file of the user's called pyglet.py
except ImportError as error:
    raise missing("pyglet", "pyglet", error) from error

__all__ = ["get_default", "pyglet"]

Handlers: TypeAlias = Mapping[str, Callable[..., object]]
"""The names of a dispatcher's events, and the functions it calls for them."""

WindowPoint: TypeAlias = tuple[float, float]
"""A point of the window, in pixels."""

NOT_KEYS: Final = ("MOD_", "MOTION_", "__")
"""The prefixes of constants that are not keys, in the module of the keys."""

PARTS: Final = {name.replace(" ", ""): name for name in (*BUTTONS, *AXES)}
"""pyglet's name of a part of a gamepad -> ours."""

ARROWS: Final = {
    "dpad left": (-1, 0), "dpad right": (1, 0), "dpad down": (0, -1), "dpad up": (0, 1),
}  # fmt: skip


def only_window(purpose: str) -> Any:
    windows = list(pyglet.app.windows)
    if len(windows) != 1:
        raise ValueError(
            f"There must be one window to {purpose}, got {len(windows)}. Say which one: window=."
        )
    return windows[0]


def listen(dispatcher: Any, handlers: Handlers) -> Callable[[], None]:
    """Let `dispatcher` call `handlers` too; call the result to stop."""

    def hold_the_level(*_args: Any) -> None:
        """Give the level a handler by which it can be removed."""

    # pyglet would forget methods that nothing else refers to; a partial is not a method
    handlers = {name: partial(_call, handler) for name, handler in handlers.items()}
    dispatcher.push_handlers(**handlers)
    level = {dispatcher.event_types[0]: hold_the_level}
    dispatcher.push_handlers(**level)  # or `@window.event` of the game would replace ours

    def stop() -> None:
        dispatcher.remove_handlers(**handlers)
        dispatcher.remove_handlers(**level)

    return stop


def _call(handler: Callable[..., object], *args: Any) -> None:
    handler(*args)  # a result that is true would keep the event from the game


def all_of(stops: Iterable[Callable[[], None]]) -> Callable[[], None]:
    def stop() -> None:
        for each in stops:
            each()

    return stop


def key_handlers(keys: Keys) -> Handlers:
    return {
        "on_key_press": lambda key, _modifiers: keys.press(key),
        "on_key_release": lambda key, _modifiers: keys.release(key),
        "on_mouse_press": lambda _x, _y, button, _modifiers: keys.press(button),
        "on_mouse_release": lambda _x, _y, button, _modifiers: keys.release(button),
        "on_deactivate": keys.release_all,
    }


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

    Raises ValueError for an unknown name, and for anything but a text or an integer.

    >>> own_key("Page Up", {"pageup": 65365}), own_key("a", {"a": 97}), own_key(" ", {"space": 32})
    (65365, 97, 32)
    """
    if isinstance(key, int) and not isinstance(key, bool):
        return key
    if not isinstance(key, str):
        raise ValueError(f"A key must be a number or a name, got {shown(key)}.")
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
    pointer: Pointer
    button: int
    under: Callable[[WindowPoint], Sequence[Any]]
    """Returns the things at a point of the window, the topmost last."""
    place: WindowPoint | None = field(default=None, init=False)
    """None while it is outside the window."""

    def look(self) -> None:
        self.pointer.point(() if self.place is None else self.under(self.place))

    def leave(self) -> None:
        """Release the thing it has grasped, and count as outside the window."""
        self.pointer.release()
        self.go_out()

    def go_out(self, *_place: float) -> None:
        self.place = None
        self.look()

    def handlers(self) -> Handlers:
        def move(x: float, y: float, *_more: Any) -> None:
            self.place = (x, y)
            self.look()

        def click(note: Callable[[], bool], x: float, y: float, button: int, _held: int) -> None:
            move(x, y)
            if button == self.button:
                note()

        return {
            "on_mouse_motion": move,
            "on_mouse_drag": move,
            "on_mouse_enter": move,
            "on_mouse_leave": self.go_out,
            "on_mouse_press": partial(click, self.pointer.press),
            "on_mouse_release": partial(click, self.pointer.release),
            "on_deactivate": self.pointer.release,
        }


@cache
def the_controllers() -> Any:
    """Return pyglet's manager of gamepads; None where pyglet cannot have any."""
    if pyglet.options.headless:
        return None
    try:
        return pyglet.input.ControllerManager()
    except OSError as error:  # as in a container that has no devices
        getLogger("fsmkit").warning("There are no gamepads: pyglet cannot list them: %s", error)
        return None


def listen_to_gamepads(
    keys: Keys, manager: Any = None, counts: Callable[[], bool] = lambda: True
) -> list[Callable[[], None]]:
    """Pass gamepads on to `keys` from now on, if these name any; return functions that stop it.

    `manager` is by default pyglet's own; gamepads count only while `counts` returns True.
    """
    if not keys.on_gamepad:
        return []
    manager = the_controllers() if manager is None else manager
    return [] if manager is None else [Gamepads(keys, counts, manager).start()]


@define(eq=False)
class Gamepads(GamepadKeys):
    manager: Any = None
    _ends: dict[Any, Callable[[], None]] = field(factory=dict, init=False)
    """Controller -> a function that stops listening to it."""

    def start(self) -> Callable[[], None]:
        end = listen(self.manager, {"on_connect": self.connect, "on_disconnect": self.disconnect})
        for controller in self.manager.get_controllers():
            self.connect(controller)

        def stop() -> None:
            end()
            for controller in list(self._ends):
                self._ends.pop(controller)()

        return stop

    def connect(self, controller: Any) -> None:
        if controller in self.numbers:
            return
        number = self.plug_in(controller)
        if not controller.device.is_open:
            controller.open()
        self._ends[controller] = listen(controller, self._handlers(number))

    def disconnect(self, controller: Any) -> None:
        if controller in self.numbers:
            self._ends.pop(controller)()
            self.unplug(controller)

    def press(self, number: int, button: str) -> bool:
        """Press the button for any gamepad too, again if another one holds it."""
        self._down[button].add(number)
        of_any, own = names_of(button, number)
        return self.counts() and any([self.keys.press(of_any), self.keys.press(own)])

    def _handlers(self, number: int) -> Handlers:
        def move_stick(_controller: Any, stick: str, place: Any) -> None:
            self.move(number, f"{PARTS[stick]} x", place.x)
            self.move(number, f"{PARTS[stick]} y", place.y)

        def move_dpad(_controller: Any, place: Any) -> None:
            for arrow, (x, y) in ARROWS.items():
                is_down = x * place.x + y * place.y > 0.5
                if is_down != self.is_down(number, arrow):
                    (self.press if is_down else self.release)(number, arrow)

        return {
            "on_button_press": lambda _pad, button: self.press(number, PARTS[button]),
            "on_button_release": lambda _pad, button: self.release(number, PARTS[button]),
            "on_stick_motion": move_stick,
            "on_trigger_motion": lambda _pad, part, value: self.move(number, PARTS[part], value),
            "on_dpad_motion": move_dpad,
        }
