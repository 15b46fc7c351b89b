"""The columns of a crowd: rows with spare room, the store of agents, and fields as users read them.

A `RowPool` adds and frees rows, a `Store` knows agents by id and index, and `FieldColumns` reads
and writes for users, by the names of fields.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from attrs import field, frozen

from fsmkit.core.checks import arguments
from fsmkit.crowd.argument_checks import as_array, checked_agents
from fsmkit.crowd.compiler.columns import CrowdPlan
from fsmkit.crowd.engine.column import Column, Lease, checked_cells
from fsmkit.crowd.errors import CrowdError, UnknownAgentError, unknown_agent
from fsmkit.crowd.packages import np
from fsmkit.crowd.records import fitted

NOT_RUNNING: Final = -1

KEPT: Final = {"id": "ids", "state": "states", "time_in_state": "time_in_state"}
"""What a crowd keeps beside the fields -> the attribute that returns it for all agents."""

FREE: Final = -2
"""The state in a row without an agent. No state has that number, so the loops skip the row."""

SPARE: Final = 8
"""One row in this many may be free, and one in this many is added as spare room."""

CHUNK: Final = 1 << 14
"""The number of rows that are moved at once: the cells of a column then fit into a cache."""


class RowPool:
    """Columns of equal length, one of which is `state`.

    Adding rows uses the spare room at the end. Released rows stay and are free until there are many
    of them, or until `close_up`. So, on average, adding or releasing rows takes time in
    proportion to their number, and never copies all columns.

    >>> rows = RowPool({"state": np.dtype("int8"), "x": np.dtype("float64")})
    >>> rows.append(20)
    range(0, 20)
    >>> rows.columns["state"][:], rows.columns["x"][:] = 0, range(20)
    >>> rows.release(np.array([1, 4]))
    >>> len(rows), rows.free.tolist(), rows.numbers([0, 1, 2, 3, 17]).tolist(), rows.rank(5)
    (20, [1, 4], [0, 2, 3, 5, 19], 3)
    >>> rows.close_up()
    >>> rows.columns["x"].tolist()[:5], len(rows)
    ([0.0, 2.0, 3.0, 5.0, 6.0], 18)
    """

    def __init__(self, dtypes: Mapping[str, Any]) -> None:
        self.columns: dict[str, Any] = {}
        """The columns; replaced when rows are added or closed up."""
        self._whole: dict[str, Any] = {name: np.empty(0, dtype) for name, dtype in dtypes.items()}
        """The columns including their spare room."""
        self.parts: list[Any] = []
        """What was made of the columns; emptied when they are replaced, to free them."""
        self.free_count = 0
        self._free: Any = np.empty(0, np.int64)
        self._freed: list[Any] = []
        """Free rows that are not in `_free` yet."""
        self._use(0)

    def __len__(self) -> int:
        return len(self.columns["state"])

    @property
    def free(self) -> Any:
        if self._freed:
            self._free = np.sort(np.concatenate([self._free, *self._freed]), kind="stable")
            self._freed = []
        return self._free

    def append(self, count: int) -> range:
        """Add rows, whose cells are to be written; return their numbers.

        Raises MemoryError or ValueError, and changes nothing, if there is not enough memory.
        """
        room = len(self._whole["state"])
        if len(self) + count > room and self.free_count * SPARE * 2 > len(self):
            self.close_up()
        size = len(self) + count
        if size > room:
            self._widen(size + size // SPARE + SPARE)
        self._use(size)
        return range(size - count, size)

    def release(self, numbers: Any) -> None:
        """Make rows free; none of them may be free yet."""
        self.columns["state"][numbers] = FREE
        self._freed.append(numbers)
        self.free_count += len(numbers)
        if self.free_count * SPARE > len(self):
            self.close_up()

    def close_up(self) -> None:
        """Move the other rows into the free ones; there must be some."""
        size = len(self) - self.free_count
        moves = self._moves(int(self.free[0]))
        for column in self.columns.values():
            for target, part, kept in moves:
                column[target] = column[part] if kept is None else column[part][kept]
        self._free, self.free_count = np.empty(0, np.int64), 0
        self._use(size)

    def replace(self, columns: Mapping[str, Any]) -> None:
        """Use these columns from now on, without free rows."""
        self._whole = dict(columns)
        self._free, self._freed, self.free_count = np.empty(0, np.int64), [], 0
        self._use(len(columns["state"]))

    def rank(self, number: int) -> int:
        """Return how many rows before this one are not free."""
        return number - int(np.searchsorted(self.free, number))

    def numbers(self, ranks: Any) -> Any:
        """Return the numbers of the rows with these ranks among the rows that are not free."""
        ranks = np.asarray(ranks, np.int64)
        if not self.free_count:
            return ranks
        before = self.free - np.arange(self.free_count)
        return ranks + np.searchsorted(before, ranks, side="right")

    def taken(self, column: Any) -> Any:
        """Return the cells of a column, or of a mask, that are not in free rows."""
        return column[self.columns["state"] != FREE] if self.free_count else column

    def _moves(self, first: int) -> list[tuple[slice, slice, Any]]:
        """Return where rows from `first` on move, by chunks, and which of them; None for all."""
        moves: list[tuple[slice, slice, Any]] = []
        target = first
        for begin in range(first, len(self), CHUNK):
            part = slice(begin, min(begin + CHUNK, len(self)))
            kept = self.columns["state"][part] != FREE
            count = int(np.count_nonzero(kept))
            is_whole = count == len(kept)
            moves.append((slice(target, target + count), part, None if is_whole else kept))
            target += count
        return moves

    def _widen(self, room: int) -> None:
        """Copy each column into a longer one, and release it before the next one."""
        self.parts.clear()
        for name in sorted(self.columns, key="state".__eq__):  # last: len() reads it
            wider = np.empty(room, self._whole[name].dtype)
            column = wider[: len(self)]
            column[:] = self.columns[name]
            self._whole[name], self.columns[name] = wider, column

    def _use(self, size: int) -> None:
        self.parts.clear()
        self.columns = {name: each[:size] for name, each in self._whole.items()}


class Store:
    """The columns of a crowd's agents: one for each field, and a few more.

    Raises CrowdError if there is not enough memory for `size` agents.
    """

    def __init__(self, plan: CrowdPlan, size: int, seed: int) -> None:
        self.plan = plan
        self._name = f"Crowd of {plan.name!r}"
        self.seed = seed
        self.time = 0.0
        self.delta_time = 0.0
        """The seconds of the last update."""
        self.step = 0
        self.next_id = 0
        self._rows = RowPool(self._dtypes())
        self._lease = Lease()
        self.lent: set[str] = set()
        """The fields whose live columns somebody has got, and may read at any time."""
        self._deferred: dict[str, Callable[[], None]] = {}
        self.grow(size)

    def __len__(self) -> int:
        return len(self._rows) - self._rows.free_count

    @property
    def rows(self) -> RowPool:
        """The columns, with one row for each agent in the order of their ids, and free rows."""
        self.settle()
        return self.loop_rows

    @property
    def loop_rows(self) -> RowPool:
        """The same for the loops, which do without what is deferred."""
        return self._rows

    def seen(self, *columns: str) -> RowPool:
        """Return the rows for reading; only these columns need to be current."""
        if not self._deferred.keys().isdisjoint(columns):
            self.settle()
        return self._rows

    def defer(self, column: str, write: Callable[[], None]) -> None:
        """Have a column written by `write` before anybody but the loops reads it."""
        self._deferred[column] = write

    def drop_deferred(self, columns: Iterable[str]) -> None:
        """Take these columns as they are: they have been written."""
        if self._deferred:
            for each in columns:
                self._deferred.pop(each, None)

    def settle(self) -> None:
        """Write all columns that were deferred."""
        if self._deferred:
            deferred, self._deferred = self._deferred, {}
            for write in dict.fromkeys(deferred.values()):
                write()

    def dtype(self, name: str) -> Any:
        self._check_field(name)
        return self._rows.columns[self.plan.columns.field(name)].dtype

    @property
    def state(self) -> Any:
        """The number of the state in each row; NOT_RUNNING, or FREE in a row without an agent."""
        return self.loop_rows.columns["state"]

    @property
    def entered_at(self) -> Any:
        return self.loop_rows.columns["entered_at"]

    @property
    def ids(self) -> Any:
        """The id of the agent in each row, ascending; a free row keeps the id it had."""
        return self.loop_rows.columns["ids"]

    @property
    def columns(self) -> dict[str, Any]:
        """The columns of the fields and of the actions' memory, including free rows."""
        return {name: self.rows.columns[name] for name in self.plan.columns.kinds}

    @property
    def owner(self) -> str:
        return f"<Crowd of {len(self):,} agents of {self.plan.name!r}>"

    def field(self, name: str) -> Any:
        self._check_field(name)
        return self.rows.columns[self.plan.columns.field(name)]

    def loop_field(self, name: str) -> Any:
        """Return the column of a field for the loops, which do without what is deferred."""
        return self.loop_rows.columns[self.plan.columns.field(name)]

    def time_in_state(self, i: int) -> float:
        return 0.0 if self.state[i] == NOT_RUNNING else self.time - float(self.entered_at[i])

    def put(self, name: str, i: int, value: Any) -> None:
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
        self.close_up()
        return dict(self.rows.columns)

    def column(self, name: str) -> Column:
        self.close_up()
        column = Column.lent(self.field(name), name, self._lease)
        self.lent.add(name)
        return column

    def pass_time(self, dt: float) -> None:
        self.time += dt
        self.delta_time = dt
        self.step += 1

    def replace(self, arrays: dict[str, Any]) -> None:
        self._end_lease()
        self._deferred = {}
        self.loop_rows.replace(arrays)

    def write(self, column: str, cells: Any, agents: Any) -> None:
        self.close_up()
        self.rows.columns[column][agents] = cells

    def close_up(self) -> None:
        """Move all agents together, so that their rows equal their indices."""
        if self._rows.free_count:
            self._end_lease()
            self.loop_rows.close_up()

    def grow(self, count: int) -> range:
        self._end_lease()
        try:
            added = self.loop_rows.append(count)
        except (MemoryError, ValueError):  # ValueError: no array can have that size
            raise CrowdError(
                f"{self._name}: not enough memory for {count:,} agents. Use fewer."
            ) from None
        part = slice(added.start, added.stop)
        for name, column in self.loop_rows.columns.items():
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
        if len(rows):
            self._end_lease()
            self.loop_rows.release(rows)

    def row(self, agent: Any) -> int:
        """Return the row of an agent; negative indices count from the end. Raises CrowdError."""
        number, size = arguments.to_integer(agent), len(self)
        if number is None:
            raise CrowdError(
                f"The index of an agent must be an integer, got {agent!r}. For several agents use "
                'a column: crowd["x"][...].'
            )
        if not -size <= number < size:
            raise unknown_agent(self._name, number, size)
        return int(self._rows.numbers(number % size))

    def row_of(self, number: int) -> int:
        row = int(np.searchsorted(self.ids, number))
        if row == len(self.ids) or self.ids[row] != number or self.state[row] == FREE:
            raise UnknownAgentError(
                f"{self._name}: the agent with the id {number} has been removed."
            )
        return row

    def rank_of(self, number: int) -> int:
        return self.loop_rows.rank(int(np.searchsorted(self.ids, number)))

    def rows_of(self, where: Any) -> Any:
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
        return checked_agents(where, len(self), what, "a list of indices or a state", self._name)

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
        """Make the columns that users hold read-only."""
        if self._lease.views:
            self._lease.end()
            self._lease = Lease()


