"""Shard: some of a crowd's agents, with the calls that change them and the looks at them."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from attrs import field, frozen

from fsmkit.crowd.compiler.columns import CrowdPlan
from fsmkit.crowd.engine.compiled import Compiled
from fsmkit.crowd.engine.execution import remove_retired
from fsmkit.crowd.engine.report import Report
from fsmkit.crowd.engine.store import NOT_RUNNING, Store
from fsmkit.crowd.errors import CrowdError
from fsmkit.crowd.neighbours.buffers import Buffers
from fsmkit.crowd.neighbours.declaration import Declaration
from fsmkit.crowd.neighbours.query import Agents, agents_of
from fsmkit.crowd.neighbours.renewal import renew
from fsmkit.crowd.packages import np
from fsmkit.crowd.shards.checkpoints import read_columns, write_columns
from fsmkit.crowd.shards.ranks import AgentCondition, ShardRows, mask_of, rows_of


@frozen
class Clock:
    time: float = 0.0
    delta_time: float = 0.0
    step: int = 0


@frozen(eq=False)
class Start:
    """How a shard begins: with new agents, or with those in a file."""

    plan: CrowdPlan
    seed: int
    clock: Clock
    world: Mapping[str, Any]
    """All values of the world, in the order of the loops' arguments."""
    number: int = 0
    """The number of the last call that is done."""
    first_id: int = 0
    size: int = 0
    """The number of new agents."""
    file: str | None = None
    hash: str = ""
    """The hash of the file."""


@frozen(eq=False)
class Done:
    length: int
    """The number of agents that the shard has now."""
    clock: Clock
    value: Any = None
    reports: Mapping[int, Report] = field(factory=dict)
    """Errors and births, in the order of their numbers; agents are named by the indices here."""
    steps: int = 1
    """The steps of an update that were done: it ends with the first one that has errors."""
    error: CrowdError | None = None
    """Why all shards refused the call."""


