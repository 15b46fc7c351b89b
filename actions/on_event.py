"""OnEvent: handle an event and stay in the state."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import field

from actions.definition import define_action
from actions.parts.declarations import Finishes
from actions.parts.parameters import ContextT, EventDataT, Handler, takes_state
from actions.parts.validators import is_own_event
from fsmkit import EventWith, FsmAction


@define_action(init=False)
class OnEvent(FsmAction[ContextT]):
    """Call `handler` for `event` and stay in the state, whatever transitions there are for it.

    `handler` takes nothing, the state, or the state and the data of the event. It may send another
    event, which changes the state as in any callback. If there are several for one event, the first
    in the list takes it. With nothing to wait for, it finishes on enter, and keeps handling.

    Raises ValueError for `FINISHED`, `FAILED` and `ERROR`, which belong to the machine, TypeError
    for a function that takes something else.

    >>> from fsmkit import Fsm
    >>> fsm = Fsm("Knight", context={"health": 100})
    >>> def hurt(state, damage):
    ...     state.context["health"] -= damage
    >>> _ = fsm.add_state("Fight").add_action(OnEvent("HIT", hurt))
    >>> fsm.start()
    >>> fsm.send_event("HIT", 30)
    True
    >>> fsm.current_state.name, fsm.context["health"]
    ('Fight', 70)
    """

    event: str = field(validator=is_own_event)
    handler: Handler[ContextT] = field(validator=takes_state(data=True))

    def __init__(
        self, event: EventWith[EventDataT], handler: Handler[ContextT, EventDataT]
    ) -> None:
        self.__attrs_init__(  # pyright: ignore[reportAttributeAccessIssue]  # made by attrs
            event,  # type: ignore[arg-type]  # a str, whatever its data
            handler,
        )

    @property
    def takes(self) -> Sequence[str]:
        return (self.event,)

    @property
    def finishes(self) -> Finishes | None:
        return "at once"

    def _would_take_(self, event: str) -> bool | str | None:
        return event == self.event

    def on_enter(self) -> None:
        self.finish()

    def on_event(self, event: str, data: object) -> bool:
        if event != self.event:
            return False
        self.handler(self.state, data)  # type: ignore[call-arg]  # takes both by now
        return True
