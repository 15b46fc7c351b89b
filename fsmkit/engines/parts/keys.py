"""The keys of an engine, and the buttons and axes of its gamepads, as events and as values.

Buttons and axes have the same names in every engine, after an Xbox controller, by their position:
`"gamepad a"` is the lowest of four buttons on any make. It is that of any gamepad, `"gamepad 2 a"`
that of the second one.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, KeysView, Mapping
from itertools import count
from typing import Any, Final, TypeAlias

from attrs import define, field

from fsmkit.core.checks.arguments import shown
from fsmkit.engines.held import Held
from fsmkit.engines.parts.delivery import Machines, check_machines, offer

BUTTONS: Final = {
    "a": ("face_a", "RIGHT_FACE_DOWN"),
    "b": ("face_b", "RIGHT_FACE_RIGHT"),
    "x": ("face_x", "RIGHT_FACE_LEFT"),
    "y": ("face_y", "RIGHT_FACE_UP"),
    "back": ("back", "MIDDLE_LEFT"),
    "start": ("start", "MIDDLE_RIGHT"),
    "guide": ("guide", "MIDDLE"),
    "left shoulder": ("lshoulder", "LEFT_TRIGGER_1"),
    "right shoulder": ("rshoulder", "RIGHT_TRIGGER_1"),
    "left stick": ("lstick", "LEFT_THUMB"),
    "right stick": ("rstick", "RIGHT_THUMB"),
    "dpad up": ("dpad_up", "LEFT_FACE_UP"),
    "dpad down": ("dpad_down", "LEFT_FACE_DOWN"),
    "dpad left": ("dpad_left", "LEFT_FACE_LEFT"),
    "dpad right": ("dpad_right", "LEFT_FACE_RIGHT"),
}
"""Our name, after "gamepad " or "gamepad 1 " -> the names of Panda3D and of raylib.

SDL, and so pygame and pyglet, has our names without the spaces.
"""

AXES: Final = (
    "left stick x", "left stick y", "right stick x", "right stick y",
    "left trigger", "right trigger",
)  # fmt: skip
"""In the order of SDL's numbers.

From -1.0 to 1.0, y in the direction in which the engine's own y grows; triggers from 0.0.
"""


def engine_axis(axis: str) -> str:
    """Return the name of an axis in Panda3D and, in capitals, in raylib.

    >>> engine_axis("left stick x"), engine_axis("left trigger")
    ('left_x', 'left_trigger')
    """
    return axis.replace(" stick", "").replace(" ", "_")


def names_of(part: str, number: int) -> tuple[str, str]:
    """Return the names of a button or axis: for any gamepad, and for that one, numbered from 1.

    >>> names_of("left stick x", 2)
    ('gamepad left stick x', 'gamepad 2 left stick x')
    """
    return f"gamepad {part}", f"gamepad {number} {part}"


def checked_button(name: str) -> str:
    """Return `name` if it is a gamepad's button; ValueError for others.

    >>> checked_button("gamepad 2 dpad up")
    'gamepad 2 dpad up'
    """
    if part_of(name)[1] in AXES:
        raise ValueError(f"{name!r} is an axis: give it to a Held, Held(axis={name!r}).")
    return checked_name(name)


def checked_axis(name: str) -> str:
    """Return `name` if it is a gamepad's axis; ValueError for others.

    >>> checked_axis("gamepad left stick x")
    'gamepad left stick x'
    """
    if part_of(name)[1] in BUTTONS:
        raise ValueError(f"{name!r} is a button, not an axis: give it as a key.")
    return checked_name(name)


def checked_name(name: str) -> str:
    """Return `name` if it is a gamepad's button or axis; ValueError for others."""
    if part_of(name)[1] in (*BUTTONS, *AXES):
        return name
    raise ValueError(
        f"{name!r} is not a button or axis of a gamepad. Buttons: {', '.join(BUTTONS)}; "
        f"axes: {', '.join(AXES)}; each after 'gamepad ', or 'gamepad 2 ' for the second one."
    )


