"""SequenceEvent: send the next of several events, a different one in each visit."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import field

from actions.definition import define_action
from actions.parts.parameters import Count, Param, is_parameter, value_of
from actions.parts.timed_action import AfterDelay
from actions.parts.validators import are_event_names, is_flag
from fsmkit import TimeReference


@define_action(init=False)
class SequenceEvent(AfterDelay):
    """Send the next of `events`, after `delay` seconds in the state, then finish.

    The first visit sends the first event, the second visit the second, and so on; after the last it
    begins again with the first, or, with `loop=False`, stays at the last. A visit that ends before
    the delay is over sends nothing and does not count. The delay is in seconds of `time`. `data`
    goes with the event; a function is called when it is sent.

    Raises ValueError if there are no events and for an invalid delay, TypeError for an invalid name
    of an event.

    >>> from fsmkit import Fsm
    >>> fsm = Fsm("Elevator", on_unhandled="ignore")
    >>> choose, first, second = map(fsm.add_state, ("Choose", "First", "Second"))
    >>> action = choose.add_action(SequenceEvent("TO_FIRST", "TO_SECOND"))
    >>> _ = choose.add_transition("TO_FIRST", first), choose.add_transition("TO_SECOND", second)
    >>> for _ in range(3):
    ...     fsm.start("Choose")
    ...     print(fsm.current_state.name, action.next_index)
    First 1
    Second 0
    First 1
    """

    events: tuple[str, ...] = field(validator=are_event_names)
    loop: bool = field(default=True, kw_only=True, validator=is_flag)
    data: Param[object] = field(default=None, kw_only=True, validator=is_parameter)
    next_index: Count = field(default=0, init=False)
    """The index of the next event. Set it to 0 to begin again."""

    def __init__(
        self,
        *events: str,
        loop: bool = True,
        data: Param[object] = None,
        delay: Param[float] = 0.0,
        time: TimeReference | None = None,
    ) -> None:
        self.__attrs_init__(  # pyright: ignore[reportAttributeAccessIssue]  # made by attrs
            events, loop=loop, data=data, delay=delay, time=time
        )

    @property
    def sends(self) -> Sequence[str]:
        return tuple(dict.fromkeys(self.events))

    def act(self, unused: float) -> None:
        last = len(self.events) - 1
        index = min(self.next_index, last)  # a snapshot may come from a version with more events
        after_last = 0 if self.loop else last
        self.next_index = index + 1 if index < last else after_last
        self.fsm.send_in_time(self.events[index], value_of(self.data, self), unused)
