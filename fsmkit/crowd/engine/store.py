"""Store: the columns of a crowd."""

from __future__ import annotations

from typing import Any, Final

from fsmkit.crowd.arguments import checked_agents, integer
from fsmkit.crowd.compiler.plan import Plan
from fsmkit.crowd.engine.column import Column, Lease
from fsmkit.crowd.engine.rows import CHUNK, FREE, Rows
from fsmkit.crowd.errors import CrowdError, UnknownAgentError
from fsmkit.crowd.packages import np
from fsmkit.crowd.records import fitted

NOT_RUNNING: Final = -1

KEPT: Final = {"id": "ids", "state": "states", "time_in_state": "time_in_state"}
"""What a crowd keeps beside the fields -> the column of all agents."""


class Store:
    """The data of a crowd's agents: a column for each field, and a few more.

    Raises CrowdError if there is not enough memory for `size` agents.
    """

    def __init__(self, plan: Plan, size: int, seed: int) -> None:
        self.plan = plan
        self.seed = seed
        self.time = 0.0
        self.delta_time = 0.0
        """The seconds of the last update."""
        self.step = 0
        self.next_id = 0
        self._rows = Rows(self._dtypes())
        self._lease = Lease()
        self.grow(size)

    def __len__(self) -> int:
        """Return the number of agents."""
        return len(self._rows) - self._rows.free_count

    @property
    def rows(self) -> Rows:
        """The columns, with a row for each agent in the order of their ids, and with free rows."""
        return self._rows

    def seen(self, *_columns: str) -> Rows:
        """Return the rows to be read only, of which only these columns need be as they are now."""
        return self._rows

    def dtype(self, name: str) -> Any:
        """Return the dtype of the column of a field. Raises AttributeError if there is none."""
        self._check_field(name)
        return self._rows.columns[self.plan.columns.field(name)].dtype

    @property
    def state(self) -> Any:
        """The number of the state in each row; NOT_RUNNING, or FREE in a row without an agent."""
        return self.rows.columns["state"]

    @property
    def entered_at(self) -> Any:
        """The time at which the agent in each row has entered its state."""
        return self.rows.columns["entered_at"]

    @property
    def ids(self) -> Any:
        """The id of the agent in each row, in ascending order; in free rows of the one before."""
        return self.rows.columns["ids"]

    @property
    def columns(self) -> dict[str, Any]:
        """The columns of the fields and of the actions' memory, with their free rows."""
        return {name: self.rows.columns[name] for name in self.plan.columns.kinds}

    @property
    def owner(self) -> str:
        """The crowd, for messages."""
        return f"<Crowd of {len(self):,} agents of {self.plan.name!r}>"

    def field(self, name: str) -> Any:
        """Return the column of a field. Raises AttributeError if there is none."""
        self._check_field(name)
        return self.rows.columns[self.plan.columns.field(name)]

    def time_in_state(self, i: int) -> float:
        """Return the seconds for which an agent has been in its state."""
        if self.state[i] == NOT_RUNNING:
            return 0.0
        return self.time - float(self.entered_at[i])

    def put(self, name: str, i: int, value: Any) -> None:
        """Write a field of an agent. Raises AttributeError, or what `put_cell` does."""
        self.field(name)
        self.put_cell(self.plan.columns.field(name), i, value, name)

    def put_cell(self, column: str, i: int, value: Any, name: str) -> None:
        """Write a cell; `name` is its name in messages.

        Raises TypeError for a value of another kind, OverflowError for one that is too large.
        """
        kind = self.plan.columns.kinds[column]
        try:
            self.rows.columns[column][i] = fitted(kind, value, repr(name))
        except TypeError as error:
            raise TypeError(f"{error} Write {kind.__name__}(...).") from None

    def arrays(self) -> dict[str, Any]:
        """Return every column, without free rows."""
        self.close_up()
        return dict(self.rows.columns)

    def column(self, name: str) -> Column:
        """Return the live column of a field, for users. Raises AttributeError if there is none."""
        self.close_up()
        return Column.lent(self.field(name), name, self._lease)

    def pass_time(self, dt: float) -> None:
        """Begin the step of an update: `dt` seconds pass."""
        self.time += dt
        self.delta_time = dt
        self.step += 1

    def replace(self, arrays: dict[str, Any]) -> None:
        """Use these columns from now on."""
        self._end_lease()
        self.rows.replace(arrays)

    def write(self, column: str, cells: Any, agents: Any) -> None:
        """Write the cells of some agents, given by indices, a mask of all agents or a slice."""
        self.close_up()
        self.rows.columns[column][agents] = cells

    def close_up(self) -> None:
        """Move all agents together, so that their rows are their indices."""
        if self._rows.free_count:
            self._end_lease()
            self.rows.close_up()

    def grow(self, count: int) -> range:
        """Add new agents; return their rows. Raises CrowdError like the constructor."""
        self._end_lease()
        try:
            added = self.rows.append(count)
        except (MemoryError, ValueError):  # ValueError: no array can have that size
            raise CrowdError(
                f"Crowd of {self.plan.name!r}: not enough memory for {count:,} agents. Use fewer."
            ) from None
        part = slice(added.start, added.stop)
        for name, column in self.rows.columns.items():
            column[part] = self.plan.columns.defaults.get(name, 0)
        self.state[part] = NOT_RUNNING
        self.entered_at[part] = self.time
        for begin in range(0, count, CHUNK):  # without a second copy of all ids
            end = min(begin + CHUNK, count)
            new = self.ids[added.start + begin : added.start + end]
            new[:] = np.arange(self.next_id + begin, self.next_id + end)
        self.next_id += count
        return added

    def remove(self, rows: Any) -> None:
        """Remove the agents in these rows."""
        if len(rows):
            self._end_lease()
            self.rows.release(rows)

    def row(self, agent: Any) -> int:
        """Return the row of an agent; negative indices count from the end. Raises CrowdError."""
        number, size = integer(agent), len(self)
        if number is None:
            raise CrowdError(
                f"The index of an agent must be an integer, got {agent!r}. For several agents take "
                'a column: crowd["x"][...].'
            )
        if not -size <= number < size:
            raise self._unknown(number)
        return int(self._rows.numbers(number % size))

    def row_of(self, number: int) -> int:
        """Return the row of the agent with that id. Raises UnknownAgentError if it is gone."""
        row = int(np.searchsorted(self.ids, number))
        if row == len(self.ids) or self.ids[row] != number or self.state[row] == FREE:
            raise UnknownAgentError(
                f"Crowd of {self.plan.name!r}: the agent with the id {number} has been removed."
            )
        return row

    def rank_of(self, number: int) -> int:
        """Return how many agents have a lower id."""
        return self.rows.rank(int(np.searchsorted(self.ids, number)))

    def rows_of(self, where: Any) -> Any:
        """Return the rows of the agents for `where`, in their order; see `mask`."""
        given = None if where is None else self._checked(where, "where")
        if given is None or given.dtype == np.bool_:
            return np.flatnonzero(self.mask(given))
        return self._rows.numbers(np.unique(given))

    def mask(self, where: Any, what: str = "where") -> Any:
        """Return a mask of rows for `where`: None for all agents, a mask of them, or indices.

        Raises CrowdError for anything else; `what` is its name in messages.
        """
        rows = self._rows
        if where is None:
            return self.seen("state").columns["state"] != FREE
        given = self._checked(where, what)
        is_mask = given.dtype == np.bool_
        if is_mask and not rows.free_count:
            return np.ascontiguousarray(given)
        mask = np.zeros(len(rows), np.bool_)
        if is_mask:
            mask[self.state != FREE] = given
        else:
            mask[rows.numbers(given)] = True
        return mask

    def _checked(self, where: Any, what: str) -> Any:
        """Return a mask of all agents, or indices >= 0. Raises CrowdError."""
        return checked_agents(where, len(self), what, "a list of indices or a state", self._unknown)

    def _check_field(self, name: str) -> None:
        record = self.plan.columns.record
        if name not in record.kinds:
            kept = KEPT.get(name)
            hint = f" Read crowd.{kept}." if kept is not None else ""
            raise AttributeError(
                f"{record.name} has no field {name!r}.{hint} Its fields: {', '.join(record.kinds)}."
            )

    def _dtypes(self) -> dict[str, Any]:
        columns = self.plan.columns
        floats = np.float32 if columns.is_float32 else np.float64
        kinds: dict[type, Any] = {float: floats, int: np.int64, bool: np.bool_}
        return {
            "state": np.dtype(np.int8 if len(self.plan.states) < 128 else np.int16),
            "entered_at": np.dtype(np.float64),
            "ids": np.dtype(np.int64),
            **{name: np.dtype(kinds[kind]) for name, kind in columns.kinds.items()},
        }

    def _end_lease(self) -> None:
        """Make the columns that were given away read-only."""
        if self._lease.views:
            self._lease.end()
            self._lease = Lease()

    def _unknown(self, number: int) -> UnknownAgentError:
        size = len(self)
        there = f"It has {size:,}, from 0 to {size - 1}." if size else "It has none."
        return UnknownAgentError(
            f"Crowd of {self.plan.name!r}: there is no agent {number}. {there}"
        )
