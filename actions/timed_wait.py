"""TimedWait: let time pass."""

from __future__ import annotations

from collections.abc import Mapping

from actions.definition import define_action
from actions.parts.declarations import so_far
from actions.parts.parameters import Param
from actions.parts.timed_action import TimedAction
from actions.parts.validators import seconds_of
from fsmkit import TimeReference


@define_action(init=False)
class TimedWait(TimedAction):
    """Wait `duration` seconds, then finish.

    >>> from fsmkit import FINISHED, Fsm
    >>> fsm = Fsm("Lamp")
    >>> on, off = fsm.add_state("On"), fsm.add_state("Off")
    >>> _ = on.add_action(TimedWait(2.0))
    >>> _ = on.add_transition(FINISHED, off)
    >>> fsm.start("On")
    >>> fsm.update(1.5)
    >>> fsm.current_state.name, on.actions[0]
    ('On', TimedWait(duration=2.0, elapsed=1.5, length=2.0))
    >>> fsm.update(0.5)
    >>> fsm.current_state.name
    'Off'
    """

    duration: Param[float]

    def __init__(
        self,
        duration: Param[float],
        finish_event: str | None = None,
        *,
        time: TimeReference | None = None,
    ) -> None:
        self.__attrs_init__(  # pyright: ignore[reportAttributeAccessIssue]  # made by attrs
            duration, finish_event=finish_event, time=time
        )

    @property
    def waits_for(self) -> str:
        return so_far(self.elapsed, self.length, self.time)

    def _remembered_after_(self, seconds: float) -> Mapping[str, object]:
        """Return what it remembers `seconds` after it was entered; see `resume_in`."""
        length = seconds_of(self, "duration")
        return {"length": length, "elapsed": min(seconds, length)}
