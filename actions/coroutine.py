"""Coroutine: an action written as a generator, from top to bottom."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from math import inf
from numbers import Real
from typing import Annotated, Any, Final, TypeAlias

from attrs import field

from actions.definition import define_action
from actions.parts.composite import attempts, overrides_on_event
from actions.parts.conditions import answered, asked_by
from actions.parts.declarations import Fails, named, to_go
from actions.parts.parameters import ContextT, OneOf, TakesNothing, takes_state
from actions.parts.timed_action import elapsed_in, seconds_to, unused_of
from actions.parts.validators import is_event_name, is_flag, is_time_reference
from fsmkit import Fsm, FsmAction, FsmError, FsmState, TimeReference
from fsmkit.timing import TIME_TOLERANCE

Awaited: TypeAlias = float | str | FsmAction[Any] | Callable[[FsmState[Any]], object] | TakesNothing
"""What a routine may wait for, besides the next update."""

Routine: TypeAlias = Iterator[Awaited | None]
"""What a routine function returns: a generator, however it is annotated."""

MOST_AT_ONCE: Final = 10_000
"""How many steps a routine may take without waiting."""


@define_action
class Coroutine(FsmAction[ContextT]):
    """Run `routine`, a generator function that takes the state or nothing, step by step.

    It waits for what it yields:

    - nothing: the next update;
    - a number: that many seconds (if an update overshoots, the rest counts towards the next wait);
    - the name of an event, which is consumed; `data = yield "HIT"` returns its data. Events that it
      does not wait for at that moment pass;
    - an action, which is entered now, updated, exited when it has finished, and then free again.
      Its errors are raised at the `yield`; if it fails, the routine ends there, and this action
      fails with the same reason. `page = yield Await(load)` returns the action's `result`;
    - a function that takes nothing or the state: until it returns something true. It is called now
      and in every update.

    When the generator returns, the action finishes. When the state is exited, an action that it
    waits for is exited and the generator is closed, so its `finally` blocks run. In the
    `background` it does not hold back the state's `FINISHED`.

    Raises TypeError for an async function, and if `routine` does not return a generator; at the
    `yield`, TypeError for anything else, ValueError for seconds that are negative or not finite,
    and ActionOwnershipError for an action that already belongs to a state.

    >>> from fsmkit import Fsm
    >>> def knock(state):
    ...     for _ in range(2):
    ...         print("knock at", state.fsm.time)
    ...         yield 1.5
    ...     answer = yield "OPEN"
    ...     print(answer, "at", state.fsm.time)
    >>> fsm = Fsm("Visitor")
    >>> _ = fsm.add_state("Knock").add_action(Coroutine(knock))
    >>> fsm.start()
    knock at 0.0
    >>> for _ in range(3):
    ...     fsm.update(1.0)
    knock at 2.0
    >>> fsm.send_event("OPEN", "come in")
    come in at 3.0
    True
    """

    routine: Callable[[FsmState[ContextT]], Routine] | TakesNothing[Routine] = field(
        validator=takes_state(generator=True)
    )
    finish_event: str | None = field(default=None, kw_only=True, validator=is_event_name)
    time: TimeReference | None = field(default=None, kw_only=True, validator=is_time_reference)
    background: bool = field(default=False, kw_only=True, validator=is_flag)
    waiting: float = field(default=0.0, init=False)
    """Seconds until it goes on, if it waits for time."""
    generator: Generator[Awaited | None, Any, object] | None = field(default=None, init=False)
    event: str | None = field(default=None, init=False)
    """The event that it waits for."""
    condition: Callable[..., object] | None = field(default=None, init=False)
    """The function that it waits on to return something true."""
    action: FsmAction[Any] | None = field(default=None, init=False)
    """The action that it waits on to finish."""
    is_busy: Annotated[bool, OneOf((False,))] = field(default=False, init=False)
    """Whether it is inside a callback of that action."""

    _makes_children_ = True

    @property
    def children(self) -> Sequence[FsmAction[Any]]:
        return () if self.action is None else (self.action,)

    def _may_fail_(self, fails: Fails) -> bool | None:  # noqa: ARG002  # none is known yet
        return None

    @property
    def waits_for(self) -> str:
        if self.action is not None:
            return f"for {named(self.action)}"
        if self.condition is not None:
            return f"until {asked_by(self, self.condition)}"
        if self.event is not None:
            return f"for {str.__repr__(self.event)}"
        return to_go(self.waiting, self.time) if self.waiting > 0.0 else "for the next update"

    @property
    def next_due(self) -> float:
        if self.action is not None:
            return 0.0 if self.action.finished else self.action.next_due
        if self.condition is not None:
            return 0.0
        return inf if self.event is not None else seconds_to(self.waiting, self.time)

    @property
    def _answer_(self) -> str:
        return "" if self.condition is None else answered(self, self.condition, holds=False)

    def _would_take_(self, event: str) -> bool | str | None:
        if self.action is None:
            return event == self.event
        # Once it has finished, the routine goes on, and may wait for any event.
        return None if self.action.finished else False

    def _offers_to_(self, event: str) -> Sequence[FsmAction[Any] | Fsm[Any]]:  # noqa: ARG002  # any event
        return self.children

    @property
    def _fsmkit_listens(self) -> bool:
        """Not before it waits for an event for the first time, or for an action that takes some."""
        return self.nested.listens or type(self).on_event is not Coroutine.on_event

    def on_enter(self) -> None:
        steps = self.routine(self.state)  # type: ignore[call-arg]  # takes the state by now
        if not isinstance(steps, Generator):
            raise TypeError(
                f"{self!r}: routine must return a generator, got {steps!r}. "
                "Give a function that contains `yield`."
            )
        self.generator = steps
        self.waiting = 0.0
        self.event = self.condition = None
        self.is_busy = False
        try:
            self._go_on()
        except BaseException:
            self.on_exit()  # it does not count as entered, so nothing else would
            raise

    def on_update(self) -> None:
        if self.action is not None:
            self._with_action(self._fsmkit_nested.update)
        elif self.condition is not None:
            if self.condition(self.state):
                self._go_on()
        elif self.event is None:
            if self.waiting > 0.0:  # otherwise it waited for this update
                self.waiting -= elapsed_in(self, self.time)
            if self.waiting <= TIME_TOLERANCE:
                self._go_on()

    def on_event(self, event: str, data: object) -> bool:
        if self.action is not None:
            return bool(self._with_action(self.nested.offer, event, data))
        if event != self.event:
            return False
        self._go_on(data)
        return True

    def on_suspend(self) -> None:
        self.nested.suspend_all()

    def on_resume(self) -> None:
        try:
            self.nested.resume_all()
        finally:
            if self.action is not None and self.action.finished:
                self.nested.listen()  # the next event that passes makes it go on

    def on_exit(self) -> None:
        generator, self.generator = self.generator, None
        with attempts(self) as attempt:
            attempt(self._end_action)
            if generator is not None:
                attempt(generator.close)

    def _go_on(self, value: object = None, error: Exception | None = None) -> None:
        """Run the routine until there is something to wait for, or it returns."""
        self.event = self.condition = None
        for _ in range(MOST_AT_ONCE):
            generator = self.generator
            if generator is None:
                return
            try:
                step = generator.send(value) if error is None else generator.throw(error)
            except StopIteration:
                self.generator = None
                self.finish(unused_of(-self.waiting, self.time))
                return
            if self.fsm.is_changing:
                return
            value = error = None
            try:
                if not self._is_immediate(step):
                    return
                if self._fail_with_action():
                    return
                value = self._take_result()
            except Exception as raised:  # for the routine, at its `yield`
                self._end_action()
                error = raised
        if self.waiting < 0.0:  # it does wait, but for less than this update
            raise self.nested.too_many_rounds()
        raise FsmError(
            f"{self.state}: {self!r} went on {MOST_AT_ONCE:,} times without waiting. Let its loop "
            "`yield` something that takes time."
        )

    def _is_immediate(self, step: object) -> bool:
        """Start waiting for what the routine yielded; True if there is nothing to wait for."""
        if step is not None and isinstance(step, Real) and not isinstance(step, bool):
            return self._wait_for_seconds(step)
        self.waiting = 0.0
        if step is None:
            return False
        if isinstance(step, str) and step:
            self.event = step
            self.nested.keep_listening()
            return False
        if isinstance(step, FsmAction):
            return not step.enabled or self._enter(step)
        if not callable(step):
            raise TypeError(
                f"{type(self).__name__}: `yield` must give nothing, a number of seconds, the name "
                f"of an event, an action or a function, got {step!r}."
            )
        condition = self._fsmkit_handed("what `yield` gives", step)
        self.condition = None if condition(self.state) else condition
        return self.condition is None

    def _wait_for_seconds(self, seconds: Any) -> bool:
        if not 0.0 <= seconds < inf:
            raise ValueError(
                f"{type(self).__name__}: `yield` must give a finite number of seconds >= 0, got "
                f"{seconds!r}."
            )
        self.waiting = self.waiting + float(seconds) if seconds else 0.0
        return bool(seconds) and self.waiting <= TIME_TOLERANCE

    # The action that it waits on

    def _enter(self, action: FsmAction[Any]) -> bool:
        self.nested.adopt(action)
        self.action = action
        if overrides_on_event(action) and action._fsmkit_listens:
            self.nested.keep_listening()
        self.is_busy = True
        try:
            self.nested.enter(action)
        finally:
            self.is_busy = False
        return action.finished and not self.fsm.is_changing

    def _with_action(self, call: Callable[..., Any], *arguments: object) -> Any:
        """Call a method of the action, then see whether it has finished or failed."""
        if self.is_busy:  # the outer call looks afterwards
            return call(self.action, *arguments)
        answer = None
        self.is_busy = True
        try:
            answer = call(self.action, *arguments)
        except Exception as error:
            self.is_busy = False
            self._end_failed_action(error)
        finally:
            self.is_busy = False
        action = self.action
        if action is not None and action._fsmkit_finished and not self.fsm.is_changing:
            self._go_on_after_action()
        return answer

    def _go_on_after_action(self) -> None:
        if self._fail_with_action():
            return
        try:
            result = self._take_result()
        except Exception as error:
            self._go_on(error=error)
        else:
            self._go_on(result)

    def _fail_with_action(self) -> bool:
        """End the routine and fail, if the action has failed."""
        action = self.action
        if action is None or not action.failed:
            return False
        reason = action._reason_
        with attempts(self) as attempt:
            attempt(self.on_exit)
            attempt(self.fail, reason)
        return True

    def _end_failed_action(self, error: Exception) -> None:
        try:
            self._end_action()
        except Exception as another:
            what = f"{type(self).__name__}: an action failed twice"
            error = ExceptionGroup(what, [error, another])
        self._go_on(error=error)

    def _take_result(self) -> object:
        """Exit the finished action; return its `result`, or None if it has none."""
        action = self.action
        self._end_action()
        return getattr(action, "result", None)

    def _end_action(self) -> None:
        """Exit and release the action that it waits on."""
        action = self.action
        if action is not None:
            try:
                self.nested.exit(action)
            finally:
                self.action = None
                self.nested.release(action)
