"""WaitUntil: wait for a condition."""

from __future__ import annotations

from attrs import field, setters

from actions.definition import define_action
from actions.parts.conditions import Waiting
from actions.parts.parameters import ContextT, Function, is_function
from actions.parts.validators import is_event_name


@define_action
class WaitUntil(Waiting[ContextT]):
    """Wait until `predicate`, a function that takes the state or nothing, is true, then finish.

    It is called on enter and in every update, so a condition that holds already ends the wait at
    once. Raises TypeError for other functions, and for async and generator functions.

    >>> from fsmkit import FINISHED, Fsm
    >>> fsm = Fsm("Door", context={"locked": True})
    >>> closed, opened = fsm.add_state("Closed"), fsm.add_state("Open")
    >>> _ = closed.add_action(WaitUntil(lambda state: not state.context["locked"]))
    >>> _ = closed.add_transition(FINISHED, opened)
    >>> fsm.start()
    >>> fsm.update(0.1)
    >>> fsm.context["locked"] = False
    >>> fsm.update(0.1)
    >>> fsm.current_state.name
    'Open'
    """

    predicate: Function[ContextT] = field(validator=is_function, on_setattr=setters.validate)
    finish_event: str | None = field(default=None, kw_only=True, validator=is_event_name)

    def go_on(self) -> None:
        self.finish()
