"""Step: what is left of a step of time, in a machine that carries it over (rule 22)."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import Any, Final, TypeAlias

from fsmkit.core.delayed import TIME_TOLERANCE
from fsmkit.core.slices import first_end, update_in_step
from fsmkit.core.types import UPDATE
from fsmkit.core.words import messages

When: TypeAlias = tuple[float, float, float]
"""The time of a machine, the seconds of its update, and how long before the end of that it is."""


MOST_CHANGES: Final = 10_000
"""How many state changes one update may hold that carries time over (rule 22)."""


class Step:
    """The step of an update that is being carried out. Only a machine that carries time has one."""

    __slots__ = ("finished_at", "moment", "rest", "unused")

    def __init__(self) -> None:
        self.rest = 0.0
        """Seconds that the change which was decided hands on to the next state."""
        self.unused = 0.0
        """Seconds that were not needed by any of those that finished at `finished_at`."""
        self.finished_at = 0.0
        """The time of the machine at which something has finished last."""
        self.moment = 0.0
        """How long before the end of the step something is being called, in seconds."""

    def note_finished(self, unused: float, time: float) -> None:
        """Something has finished: of several in this update, the smallest rest counts."""
        unused, time = unused + self.moment, time + self.moment
        before = self.unused if abs(self.finished_at - time) < TIME_TOLERANCE else inf
        self.unused, self.finished_at = min(before, unused), time


class Moment:
    """A context manager: what is called in it sees another moment of the update."""

    __slots__ = ("_shift", "_when")

    def __init__(self, shift: Callable[[When], When], when: When) -> None:
        self._shift = shift
        self._when = when

    def __enter__(self) -> None:
        self._when = self._shift(self._when)

    def __exit__(self, *error: object) -> None:
        self._when = self._shift(self._when)


class CarriesTime:
    """The part of an `Fsm` that has to do with carrying time over."""

    __slots__ = ()

    _time_: float

    @property
    def next_due(self: Any) -> float:
        """Seconds until something is due by itself: a delayed event, the end of a wait.

        For those who do not update in frames but from one event to the next. 0.0 where something is
        due now, or an action is at work in every update, as a movement or a condition is: then
        choose a step of your own. inf where only an event from outside leads on, and while it is
        not running or suspended. Ask again after each event and update.

        >>> from actions import TimedWait
        >>> from fsmkit import FINISHED, Fsm
        >>> fsm = Fsm("Kettle")
        >>> heat, ready = fsm.add_state("Heat"), fsm.add_state("Ready")
        >>> _ = heat.add_action(TimedWait(180.0))
        >>> _ = heat.add_transition(FINISHED, ready)
        >>> fsm.start()
        >>> fsm.next_due
        180.0
        >>> fsm.update(fsm.next_due)
        >>> fsm.current_state.name, fsm.next_due
        ('Ready', inf)
        """
        if not self.is_running or self._halted_ is not None:
            return inf
        if self._posted_ or self._queue_ or self._visit_.is_due:
            return 0.0
        delayed = self._delayed_[0].due - self._time_ if self._delayed_ else inf
        updated = (action for _, action in self._visit_.updates if action is not None)
        waits: list[float] = [action.next_due for action in updated]
        return max(0.0, min([delayed, *waits]))

    def _send_with_rest_(self: Any, event: str, data: object, unused: float) -> bool:
        """Send an event because something has finished; a change hands on the rest (rule 22)."""
        step = self._step_
        rest = unused if self._phase_ is UPDATE else step.rest
        was_decided = self._next_ is not None
        taken: bool = self.send_event(event, data)
        if not was_decided and self._next_ is not None:
            step.rest = min(max(0.0, rest), self.delta_time + step.moment)
        return taken

    def _carry_on_(self: Any, step: Step, dt: float) -> None:
        """Change the state and update the next ones, with what is left of the step (rule 22)."""
        end, left, total, at_once = self._time_, dt, 0, 0
        try:
            while step.rest:
                before, rest = (at_once if step.rest == left else 0), step.rest
                self._time_ = end - rest
                at_once = self._settle_(before)
                total += at_once - before
                if not step.rest or self._visit_.state is None:
                    return
                if total > MOST_CHANGES:
                    raise messages.too_many_changes(self.name, MOST_CHANGES)
                left, step.rest, step.unused = rest, 0.0, inf
                self._time_, self.delta_time = end, rest
                if self._deliver_delayed_():
                    return
                self._update_actions_()
        finally:
            self._time_, self.delta_time, step.rest = end, dt, 0.0

    def _update_actions_(self: Any) -> bool:
        """Update the actions of the current state; True if something has to be settled."""
        if len(self._visit_.updates) < 2:
            settles: bool = self.process_state_actions(UPDATE, self._visit_.updates)
            return settles

        def present() -> list[Any]:
            return [action for _, action in self._visit_.updates if action is not None]

        def update(action: Any) -> bool:
            hooks = tuple([hook for hook in self._visit_.updates if hook[1] is action])
            return not self.process_state_actions(UPDATE, hooks)

        update_in_step(self, present, update)
        return self._next_ is not None or bool(self._failures_)

    @property
    def _ends_in_(self: Any) -> float:
        """Seconds until something in an action ends by itself; inf if that is not known."""
        if self._step_ is None or not self.is_running:
            return inf
        return first_end(action for _, action in self._visit_.updates if action is not None)

    def _within_step_(self: Any, before_end: float, left: float) -> Moment:
        """The moment `before_end` seconds before the end of this update, with `left` seconds."""
        moment = self._step_.moment if self._step_ is not None else 0.0
        return Moment(self._shift_, (self._time_ - before_end, left, moment + before_end))

    def _shift_(self: Any, moment: tuple[float, float, float]) -> tuple[float, float, float]:
        """Be at another moment of this update; return that at which the machine was."""
        step = self._step_
        if step is None:
            return moment
        before = self._time_, self.delta_time, step.moment
        self._time_, self.delta_time, step.moment = moment
        return before
