"""AgentSlice: a range of agents that one thread processes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from fsmkit.crowd.engine.report import Report
from fsmkit.crowd.packages import np

if TYPE_CHECKING:
    from fsmkit.crowd.engine.store import Store

Loop: TypeAlias = Callable[..., Any]

AddError: TypeAlias = Callable[[Report, int, int, Exception], None]
"""Adds the error of an agent, raised at a place of the loop, to a report."""


class AgentSlice:
    """The columns of the agents from `first` to before `last`, and room for a loop's notes.

    It is kept until agents are added or removed: in a small crowd, updating the agents takes hardly
    longer than putting together the arguments of a loop.
    """

    def __init__(self, store: Store, first: int, last: int, add_error: AddError) -> None:
        self._first = first
        self._last = last
        self._columns = [
            column[first:last]
            for column in (store.state, store.entered_at, store.ids, *store.columns.values())
        ]
        self._notes = np.zeros((2, 2), np.int64)
        """The acting agent and its place, for errors; the number of endless ones, and the first."""
        self._trails = np.zeros((2, store.layout.trail_length), np.int64)
        self._skipped = np.zeros(last - first, np.bool_)
        """True for the agents that the update loop is run for."""
        self._add_error = add_error

    def sweep(self, sweep: Loop, update: Loop, arguments: Sequence[Any]) -> Report:
        """Run the loop without branches, and the other one for the agents that it skips."""
        if not sweep(self._skipped, *arguments, self._notes, self._trails, *self._columns):
            return Report()
        return self.run(update, [self._skipped], arguments)

    def update_all(self, update: Loop, arguments: Sequence[Any]) -> Report:
        """Run the update loop only, for a machine that has a sweep."""
        self._skipped.fill(True)
        return self.run(update, [self._skipped], arguments)

    def part_of(self, column: Any) -> Any:
        """Return the part of a column for these agents."""
        return column[self._first : self._last]

    def run(self, loop: Loop, chosen: Sequence[Any], arguments: Sequence[Any]) -> Report:
        """Run a loop; after an agent whose function has raised it goes on.

        `chosen` are its own columns, which select the agents; `arguments` are the same for all
        agents.
        """
        report, first, columns = Report(), self._first, self._columns
        while True:
            error: Exception | None = None
            self._notes.fill(0)
            try:
                loop(*chosen, *arguments, self._notes, self._trails, *columns)
            except (ArithmeticError, ValueError, IndexError) as raised:
                error = raised.with_traceback(None)
            (agent, place), (loops, first_looping) = self._notes.tolist()
            if loops:
                report.add_loop(first + first_looping, self._trails[1].tolist(), loops)
            if error is None:
                return report
            self._add_error(report, first + agent, place, error)
            first += agent + 1
            chosen = [column[agent + 1 :] for column in chosen]
            columns = [column[agent + 1 :] for column in columns]
