"""Keys, mouse buttons and gamepads of Panda3D, as events and as values."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterable, Mapping
from itertools import product
from typing import Any, Final

from attrs import define, field
from direct.showbase.DirectObject import DirectObject
from direct.task.TaskManagerGlobal import taskMgr
from panda3d.core import ButtonHandle, ButtonRegistry, InputDevice, StringStream

from fsmkit.core.checks.arguments import shown
from fsmkit.core.words.suggestions import did_you_mean
from fsmkit.engines.held import Held
from fsmkit.engines.panda3d.nodes import game, when_focus_is_lost
from fsmkit.engines.parts.delivery import Machines
from fsmkit.engines.parts.keys import (
    AXES,
    BUTTONS,
    Bindings,
    GamepadKeys,
    Keys,
    checked_button,
    engine_axis,
    part_of,
)

MODIFIERS: Final = ("shift-", "control-", "alt-", "meta-")
"""Prefixes of a key that is pressed while these are held, in this order."""

COMBINATIONS: Final = tuple("".join(held) for held in product(*(("", each) for each in MODIFIERS)))

ARROWS: Final[Mapping[str, str]] = {
    name: f"arrow_{name}" for name in ("left", "right", "up", "down")
}


def send_keys(
    machines: Machines,
    pressed: Bindings,
    *,
    released: Bindings | None = None,
    held: Held | Iterable[Held] = (),
) -> Callable[[], None]:
    """Send the events of `pressed` and `released` when their keys are; call the result to stop.

    Keys have Panda3D's names (`"space"`, `"mouse1"`), the arrow keys also `"left"`, `"right"`,
    `"up"` and `"down"`, and gamepads the names that all engines share (`"gamepad a"`); the name is
    the event's data. Modifiers do not matter, unless a combination with them (`"shift-w"`) is bound
    too.

    A `Held` is a key too: it sends its event whenever its direction changes. Those in `held` are
    only kept up to date. When the window loses the focus, all of them are released.

    Raises ValueError for an unknown name, TypeError for one that is not a text.
    """
    keys = Keys(machines, pressed, released or {}, held, own=own_name)
    listener = DirectObject()
    _listen(listener, keys)
    when_focus_is_lost(listener, keys.release_all)
    stop_reading = read_gamepads(keys)

    def stop() -> None:
        listener.ignoreAll()
        stop_reading()

    return stop


def read_gamepads(keys: Keys) -> Callable[[], None]:
    if not keys.on_gamepad:
        return lambda: None
    gamepads = Gamepads(keys)
    game(", gamepads are read from it")

    def read(task: Any) -> Any:
        gamepads.update(game())
        return task.cont

    task = taskMgr.add(read, "fsmkit-gamepads", sort=-1)  # before the events of keys
    return lambda: taskMgr.remove(task)


def own_name(key: object) -> str:
    """Return Panda3D's name of a key; that of a gamepad as it is.

    >>> own_name("left"), own_name("control-shift-w"), own_name("gamepad a")
    ('arrow_left', 'shift-control-w', 'gamepad a')
    """
    if is_on_gamepad(key, "Panda3D"):
        return str(key)
    modifiers, name = _parted(str(key))
    name = ARROWS.get(name, name)
    if not _exists(name):
        raise ValueError(
            f"send_keys: {key!r} is not a key of Panda3D. {did_you_mean(name, known_names())}"
            "For an event that is not a key: listener.accept(name, fsm.offer_event, ['EVENT'])."
        )
    return modifiers + name


def is_on_gamepad(key: object, engine: str) -> bool:
    """Return True for a gamepad's button; TypeError unless it is a text, ValueError for an axis."""
    if not isinstance(key, str):
        wanted = f"a name of {engine}, such as 'space', or a Held"
        raise TypeError(f"send_keys: a key must be {wanted}, got {shown(key)}.")
    return key.startswith("gamepad ") and bool(checked_button(key))


def is_character(name: str) -> bool:
    """Return True for a key with the name of its character; capitals are sent as shift and key."""
    return len(name) == 1 and name.isprintable() and not name.isupper()


def _parted(key: str) -> tuple[str, str]:
    """Return the modifiers before a key, in Panda3D's order, and the key."""
    held = set[str]()
    while modifier := next((each for each in MODIFIERS if key.startswith(each)), None):
        held.add(modifier)
        key = key.removeprefix(modifier)
    return "".join(each for each in MODIFIERS if each in held), key


def _exists(name: str) -> bool:
    if len(name) == 1:
        return is_character(name)
    if ButtonRegistry.ptr().findButton(name.removeprefix("raw-")) != ButtonHandle.none():
        return True
    return any(name.startswith(prefix) for prefix in _prefixes_of_devices())


def _prefixes_of_devices() -> set[str]:
    """Return the prefixes that the game gave to buttons by attachInputDevice()."""
    base: Any = getattr(builtins, "base", None)
    throwers = [*(base.buttonThrowers or ()), *base.deviceButtonThrowers] if base else []
    return {prefix for thrower in throwers if (prefix := thrower.node().getPrefix())}


def known_names() -> set[str]:
    """Return the names of all keys; Panda3D lists them: `20 space`, `ralt (alias alt)`."""
    listed = StringStream()
    ButtonRegistry.ptr().write(listed)
    names = {word for line in listed.getData().decode().splitlines() for word in line.split()[:2]}
    return {*ARROWS, *(name for name in names if name.islower() and len(name) > 1)}


def _listen(listener: DirectObject, keys: Keys) -> None:
    """Accept the events of all keys: every combination for a press, the bare name for a release."""
    names = [name for name in sorted(map(str, keys.known)) if not name.startswith("gamepad ")]
    down = set[str]()

    def press(name: str) -> None:
        down.add(name)
        keys.press(name)

    def release(name: str) -> None:
        for each in names:
            modifiers, bare = _parted(each)
            if bare == name and (not modifiers or each in down):
                down.discard(each)
                keys.release(each)

    for name in names:
        modifiers, bare = _parted(name)
        others = () if modifiers else COMBINATIONS
        for combination in {name, *(held + bare for held in others)} - ({*names} - {name}):
            listener.accept(combination, press, [name])
        listener.accept(f"{bare}-up", release, [bare])


@define(eq=False)
class Gamepads(GamepadKeys):
    _parts: list[str] = field(init=False)

    def __attrs_post_init__(self) -> None:
        super().__attrs_post_init__()
        parts = (part_of(str(name))[1] for name in {*self.keys.known, *self.keys.axes})
        self._parts = sorted({part for part in parts if part})

    def update(self, game: Any) -> None:
        connected = list(game.devices.getDevices(InputDevice.DeviceClass.gamepad))
        for pad in [pad for pad in self.numbers if pad not in connected]:
            self.unplug(pad)
        for pad in connected:
            number = self.plug_in(pad)
            _poll(pad, game.dataRoot)
            for part in self._parts:
                self._read(pad, number, part)

    def _read(self, pad: Any, number: int, part: str) -> None:
        if part in AXES:
            position = float(pad.findAxis(InputDevice.Axis[engine_axis(part)]).value)
            if position != self.position(number, part):
                self.move(number, part, position)
        else:
            is_down = pad.findButton(ButtonHandle(BUTTONS[part][0])).pressed
            if is_down != self.is_down(number, part):
                (self.press if is_down else self.release)(number, part)


def _poll(pad: Any, data_root: Any) -> None:
    """Read a gamepad, unless the data graph does, which must then get all its events."""
    nodes = data_root.findAllMatches("**/+InputDeviceNode")
    if not any(path.node().device == pad for path in nodes):
        pad.poll()
        pad.getButtonEvents()
