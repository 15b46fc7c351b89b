"""Retry: run an action again when it fails."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import field

from actions.definition import define_action
from actions.parts.composite import OfOne, has_succeeded
from actions.parts.declarations import Finishes, named, to_go
from actions.parts.parameters import ContextT, Count, Param
from actions.parts.timed_action import Lasting, elapsed_in, unused_of
from actions.parts.validators import (
    ErrorKinds,
    are_kinds_of_errors,
    is_event_name,
    is_one_of,
    is_seconds,
    seconds_of,
)
from fsmkit import FsmAction
from fsmkit.timing import TIME_TOLERANCE, arguments, notes


@define_action
class Retry(OfOne[ContextT], Lasting[ContextT]):
    """Run `action`; if it fails or raises one of `errors`, run it again, `times` times in all.

    A failed try is exited if it was entered, and entered again after `delay` seconds (0: at once);
    each further delay is `backoff` times the one before. Finishes when `action` does. When the last
    try fails, this action fails with the reason of `action`; if it was an error, the error is
    raised, with a note that counts the tries. A try fails by `fail()`, or by an exception of
    `on_enter`, `on_update` or `on_event`; an exception other than `errors` is raised at once.
    Exceptions of `on_exit`, a `KeyboardInterrupt`, and the exception of a callback that has decided
    a change of the state are always raised.

    A failed try that is followed by another is logged to `fsmkit.actions`, at INFO. It is not an
    error of the machine, so observers get no `error_raised`.

    To limit the time of each try, let it fail: `Retry(Timeout(action, 5.0, fails=True), times=3)`.
    (Without `fails` a `Timeout` finishes when its time is over, and so does this action.) A
    `Timeout` around the `Retry` limits all tries together.

    Raises TypeError or ValueError unless `times` is an integer >= 1, `backoff` a finite number
    >= 0, `delay` (if a function: its value, on enter) a number of seconds >= 0, and `errors` a
    subclass of Exception or a tuple of such.

    >>> from actions import DelegateAction
    >>> from fsmkit import Fsm
    >>> answers = iter([ConnectionError("no answer"), ConnectionError("busy"), None])
    >>> def call(state):
    ...     if error := next(answers):
    ...         print(state.fsm.time, error)
    ...         raise error
    ...     print(state.fsm.time, "connected")
    >>> fsm = Fsm("Phone")
    >>> retry = fsm.add_state("Dial").add_action(
    ...     Retry(DelegateAction(call), times=5, delay=1.0, backoff=2)
    ... )
    >>> fsm.start()
    0.0 no answer
    >>> for _ in range(3):
    ...     fsm.update(1.0)
    1.0 busy
    3.0 connected
    >>> retry.tries, retry.finished
    (3, True)
    """

    _looks_when_due_ = True

    times: int
    delay: Param[float] = field(default=0.0, kw_only=True, validator=is_seconds)
    backoff: float = field(default=1.0, kw_only=True)
    errors: ErrorKinds = field(default=Exception, kw_only=True, validator=are_kinds_of_errors())
    finish_event: str | None = field(default=None, kw_only=True, validator=is_event_name)
    tries: Count = field(default=0, init=False)
    """The number of the present try, from 1; between tries, that of the failed one."""
    waiting: bool = field(default=False, init=False)
    """True between two tries."""

    def __attrs_post_init__(self) -> None:
        arguments.integer(self.times, "Retry: times", least=1)
        arguments.number(self.backoff, "Retry: backoff", least=0.0)

    @property
    def result(self) -> object:
        """The `result` of `action`, if it has one."""
        return getattr(self.action, "result", None)

    @property
    def finishes(self) -> Finishes | None:
        return self.action.finishes if self.action.enabled else "at once"

    @property
    def waits_for(self) -> str:
        if self.waiting:
            left = to_go(self.length - self.elapsed, self.time)
            return f"try {self.tries} of {self.times} failed, {left} until the next"
        return f"try {self.tries} of {self.times}: {named(self.action)}"

    @property
    def next_due(self) -> float:
        return self.time_left if self.waiting else super().next_due

    def begin(self) -> None:
        self.tries = 0
        self.length = self.elapsed = seconds_of(self, "delay")
        self.waiting = self.action.enabled  # the first try is due
        if self.waiting:
            self.look_at_children()
        else:
            self.finish()

    def update_without_children(self) -> None:
        """Wait for the next try."""
        if self.waiting:
            self.elapsed += elapsed_in(self, self.time)
        self.look_at_children()

    @property
    def is_due(self) -> bool:
        return self.action.finished or self._next_is_due

    def go_on(self) -> None:
        self._end_failed_try()
        rounds = self.nested.rounds() if self.waiting else iter(())
        while self._next_is_due and next(rounds):
            if self.fsm.carry_time:
                self.seconds_left = unused_of(self.elapsed - self.length, self.time)
            self.waiting = False
            self.tries += 1
            if self.seconds_left:
                with self.nested.moment(self.seconds_left):
                    self._begin_try()
                if self.present:
                    self.follow_up(self.action)
            else:
                self._begin_try()
            self._end_failed_try()
        if has_succeeded(self.action) and self.may_go_on:
            self.finish(self.seconds_left, self.result)

    def failed_with(self, failed: Sequence[FsmAction[ContextT]]) -> FsmAction[ContextT] | None:
        """Return the action once its last try has failed."""
        return failed[0] if self.tries == self.times else None

    def end_failed(self) -> None:
        """Exit the action."""
        self.end_all()

    def update_child(self, child: FsmAction[ContextT], left: float | None = None) -> None:
        """Update the action; if that fails, end the try."""
        try:
            self.nested.update(child, left)
        except Exception as error:
            self._end_try(error)

    def offer_child(self, child: FsmAction[ContextT], event: str, data: object) -> bool:
        """Offer an event to the action; if that fails, end the try."""
        if self.running_callbacks > 1:  # an error goes to the callback that has sent the event
            return super().offer_child(child, event, data)
        try:
            return super().offer_child(child, event, data)
        except Exception as error:
            self._end_try(error)
            return False

    @property
    def _next_is_due(self) -> bool:
        return self.waiting and self.elapsed >= self.length - TIME_TOLERANCE

    def _begin_try(self) -> None:
        try:
            self.begin_child(self.action)
        except Exception as error:
            self._end_try(error)

    def _end_try(self, failure: Exception) -> None:
        """Exit the action and wait for the next try, or raise an error that ends the tries."""
        if not self.may_go_on:  # a change that was decided is dropped by the machine (rule 12)
            raise failure
        if not is_one_of(failure, self.errors):
            self.end_all(failure)  # raises it
        if self.tries == self.times:
            notes.add_note(failure, f"Retry: {self.tries} of {self.times} tries failed")
            self.end_all(failure)
        self._wait_for_next_try(notes.shown_error(failure))

    def _end_failed_try(self) -> None:
        """If the action has failed, but not the last try, exit it and wait for the next one."""
        if self.action.failed and self.tries < self.times and self.may_go_on:
            left = self.seconds_left  # the wait began that long before the end of this update
            self._wait_for_next_try(f"failed: {self.action._reason_!r}", left)

    def _wait_for_next_try(self, why: str, seconds: float = 0.0) -> None:
        if self.tries > 1:
            self.length *= self.backoff
        self.elapsed = seconds if self.time is None else self.time.scaled(seconds)
        self.waiting = self.nested.has_news = True
        self._log(why)
        self.end_all()

    def _log(self, why: str) -> None:
        import logging  # here, because most programs never need it and it is slow to import

        logging.getLogger("fsmkit.actions").info(
            "%s, Retry: %s (%s)", self.state, self.waits_for, why
        )
