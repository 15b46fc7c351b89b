"""IgnoreEvents: keep events from having any effect."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import field

from actions.definition import define_action
from actions.parts.declarations import Finishes
from actions.parts.validators import are_own_events
from fsmkit import FsmAction


@define_action(init=False)
class IgnoreEvents(FsmAction):
    """Consume `events` and do nothing: neither the state's transitions nor global ones get them.

    Actions before it in the list still get them. It finishes on enter, and keeps ignoring.
    Raises TypeError or ValueError unless `events` are one or more names of events; `FINISHED`,
    `FAILED` and `ERROR` belong to the machine and cannot be ignored.

    >>> from fsmkit import Fsm
    >>> fsm = Fsm("Knight")
    >>> dead, hurt = fsm.add_state("Dead"), fsm.add_state("Hurt")
    >>> _ = dead.add_action(IgnoreEvents("HIT", "SEEN"))
    >>> _ = fsm.add_global_transition("HIT", hurt)
    >>> fsm.start("Dead")
    >>> fsm.send_event("HIT")
    True
    >>> fsm.current_state.name
    'Dead'
    """

    events: tuple[str, ...] = field(validator=are_own_events)

    def __init__(self, *events: str) -> None:
        self.__attrs_init__(events)  # pyright: ignore[reportAttributeAccessIssue]  # made by attrs

    @property
    def takes(self) -> Sequence[str]:
        return self.events

    @property
    def finishes(self) -> Finishes | None:
        return "at once"

    def _would_take_(self, event: str) -> bool | str | None:
        return event in self.events

    def on_enter(self) -> None:
        self.finish()

    def on_event(self, event: str, data: object) -> bool:  # noqa: ARG002  # whatever its data
        return event in self.events
