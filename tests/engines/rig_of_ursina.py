"""Ursina as the laws of all engines want it; see laws.py. It owns its process."""

from collections.abc import Callable, Mapping, Sequence
from types import SimpleNamespace
from typing import Any

import laws
from direct.showbase.MessengerGlobal import messenger
from panda3d.core import WindowProperties
from ursina import Entity, destroy, mouse
from ursina.input_handler import held_keys

from fsmkit import Fsm, FsmGroup
from fsmkit.engines.ursina import EntityTransform, attach, send_collisions, send_keys, send_mouse

Stop = Callable[[], object]


class Rig:
    """Ursina without a window; what the mouse and the gamepad do is written where Ursina would."""

    thing_option = "entity"
    left, right = "left arrow", "right arrow"
    has_lifetimes = goes_on_after_errors = True
    can_be_written_when_gone = False
    has_mouse = True
    has_gamepad = True

    def __init__(self, app: Any) -> None:
        self.app = app
        self.things: list[Any] = []
        self.stops: list[Stop] = []

    def thing(self, position: Sequence[float]) -> Any:
        thing = Entity(model="cube", collider="box", scale=20, x=position[0], y=position[1])
        self.things.append(thing)
        return thing

    def transform(self, thing: Any) -> Any:
        return EntityTransform(thing, axes="xy")

    def group(self, *things: Any) -> Any:
        return list(things)

    def kill(self, thing: Any) -> None:
        destroy(thing)

    def attach(self, machines: Fsm[Any] | FsmGroup, **options: Any) -> Stop:
        return self._kept(attach(machines, **options))

    def send_keys(self, machines: Any, pressed: Mapping[Any, str], **options: Any) -> Stop:
        return self._kept(send_keys(machines, pressed, **options))

    def send_collisions(
        self, machines: Any, things: Any, others: Any, event: str, **options: Any
    ) -> Stop:
        return self._kept(send_collisions(machines, things, others, event, **options))

    def send_mouse(self, machines: Any, things: Any, **events: Any) -> Stop:
        return self._kept(send_mouse(machines, things, **events))

    def press(self, key: Any) -> None:
        self.app.input(key)

    def release(self, key: Any) -> None:
        self.app.input_up(key)

    def lose_focus(self) -> None:
        properties = WindowProperties.size(64, 64)
        properties.setForeground(False)
        window = SimpleNamespace(getProperties=lambda: properties, isValid=lambda: False)
        self.app.ignore("window-event")  # it would close the game with this window
        before, self.app.win = self.app.win, window
        messenger.send("window-event", [window])
        self.app.win = before
        self.app.accept("window-event", self.app.windowEvent)

    def move_axis(self, axis: str, position: float) -> None:
        held: Any = held_keys
        held[f"gamepad {axis}"] = position

    def press_button(self, button: str) -> None:
        self.app.input(f"gamepad {button}")

    def point(self, position: Sequence[float]) -> None:
        for thing in self.things:
            thing.hovered = tuple(thing.position)[:2] == tuple(position)
            if thing.hovered:
                mouse.hovered_entity = thing

    def click(self) -> None:
        self.press_mouse()
        self.app.input_up("mouse1")

    def press_mouse(self) -> None:
        self.app.input("mouse1")

    def forget(self) -> None:
        self.stops.clear()
        self.things.clear()

    def frames(self, count: int = 1) -> None:
        for _ in range(count):
            self.app.step()

    def end(self) -> None:
        """Stop whatever was started."""
        for stop in self.stops:
            stop()
        held_keys.clear()
        mouse.hovered_entity = None

    def _kept(self, stop: Stop) -> Stop:
        self.stops.append(stop)
        return stop


def obey(app: Any, law: str) -> None:
    """Run the law of that name."""
    rig = Rig(app)
    try:
        next(each for each in laws.LAWS if each.__name__ == law)(rig)
    finally:
        rig.end()