def part_of(name: str) -> tuple[int, str]:
    """Return the gamepad's number, 0 for any, and its button or axis; "" without a gamepad.

    >>> part_of("gamepad 2 dpad up"), part_of("gamepad a"), part_of("space")
    ((2, 'dpad up'), (0, 'a'), (0, ''))
    """
    pad, _, rest = name.partition(" ")
    number, _, part = rest.partition(" ")
    if pad != "gamepad":
        return 0, ""
    return (int(number), part) if number.isdecimal() and number != "0" else (0, rest)


Bindings: TypeAlias = Mapping[Any, str]
"""Keys, or a `Held`, and the events they send."""


def _list_of(held: Held | Iterable[Held]) -> list[Held]:
    every = [held] if isinstance(held, Held) else held
    listed: list[Any] = list(every) if isinstance(every, Iterable) else [every]
    if not all(isinstance(each, Held) for each in listed):
        raise TypeError(
            f"send_keys: held must be a Held or a list of them, got {shown(held)}. "
            "Make one of keys: Held('left', 'right')."
        )
    return listed


@define(eq=False)
class Keys:
    """Sends the events of `pressed` and `released`, and keeps every `Held` up to date.

    A plain key sends its events with itself as data. A `Held` in `pressed` sends its event whenever
    its direction has changed, with that as data; one in `released` when none of its keys is held
    any more. Those in `held` are only kept up to date.

    `own` turns a key as the user may write it into the engine's own, or raises ValueError.
    """

    machines: Machines
    pressed: Bindings
    released: Bindings = field(factory=dict)
    held: list[Held] = field(factory=list, converter=_list_of)
    own: Callable[[Any], Hashable] = field(default=lambda key: key)
    _down: dict[Hashable, tuple[str, Any]] = field(init=False, repr=False)
    _up: dict[Hashable, tuple[str, Any]] = field(init=False, repr=False)
    """Own key -> event and data."""
    _watched: dict[Held, dict[Hashable, Any]] = field(init=False, repr=False)
    """Held -> the engine's own key -> the key as the Held has it."""
    _sent: dict[Held, Any] = field(factory=dict, init=False, repr=False)
    """Held -> the direction last sent."""
    _pressed: dict[Hashable, bool] = field(factory=dict, init=False, repr=False)
    """Own key that is down -> False once it has been released by `release_all`."""

    def __attrs_post_init__(self) -> None:
        check_machines("send_keys", self.machines)
        self._down, self._up = self._plain(self.pressed), self._plain(self.released)
        every = [*self.pressed, *self.released, *self.held]
        helds = [each for each in every if isinstance(each, Held)]
        self._watched = {each: self._by_own(each.values) for each in helds}
        for axis in self.axes:
            checked_axis(axis)

    @property
    def known(self) -> KeysView[Hashable]:
        """The engine's own keys that are bound or belong to a Held, in order."""
        of_helds = (key for keys in self._watched.values() for key in keys)
        return dict.fromkeys((*self._down, *self._up, *of_helds)).keys()

    @property
    def axes(self) -> set[str]:
        return {held.axis for held in self._watched if held.axis is not None}

    @property
    def on_gamepad(self) -> bool:
        names = (key for key in self.known if isinstance(key, str))
        return bool(self.axes) or any(name.startswith("gamepad ") for name in names)

    def press(self, key: Hashable) -> bool:
        if key in self._up:
            self._pressed[key] = True
        return self._change(key, self._down, Held.press)

    def release(self, key: Hashable) -> bool:
        if not self._pressed.pop(key, True):
            return True
        return self._change(key, self._up, Held.release)

    def move(self, axis: str, position: float) -> bool:
        known = [held for held in self._watched if held.move(axis, position)]
        self._send()
        return bool(known)

    def release_all(self) -> None:
        """Note that nothing is held any more, as when the window loses the focus."""
        for held in self._watched:
            held.release_all()
        for key in [key for key, counts in self._pressed.items() if counts]:
            self._pressed[key] = False
            offer(self.machines, *self._up[key])
        self._send()

    def _plain(self, bindings: Bindings) -> dict[Hashable, tuple[str, Any]]:
        _check_bindings(bindings)
        plain = [key for key in bindings if not isinstance(key, Held)]
        return {own: (bindings[key], key) for own, key in self._by_own(plain).items()}

    def _by_own(self, keys: Iterable[Any]) -> dict[Hashable, Any]:
        found: dict[Hashable, Any] = {}
        for key in keys:
            own = self.own(key)
            if own in found:
                raise ValueError(
                    f"send_keys: {found[own]!r} and {key!r} are the same key. Give one of them."
                )
            found[own] = key
        return found

    def _change(
        self,
        key: Hashable,
        events: Mapping[Hashable, tuple[str, Any]],
        note: Callable[[Held, Hashable], bool],
    ) -> bool:
        known = [note(held, keys[key]) for held, keys in self._watched.items() if key in keys]
        if key in events:
            offer(self.machines, *events[key])
        self._send()
        return key in events or bool(known)

    def _send(self) -> None:
        for held in self._watched:
            before, now = self._sent.get(held, held.at_rest), held.direction
            if now == before:
                continue
            self._sent[held] = now
            event = (self.released if held.newest is None else self.pressed).get(held)
            if event is not None:
                offer(self.machines, event, now)


