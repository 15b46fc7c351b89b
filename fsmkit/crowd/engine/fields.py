"""Fields: the columns of a crowd as its users read and write them, by the names of fields."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

from fsmkit.crowd.arguments import as_array
from fsmkit.crowd.engine.column import Column, checked_cells
from fsmkit.crowd.engine.store import NOT_RUNNING, Store
from fsmkit.crowd.errors import CrowdError
from fsmkit.crowd.packages import np


class Fields:
    """Reads and writes the columns of a store. Raises CrowdError for what does not fit.

    `is_live` is true if the columns are in the memory of this process.
    """

    def __init__(self, store: Store, *, is_live: bool = True) -> None:
        self._store = store
        self._is_live = is_live

    def live(self, name: str) -> Column:
        """Return the live column of a field."""
        column: Column = _found(self._store.column, name)
        return column

    def whole(self, name: str) -> Any:
        """Return the column of a field with its free rows."""
        return _found(self._store.field, name)

    def dtype(self, name: str) -> Any:
        """Return the dtype of the column of a field."""
        return _found(self._store.dtype, name)

    def cells(self, name: str, values: Any, count: int) -> Any:
        """Return `values`, or one value, for `count` cells of the column of a field."""
        dtype = self.dtype(name)
        given = as_array(values, repr(name))
        if given.shape not in ((), (count,)):
            raise CrowdError(
                f"{name!r} must be one value, or {count} of them, got an array of the shape "
                f"{given.shape}."
            )
        return checked_cells(repr(name), dtype, given)

    def read(self, name: str, agents: Any) -> Any:
        """Return a copy of the column of a field; see `Crowd.read`."""
        self.dtype(name)
        column = self._store.plan.columns.field(name)
        rows = self._store.seen(column)
        return rows.taken(rows.columns[column])[self._picked(agents)].copy()

    def write(self, name: str, values: Any, agents: Any) -> None:
        """Write the column of a field; see `Crowd.write`."""
        picked = self._picked(agents)
        cells = self.cells(name, values, np.arange(len(self._store))[picked].size)
        self._store.write(self._store.plan.columns.field(name), cells, picked)

    def shown(self, name: str) -> Any:
        """Return a column that must not be written to; a copy, unless it is in this process."""
        if self._is_live:
            self._store.close_up()
        rows = self._store.seen(name)
        view = rows.columns[name].view() if self._is_live else rows.taken(rows.columns[name]).copy()
        view.flags.writeable = False
        return view

    def time_in_state(self) -> Any:
        """Return the seconds for which each agent has been in its state."""
        rows = self._store.seen("state", "entered_at")
        state, entered_at = rows.columns["state"], rows.columns["entered_at"]
        return rows.taken(np.where(state == NOT_RUNNING, 0.0, self._store.time - entered_at))

    def in_state(self, number: int) -> Any:
        """Return a mask of the agents in the state with that number."""
        rows = self._store.seen("state")
        return rows.taken(rows.columns["state"] == number)

    def count(self) -> dict[str, int]:
        """Return the number of agents in each state."""
        state, states = self._store.seen("state").columns["state"], self._store.plan.states
        counts = np.bincount(state[state >= 0], minlength=len(states))
        return {name: int(n) for name, n in zip(states, counts, strict=True)}

    def check_live(self, key: str | int) -> None:
        """Raise CrowdError unless the columns are in the memory of this process."""
        if self._is_live:
            return
        fields = self._store.plan.columns.record.kinds
        name = key if isinstance(key, str) else next(iter(fields), "x")
        raise CrowdError(
            f"{self._store.owner} has its columns on a card. Read a copy with crowd.read({name!r}),"
            f" write with crowd.write({name!r}, values), and take crowd.fsm(index) for one agent."
        )

    def _picked(self, agents: Any) -> Any:
        """Return what picks these agents out of all."""
        if agents is None or isinstance(agents, slice):
            return slice(None) if agents is None else agents
        self._store.mask(agents, "agents")  # raises for what does not fit
        given = as_array(agents, "agents")
        return given if given.size else given.astype(np.int64)


def columns_of(crowd: Any) -> Collection[str]:
    """Return the names of the columns of a crowd, of any kind; none before it is made."""
    layout = vars(crowd).get("layout")  # it is set last
    return () if layout is None else layout.columns.record.kinds


def _found(find: Callable[[str], Any], name: str) -> Any:
    try:
        return find(name)
    except AttributeError as error:
        raise CrowdError(str(error)) from None
