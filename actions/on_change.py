"""OnChange: send an event whenever a value changes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from attrs import field

from actions.definition import define_action
from actions.parts.declarations import Finishes
from actions.parts.parameters import answer_of, is_function
from actions.parts.validators import is_event_name, is_flag
from fsmkit import FsmAction, FsmState
from fsmkit.space import same


@define_action
class OnChange(FsmAction):
    """Send `event` whenever `value` returns something other than in the last update.

    `value` is a function that takes nothing or the state, called on enter and in every update. The
    data of the event is the pair `(old, new)`. It never finishes; in the `background` it does not
    hold back the state's `FINISHED`. A list or vector that changes in place is the same object
    before and after: let the function return a copy. Raises TypeError unless `value` is such a
    function.

    >>> from fsmkit import Fsm
    >>> hero = {"health": 100}
    >>> fsm = Fsm("Hero")
    >>> fight, hurt = fsm.add_state("Fight"), fsm.add_state("Hurt")
    >>> _ = fight.add_action(OnChange(lambda: hero["health"], "HIT"))
    >>> _ = fight.add_transition("HIT", hurt)
    >>> fsm.start()
    >>> hero["health"] -= 30
    >>> fsm.update(0.1)
    >>> fsm.current_state.name, fsm.event_data
    ('Hurt', (100, 70))
    """

    value: Callable[[FsmState[Any]], object] | Callable[[], object] = field(validator=is_function)
    event: str = field(validator=is_event_name)
    background: bool = field(default=False, kw_only=True, validator=is_flag)
    last: object = field(default=None, init=False)
    """The value in the last update, or on enter."""

    @property
    def sends(self) -> Sequence[str]:
        return (self.event,)

    @property
    def finishes(self) -> Finishes | None:
        return "never"

    def on_enter(self) -> None:
        self.last = answer_of(self.value, self)

    def on_update(self) -> None:
        old = self.last
        now = self.last = answer_of(self.value, self)
        # The first test is for NaN, which does not equal itself.
        if old is not now and not same(old, now):
            self.fsm.send_event(self.event, (old, now))
