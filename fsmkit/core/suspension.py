"""Suspension: a visit that was interrupted and is to go on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fsmkit.core.delayed import DelayedEvent
    from fsmkit.core.state import FsmState
    from fsmkit.core.visit import Visit


class Suspension:
    """What a machine has to remember of a state that it will go back to (rule 18).

    `passed` is how long the state had been current, in seconds; `delayed` are the events that it
    has sent itself, with the seconds that were left in their `due`.
    """

    __slots__ = ("data", "delayed", "event", "finished", "passed", "state", "visit")

    def __init__(
        self,
        state: FsmState[Any],
        visit: Visit,
        *,
        finished: int,
        passed: float,
        event: str | None,
        data: object,
    ) -> None:
        self.state = state
        self.visit = visit
        self.finished = finished
        self.passed = passed
        self.event = event
        self.data = data
        self.delayed: list[DelayedEvent] = []
