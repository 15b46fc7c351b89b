"""Coroutine: an action written as a generator, from top to bottom."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from math import inf
from typing import TypeAlias

from attrs import define, field

from actions.parts.functions import is_generator_function
from actions.parts.parameters import ContextT, TakesNothing
from actions.parts.timed_action import elapsed_in
from actions.parts.validators import is_event_name, is_time_reference
from fsmkit import FsmAction, FsmState, TimeReference
from fsmkit.timing import TIME_TOLERANCE

Steps: TypeAlias = Iterator[float | None]
"""What a routine returns: a generator, whichever way it is annotated."""


@define(eq=False, repr=False, slots=False)
class Coroutine(FsmAction[ContextT]):
    """Run `routine`, a generator function that takes the state or nothing, step by step.

    `yield` waits for the next update, `yield 1.5` waits that many seconds (if an update overshoots
    them, the rest counts towards the next wait). When the generator returns, the action finishes;
    when the state is exited, it is closed, so its `finally` blocks run. Raises TypeError for an
    async function, and if `routine` does not return a generator or yields something else,
    ValueError for seconds that are negative or not finite.

    >>> from fsmkit import Fsm
    >>> def knock(state):
    ...     for _ in range(2):
    ...         print("knock at", state.fsm.time)
    ...         yield 1.5
    ...     print("done at", state.fsm.time)
    >>> fsm = Fsm("Visitor")
    >>> _ = fsm.add_state("Knock").add_action(Coroutine(knock))
    >>> fsm.start()
    knock at 0.0
    >>> for _ in range(3):
    ...     fsm.update(1.0)
    knock at 2.0
    done at 3.0
    """

    routine: Callable[[FsmState[ContextT]], Steps] | TakesNothing[Steps] = field(
        validator=is_generator_function
    )
    finish_event: str | None = field(default=None, kw_only=True, validator=is_event_name)
    time: TimeReference | None = field(default=None, kw_only=True, validator=is_time_reference)
    waiting: float = field(default=0.0, init=False)
    """Seconds until it goes on."""
    generator: Generator[float | None, None, object] | None = field(default=None, init=False)

    def on_enter(self) -> None:
        steps = self.routine(self.state)  # type: ignore[call-arg]  # takes the state by now
        if not isinstance(steps, Generator):
            raise TypeError(
                f"{self!r}: routine must return a generator, got {steps!r}. "
                "Give a function that contains `yield`."
            )
        self.generator = steps
        self.waiting = 0.0
        self._go_on()

    def on_update(self) -> None:
        self.waiting -= elapsed_in(self, self.time)
        while self.waiting <= TIME_TOLERANCE:
            if not self._go_on() or self.finished or self.fsm.is_changing:
                return

    def on_exit(self) -> None:
        generator, self.generator = self.generator, None
        if generator is not None:
            generator.close()

    def _go_on(self) -> bool:
        """Run to the next `yield`; return True if that one waits for seconds."""
        if self.generator is None:
            return False
        try:
            pause = next(self.generator)
        except StopIteration:
            self.generator = None
            self.finish()
            return False
        if pause is None or self._checked(pause) == 0.0:
            self.waiting = 0.0
            return False
        self.waiting += pause
        return True

    def _checked(self, pause: object) -> float:
        if not isinstance(pause, (int, float)):
            raise TypeError(
                f"{self!r}: `yield` must give nothing or a number of seconds, got {pause!r}."
            )
        if not 0.0 <= pause < inf:
            raise ValueError(
                f"{self!r}: `yield` must give a finite number of seconds >= 0, got {pause!r}."
            )
        return pause
