"""SendEvent: send an event, at once or after a delay."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import define, field

from actions.parts.after_delay import AfterDelay
from actions.parts.functions import is_parameter
from actions.parts.parameters import Param, value_of
from actions.parts.validators import is_event_name


@define(eq=False, repr=False, slots=False)
class SendEvent(AfterDelay):
    """Send `event` to the machine, after `delay` seconds in the state, then finish.

    Without a delay it is sent on enter. The delay is in seconds of `time`; if the state is
    exited first, nothing is sent. `data` goes with the event; a function is called when it is sent.
    Raises ValueError for an invalid delay.

    >>> from fsmkit import Fsm
    >>> fsm = Fsm("Bomb")
    >>> lit, blown = fsm.add_state("Lit"), fsm.add_state("Blown")
    >>> _ = lit.add_action(SendEvent("BOOM", delay=3.0))
    >>> lit.add_transition("BOOM", blown)
    >>> fsm.start()
    >>> fsm.update(3.0)
    >>> fsm.current_state.name
    'Blown'
    """

    event: str = field(validator=is_event_name)
    data: Param[object] = field(default=None, validator=is_parameter)

    @property
    def sends(self) -> Sequence[str]:
        return (self.event,)

    def act(self) -> None:
        self.fsm.send_event(self.event, value_of(self.data, self))
