"""Stretch: a range of agents that one thread goes through."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from fsmkit.crowd.engine.report import Report
from fsmkit.crowd.packages import np

if TYPE_CHECKING:
    from fsmkit.crowd.engine.store import Store

Loop: TypeAlias = Callable[..., Any]

Tell: TypeAlias = Callable[[Report, int, int, Exception], None]
"""Adds the error of an agent, raised at a place of the loop, to a report."""


class Stretch:
    """The columns of the agents from `first` to before `last`, and room for what a loop notes.

    It is kept for as long as no agents come or go: a small crowd takes hardly longer for its agents
    than for putting together what a loop is called with.
    """

    def __init__(self, store: Store, first: int, last: int, tell: Tell) -> None:
        self._first = first
        self._last = last
        self._columns = [
            column[first:last]
            for column in (store.state, store.entered_at, store.ids, *store.columns.values())
        ]
        self._notes = np.zeros((2, 2), np.int64)
        """Who acts and where, for errors; how many change without end, and the first of them."""
        self._trails = np.zeros((2, store.layout.trail), np.int64)
        self._left = np.zeros(last - first, np.bool_)
        """For whom the update loop is to be run."""
        self._tell = tell

    def sweep(self, sweep: Loop, update: Loop, given: Sequence[Any]) -> Report:
        """Run the loop without branches, and the other one for those it leaves over."""
        if not sweep(self._left, *given, self._notes, self._trails, *self._columns):
            return Report()
        return self.run(update, [self._left], given)

    def update_all(self, update: Loop, given: Sequence[Any]) -> Report:
        """Run the update loop of a machine that has a sweep, without that."""
        self._left.fill(True)
        return self.run(update, [self._left], given)

    def cut(self, column: Any) -> Any:
        """The part of a column that is about these agents."""
        return column[self._first : self._last]

    def run(self, loop: Loop, chosen: Sequence[Any], given: Sequence[Any]) -> Report:
        """Run a loop; behind an agent whose function has raised it goes on.

        `chosen` are columns of its own, which say who is meant; `given` is what it is called with
        for all agents alike.
        """
        report, first, columns = Report(), self._first, self._columns
        while True:
            error: Exception | None = None
            self._notes.fill(0)
            try:
                loop(*chosen, *given, self._notes, self._trails, *columns)
            except (ArithmeticError, ValueError) as raised:
                error = raised.with_traceback(None)
            (agent, place), (loops, looper) = self._notes.tolist()
            if loops:
                report.looped(first + looper, self._trails[1].tolist(), loops)
            if error is None:
                return report
            self._tell(report, first + agent, place, error)
            first += agent + 1
            chosen = [column[agent + 1 :] for column in chosen]
            columns = [column[agent + 1 :] for column in columns]
