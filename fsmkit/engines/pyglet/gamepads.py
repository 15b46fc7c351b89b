"""Gamepads of pyglet, which are Arcade's too: their buttons and axes as keys."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from logging import getLogger
from typing import Any, Final

from attrs import define, field

from fsmkit.engines.parts.gamepad import AXES, BUTTONS, names_of
from fsmkit.engines.parts.keys import Keys
from fsmkit.engines.pyglet.events import listen
from fsmkit.engines.pyglet.package import pyglet

PARTS: Final = {name.replace(" ", ""): name for name in (*BUTTONS, *AXES)}
"""pyglet's name of a part -> ours."""

ARROWS: Final = {
    "dpad left": (-1, 0), "dpad right": (1, 0), "dpad down": (0, -1), "dpad up": (0, 1),
}  # fmt: skip


@cache
def the_controllers() -> Any:
    """Return pyglet's manager of gamepads; None where pyglet can have none."""
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
    """Hand gamepads on to `keys` from now on, if these name any; return what stops that.

    `manager` is by default pyglet's own; `counts` is as for `Gamepads`.
    """
    if not keys.on_gamepad:
        return []
    manager = the_controllers() if manager is None else manager
    return [] if manager is None else [Gamepads(keys, manager, counts).start()]


@define(eq=False)
class Gamepads:
    """Hands on to `keys` what the controllers of a ControllerManager do.

    They are numbered from 1 as they come; a new one takes the lowest number that is free.
    What they do is not handed on while `counts` returns False.
    """

    keys: Keys
    manager: Any
    counts: Callable[[], bool] = field(default=lambda: True)
    _ends: dict[Any, Callable[[], None]] = field(factory=dict, init=False)
    """Controller -> what ends our listening to it."""
    _numbers: dict[Any, int] = field(factory=dict, init=False)
    _down: set[tuple[int, str]] = field(factory=set, init=False)
    """The number of a gamepad and the button that is down."""
    _places: dict[str, dict[int, float]] = field(factory=dict, init=False)
    """Axis -> the number of a gamepad -> where it stands; of all, the one farthest out counts."""

    def start(self) -> Callable[[], None]:
        """Begin to listen; call the result to stop."""
        end = listen(self.manager, {"on_connect": self.connect, "on_disconnect": self.disconnect})
        for controller in self.manager.get_controllers():
            self.connect(controller)

        def stop() -> None:
            end()
            for controller in list(self._ends):
                self._ends.pop(controller)()

        return stop

    def connect(self, controller: Any) -> None:
        """Listen to a controller that has been plugged in."""
        if controller in self._numbers:
            return
        taken = set(self._numbers.values())
        number = next(it for it in range(1, len(taken) + 2) if it not in taken)
        self._numbers[controller] = number
        if not controller.device.is_open:
            controller.open()
        self._ends[controller] = listen(controller, self._handlers(number))

    def disconnect(self, controller: Any) -> None:
        """Release what is held on a controller that has been unplugged."""
        number = self._numbers.pop(controller, None)
        if number is None:
            return
        self._ends.pop(controller)()
        for pad, button in sorted(self._down):
            if pad == number:
                self._release(number, button)
        for axis in AXES:
            self._move(number, axis, 0.0)

    def _handlers(self, number: int) -> dict[str, Callable[..., None]]:
        def press(_controller: Any, button: str) -> None:
            self._press(number, PARTS[button])

        def release(_controller: Any, button: str) -> None:
            self._release(number, PARTS[button])

        def move_stick(_controller: Any, stick: str, place: Any) -> None:
            self._move(number, f"{PARTS[stick]} x", place.x)
            self._move(number, f"{PARTS[stick]} y", place.y)

        def move_trigger(_controller: Any, trigger: str, value: float) -> None:
            self._move(number, PARTS[trigger], value)

        def move_dpad(_controller: Any, place: Any) -> None:
            for arrow, (x, y) in ARROWS.items():
                is_down = x * place.x + y * place.y > 0.5
                if is_down != ((number, arrow) in self._down):
                    (self._press if is_down else self._release)(number, arrow)

        return {
            "on_button_press": press,
            "on_button_release": release,
            "on_stick_motion": move_stick,
            "on_trigger_motion": move_trigger,
            "on_dpad_motion": move_dpad,
        }

    def _press(self, number: int, button: str) -> None:
        self._down.add((number, button))
        if self.counts():
            for name in names_of(button, number):
                self.keys.press(name)

    def _release(self, number: int, button: str) -> None:
        self._down.discard((number, button))
        if self.counts():
            of_any, of_this = names_of(button, number)
            self.keys.release(of_this)
            if all(button != other for _, other in self._down):
                self.keys.release(of_any)

    def _move(self, number: int, axis: str, place: float) -> None:
        places = self._places.setdefault(axis, {})
        places[number] = place
        if self.counts():
            of_any, of_this = names_of(axis, number)
            self.keys.move(of_this, place)
            self.keys.move(of_any, max(places.values(), key=abs))
