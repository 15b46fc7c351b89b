"""AgentSlice: a range of agents that one thread processes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from fsmkit.crowd.engine.births import BirthNotes
from fsmkit.crowd.engine.report import Report
from fsmkit.crowd.packages import np

if TYPE_CHECKING:
    from fsmkit.crowd.engine.store import Store

MAX_RAISED: Final = 500
"""The most errors of a step for which a loop is left and entered again.

That takes about 4 us each, while a loop that only counts them takes 5 ns each, but has to be
compiled first, for half a second.
"""

AddError: TypeAlias = Callable[[Report, int, int, Exception], None]
"""Adds the error of an agent, raised at a place of the loop, to a report."""


class AgentSlice:
    """The columns of the agents from `first` to before `last`, and room for a loop's notes.

    It is kept until agents are added or removed: in a small crowd, updating the agents takes hardly
    longer than putting together the arguments of a loop.
    """

    def __init__(
        self, module: ModuleType, store: Store, first: int, last: int, add_error: AddError
    ) -> None:
        self._module = module
        self._first = first
        self._last = last
        self._columns = [column[first:last] for column in store.rows.columns.values()]
        self._notes = np.zeros((2, 2), np.int64)
        """The acting agent and its place, for errors; the number of endless ones, and the first."""
        self._trails = np.zeros((2, store.plan.trail_length), np.int64)
        self._words = np.zeros(-(-(last - first) // 8), np.uint64)
        """The bytes of `_skipped`, eight in each."""
        self._skipped = self._words.view(np.uint8)[: last - first]
        """1 for the agents that the update loop is run for."""
        self._births = (
            BirthNotes(store.plan, store.rows.columns) if store.plan.most_births else None
        )
        self._add_error = add_error

    def sweep(self, arguments: Sequence[Any]) -> Report:
        """Run the loop without branches, and the other one for the agents that it skips.

        `arguments` are the same for all agents, here and in the other methods.
        """
        skipped, columns = self._skipped, self._columns
        sweep = self._module.sweep
        if sweep(skipped, self._words, *arguments, self._notes, self._trails, *columns):
            return self._run("update", [skipped], arguments)
        return Report()

    def update(self, arguments: Sequence[Any]) -> Report:
        """Run the update loop only."""
        return self._run("update", [], arguments)

    def update_all(self, arguments: Sequence[Any]) -> Report:
        """Run the update loop only, for a machine that has a sweep."""
        self._skipped.fill(1)
        return self._run("update", [self._skipped], arguments)

    def change(self, chosen: Sequence[Any], arguments: Sequence[Any]) -> Report:
        """Run the loop that sends an event, or starts.

        `chosen` are the columns that select the agents, and that mark those that have changed.
        """
        return self._run("change", chosen, arguments)

    def part_of(self, column: Any, first: int) -> Any:
        """Return the part for these agents of a column that begins in the row `first`."""
        return column[self._first - first : self._last - first]

    def _run(self, loop: str, chosen: Sequence[Any], arguments: Sequence[Any]) -> Report:
        """Run a loop; after an agent whose function has raised it goes on.

        `chosen` are its own columns, which select the agents.
        """
        report, first, columns = Report(), self._first, self._columns
        births = self._births.arguments if self._births is not None else ()
        while True:
            name = loop if report.failed < MAX_RAISED else f"{loop}_counting"
            run = getattr(self._module, name)
            error: Exception | None = None
            failed = 0
            self._notes.fill(0)
            try:
                failed = run(*chosen, *arguments, self._notes, self._trails, *births, *columns)
            except (ArithmeticError, ValueError, IndexError) as raised:
                error = raised.with_traceback(None)
            (agent, place), (loops, first_looping) = self._notes.tolist()
            if loops:
                report.add_loop(first + first_looping, self._trails[1].tolist(), loops)
            report.failed += failed or 0
            done = self._taken_births(report)
            if error is not None:
                self._add_error(report, first + agent, place, error)
                done = agent + 1
            if done is None:
                return report
            first += done
            chosen = [column[done:] for column in chosen]
            columns = [column[done:] for column in columns]

    def _taken_births(self, report: Report) -> int | None:
        """Take noted births into the report; return how many agents were done, if not all were."""
        if self._births is None:
            return None
        births, stopped = self._births.taken()
        report.births += births
        return stopped
