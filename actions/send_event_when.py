"""SendEventWhen: send an event as soon as a condition holds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import overload

from attrs import field

from actions.definition import define_action
from actions.parts.conditions import Waiting
from actions.parts.declarations import Finishes, exits_state
from actions.parts.parameters import (
    ContextT,
    EventDataT,
    Function,
    Param,
    is_parameter,
    value_of,
)
from actions.parts.validators import is_event_name, is_flag
from fsmkit import Event, EventAlone


@define_action(init=False)
class SendEventWhen(Waiting[ContextT]):
    """Send `event` as soon as `predicate` is true, then finish.

    `predicate` is a function that takes the state or nothing. It is called on enter, so that a
    state whose condition already holds is exited at once, and in every update. `data` goes with the
    event; a function is called when it is sent. Until then it holds back the state's `FINISHED`,
    unless it runs in the `background`.

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

    event: str = field(validator=is_event_name)
    data: Param[object] = field(default=None, kw_only=True, validator=is_parameter)
    background: bool = field(default=False, kw_only=True, validator=is_flag)

    @overload
    def __init__(
        self,
        predicate: Function[ContextT],
        event: EventAlone[EventDataT],
        *,
        data: Param[EventDataT | None] = None,
        background: bool = False,
    ) -> None: ...
    @overload
    def __init__(
        self,
        predicate: Function[ContextT],
        event: Event[EventDataT],
        *,
        data: Param[EventDataT],
        background: bool = False,
    ) -> None: ...
    def __init__(  # type: ignore[misc]  # each of them is a str
        self,
        predicate: Function[ContextT],
        event: str,
        *,
        data: Param[object] = None,
        background: bool = False,
    ) -> None:
        self.__attrs_init__(  # pyright: ignore[reportAttributeAccessIssue]  # made by attrs
            predicate, event, data=data, background=background
        )

    @property
    def sends(self) -> Sequence[str]:
        return (self.event,)

    @property
    def finishes(self) -> Finishes | None:
        return "never" if exits_state(self, self.event) else None

    def go_on(self) -> None:
        self.fsm.send_event(self.event, value_of(self.data, self))
        self.finish()