@frozen(eq=False)
class FieldColumns:
    """Reads and writes the columns of a store. Raises CrowdError for values that do not fit.

    `is_live` is true if the columns are in the memory of this process.
    """

    _store: Store
    is_live: bool = field(default=True, kw_only=True)

    def live(self, name: str) -> Column:
        return _found(self._store.column, name)  # type: ignore[no-any-return]

    def whole(self, name: str) -> Any:
        """Return the column of a field, including free rows."""
        return _found(self._store.field, name)

    def dtype(self, name: str) -> Any:
        return _found(self._store.dtype, name)

    def cells(self, name: str, values: Any, count: int) -> Any:
        """Return `values`, one or `count` of them, as cells for the column of a field."""
        dtype = self.dtype(name)
        given = as_array(values, repr(name))
        if given.shape not in ((), (count,)):
            raise CrowdError(
                f"{name!r} must be one value, or {count} of them, got an array of the shape "
                f"{given.shape}."
            )
        return checked_cells(repr(name), dtype, given)

    def read(self, name: str, agents: Any) -> Any:
        self.dtype(name)
        column = self._store.plan.columns.field(name)
        rows = self._store.seen(column)
        return rows.taken(rows.columns[column])[self._picked(agents)].copy()

    def write(self, name: str, values: Any, agents: Any) -> None:
        picked = self._picked(agents)
        cells = self.cells(name, values, np.arange(len(self._store))[picked].size)
        self._store.write(self._store.plan.columns.field(name), cells, picked)

    def shown(self, name: str) -> Any:
        """Return a column that must not be written to; a copy, unless it is in this process."""
        if self.is_live:
            self._store.close_up()
        rows = self._store.seen(name)
        view = rows.columns[name].view() if self.is_live else rows.taken(rows.columns[name]).copy()
        view.flags.writeable = False
        return view

    def time_in_state(self) -> Any:
        rows = self._store.seen("state", "entered_at")
        state, entered_at = rows.columns["state"], rows.columns["entered_at"]
        return rows.taken(np.where(state == NOT_RUNNING, 0.0, self._store.time - entered_at))

    def in_state(self, number: int) -> Any:
        rows = self._store.seen("state")
        return rows.taken(rows.columns["state"] == number)

    def count(self) -> dict[str, int]:
        state, states = self._store.seen("state").columns["state"], self._store.plan.states
        counts = np.bincount(state[state >= 0], minlength=len(states))
        return {name: int(n) for name, n in zip(states, counts, strict=True)}

    def check_live(self, key: str | int) -> None:
        if self.is_live:
            return
        fields = self._store.plan.columns.record.kinds
        name = key if isinstance(key, str) else next(iter(fields), "x")
        raise CrowdError(
            f"{self._store.owner} has its columns on a card. Read a copy with crowd.read({name!r}),"
            f" write with crowd.write({name!r}, values), and take crowd.fsm(index) for one agent."
        )

    def _picked(self, agents: Any) -> Any:
        if agents is None or isinstance(agents, slice):
            return slice(None) if agents is None else agents
        self._store.mask(agents, "agents")  # raises for agents that do not exist
        given = as_array(agents, "agents")
        return given if given.size else given.astype(np.int64)


def joined_columns(parts: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    return {name: np.concatenate([each[name] for each in parts]) for name in parts[0]}


def _found(find: Callable[[str], Any], name: str) -> Any:
    try:
        return find(name)
    except AttributeError as error:
        raise CrowdError(str(error)) from None
