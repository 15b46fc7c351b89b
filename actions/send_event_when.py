"""SendEventWhen: send an event as soon as a condition holds."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import define, field

from actions.parts.finishing import Finishes, exits_state
from actions.parts.functions import is_function, is_parameter
from actions.parts.parameters import ContextT, Function, Param, value_of
from actions.parts.validators import is_event_name, is_flag
from fsmkit import FsmAction


@define(eq=False, repr=False, slots=False)
class SendEventWhen(FsmAction[ContextT]):
    """Send `event` as soon as `predicate` is true, then finish.

    `predicate` is a function that takes the state or nothing. It is called on enter, so that a
    state whose condition already holds is exited at once, and in every update. `data` goes with the
    event; a function is called when it is sent. Until it has been sent the state is not FINISHED,
    unless it watches in the `background`.

    >>> from fsmkit import Fsm
    >>> fsm = Fsm("Guard", context={"distance": 30.0})
    >>> patrol, chase = fsm.add_state("Patrol"), fsm.add_state("Chase")
    >>> _ = patrol.add_action(SendEventWhen(lambda state: state.context["distance"] < 10, "SEEN"))
    >>> _ = patrol.add_transition("SEEN", chase)
    >>> fsm.start()
    >>> fsm.update(0.1)
    >>> fsm.context["distance"] = 5.0
    >>> fsm.update(0.1)
    >>> fsm.current_state.name
    'Chase'
    """

    predicate: Function[ContextT] = field(validator=is_function)
    event: str = field(validator=is_event_name)
    data: Param[object] = field(default=None, kw_only=True, validator=is_parameter)
    background: bool = field(default=False, kw_only=True, validator=is_flag)

    @property
    def sends(self) -> Sequence[str]:
        return (self.event,)

    @property
    def finishes(self) -> Finishes | None:
        return "never" if exits_state(self, self.event) else None

    @property
    def waits_for(self) -> str:
        return f"until {self._fsmkit_described(self.predicate)}"

    def on_enter(self) -> None:
        self._poll()

    def on_update(self) -> None:
        self._poll()

    def _poll(self) -> None:
        if self.predicate(self.state):  # type: ignore[call-arg]  # takes the state by now
            self.fsm.send_event(self.event, value_of(self.data, self))
            self.finish()
