"""SetValue: write a value into an object or a mapping."""

from __future__ import annotations

from typing import Any

from attrs import field

from actions.definition import define_action
from actions.parts import attributes
from actions.parts.declarations import Finishes
from actions.parts.parameters import Param, is_parameter, value_of
from actions.parts.validators import is_flag


@define_action
class SetValue(attributes.WriteAttribute):
    """Set `name` of `target` to `value`, and finish; with `every_update` keep setting it.

    `target` is any object that has the attribute `name`, or a mapping: then `name` is one of its
    keys, or a new one. `value` may be a function. With `every_update` it is called, and its result
    is written, on enter and in every update as long as the state lasts: the action never finishes,
    and in the `background` it does not hold back the state's `FINISHED`.

    With `restore_on_exit` the value found on enter is restored when the state is exited; a new key
    is removed. Raises AttributeError on enter for an attribute that does not exist.

    >>> from fsmkit import Fsm
    >>> guard = {"speed": 1.0}
    >>> fsm = Fsm("Guard")
    >>> _ = fsm.add_state("Run").add_action(SetValue(guard, "speed", 3.0, restore_on_exit=True))
    >>> fsm.start()
    >>> guard
    {'speed': 3.0}
    >>> fsm.stop()
    >>> guard
    {'speed': 1.0}

    A thruster that keeps pushing towards the mouse, and leaves the ship at rest:

    >>> ship, mouse = {"velocity": 0.0}, [3.0]
    >>> push = SetValue(
    ...     ship, "velocity", lambda: mouse[0] * 2, every_update=True, restore_on_exit=True
    ... )
    >>> fsm = Fsm("Ship")
    >>> _ = fsm.add_state("Fly").add_action(push)
    >>> fsm.start()
    >>> mouse[0] = -1.0
    >>> fsm.update(1 / 60)
    >>> ship
    {'velocity': -2.0}
    >>> fsm.stop()
    >>> ship
    {'velocity': 0.0}
    """

    value: Param[Any] = field(validator=is_parameter)
    every_update: bool = field(default=False, kw_only=True, validator=is_flag)
    background: bool = field(default=False, kw_only=True, validator=is_flag)

    @property
    def finishes(self) -> Finishes | None:
        return "never" if self.every_update else "at once"

    def write(self) -> None:
        if not attributes.is_mapping(self.target):
            # Otherwise a misspelt one would be created silently.
            attributes.read(self.target, self.name)
        self.on_update()
        if not self.every_update:
            self.finish()

    def on_update(self) -> None:
        value = value_of(self.value, self)
        if self.name == "color":
            value = attributes.with_own_alpha(self.target, value)
            if self.restore_on_exit:
                self.before = attributes.color_to_restore(self.before, self.target, value)
        attributes.write(self.target, self.name, value)
