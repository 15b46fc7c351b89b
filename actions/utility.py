"""Utility: run the option that is worth most at present."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Any

from attrs import field

from actions.definition import define_action
from actions.option import Option
from actions.parts.choosing import NONE, Choosing
from actions.parts.composite import Composite, Ends
from actions.parts.conditions import answered
from actions.parts.declarations import Finishes, to_go
from actions.parts.parameters import ContextT, Seconds
from actions.parts.validators import is_amount
from fsmkit import FsmAction
from fsmkit.timing import TIME_TOLERANCE, arguments


@define_action(init=False)
class Utility(Choosing[ContextT]):
    """Run the option with the highest score, until another is better by more than `hysteresis`.

    The options whose `when`, if any, holds are scored on enter and every `every` seconds (0: before
    each update). Then the running one is exited if another is better, or if its own `when` no
    longer holds; while none holds, nothing runs. At a tie the running one goes on, otherwise the
    first is taken. The option that takes over gets its first update in the next one. Without a
    `hysteresis`, two that are nearly equal would take turns.

    When the action of an option finishes, all are scored again, and the best is entered, which may
    be the same one: a utility goes on until its state is exited. An action that finishes on enter
    is followed by the next one in the next update, as in a `Repeat`. An option that fails is
    exited, and the best of the others is taken at once; the failed one is left out until another
    one has finished, or its `when` has said no. When all of them have failed, the utility fails,
    with the reason of the last. Disabled ones take no part; if all are, it finishes on enter.

    Raises TypeError for anything but options, ValueError for none or one without a `score`, and,
    when it is scored, TypeError or ValueError for a score that is not a finite number.

    >>> from actions import TimedWait
    >>> from fsmkit import Fsm
    >>> from fsmkit.curves import linear
    >>> fsm = Fsm("Cat", context={"hungry": 0.2, "tired": 0.5})
    >>> utility = fsm.add_state("Day").add_action(Utility(
    ...     Option(TimedWait(9.0), score=lambda state: linear(state.context["hungry"])),
    ...     Option(TimedWait(9.0), score=lambda state: linear(state.context["tired"])),
    ...     hysteresis=0.1,
    ... ))
    >>> fsm.start()
    >>> utility.position, utility.scores
    (1, (0.2, 0.5))
    >>> fsm.context["hungry"] = 0.55
    >>> fsm.update(1.0)
    >>> fsm.context["hungry"] = 0.7
    >>> fsm.update(1.0)
    >>> utility.position, utility.scores
    (0, (0.7, 0.5))
    """

    _looks_when_due_ = True

    every: float = field(default=0.0, kw_only=True, validator=is_amount("seconds", computed=False))
    hysteresis: float = field(default=0.0, kw_only=True, validator=is_amount("", computed=False))
    scores: tuple[float | None, ...] = field(default=(), init=False)
    """What the options answered last; None for one that was not asked, or whose `when` said no."""
    elapsed: Seconds = field(default=0.0, init=False)
    """Seconds since the scores were asked."""
    takes_no_time: bool = field(default=False, init=False)
    """Whether the option that runs finished as soon as it began."""

    def __init__(
        self,
        *options: Option[ContextT],
        every: float = 0.0,
        hysteresis: float = 0.0,
        finish_event: str | None = None,
    ) -> None:
        self._accept(options, every=every, hysteresis=hysteresis, finish_event=finish_event)

    def _unfit(self, option: Option[ContextT]) -> str:
        return "must have a score: Option(action, score=...)." if option.score is None else ""

    def begin(self) -> None:
        self.scores, self.takes_no_time = (), False
        super().begin()

    def on_update(self) -> None:
        if not self.every:
            super().on_update()
        elif not self.fsm.carry_time:
            self._update_and_ask()
        else:
            for part in self.nested.parts():  # so that the scores are asked at their moment
                with part:
                    self._update_and_ask()
                if not self.may_go_on:
                    return

    def _update_and_ask(self) -> None:
        """Update the option that runs; if it is time, ask all of them before."""
        self.elapsed += self._fsmkit_fsm.delta_time
        if self.elapsed < self.every - TIME_TOLERANCE:
            Composite.on_update(self)
        else:
            self.elapsed = max(0.0, self.elapsed - self.every) % self.every
            super().on_update()

    def best(self, is_update: bool = False) -> int:
        if not is_update:
            self.elapsed = self.seconds_left  # from now to the end of this update
        state, options, failures = self._fsmkit_state, self.options, self.failures
        scores: list[float | None] = [None] * len(options)
        best, highest = NONE, 0.0
        for index in self.taking_part:
            option = options[index]
            when: Any = option.when
            if when is not None and not when(state):
                if failures and is_update:
                    failures.pop(index, None)
            elif not failures or index not in failures:
                score: Any = option.score
                if callable(score):
                    score = score(state)
                if type(score) is not float or not -inf < score < inf:
                    score = self._checked(score, index)
                scores[index] = score
                if score > highest or best == NONE:
                    best, highest = index, score
        self.scores = tuple(scores)
        held = self._held()
        return best if held is None or highest > held + self.hysteresis else self.position

    def _checked(self, score: object, index: int) -> float:
        what = f"Utility: the score of options[{index}], {self.options[index]!r},"
        return arguments.number(score, what)

    def _held(self) -> float | None:
        """The score of the option that runs; None if it may not go on."""
        index = self.position
        is_at_work = index != NONE and not self.options[index].action._fsmkit_finished
        return self.scores[index] if is_at_work else None

    def turn_to(self, best: int) -> None:
        super().turn_to(best)
        self.takes_no_time = self.is_due

    def look_at_new(self) -> None:
        if self.may_go_on:
            nested = self.nested
            nested.has_news = True  # as in look_at_children
            self.skip_failed()  # one that has finished is followed in the next update
            nested.has_news = not self.finished and self.is_due

    def went_well(self) -> None:
        """Choose again; with time carried over, perhaps several times, as `Repeat` goes round."""
        for _ in self.nested.rounds():
            left, took_time = self.seconds_left, not self.takes_no_time
            self.failures.clear()
            self.turn_within_step()
            self.skip_failed()
            has_used_time = self.seconds_left < left
            goes_on = has_used_time or (took_time and self.takes_no_time)
            if not (self.fsm.carry_time and goes_on and self.is_due and self.may_go_on):
                return

    @property
    def next_due(self) -> float:
        if self.is_due or not self.every:
            return 0.0
        dues = (child.next_due for child in self.present)
        return min(max(0.0, self.every - self.elapsed), *dues)

    @property
    def finishes(self) -> Finishes | None:
        is_able = any(option.action.enabled for option in self.options)
        return "never" if is_able else "at once"

    def entered_first(self, ends: Ends) -> Sequence[FsmAction[Any]]:  # noqa: ARG002  # perhaps none
        enabled = [option for option in self.options if option.action.enabled]
        return [enabled[0].action] if len(enabled) == 1 and enabled[0].when is None else ()

    def _reasons(self) -> str:
        look = f"; next look: {to_go(self.every - self.elapsed)}" if self.every else ""
        return super()._reasons() + look

    def answer_of(self, index: int) -> str:
        if known := super().answer_of(index):
            return known
        score = self.scores[index] if index < len(self.scores) else None
        if score is not None:
            held = self._held()
            is_held_back = held is not None and index != self.position and score > held
            less = f", not better by more than {self.hysteresis:g}" if is_held_back else ""
            return f"{score:.4g}{less}"
        when = self.options[index].when
        return answered(self, when, holds=False) if when is not None else ""
