"""A gamepad that nobody has plugged in: pyglet's own controller over a device that a test moves."""

import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import pyglet

# pyglet.input as a whole cannot be imported without a screen, this part of it can.
_PATH = Path(pyglet.__file__).parent / "input" / "base.py"
_SPEC = spec_from_file_location("pyglet_input_base", _PATH)
assert _SPEC is not None
assert _SPEC.loader is not None
base = module_from_spec(_SPEC)
sys.modules["pyglet_input_base"] = base
_SPEC.loader.exec_module(base)

BUTTONS = ("a", "b", "x", "y", "back", "start", "guide", "leftshoulder", "rightshoulder",
           "leftstick", "rightstick")  # fmt: skip
AXES = ("leftx", "lefty", "rightx", "righty", "lefttrigger", "righttrigger")


class Relation:
    """As in the mapping of a controller: which of the device's controls a part is."""

    def __init__(self, control_type: str, index: int) -> None:
        self.control_type, self.index, self.sign = control_type, index, base.Sign.DEFAULT


class Device(base.Device):  # type: ignore[misc, name-defined]
    """A device with the controls of an Xbox controller, whose y grows downwards."""

    connected = True

    def __init__(self) -> None:
        super().__init__(None, "Fake")
        self.buttons = {name: base.Button(name) for name in BUTTONS}
        self.axes = {name: base.AbsoluteAxis(name, -1000, 1000) for name in AXES}
        for trigger in AXES[-2:]:
            self.axes[trigger].min = 0
        self.hat = [base.AbsoluteAxis(name, -1, 1) for name in ("hat_x", "hat_y")]

    def get_controls(self) -> list[Any]:
        return [*self.buttons.values(), *self.axes.values(), *self.hat]


def controller() -> Any:
    """Return a controller that is not open yet."""
    mapping: dict[str, Any] = {"name": "Fake", "guid": "0"}
    mapping |= {name: Relation("button", index) for index, name in enumerate(BUTTONS)}
    mapping |= {name: Relation("axis", index) for index, name in enumerate(AXES)}
    mapping |= {"dpup": Relation("hat0", 1), "dpright": Relation("hat0", 2)}
    return base.Controller(Device(), mapping)


class Manager(base.ControllerManager):  # type: ignore[misc, name-defined]
    """A manager whose controllers a test plugs in and out."""

    def __init__(self, *controllers: Any) -> None:
        self.controllers = list(controllers)

    def get_controllers(self) -> list[Any]:
        return self.controllers

    def plug_in(self, controller: Any) -> None:
        self.controllers.append(controller)
        self.dispatch_event("on_connect", controller)

    def unplug(self, controller: Any) -> None:
        self.controllers.remove(controller)
        self.dispatch_event("on_disconnect", controller)
