"""Agents: what must be known of every agent, as columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from attrs import frozen

from fsmkit.crowd.engine.rows import FREE
from fsmkit.crowd.errors import CrowdError
from fsmkit.crowd.neighbours.declaration import Declaration
from fsmkit.crowd.packages import np

if TYPE_CHECKING:
    from fsmkit.crowd.engine.store import Store


@frozen(eq=False)
class Agents:
    """The ids, states and fields of agents, a column each; free rows are left out. Plain data."""

    ids: Any
    """int64."""
    state: Any
    """The number of the state; -1 if it is not running."""
    columns: Mapping[str, Any]

    def __len__(self) -> int:
        return len(self.ids)

    @classmethod
    def joined(cls, parts: Sequence[Agents]) -> Agents:
        """Return the agents of several parts, one after the other."""
        return cls(
            np.concatenate([each.ids for each in parts]),
            np.concatenate([each.state for each in parts]),
            {
                name: np.concatenate([each.columns[name] for each in parts])
                for name in parts[0].columns
            },
        )

    def part(self, rows: slice) -> Agents:
        """Return some of them."""
        columns = {name: column[rows] for name, column in self.columns.items()}
        return Agents(self.ids[rows], self.state[rows], columns)

    def finite(self, name: str, what: str) -> Any:
        """Return a column as float64. Raises CrowdError, with the agent, for NaN or infinity."""
        column = self.columns[name].astype(np.float64, copy=False)
        good = np.isfinite(column)
        if not good.all():
            raise self._unfit(name, ~good, f"{what} must be finite")
        return column

    def number(self, name: str, what: str) -> Any:
        """Return a column. Raises CrowdError, with the agent, for NaN."""
        column = self.columns[name]
        if column.dtype.kind == "f" and (bad := np.isnan(column)).any():
            raise self._unfit(name, bad, f"{what} must be a number")
        return column

    def _unfit(self, name: str, bad: Any, must: str) -> CrowdError:
        chosen = np.flatnonzero(bad)
        first = chosen[self.ids[chosen].argmin()]  # whatever the order of the agents
        more = f", and {chosen.size - 1:,} more" if chosen.size > 1 else ""
        return CrowdError(
            f"{name!r} of agent {self.ids[first]}: {must}, got {self.columns[name][first]}{more}. "
            "Look for it with crowd.ids and the column."
        )


def agents_of(store: Store, declaration: Declaration) -> tuple[Agents, Any]:
    """Return what a declaration needs of the agents of a store, and the rows that they are in."""
    rows: Any = slice(None)
    if store.rows.free_count:
        rows = np.flatnonzero(store.state != FREE)
    columns = {name: store.field(name)[rows] for name in declaration.read}
    return Agents(store.ids[rows], store.state[rows], columns), rows
