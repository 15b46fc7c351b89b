"""Broadcast: send an event to many machines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import overload

from attrs import field

from actions.definition import define_action
from actions.parts.declarations import Finishes
from actions.parts.parameters import EventDataT, Param, is_parameter, value_of
from actions.parts.validators import is_event_name, is_instance
from fsmkit import Event, EventAlone, FsmAction, FsmGroup


@define_action(init=False)
class Broadcast(FsmAction):
    """Send `event` to every machine of `group`, and finish.

    The group may contain the machine of this action. As with any event sent in a callback, a
    transition decided there happens once `on_enter` has returned. Give machines that do not know
    the event `on_unhandled="ignore"`, including the sender. `data` goes with the event; a function
    is called once.

    >>> from fsmkit import Fsm, FsmGroup
    >>> group = FsmGroup()
    >>> for name in ("Ann", "Bob"):
    ...     guard = group.add(Fsm(name, on_unhandled="ignore"))
    ...     patrol, alarm = guard.add_state("Patrol"), guard.add_state("Alarm")
    ...     _ = patrol.add_transition("THIEF", alarm)
    ...     _ = alarm.add_action(Broadcast(group, "THIEF"))
    ...     guard.start()
    >>> guard.send_event("THIEF")
    True
    >>> [guard.current_state.name for guard in group]
    ['Alarm', 'Alarm']
    """

    group: FsmGroup = field(validator=is_instance(FsmGroup, "an FsmGroup"))
    event: str = field(validator=is_event_name)
    data: Param[object] = field(default=None, validator=is_parameter)

    @overload
    def __init__(
        self,
        group: FsmGroup,
        event: EventAlone[EventDataT],
        data: Param[EventDataT | None] = None,
    ) -> None: ...
    @overload
    def __init__(
        self, group: FsmGroup, event: Event[EventDataT], data: Param[EventDataT]
    ) -> None: ...
    def __init__(  # type: ignore[misc]  # each of them is a str
        self, group: FsmGroup, event: str, data: Param[object] = None
    ) -> None:
        self.__attrs_init__(  # pyright: ignore[reportAttributeAccessIssue]  # made by attrs
            group, event, data
        )

    @property
    def sends(self) -> Sequence[str]:
        return (self.event,) if self.fsm in self.group else ()

    @property
    def finishes(self) -> Finishes | None:
        return "at once"

    def on_enter(self) -> None:
        self.group.broadcast(self.event, value_of(self.data, self))
        self.finish()
