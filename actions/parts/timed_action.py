"""The bases of actions that take time: `TimedAction` and `AfterDelay`.

`TimedAction` owns the elapsed time and calls `apply` with the progress. `AfterDelay` does one
thing, at once or after a delay.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import inf
from typing import Any

from attrs import field

from actions.definition import define_action
from actions.parts.declarations import Finishes, finishes_after, percent_of, so_far
from actions.parts.parameters import ContextT, Param, Seconds, adapt_parameters
from actions.parts.validators import (
    is_callable,
    is_event_name,
    is_seconds,
    is_time_reference,
    seconds_of,
)
from fsmkit import FsmAction, TimeReference
from fsmkit.timing import TIME_TOLERANCE

Easing = Callable[[float], float]
"""Maps the elapsed share of the time to a share of the way, 0 to 0 and 1 to 1."""


@define_action
class Lasting(FsmAction[ContextT]):
    """An action that measures how many seconds of `time` have elapsed, out of `length`."""

    time: TimeReference | None = field(default=None, kw_only=True, validator=is_time_reference)
    elapsed: Seconds = field(default=0.0, init=False)
    length: Seconds = field(default=0.0, init=False)
    """The seconds of this visit, as evaluated on enter."""

    @property
    def waits_for(self) -> str:
        return so_far(self.elapsed, self.length, self.time)

    @property
    def time_left(self) -> float:
        """The seconds of the machine's own time until the whole length has elapsed."""
        return seconds_to(self.length - self.elapsed, self.time)


class HasDuration(FsmAction):
    """An action with a duration, which a subclass declares among its own parameters."""

    duration: Param[float]
    """Seconds."""


@define_action
class TimedAction(HasDuration, Lasting):
    """The base of actions that take `duration` seconds.

    A subclass declares `duration` among its parameters and overrides `begin` ("read the starting
    point") and `apply` ("apply this much progress"). `apply` is called with 0 on enter, with rising
    progress in between, and finally with exactly 1, however long the last update was. A duration of
    zero finishes on enter. Raises ValueError or TypeError for an invalid duration: for a constant
    at once, for the value of a function on enter.
    """

    finish_event: str | None = field(default=None, kw_only=True, validator=is_event_name)
    easing: Easing | None = field(default=None, kw_only=True, validator=is_callable)

    _applies_ = False
    """Whether its class has something to apply: a wait has not."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        cls._applies_ = cls.apply is not TimedAction.apply

    def __attrs_post_init__(self) -> None:
        adapt_parameters(self, "duration")
        if not callable(self.duration):
            seconds_of(self, "duration")

    @property
    def finishes(self) -> Finishes | None:
        return finishes_after(self.duration)

    @property
    def waits_for(self) -> str:
        return percent_of(self.progress, self.length, self.time)

    @property
    def next_due(self) -> float:
        if self._applies_:
            return 0.0  # something changes all the time
        return self.time_left

    @property
    def _ends_in_(self) -> float:
        return self.time_left

    def begin(self) -> None:
        """Read the starting point. May set `length` to 0 if there is nothing to do."""

    def apply(self, progress: float) -> None:
        """Put things where they belong at `progress`, from 0 to 1."""

    def on_enter(self) -> None:
        self.elapsed = 0.0
        length: Any = self.duration
        if type(length) is not float or not 0.0 <= length < inf:  # as constants mostly are
            length = seconds_of(self, "duration")
        self.length = length
        self.begin()
        if not self.length > 0.0:
            self._complete()
        elif self._applies_:
            self.apply(0.0)

    def on_update(self) -> None:
        time, seconds = self.time, self._fsmkit_fsm.delta_time  # elapsed_in() takes 50 ns
        elapsed = self.elapsed + (seconds if time is None else time.scaled(seconds))
        self.elapsed = elapsed
        if elapsed >= self.length - TIME_TOLERANCE:
            self._complete()
        elif self._applies_:
            share = elapsed / self.length
            self.apply(share if self.easing is None else self.easing(share))

    @property
    def progress(self) -> float:
        """The elapsed share of the time, from 0 to 1."""
        return min(1.0, self.elapsed / self.length) if self.length > 0.0 else 1.0

    def _complete(self) -> None:
        over = self.elapsed - self.length
        self.elapsed = self.length
        if self._applies_:
            self.apply(1.0)
        plainly = over > 0.0 and self.time is None
        self.finish(over if plainly else unused_of(over, self.time))


@define_action
class AfterDelay(Lasting):
    """Do one thing, after `delay` seconds in the state, then finish.

    A subclass overrides `act`. Without a delay it is called on enter; if the state is exited first,
    it is not called at all. Raises ValueError for an invalid delay: for a constant at once, for the
    value of a function on enter.
    """

    delay: Param[float] = field(default=0.0, kw_only=True, validator=is_seconds)

    @property
    def finishes(self) -> Finishes | None:
        return finishes_after(self.delay)

    @property
    def next_due(self) -> float:
        return self.time_left

    def act(self, unused: float) -> None:
        """Do the one thing; `unused` seconds of this update came after the delay."""
        raise NotImplementedError

    def on_enter(self) -> None:
        self.elapsed = 0.0
        length: Any = self.delay
        if type(length) is not float or not 0.0 <= length < inf:
            length = seconds_of(self, "delay")
        self.length = length
        if length == 0.0:
            self._act_and_finish(0.0)

    def on_update(self) -> None:
        elapsed = self.elapsed = self.elapsed + elapsed_in(self, self.time)
        if elapsed >= self.length - TIME_TOLERANCE:
            over = elapsed - self.length
            self.elapsed = self.length
            self._act_and_finish(unused_of(over, self.time))

    def _remembered_after_(self, seconds: float) -> Mapping[str, object]:
        """Return what it remembers `seconds` after it was entered; see `resume_in`."""
        length = seconds_of(self, "delay")
        return {"length": length, "elapsed": min(seconds, length)}

    def _act_and_finish(self, unused: float) -> None:
        self.act(unused)
        self.finish(unused)


# Between the machine's own time and that of a time reference


def elapsed_in(action: FsmAction[Any], time: TimeReference | None) -> float:
    """Return the seconds of the current update by `time`, or by the machine's own time if None."""
    dt = action._fsmkit_fsm.delta_time  # `fsm` is a property, and takes as long as all of this
    return dt if time is None else time.scaled(dt)


def seconds_to(seconds: float, time: TimeReference | None) -> float:
    """Return how much of the machine's own time `seconds` by `time` will take at its current pace.

    What is due now is due at any pace, also while that time is paused.
    """
    if seconds <= 0.0:
        return 0.0
    pace = 1.0 if time is None else time.scaled(1.0)
    return seconds / pace if pace > 0.0 else inf


def unused_of(seconds: float, time: TimeReference | None) -> float:
    """Return how much of the machine's own time `seconds` by `time` are, for `finish`."""
    if seconds <= 0.0:
        return 0.0
    if time is None:
        return seconds
    return seconds / time.scale if time.scale > 0.0 else 0.0
