"""Saved runs: the run of a machine as values, for tools, and how it is restored."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from fsmkit.core.delayed import DelayedEvent


class SavedVisit(NamedTuple):
    """One stay in a state: the current one, or one that is suspended."""

    state: Any
    event: str | None
    data: object
    since: float
    """The time at which the state was entered; of a suspended one, for how long it was current."""
    entered: tuple[Any, ...]
    """The actions that were entered; while entering, all that take part."""
    size: int
    """How many actions take part, entered or not, and have to finish."""
    finished: int
    delayed: tuple[tuple[float, str, object, bool], ...] = ()
    """Of a suspended one: its delayed events, with the seconds that are left."""


class SavedRun(NamedTuple):
    """The internal state of a running machine; the rest is public."""

    visit: SavedVisit | None
    suspended: tuple[SavedVisit, ...]
    """The last one last."""
    queued: tuple[tuple[str, object], ...]
    posted: tuple[tuple[str, object], ...]
    """Without the results of external work."""
    delayed: tuple[tuple[float, str, object, bool], ...]


class Saving:
    """The part of an `Fsm` that saves and restores its run."""

    __slots__ = ()

    _phase_: str | None

    def _save_(self: Any) -> SavedRun:
        visit = self._visit_
        return SavedRun(
            _saved(visit) if self.is_running else None,
            tuple(_saved(each, each.delayed) for each in self._suspended_()),
            tuple(entry[:2] for entry in self._queue_),
            tuple(entry for entry in self._posted_ if entry[0] is not None),
            _listed(self._delayed_),
        )

    def _handles_(self: Any) -> tuple[Sequence[DelayedEvent], ...]:
        """The delayed events, then those of each suspended state, the last one last."""
        return (self._delayed_, *(visit.delayed for visit in self._suspended_()))

    def _restore_(self: Any, run: SavedRun, handles: Sequence[Sequence[DelayedEvent]]) -> None:
        """Continue where another machine was; no callback is called."""
        self._queue_ = tuple(run.queued)
        self._posted_[:] = run.posted
        for visit in self._suspended_():
            visit.delayed.clear()
        own, *others = handles
        _put_back(self._delayed_, own, run.delayed)
        below = None
        for saved, its_handles in zip(run.suspended, others, strict=True):
            visit = self._restored_(saved, below)
            visit.delayed = []
            _put_back(visit.delayed, its_handles, saved.delayed)
            below = visit
        self._enter_(None, None, None)
        if run.visit is not None:
            self._visit_ = self._restored_(run.visit, below)
        self._phase_ = None

    def _restored_(self: Any, saved: SavedVisit, below: Any) -> Any:
        """A visit as it was saved, with its actions entered and finished."""
        visit = self._visit_with_(saved.state, saved.entered)
        visit.event, visit.data, visit.since = saved.event, saved.data, saved.since
        visit.callbacks.size, visit.finished, visit.below = saved.size, saved.finished, below
        visit.is_announced = saved.finished >= saved.size
        for action in saved.entered:
            visit.is_announced |= action.failed
            if action.finished:
                visit.strike_out(action)
        visit.is_special = True
        return visit

    def _run_inside_(self: Any, host: Any, *, is_halted: bool = False) -> None:
        """Run inside `host`, as the saved machine did, perhaps suspended; None: by itself."""
        self._halted_ = [*self._visit_.actions] if is_halted else None
        self._run_in_(host)
        self._renew_visits_()

    def _notify_replaced_(self: Any, successor: Any) -> None:
        """Notify observers that another machine has taken the place of this one."""
        self._notify_("replaced", self, successor)
        self._raise_errors_of_observers_()

    def _notify_restored_(self: Any, time: float) -> None:
        """Notify observers that the machine was restored; its clock showed `time` before."""
        self._notify_("restored", self, time)
        self._raise_errors_of_observers_()


def _saved(visit: Any, delayed: Sequence[DelayedEvent] = ()) -> SavedVisit:
    stay = visit.state, visit.event, visit.data, visit.since, visit.actions
    progress = visit.callbacks.size, visit.finished
    return SavedVisit(*stay, *progress, _listed(delayed))


def _listed(schedule: Sequence[DelayedEvent]) -> tuple[tuple[float, str, object, bool], ...]:
    return tuple((each.due, each.event, each.data, each.keep) for each in schedule)


def _put_back(
    schedule: list[DelayedEvent], handles: Sequence[DelayedEvent], events: Sequence[Sequence[Any]]
) -> None:
    """Make `events` the contents of `schedule`, each by its handle."""
    schedule.clear()
    for handle, (due, _, data, _) in zip(handles, events, strict=True):
        handle.resume(schedule, due, data)
