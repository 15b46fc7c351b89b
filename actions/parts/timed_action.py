"""TimedAction: the base of actions that take a certain time."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import Any

from attrs import define, field

from actions.parts.finishing import Finishes, finishes_after
from actions.parts.functions import adapt_parameters
from actions.parts.memory import Seconds
from actions.parts.parameters import Param, value_of
from actions.parts.validators import is_callable, is_event_name, is_time_reference
from actions.parts.waiting import percent_of
from fsmkit import FsmAction, TimeReference
from fsmkit.timing import TIME_TOLERANCE, checked_seconds

Easing = Callable[[float], float]
"""Maps the share of the time that has passed to a share of the way, 0 to 0 and 1 to 1."""


class HasDuration(FsmAction):
    """An action with a duration, which a subclass declares among its own parameters."""

    duration: Param[float]
    """Seconds."""


@define(eq=False, repr=False, slots=False)
class TimedAction(HasDuration):
    """The base of actions that take `duration` seconds.

    A subclass declares `duration` among its parameters and overrides `begin` ("look where things
    are") and `apply` ("this much is done"). `apply` is called with 0 on enter, with rising shares
    in between, and in the end with exactly 1, however long the last update was. A duration of zero
    finishes on enter. Raises ValueError or TypeError for an invalid duration: for a constant at
    once, for the value of a function on enter.
    """

    finish_event: str | None = field(default=None, kw_only=True, validator=is_event_name)
    easing: Easing | None = field(default=None, kw_only=True, validator=is_callable)
    time: TimeReference | None = field(default=None, kw_only=True, validator=is_time_reference)
    elapsed: Seconds = field(default=0.0, init=False)
    length: Seconds = field(default=0.0, init=False)
    """The duration of this visit in seconds, as evaluated on enter."""

    def __attrs_post_init__(self) -> None:
        adapt_parameters(self, "duration")
        if not callable(self.duration):
            self._checked(self.duration)

    @property
    def finishes(self) -> Finishes | None:
        return finishes_after(self.duration)

    @property
    def waits_for(self) -> str:
        return percent_of(self.progress, self.length, self.time)

    @property
    def next_due(self) -> float:
        if type(self).apply is not TimedAction.apply:
            return 0.0  # something changes all the time
        return seconds_to(self.length - self.elapsed, self.time)

    @property
    def _ends_in_(self) -> float:
        return seconds_to(self.length - self.elapsed, self.time)

    def begin(self) -> None:
        """Look where things are. May set `length` to 0 if there is nothing to do."""

    def apply(self, progress: float) -> None:
        """Bring things to where they belong at `progress`, from 0 to 1."""

    def on_enter(self) -> None:
        self.elapsed = 0.0
        self.length = self._checked(value_of(self.duration, self))
        self.begin()
        if self.length > 0.0:
            self.apply(0.0)
        else:
            self._complete()

    def on_update(self) -> None:
        self.elapsed += elapsed_in(self, self.time)
        if self.elapsed >= self.length - TIME_TOLERANCE:
            self._complete()
        else:
            share = self.elapsed / self.length
            self.apply(share if self.easing is None else self.easing(share))

    @property
    def progress(self) -> float:
        """The share of the time that has passed, from 0 to 1."""
        return min(1.0, self.elapsed / self.length) if self.length > 0.0 else 1.0

    def _checked(self, duration: float) -> float:
        return checked_seconds(duration, f"The duration of {type(self).__name__}")

    def _complete(self) -> None:
        over = self.elapsed - self.length
        self.elapsed = self.length
        self.apply(1.0)
        self.finish(unused_of(over, self.time))


def unused_of(seconds: float, time: TimeReference | None) -> float:
    """Return how much of the machine's own time `seconds` by `time` are, for `finish`."""
    if seconds <= 0.0 or time is None:
        return max(0.0, seconds)
    return seconds / time.scale if time.scale > 0.0 else 0.0


def seconds_to(seconds: float, time: TimeReference | None) -> float:
    """Return how much of the machine's own time `seconds` by `time` will take as things stand.

    What is due now is due at any pace, also while that time is paused.
    """
    if seconds <= 0.0:
        return 0.0
    pace = 1.0 if time is None else time.scaled(1.0)
    return seconds / pace if pace > 0.0 else inf


def elapsed_in(action: FsmAction[Any], time: TimeReference | None) -> float:
    """Return the seconds of the current update by `time`, or by the machine's own time if None."""
    dt = action.fsm.delta_time
    return dt if time is None else time.scaled(dt)
