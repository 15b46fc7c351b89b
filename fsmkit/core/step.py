"""CarriedStep: the rest of a step of time, in a machine that carries it over (rule 22).

One update of a second must do what sixty small ones do. So actions that are updated side by side
end in the order of time: where several know when something in them ends (`_ends_in_`), they are
updated together up to the next of these ends, then up to the one after it, and so on. In each slice
those come first in which nothing ends, so that a callback at an end finds the others at that
moment, which `fsm.time` shows. An action that is alone with its end, as most are, gets the whole
step at once, and reports what it did not need of it. Actions that react to things as they come are
updated once in a step, at their place in the list.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from math import inf
from typing import Any, Final, TypeAlias

from fsmkit.core.delayed import TIME_TOLERANCE, due_by, first_due
from fsmkit.core.errors import FsmError
from fsmkit.core.types import UPDATE
from fsmkit.core.words import messages

StepTimes: TypeAlias = tuple[float, float, float]
"""The time of a machine, the seconds of its update, and those left until the end of the update."""

MOST_CHANGES: Final = 10_000
"""The most state changes in one update that carries time over (rule 22)."""


class CarriedStep:
    """The step of the current update. Only a machine that carries time over has one."""

    __slots__ = ("finished_at", "moment", "rest", "unused")

    def __init__(self) -> None:
        self.rest = 0.0
        """Seconds that the decided change passes on to the next state."""
        self.unused = 0.0
        """Seconds that none of the actions that finished at `finished_at` needed."""
        self.finished_at = 0.0
        """The time of the machine at which an action finished last."""
        self.moment = 0.0
        """Seconds before the end of the step at which a callback is running."""

    def note_finished(self, unused: float, time: float) -> None:
        """Note that an action has finished: of several in this update, the smallest rest counts."""
        unused, time = unused + self.moment, time + self.moment
        before = self.unused if abs(self.finished_at - time) < TIME_TOLERANCE else inf
        self.unused, self.finished_at = min(before, unused), time


class Moment:
    """A context manager: callbacks in it see another moment of the update."""

    __slots__ = ("_shift", "_when")

    def __init__(self, shift: Callable[[StepTimes], StepTimes], when: StepTimes) -> None:
        self._shift = shift
        self._when = when

    def __enter__(self) -> None:
        self._when = self._shift(self._when)

    def __exit__(self, *error: object) -> None:
        self._when = self._shift(self._when)


class CarriesTime:
    """The part of an `Fsm` that carries time over."""

    __slots__ = ()

    _time_: float

    @property
    def next_due(self: Any) -> float:
        """Seconds until something is due by itself: a delayed event, the end of a wait.

        For updates from one event to the next rather than in frames. 0.0 if something is due now,
        or an action works in every update, as a movement or a condition does: then choose a step of
        your own. inf if only an external event leads on, and while it is not running or suspended.
        Ask again after each event and update.

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
        delayed: float = first_due(self._delayed_) - self._time_
        waits: list[float] = [action.next_due for action in self._visit_.updated()]
        return max(0.0, min([delayed, *waits]))

    def _deliver_delayed_(self: Any) -> int:
        """Send the events that are due, by due time; return the number of state changes."""
        if not self._delayed_:
            return 0
        changes = 0
        for delayed in due_by(self._time_ + TIME_TOLERANCE, self._delayed_):
            if delayed.leave(self._delayed_):  # otherwise cancelled, or its state is now suspended
                self._dispatch_(delayed.event, delayed.data)
                changes += self._settle_()
        return changes

    def _send_with_rest_(self: Any, event: str, data: object, unused: float) -> bool:
        """Send an event because something has ended; a change passes on the rest (rule 22)."""
        step = self._step_
        rest = unused if self._phase_ is UPDATE else step.rest
        was_decided = self._next_ is not None
        taken: bool = self.send_event(event, data)
        if not was_decided and self._next_ is not None:
            step.rest = min(max(0.0, rest), self.delta_time + step.moment)
        return taken

    def _carry_on_(self: Any, step: CarriedStep, dt: float) -> None:
        """Change the state and update the next ones, with the rest of the step (rule 22)."""
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
        visit = self._visit_
        if len(visit.updates) < 2:
            settles: bool = self.process_state_actions(UPDATE, visit.updates, visit.actions)
            return settles

        def update(action: Any) -> bool:
            position = visit.position(action)
            hooks = tuple([hook for hook in visit.updates if hook[1] == position])
            return not self.process_state_actions(UPDATE, hooks, visit.actions)

        update_in_step(self, visit.updated, update)
        return self._next_ is not None or bool(self._failures_)

    @property
    def _ends_in_(self: Any) -> float:
        """Seconds until something in an action ends by itself; inf if unknown."""
        if self._step_ is None or not self.is_running:
            return inf
        return first_end(self._visit_.updated())

    def _within_step_(self: Any, before_end: float, left: float) -> Moment:
        """The moment `before_end` seconds before the end of this update, with `left` seconds."""
        moment = self._step_.moment if self._step_ is not None else 0.0
        return Moment(self._shift_, (self._time_ - before_end, left, moment + before_end))

    def _shift_(self: Any, moment: tuple[float, float, float]) -> tuple[float, float, float]:
        """Move to another moment of this update; return the previous one."""
        step = self._step_
        if step is None:
            return moment
        before = self._time_, self.delta_time, step.moment
        self._time_, self.delta_time, step.moment = moment
        return before


