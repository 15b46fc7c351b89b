"""Toggle: flip a truth value of an object or a mapping."""

from __future__ import annotations

from actions.definition import define_action
from actions.parts import attributes
from actions.parts.declarations import Finishes


@define_action
class Toggle(attributes.WriteAttribute):
    """Make `name` of `target` True if it is false, False if it is true, and finish.

    `target` is any object that has the attribute `name`, or a mapping that has the key. With
    `restore_on_exit` the value found on enter is restored when the state is exited. Raises
    AttributeError or KeyError on enter if there is nothing to flip.

    >>> from fsmkit import Fsm
    >>> lamp = {"lit": False}
    >>> fsm = Fsm("Lamp")
    >>> _ = fsm.add_state("Switch").add_action(Toggle(lamp, "lit"))
    >>> fsm.start()
    >>> lamp
    {'lit': True}
    """

    @property
    def finishes(self) -> Finishes | None:
        return "at once"

    def write(self) -> None:
        attributes.write(self.target, self.name, not attributes.read(self.target, self.name))
        self.finish()
