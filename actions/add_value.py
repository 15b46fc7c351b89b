"""AddValue: add to a value of an object or a mapping, once or steadily."""

from __future__ import annotations

from typing import Any

from attrs import field

from actions.definition import define_action
from actions.parts import attributes
from actions.parts.declarations import Finishes
from actions.parts.parameters import Param, is_parameter, value_of
from actions.parts.validators import is_flag, is_time_reference
from fsmkit import TimeReference


@define_action
class AddValue(attributes.WriteAttribute):
    """Add `amount` to `name` of `target`, and finish; with `per_second` never finish.

    `target` is any object that has the attribute `name`, or a mapping that has the key. `amount` is
    a number or anything that can be added, or a function that is called on enter. With `per_second`
    it adds `amount` per second of `time`, a part of it in every update. With `restore_on_exit` the
    value found on enter is restored when the state is exited. Raises AttributeError or KeyError on
    enter if there is nothing to add to.

    >>> from fsmkit import Fsm
    >>> hero = {"health": 50.0}
    >>> fsm = Fsm("Hero")
    >>> _ = fsm.add_state("Rest").add_action(AddValue(hero, "health", 4.0, per_second=True))
    >>> fsm.start()
    >>> fsm.update(0.5)
    >>> hero
    {'health': 52.0}
    """

    amount: Param[Any] = field(validator=is_parameter)
    per_second: bool = field(default=False, kw_only=True, validator=is_flag)
    time: TimeReference | None = field(default=None, kw_only=True, validator=is_time_reference)
    rate: Any = field(default=None, init=False)
    """The amount of this visit, as evaluated on enter."""

    @property
    def finishes(self) -> Finishes | None:
        return "never" if self.per_second else "at once"

    def write(self) -> None:
        amount = self.amount
        self.rate = value_of(amount, self) if callable(amount) else amount
        value = attributes.read(self.target, self.name)
        if self.per_second:
            _ = value + self.rate * 0.0  # raises now rather than in the first update
        else:
            attributes.write(self.target, self.name, value + self.rate)
            self.finish()

    def check_remembered(self) -> None:
        """Raise an error if what it remembers does not fit."""
        if self.per_second:
            _ = self.rate * 0.0

    def on_update(self) -> None:
        time, seconds = self.time, self._fsmkit_fsm.delta_time  # as in TimedAction
        more = self.rate * (seconds if time is None else time.scaled(seconds))
        attributes.write(self.target, self.name, attributes.read(self.target, self.name) + more)