# Slices

Present: TypeAlias = Callable[[], Sequence[Any]]
Update: TypeAlias = Callable[[Any], bool]

MOST_ROUNDS: Final = 10_000
"""The most rounds in which one update continues after something ended within it."""


def update_in_step(fsm: Any, present: Present, update: Update) -> None:
    """Call `update` with the actions that are `present`, until it returns False.

    For a machine that carries time over. The step is that of `fsm.delta_time`.
    """
    actions = present()
    together = _timed(actions)
    if len(together) < 2 or _next_end(together) > fsm.delta_time + TIME_TOLERANCE:
        together = []
    alone = {id(action) for action in actions} - {id(action) for action in together}
    for action in actions:
        if id(action) in alone:
            if not update(action):
                return
        elif action is together[0] and not _update_in_slices(fsm, present, alone, update):
            return


def _update_in_slices(fsm: Any, present: Present, alone: set[int], update: Update) -> bool:
    """Update all but those `alone` together, from one end to the next; False to stop there.

    An action that replaces one that has ended continues with the rest.
    """

    def going() -> Sequence[Any]:
        return [each for each in present() if not (id(each) in alone or each.finished)]

    def ends_now(action: Any) -> bool:
        return bool(first_end([action]) <= fsm.delta_time + TIME_TOLERANCE)

    for part in parts_of(fsm, going):
        with part:
            if not all(map(update, sorted(going(), key=ends_now))):
                return False
    return True


def parts_of(fsm: Any, going: Present) -> Iterator[AbstractContextManager[None]]:
    """Cut the step of `fsm.delta_time` where something ends in the actions that are `going` on.

    Yields a context manager for each part, which makes it look like an update of its own.
    """
    left = fsm.delta_time
    actions: Sequence[Any] = ()
    for _ in range(MOST_ROUNDS):
        actions = going()
        length = max(TIME_TOLERANCE, _next_end(actions))
        if length > left - TIME_TOLERANCE:
            length = left
        left -= length
        yield within_step(fsm, left, length)
        if not left:
            return
    raise too_many_rounds(min(actions, key=lambda each: first_end([each]) or inf))


def within_step(fsm: Any, before_end: float, left: float) -> AbstractContextManager[None]:
    """A context manager: the moment `before_end` seconds before the end of this update."""
    moment: AbstractContextManager[None] = fsm._within_step_(before_end, left)
    return moment


def _timed(actions: Sequence[Any]) -> list[Any]:
    return [each for each in actions if not each.finished and 0.0 < first_end([each]) < inf]


def _next_end(actions: Sequence[Any]) -> float:
    return min((end for each in actions if (end := first_end([each])) > 0.0), default=inf)


def first_end(actions: Iterable[Any]) -> float:
    """Seconds until something in one of `actions` ends by itself; inf if unknown."""
    return min([each._ends_in_ for each in actions], default=inf)


def rounds_of(action: Any) -> Iterator[int]:
    """Count the rounds of an action in one update; raise FsmError after too many."""
    yield from range(1, MOST_ROUNDS + 1)
    raise too_many_rounds(action)


def too_many_rounds(action: Any) -> FsmError:
    """The error for an update so long that an action would go on endlessly within it."""
    return FsmError(
        f"{action.state}: {type(action).__name__} would go on more than {MOST_ROUNDS:,} times "
        f"within one update of {action.fsm.delta_time:g} s. Update in smaller steps, or let it "
        "wait longer."
    )
