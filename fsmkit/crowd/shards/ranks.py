"""Ranks: which agents are in which shard, their rows there, and conditions that shards evaluate.

The index of an agent is its rank by id over all shards. A shard holds some runs of ids; only a few
numbers are kept for each run, never for each agent.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, Final, TypeAlias

from attrs import define, field, frozen

from fsmkit.core.checks.arguments import to_integer
from fsmkit.crowd.argument_checks import checked_agents
from fsmkit.crowd.engine.store import Store
from fsmkit.crowd.errors import CrowdError
from fsmkit.crowd.packages import np

COMPARISONS: Final[Mapping[str, Callable[[Any, Any], Any]]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}


class AgentCondition:
    """Holds for some agents. `a & b`, `a | b` and `~a` are conditions too.

    It is not a mask: the call that it is given to evaluates it, for the agents at that time.
    """

    def mask(self, store: Store) -> Any:
        """Return the mask of the rows of a shard for which it holds; free rows do not matter."""
        raise NotImplementedError

    def __and__(self, other: AgentCondition) -> AgentCondition:
        return self._combined(np.logical_and, other)

    def __or__(self, other: AgentCondition) -> AgentCondition:
        return self._combined(np.logical_or, other)

    def __invert__(self) -> AgentCondition:
        return self._combined(np.logical_not)

    def _combined(self, combine: Callable[..., Any], *others: object) -> AgentCondition:
        if not all(isinstance(each, AgentCondition) for each in others):
            return NotImplemented  # type: ignore[no-any-return]
        return Combined(combine, (self, *others))

    def __bool__(self) -> bool:
        raise TypeError(
            "A condition is evaluated by the shards. Write & for `and`, | for `or`, ~ for `not`, "
            "and put each comparison in brackets."
        )


ShardRows: TypeAlias = Any
"""Some rows of a shard: a slice, an array of indices, or a condition."""


@frozen(eq=False)
class Compared(AgentCondition):
    column: str
    comparison: str
    value: float | int | bool

    def mask(self, store: Store) -> Any:
        return COMPARISONS[self.comparison](store.rows.columns[self.column], self.value)


@frozen(eq=False)
class Masked(AgentCondition):
    bits: Any
    length: int

    def mask(self, store: Store) -> Any:
        return store.mask(np.unpackbits(self.bits, count=self.length).view(np.bool_))


@frozen(eq=False)
class Listed(AgentCondition):
    indices: Any

    def mask(self, store: Store) -> Any:
        return store.mask(self.indices)


@frozen(eq=False)
class Combined(AgentCondition):
    combine: Callable[..., Any]
    parts: Sequence[Any]

    def mask(self, store: Store) -> Any:
        return self.combine(*(each.mask(store) for each in self.parts))


def mask_of(where: AgentCondition | None, store: Store) -> Any:
    """Return the mask of rows for a condition, or None for all agents."""
    every = store.mask(None)
    return every if where is None else where.mask(store) & every


def rows_of(rows: ShardRows, store: Store) -> Any:
    """Return the rows as numpy takes them. There must be no free ones."""
    return rows.mask(store) if isinstance(rows, AgentCondition) else rows


FEWEST_APART: Final = 4096
"""The new agents for which one more shard is filled."""


@define
class IdRun:
    first: int
    shard: int
    length: int


@frozen
class NewRun:
    """Agents that a shard is given: their ids, and their place among all that are given."""

    shard: int
    first: int
    count: int
    offset: int


@define(eq=False)
class Ranks:
    shards: int
    runs: list[IdRun] = field(factory=list)
    next_id: int = 0

    @classmethod
    def divided(cls, size: int, shards: int) -> Ranks:
        bounds = pairwise(size * number // shards for number in range(shards + 1))
        runs = [IdRun(first, shard, last - first) for shard, (first, last) in enumerate(bounds)]
        return cls(shards, runs, size)

    def __len__(self) -> int:
        return sum(run.length for run in self.runs)

    def lengths(self) -> list[int]:
        lengths = [0] * self.shards
        for run in self.runs:
            lengths[run.shard] += run.length
        return lengths

    def firsts(self, shard: int) -> list[int]:
        return [run.first for run in self.runs if run.shard == shard]

    def recount(self, shard: int, lengths: Sequence[int]) -> None:
        own = [run for run in self.runs if run.shard == shard]
        for run, length in zip(own, lengths, strict=True):
            run.length = length

    def tidy(self) -> None:
        runs: list[IdRun] = []
        for run in self.runs:
            if runs and runs[-1].shard == run.shard:
                runs[-1].length += run.length
            elif run.length:
                runs.append(run)
        self.runs = runs

    def shares(self, count: int) -> list[NewRun]:
        """Return the division of `count` new agents: the shortest shards are filled up.

        A few go to the shortest shard together.
        """
        lengths, given = self.lengths(), [0] * self.shards
        order = sorted(range(self.shards), key=lambda shard: (lengths[shard], shard))
        most = max(1, min(self.shards, count // FEWEST_APART))
        levels = [(count + sum(lengths[k] for k in order[:n])) // n for n in range(1, most + 1)]
        taking = next(n for n in range(most, 0, -1) if levels[n - 1] >= lengths[order[n - 1]])
        for shard in order[:taking]:
            given[shard] = levels[taking - 1] - lengths[shard]
        given[order[0]] += count - sum(given)
        runs: list[NewRun] = []
        for shard, number in enumerate(given):
            if number:
                offset = sum(run.count for run in runs)
                runs.append(NewRun(shard, self.next_id + offset, number, offset))
        return runs

    def add(self, new: Sequence[NewRun]) -> None:
        for each in new:
            self.runs.append(IdRun(each.first, each.shard, each.count))
            self.next_id += each.count
        self.tidy()

    def locate(self, rank: int) -> tuple[int, int]:
        for run, whole, inside in self.parts():
            if whole.start <= rank < whole.stop:
                return run.shard, inside.start + rank - whole.start
        raise IndexError(rank)

    def rank(self, shard: int, index: int) -> int:
        for run, whole, inside in self.parts():
            if run.shard == shard and inside.start <= index < inside.stop:
                return whole.start + index - inside.start
        raise IndexError(index)

    def parts(self) -> Iterator[tuple[IdRun, slice[int, int], slice[int, int]]]:
        """Yield every run, with its ranks and with its indices in its shard."""
        rank, passed = 0, [0] * self.shards
        for run in self.runs:
            inside = passed[run.shard]
            yield run, slice(rank, rank + run.length), slice(inside, inside + run.length)
            rank += run.length
            passed[run.shard] += run.length

    def checked(self, given: Any, what: str, owner: str) -> Any:
        kinds = "a list of indices, a state or a condition"
        return checked_agents(given, len(self), what, kinds, owner)

    def checked_index(self, agent: Any, owner: str) -> int:
        if to_integer(agent) is None:
            raise CrowdError(f"The index of an agent must be an integer, got {agent!r}.")
        return int(self.checked(agent, "index", owner)[0])

    def conditions(self, agents: Any) -> list[AgentCondition]:
        """Return the condition for each shard of being one of these, a mask or indices >= 0."""
        if agents.dtype == np.bool_:
            parts = rows_of_slice(self, slice(None)).cut(agents)
            return [Masked(np.packbits(part), len(part)) for part in parts]
        return [Listed(rows) for rows in rows_of_indices(self, agents).rows]


@frozen(eq=False)
class AgentRows:
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
        whole = np.empty(self.count, parts[0].dtype)
        for shard, places, inside in self.pieces:
            whole[places] = parts[shard][inside]
        return whole


def rows_of_slice(ranks: Ranks, agents: slice) -> AgentRows:
    start, stop, step = agents.indices(len(ranks))
    if (start, stop, step) != (0, len(ranks), 1):
        return rows_of_indices(ranks, np.arange(start, stop, step))
    pieces = [(run.shard, whole, inside) for run, whole, inside in ranks.parts()]
    return AgentRows(len(ranks), [slice(None)] * ranks.shards, pieces)


def rows_of_indices(ranks: Ranks, indices: Any) -> AgentRows:
    parts = list(ranks.parts())
    ends = np.array([whole.stop for _, whole, _ in parts], np.int64)
    owners = np.array([run.shard for run, _, _ in parts], np.int64)
    shifts = np.array([inside.start - whole.start for _, whole, inside in parts], np.int64)
    runs = np.searchsorted(ends, indices, side="right")
    shards, inside = owners[runs], indices + shifts[runs]
    places = [np.flatnonzero(shards == shard) for shard in range(ranks.shards)]
    pieces = [(shard, each, slice(None)) for shard, each in enumerate(places)]
    return AgentRows(len(indices), [inside[each] for each in places], pieces)
