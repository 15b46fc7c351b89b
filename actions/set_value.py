"""SetValue: write a value into an object or a mapping."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attrs import define, field

from actions.parts import attributes
from actions.parts.finishing import Finishes
from actions.parts.functions import is_parameter
from actions.parts.parameters import Param, value_of


@define(eq=False, repr=False, slots=False)
class SetValue(attributes.WriteAttribute):
    """Set `name` of `target` to `value`, and finish.

    `target` is any object that has the attribute `name`, or a mapping: then `name` is one of its
    keys, or a new one. With `restore_on_exit` the value found on enter is written back when the
    state is exited; a new key is removed. Raises AttributeError on enter for an attribute that does
    not exist.

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
    """

    value: Param[Any] = field(validator=is_parameter)

    @property
    def finishes(self) -> Finishes | None:
        return "at once"

    def write(self) -> None:
        if not isinstance(self.target, Mapping):
            attributes.read(self.target, self.name)  # or a misspelt one would be created silently
        value = value_of(self.value, self)
        if self.restore_on_exit and self.name == "color":
            self.before = attributes.color_to_restore(self.target, value)
        attributes.write(self.target, self.name, value)
        self.finish()