class Shard:
    """The agents, in the order of their ids, with the loops.

    Raises CrowdError if the file is damaged, OSError if it cannot be read.
    """

    def __init__(self, start: Start) -> None:
        self.world = dict(start.world)
        self._plan = start.plan
        self._store = store = Store(start.plan, 0, start.seed)
        store.time, store.delta_time = start.clock.time, start.clock.delta_time
        store.step = start.clock.step
        if start.file is not None:
            store.replace(read_columns(start.file, start.hash))
        else:
            store.next_id = start.first_id
            store.grow(start.size)
        self._buffers = Buffers()
        self._engine = Compiled(start.plan, store, threads=1)
        self._engine.compile(self.world)

    def __len__(self) -> int:
        return len(self._store)

    # Calls, which change something: each is done once, in the same order in all shards

    def do(self, name: str, arguments: tuple[Any, ...]) -> Done:
        """Do the call with that name: `_update` for "update"."""
        done: Done = getattr(self, f"_{name}")(*arguments)
        return done

    def _update(self, dt: float, steps: int) -> Done:
        store = self._store
        reports: Mapping[int, Report] = {}
        done = 0
        while done < steps and not reports:
            done += 1
            store.pass_time(dt)
            reports = _told(self._engine.update(self.world))
            self._remove_retired()
        return self._done(None, reports, done)

    def _change(self, code: int, where: AgentCondition | None) -> Done:
        """Send an event, or start; the value is the number of agents that changed their state."""
        return self._changed(code, mask_of(where, self._store))

    def _add(self, first_id: int, count: int, cells: Mapping[str, Any], code: int | None) -> Done:
        """Add agents with these values, and start them unless `code` is None."""
        row = self._grown(first_id, count, cells)
        return self._done() if code is None else self._changed(code, np.ones(count, np.bool_), row)

    def _bear(self, first_id: int, count: int, cells: Mapping[str, Any], starts: Any) -> Done:
        """Add agents that were born in this step, and start them; a report for each state."""
        row = self._grown(first_id, count, cells)
        reports: dict[int, Report] = {}
        for number in np.unique(starts).tolist():
            mask, code = starts == number, len(self._plan.events) + number
            moved = np.zeros(count, np.bool_)
            reports |= _told(self._engine.change(mask, code, self.world, moved, row), number)
        return self._done(None, reports)

    def _retire(self) -> Done:
        """Remove agents at the end of a step in which others may have been born."""
        remove_retired(self._store)
        return self._done()

    def _remove(self, where: AgentCondition | None) -> Done:
        rows = np.flatnonzero(mask_of(where, self._store))
        self._store.remove(rows)
        return self._done(len(rows))

    def _write(self, column: str, rows: ShardRows, values: Any) -> Done:
        self._store.close_up()
        self._store.rows.columns[column][rows_of(rows, self._store)] = values
        return self._done()

    def _put(self, index: int | None, cells: Mapping[str, Any]) -> Done:
        """Write all cells of one agent; None if it is in another shard."""
        if index is not None:
            row = self._store.row(index)
            for name, value in cells.items():
                self._store.rows.columns[name][row] = value
        return self._done()

    def _renew(self, declaration: Declaration, agents: Agents, own: slice) -> Done:
        """Write quantities of neighbours; `agents` are those of all shards."""
        try:
            renew(self._store, declaration, self._buffers, agents, own)
        except CrowdError as error:  # for a value that is not finite
            return self._done(error=error)
        return self._done()

    def _changed(self, code: int, mask: Any, first: int = 0) -> Done:
        moved = np.zeros(len(mask), np.bool_)
        self._store.step += 1
        reports = _told(self._engine.change(mask, code, self.world, moved, first))
        self._remove_retired()
        return self._done(int(moved.sum()), reports)

    def _grown(self, first_id: int, count: int, cells: Mapping[str, Any]) -> int:
        store = self._store
        if count:
            store.next_id = first_id
        row = store.grow(count).start
        for name, values in cells.items():
            store.rows.columns[name][row:] = values
        return row

    def _remove_retired(self) -> None:
        """Remove agents at the end of a step; later, by `_retire`, if others may be born in it."""
        if not self._plan.most_births:
            remove_retired(self._store)

    def _done(
        self,
        value: Any = None,
        reports: Mapping[int, Report] | None = None,
        steps: int = 1,
        error: CrowdError | None = None,
    ) -> Done:
        store = self._store
        clock = Clock(store.time, store.delta_time, store.step)
        return Done(len(store), clock, value, reports or {}, steps, error)

    # Looks, which change nothing

    def look(self, name: str, arguments: tuple[Any, ...]) -> Any:
        """Answer the question with that name: `_look_count` for "count"."""
        return getattr(self, f"_look_{name}")(*arguments)

    def _look_count(self) -> list[int]:
        running = self._store.state[self._store.state >= 0]
        counts: list[int] = np.bincount(running, minlength=len(self._plan.states)).tolist()
        return counts

    def _look_read(self, column: str, rows: ShardRows) -> Any:
        return self._store.arrays()[column][rows_of(rows, self._store)]

    def _look_times(self, rows: ShardRows) -> Any:
        """Return the seconds for which agents have been in their state."""
        store = self._store
        store.close_up()
        seconds = np.where(store.state == NOT_RUNNING, 0.0, store.time - store.entered_at)
        return seconds[rows_of(rows, store)]

    def _look_mask(self, where: AgentCondition) -> Any:
        self._store.close_up()
        return where.mask(self._store)

    def _look_agent(self, index: int | None) -> dict[str, Any]:
        """Return all cells of one agent; nothing if it is in another shard."""
        if index is None:
            return {}
        row = self._store.row(index)
        return {name: column[row].item() for name, column in self._store.rows.columns.items()}

    def _look_lengths(self, firsts: list[int]) -> list[int]:
        """Return the number of agents from each of these ids to before the next one."""
        ids = self._store.rows.taken(self._store.ids)
        bounds = [*np.searchsorted(ids, firsts).tolist(), len(ids)]
        return [last - first for first, last in pairwise(bounds)]

    def _look_known(self, declaration: Declaration) -> Agents:
        return agents_of(self._store, declaration, Buffers())[0]

    def save(self, path: str) -> str:
        return write_columns(path, self._store.arrays())


def _told(report: Report, number: int = 0) -> dict[int, Report]:
    """Return the report with its number, if there is something in it."""
    return {number: report} if report.failed or report.loops or report.births else {}