@define(eq=False)
class GamepadKeys:
    """The gamepads that are plugged in, numbered from 1, as they are held: `keys` gets the changes.

    A new gamepad gets the lowest free number. A name without a number stands for all of them: it
    goes down with the first button and up with the last, and the stick furthest from its middle
    counts. While `counts` returns False changes are only noted.
    """

    keys: Keys
    counts: Callable[[], bool] = field(default=lambda: True)
    numbers: dict[Any, int] = field(factory=dict, init=False)
    """Gamepad -> its number."""
    _down: dict[str, set[int]] = field(init=False)
    _positions: dict[str, dict[int, float]] = field(init=False)

    def __attrs_post_init__(self) -> None:
        self._down = {button: set() for button in BUTTONS}
        self._positions = {axis: {} for axis in AXES}

    def plug_in(self, pad: Any) -> int:
        taken = self.numbers.values()
        return self.numbers.setdefault(pad, next(it for it in count(1) if it not in taken))

    def unplug(self, pad: Any) -> None:
        number = self.numbers.pop(pad)
        for button in BUTTONS:
            self.release(number, button)
        for axis in AXES:
            self.move(number, axis, 0.0)

    def is_down(self, number: int, button: str) -> bool:
        return number in self._down[button]

    def position(self, number: int, axis: str) -> float:
        return self._positions[axis].get(number, 0.0)

    def press(self, number: int, button: str) -> bool:
        down = self._down[button]
        of_any, own = names_of(button, number)
        is_first = not down
        down.add(number)
        return self.counts() and any([self.keys.press(own), is_first and self.keys.press(of_any)])

    def release(self, number: int, button: str) -> bool:
        down = self._down[button]
        if number not in down:
            return False
        of_any, own = names_of(button, number)
        down.remove(number)
        is_last = not down
        return self.counts() and any(
            [self.keys.release(own), is_last and self.keys.release(of_any)]
        )

    def move(self, number: int, axis: str, position: float) -> bool:
        positions = self._positions[axis]
        of_any, own = names_of(axis, number)
        positions[number] = position
        furthest = max(positions.values(), key=abs)
        move = self.keys.move
        return self.counts() and any([move(own, position), move(of_any, furthest)])


def _check_bindings(bindings: object) -> None:
    if not isinstance(bindings, Mapping):
        raise TypeError(
            "send_keys: keys must be a mapping from keys to events, such as "
            f"{{'space': 'JUMP'}}, got {shown(bindings)}. A Held that sends nothing is for held=."
        )
    for key, event in bindings.items():
        if not isinstance(event, str):
            raise TypeError(f"send_keys: the event of {key!r} must be a str, got {shown(event)}.")
