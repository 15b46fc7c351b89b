"""Panda3D as the laws of all engines want it; see laws.py."""
# ruff: noqa: N802  # a stand-in has the names of the engine

from collections.abc import Callable, Mapping, Sequence
from types import SimpleNamespace
from typing import Any

from direct.showbase.MessengerGlobal import messenger
from panda3d.core import (
    CardMaker,
    CollisionNode,
    CollisionSphere,
    GamepadButton,
    InputDevice,
    Point2,
    Point3,
    WindowProperties,
)

from fsmkit import Fsm, FsmGroup
from fsmkit.engines.panda3d import NodeTransform, attach, send_collisions, send_keys, send_mouse

Stop = Callable[[], object]


class Pad:
    """A gamepad, which Panda3D cannot simulate."""

    def __init__(self) -> None:
        self.axes: dict[str, float] = {}
        self.buttons: set[str] = set()
        self.polled = 0

    def findAxis(self, axis: Any) -> Any:
        return SimpleNamespace(value=self.axes.get(axis.name, 0.0))

    def findButton(self, button: Any) -> Any:
        return SimpleNamespace(pressed=button.name in self.buttons)

    def poll(self) -> None:
        self.polled += 1

    def getButtonEvents(self) -> None:
        pass


class Devices:
    """The devices of the game, in the place of the InputDeviceManager."""

    def __init__(self, *pads: Pad) -> None:
        self.pads = list(pads)

    def getDevices(self, kind: Any) -> list[Pad]:
        return self.pads if kind == InputDevice.DeviceClass.gamepad else []

    def update(self) -> None:
        """Do nothing: the game asks for it in every frame."""


class Rig:
    """Panda3D without a window, and a stand-in for its mouse and its gamepad."""

    thing_option = "node"
    left, right = "arrow_left", "arrow_right"
    has_lifetimes = goes_on_after_errors = True
    can_be_written_when_gone = False
    has_mouse = True
    has_gamepad = True

    def __init__(self, base: Any, scene: Any, monkeypatch: Any) -> None:
        self.base, self.scene, self.pad = base, scene, Pad()
        self.monkeypatch = monkeypatch
        self.mouse = Point2(9.0, 9.0)
        self.stops: list[Stop] = []
        self.has_window = False
        monkeypatch.setattr(base, "devices", Devices(self.pad))

    def thing(self, position: Sequence[float]) -> Any:
        thing = self.scene.attachNewNode(CollisionNode("thing"))
        thing.node().addSolid(CollisionSphere(0, 0, 0, 10))
        card = CardMaker("card")
        card.setFrame(-10, 10, -10, 10)
        thing.attachNewNode(card.generate()).setP(-90)
        thing.setPos(*position, 0)
        return thing

    def transform(self, thing: Any) -> Any:
        return NodeTransform(thing, axes="xy")

    def group(self, *things: Any) -> Any:
        return list(things)

    def kill(self, thing: Any) -> None:
        thing.removeNode()

    def attach(self, machines: Fsm[Any] | FsmGroup, **options: Any) -> Stop:
        return self._kept(attach(machines, **options))

    def send_keys(self, machines: Any, pressed: Mapping[Any, str], **options: Any) -> Stop:
        return self._kept(send_keys(machines, pressed, **options))

    def send_collisions(
        self, machines: Any, things: Any, others: Any, event: str, **options: Any
    ) -> Stop:
        return self._kept(send_collisions(machines, things, others, event, **options))

    def send_mouse(self, machines: Any, things: Any, **events: Any) -> Stop:
        self.base.openMainWindow(type="offscreen")
        self.has_window = True
        self.base.camera.setPosHpr(200, 150, 1000, 0, -90, 0)
        watcher = SimpleNamespace(
            hasMouse=lambda: True,
            getMouseX=lambda: self.mouse.x,
            getMouseY=lambda: self.mouse.y,
        )
        self.monkeypatch.setattr(self.base, "mouseWatcherNode", watcher)
        return self._kept(send_mouse(machines, things, **events))

    def press(self, key: Any) -> None:
        messenger.send(key)

    def release(self, key: Any) -> None:
        messenger.send(f"{key}-up")

    def lose_focus(self) -> None:
        properties = WindowProperties.size(64, 64)
        properties.setForeground(False)
        window = SimpleNamespace(getProperties=lambda: properties)
        self.base.ignore("window-event")  # it would close the game with this window
        with self.monkeypatch.context() as patch:
            patch.setattr(self.base, "win", window)
            messenger.send("window-event", [window])
        self.base.accept("window-event", self.base.windowEvent)

    def move_axis(self, axis: str, position: float) -> None:
        self.pad.axes[axis.replace(" stick", "").replace(" ", "_")] = position

    def press_button(self, button: str) -> None:
        self.pad.buttons.add({"a": GamepadButton.faceA()}[button].name)

    def point(self, position: Sequence[float]) -> None:
        seen = self.base.cam.getRelativePoint(self.base.render, Point3(*position, 0))
        assert self.base.camLens.project(seen, self.mouse)

    def click(self) -> None:
        self.press_mouse()
        messenger.send("mouse1-up")

    def press_mouse(self) -> None:
        messenger.send("mouse1")

    def forget(self) -> None:
        self.stops.clear()

    def frames(self, count: int = 1) -> None:
        for _ in range(count):
            self.base.taskMgr.step()

    def end(self) -> None:
        """Stop whatever was started."""
        for stop in reversed(self.stops):
            stop()
        if self.has_window:
            self.base.closeWindow(self.base.win)

    def _kept(self, stop: Stop) -> Stop:
        self.stops.append(stop)
        return stop
