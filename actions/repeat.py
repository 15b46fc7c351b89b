"""Repeat: run an action over and over."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import field

from actions.definition import define_action
from actions.parts.composite import Ends, OfOne, has_succeeded, raise_together
from actions.parts.declarations import Finishes, named
from actions.parts.parameters import ContextT, Count
from actions.parts.validators import is_event_name
from fsmkit import FsmAction
from fsmkit.timing import arguments


@define_action
class Repeat(OfOne[ContextT]):
    """Run `action` again whenever it finishes: `times` times, then finish; None means forever.

    If `action` fails, so does this action, in that round.

    At most one round ends per update, so an action that finishes on enter cannot hang the machine.
    If the machine carries time over, as many rounds end as fit into the update: a round that takes
    no time is followed at once by the next, unless the one before took none either and the rounds
    are endless. Raises ValueError for an invalid number of times.

    >>> from actions import TimedWait
    >>> from fsmkit import Fsm
    >>> fsm = Fsm("Lamp")
    >>> blink = fsm.add_state("Blink").add_action(Repeat(TimedWait(0.5), times=3))
    >>> fsm.start()
    >>> for _ in range(3):
    ...     fsm.update(0.5)
    ...     print(blink.rounds, blink.finished)
    1 False
    2 False
    3 True
    """

    _looks_when_due_ = True

    times: int | None = None
    finish_event: str | None = field(default=None, kw_only=True, validator=is_event_name)
    rounds: Count = field(default=0, init=False)
    """The number of rounds completed in this visit."""
    takes_no_time: bool = field(default=False, init=False)
    """Whether the present round ended as soon as it began."""

    def __attrs_post_init__(self) -> None:
        if self.times is not None:
            none = ", or None for no end"
            arguments.integer(
                self.times, "Repeat: times", least=0, otherwise=none, error=ValueError
            )

    @property
    def finishes(self) -> Finishes | None:
        if self.times == 0 or not self.action.enabled:
            return "at once"
        if self.times is None:
            return "never"
        each = self.action.finishes
        is_later = self.times > 1 and not self._carries_time
        return "in time" if each == "at once" and is_later else each

    @property
    def waits_for(self) -> str:
        of = ", without end" if self.times is None else f" of {self.times}"
        return f"round {self.rounds + 1}{of}: {named(self.action)}"

    def entered_first(self, ends: Ends) -> Sequence[FsmAction[ContextT]]:
        return super().entered_first(ends) if self.times != 0 else ()

    def begin(self) -> None:
        self.rounds = 0
        if self.times == 0 or not self.action.enabled:
            self.finish()
            return
        self._begin_round()
        if self._carries_time and self.times is not None:
            self.look_at_children()
        self._finish_with_the_last()

    @property
    def is_due(self) -> bool:
        return self.action.finished or self.rounds == self.times

    def end_failed(self) -> None:
        """Exit the action."""
        self.end_all()

    def go_on(self) -> None:
        if has_succeeded(self.action):
            errors: list[BaseException] = []
            try:
                self._go_round(errors)
            except BaseException as error:
                errors.append(error)
            if errors:
                raise_together(self, errors)
        self._finish_with_the_last()

    def _go_round(self, errors: list[BaseException]) -> None:
        """End a round and begin the next; with time carried over, perhaps several."""
        if not self._carries_time:
            self._turn(errors)
            return
        for _ in self.nested.rounds():
            took_time = not self.takes_no_time
            with self.nested.moment(self.seconds_left):
                self._turn(errors)
            if self.rounds == self.times or self.action.failed:
                return
            if self.takes_no_time:
                goes_on = took_time or self.times is not None
            else:
                goes_on = self.follow_up(self.action)
            if not (goes_on and self.may_go_on):
                return

    def _turn(self, errors: list[BaseException]) -> None:
        self.rounds += 1
        try:
            self.end_child(self.action)
        except BaseException as error:
            errors.append(error)
        if self.rounds != self.times:
            self._begin_round()

    def _begin_round(self) -> None:
        self.begin_child(self.action)
        self.takes_no_time = self.action.finished

    @property
    def _carries_time(self) -> bool:
        return self.fsm is not None and self.fsm.carry_time

    def _finish_with_the_last(self) -> None:
        """End the last round if it finished on enter, and finish after it."""
        if self.rounds + 1 == self.times and has_succeeded(self.action) and self.may_go_on:
            self.rounds += 1
            self.end_child(self.action)
        if self.rounds == self.times:
            self.finish(self.seconds_left)
