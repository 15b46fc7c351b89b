"""AfterDelay: the base of actions that do one thing, at once or after a delay."""

from __future__ import annotations

from attrs import define, field

from actions.parts.finishing import Finishes, finishes_after
from actions.parts.functions import is_parameter
from actions.parts.memory import Seconds
from actions.parts.parameters import Param, value_of
from actions.parts.timed_action import elapsed_in, seconds_to, unused_of
from actions.parts.validators import is_time_reference
from actions.parts.waiting import so_far
from fsmkit import FsmAction, TimeReference
from fsmkit.timing import TIME_TOLERANCE, checked_seconds


@define(eq=False, repr=False, slots=False)
class AfterDelay(FsmAction):
    """Do one thing, after `delay` seconds in the state, then finish.

    A subclass overrides `act`. Without a delay it is called on enter; if the state is exited first,
    it is not called at all. Raises ValueError for an invalid delay: for a constant at once, for the
    value of a function on enter.
    """

    delay: Param[float] = field(default=0.0, kw_only=True, validator=is_parameter)
    time: TimeReference | None = field(default=None, kw_only=True, validator=is_time_reference)
    elapsed: Seconds = field(default=0.0, init=False)
    length: Seconds = field(default=0.0, init=False)
    """The delay of this visit in seconds, as evaluated on enter."""

    def __attrs_post_init__(self) -> None:
        if not callable(self.delay):
            self._checked(self.delay)

    @property
    def finishes(self) -> Finishes | None:
        return finishes_after(self.delay)

    @property
    def waits_for(self) -> str:
        return so_far(self.elapsed, self.length, self.time)

    @property
    def next_due(self) -> float:
        return seconds_to(self.length - self.elapsed, self.time)

    def act(self, unused: float) -> None:
        """Do the one thing; `unused` seconds of this update came after the delay."""
        raise NotImplementedError

    def on_enter(self) -> None:
        self.elapsed = 0.0
        self.length = self._checked(value_of(self.delay, self))
        if self.length == 0.0:
            self._act_and_finish(0.0)

    def on_update(self) -> None:
        self.elapsed += elapsed_in(self, self.time)
        if self.elapsed >= self.length - TIME_TOLERANCE:
            over = self.elapsed - self.length
            self.elapsed = self.length
            self._act_and_finish(unused_of(over, self.time))

    def _act_and_finish(self, unused: float) -> None:
        self.act(unused)
        self.finish(unused)

    def _checked(self, delay: float) -> float:
        return checked_seconds(delay, f"The delay of {type(self).__name__}")
