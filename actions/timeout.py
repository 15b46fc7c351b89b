"""Timeout: run an action for a limited time."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import field

from actions.definition import define_action
from actions.parts.composite import OfOne, attempts
from actions.parts.declarations import (
    Fails,
    Finishes,
    finishes_after,
    finishes_with,
    named,
    so_far,
)
from actions.parts.parameters import ContextT, Param
from actions.parts.timed_action import Lasting, elapsed_in, unused_of
from actions.parts.validators import is_event_name, is_flag, is_seconds, seconds_of
from fsmkit.timing import TIME_TOLERANCE


@define_action
class Timeout(OfOne[ContextT], Lasting[ContextT]):
    """Run `action` for at most `duration` seconds.

    If it finishes or fails in time, so does this action. When the time is over first, it is exited,
    `timeout_event` is sent, and this action finishes; with `fails` it fails, with a reason in
    words. For an event when `action` ends in time, use its own `finish_event`. Raises ValueError
    for an invalid duration.

    >>> from actions import TimedWait
    >>> from fsmkit import Fsm
    >>> fsm = Fsm("Call")
    >>> ring, voicemail = fsm.add_state("Ring"), fsm.add_state("Voicemail")
    >>> _ = ring.add_action(Timeout(TimedWait(60.0), 20.0, "NO_ANSWER"))
    >>> _ = ring.add_transition("NO_ANSWER", voicemail)
    >>> fsm.start()
    >>> fsm.update(20.0)
    >>> fsm.current_state.name
    'Voicemail'
    """

    _looks_when_due_ = True

    duration: Param[float] = field(validator=is_seconds)
    timeout_event: str | None = field(default=None, validator=is_event_name)
    fails: bool = field(default=False, kw_only=True, validator=is_flag)

    @property
    def result(self) -> object:
        """The `result` of `action`, if it has one."""
        return getattr(self.action, "result", None)

    @property
    def sends(self) -> Sequence[str]:
        return () if self.timeout_event is None else (self.timeout_event,)

    @property
    def finishes(self) -> Finishes | None:
        ending = finishes_with(self.children)
        return ending if ending == "at once" else finishes_after(self.duration)

    def _may_fail_(self, fails: Fails) -> bool | None:
        return self.fails or super()._may_fail_(fails)

    @property
    def waits_for(self) -> str:
        most = so_far(self.elapsed, self.length, self.time)
        return f"{most} at most: {named(self.action)}"

    @property
    def next_due(self) -> float:
        return min(super().next_due, self.time_left)

    def begin(self) -> None:
        self.elapsed = 0.0
        self.length = seconds_of(self, "duration")
        if not self.action.enabled:
            self.finish()
            return
        self.begin_child(self.action)
        if self._is_over:
            self.nested.has_news = True
        self._look_if_due()

    @property
    def _ends_in_(self) -> float:
        return min(super()._ends_in_, self.time_left)

    def on_update(self) -> None:
        time, seconds = self.time, self._fsmkit_fsm.delta_time  # as in TimedAction
        elapsed = self.elapsed + (seconds if time is None else time.scaled(seconds))
        if elapsed < self.length - TIME_TOLERANCE:
            self.elapsed = elapsed
            OfOne.on_update(self)  # super() takes 70 ns
        elif self.fsm.carry_time and (left := self.time_left) < self.delta_time:
            with self.nested.part(left):
                self._run_to_the_end()
        else:
            self._run_to_the_end()

    def _run_to_the_end(self) -> None:
        self.elapsed += elapsed_in(self, self.time)
        self.nested.has_news = True
        super().on_update()

    @property
    def is_due(self) -> bool:
        return self.action.finished or self._is_over

    def go_on(self) -> None:
        if self.action.finished:
            self.finish(self.seconds_left, self.result)
        elif self._is_over:
            self.end_all()
            self._run_out()

    @property
    def _is_over(self) -> bool:
        return self.elapsed >= self.length - TIME_TOLERANCE

    def _run_out(self) -> None:
        with attempts(self) as attempt:
            unused = unused_of(self.elapsed - self.length, self.time)
            if self.timeout_event is not None:
                attempt(self.fsm.send_in_time, self.timeout_event, None, unused)
            if self.fails:
                attempt(self.fail, f"not done within {self.length:g} s", unused)
            else:
                attempt(self.finish, unused)
