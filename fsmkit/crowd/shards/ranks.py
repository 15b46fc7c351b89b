"""Ranks: which agents are in which shard.

The index of an agent is its rank by id over all shards. A shard holds some runs of ids; what is
kept here is a few numbers for each run, never for each agent.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, Final

from attrs import define, field, frozen

from fsmkit.crowd.packages import np

FEWEST_APART: Final = 4096
"""New agents go to one more shard for each so many."""


@define
class Run:
    """The agents of a shard with ids from `first` to that of the next run."""

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
    """The runs of all shards, in the order of ids."""

    shards: int
    runs: list[Run] = field(factory=list)
    next_id: int = 0

    @classmethod
    def divided(cls, size: int, shards: int) -> Ranks:
        """Return `size` agents, a run for each shard."""
        bounds = pairwise(size * number // shards for number in range(shards + 1))
        runs = [Run(first, shard, last - first) for shard, (first, last) in enumerate(bounds)]
        return cls(shards, runs, size)

    def __len__(self) -> int:
        return sum(run.length for run in self.runs)

    def lengths(self) -> list[int]:
        """Return the number of agents in each shard."""
        lengths = [0] * self.shards
        for run in self.runs:
            lengths[run.shard] += run.length
        return lengths

    def firsts(self, shard: int) -> list[int]:
        """Return the first ids of the runs of a shard."""
        return [run.first for run in self.runs if run.shard == shard]

    def recount(self, shard: int, lengths: Sequence[int]) -> None:
        """Say how many agents are left in each run of a shard."""
        own = [run for run in self.runs if run.shard == shard]
        for run, length in zip(own, lengths, strict=True):
            run.length = length

    def tidy(self) -> None:
        """Drop runs without agents, and join neighbours of the same shard."""
        runs: list[Run] = []
        for run in self.runs:
            if runs and runs[-1].shard == run.shard:
                runs[-1].length += run.length
            elif run.length:
                runs.append(run)
        self.runs = runs

    def shares(self, count: int) -> list[NewRun]:
        """Return how `count` new agents are to be divided: the shortest shards are filled up.

        Few of them go to the shortest one together.
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
        """Add agents, as `shares` has said."""
        for each in new:
            self.runs.append(Run(each.first, each.shard, each.count))
            self.next_id += each.count
        self.tidy()

    def locate(self, rank: int) -> tuple[int, int]:
        """Return the shard of an agent, and its index there."""
        passed = [0] * self.shards
        for run in self.runs:
            if rank < run.length:
                return run.shard, passed[run.shard] + rank
            rank -= run.length
            passed[run.shard] += run.length
        raise IndexError(rank)

    def rank(self, shard: int, index: int) -> int:
        """Return the rank of the agent with that index in a shard."""
        before = 0
        for run in self.runs:
            if run.shard == shard:
                if index < run.length:
                    return before + index
                index -= run.length
            before += run.length
        raise IndexError(index)

    def parts(self) -> Iterator[tuple[Run, slice, slice]]:
        """Yield every run, with its ranks and with its indices in its shard."""
        rank, passed = 0, [0] * self.shards
        for run in self.runs:
            inside = passed[run.shard]
            yield run, slice(rank, rank + run.length), slice(inside, inside + run.length)
            rank += run.length
            passed[run.shard] += run.length

    def cut(self, values: Any) -> list[Any]:
        """Return the part of each shard of an array with a value for every agent."""
        pieces: list[list[Any]] = [[] for _ in range(self.shards)]
        for run, ranks, _ in self.parts():
            pieces[run.shard].append(values[ranks])
        return [
            each[0] if len(each) == 1 else np.concatenate([*each, values[:0]]) for each in pieces
        ]
