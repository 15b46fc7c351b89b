"""AgentRows: which agents of a sharded crowd are meant, as rows of each shard."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from attrs import frozen

from fsmkit.crowd.arguments import checked_agents, integer
from fsmkit.crowd.errors import CrowdError, UnknownAgentError
from fsmkit.crowd.packages import np
from fsmkit.crowd.shards.conditions import Condition
from fsmkit.crowd.shards.ranks import Ranks


@frozen(eq=False)
class AgentRows:
    """Some agents, in some order."""

    count: int
    rows: Sequence[Any]
    """The rows of each shard, a slice or indices."""
    pieces: Sequence[tuple[int, Any, slice]]
    """A shard, places in the order of all, and the same agents within the rows of the shard."""

    def cut(self, values: Any) -> list[Any]:
        """Return the values of each shard, from one value or one for each agent."""
        if values.ndim == 0:
            return [values[()]] * len(self.rows)
        parts: list[list[Any]] = [[values[:0]] for _ in self.rows]
        for shard, places, _ in self.pieces:
            parts[shard].append(values[places])
        return [np.concatenate(each) for each in parts]

    def joined(self, parts: Sequence[Any]) -> Any:
        """Return one array from those of the shards."""
        whole = np.empty(self.count, parts[0].dtype)
        for shard, places, inside in self.pieces:
            whole[places] = parts[shard][inside]
        return whole


def rows_of_slice(ranks: Ranks, agents: slice) -> AgentRows:
    """Return the agents of a slice of ranks."""
    start, stop, step = agents.indices(len(ranks))
    if step != 1:
        return rows_of_indices(ranks, np.arange(start, stop, step))
    rows: list[slice] = [slice(0, 0)] * ranks.shards
    pieces: list[tuple[int, Any, slice]] = []
    for run, whole, inside in ranks.parts():
        first, last = max(start, whole.start), min(stop, whole.stop)
        if first < last:
            shift, before = inside.start - whole.start, rows[run.shard]
            begin = before.start if before.stop else first + shift
            rows[run.shard] = slice(begin, last + shift)
            part = slice(first + shift - begin, last + shift - begin)
            pieces.append((run.shard, slice(first - start, last - start), part))
    return AgentRows(max(0, stop - start), rows, pieces)


def rows_of_indices(ranks: Ranks, indices: Any) -> AgentRows:
    """Return the agents with these ranks, in their order."""
    parts = list(ranks.parts())
    ends = np.array([whole.stop for _, whole, _ in parts], np.int64)
    owners = np.array([run.shard for run, _, _ in parts], np.int64)
    shifts = np.array([inside.start - whole.start for _, whole, inside in parts], np.int64)
    runs = np.searchsorted(ends, indices, side="right")
    shards, inside = owners[runs], indices + shifts[runs]
    places = [np.flatnonzero(shards == shard) for shard in range(ranks.shards)]
    pieces = [(shard, each, slice(None)) for shard, each in enumerate(places)]
    return AgentRows(len(indices), [inside[each] for each in places], pieces)


def checked(ranks: Ranks, given: Any, what: str, owner: str) -> Any:
    """Return the mask or the indices >= 0 that were given as `what`. Raises CrowdError."""
    size = len(ranks)

    def unknown(index: int) -> UnknownAgentError:
        there = f"It has {size:,}, from 0 to {size - 1}." if size else "It has none."
        return UnknownAgentError(f"{owner}: there is no agent {index}. {there}")

    kinds = "a list of indices, a state or a condition"
    return checked_agents(given, size, what, kinds, unknown)


def checked_index(ranks: Ranks, agent: Any, owner: str) -> int:
    """Return the index >= 0 of one agent. Raises CrowdError."""
    if integer(agent) is None:
        raise CrowdError(f"The index of an agent must be an integer, got {agent!r}.")
    return int(checked(ranks, agent, "index", owner)[0])


def conditions(ranks: Ranks, agents: Any) -> list[Condition]:
    """Return the condition for each shard of being one of these, a mask or indices >= 0."""
    if agents.dtype == np.bool_:
        return [Condition.rows(part) for part in ranks.cut(agents)]
    return [Condition.rows(rows) for rows in rows_of_indices(ranks, agents).rows]
