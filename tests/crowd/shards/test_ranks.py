"""Ranks: which agents are in which shard, compared with a list of them all."""

from __future__ import annotations

from itertools import groupby, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsmkit.crowd.shards.ranks import Ranks, rows_of_indices, rows_of_slice

Listed = list[tuple[int, int]]
"""The id and the shard of every agent."""


@st.composite
def led(draw: st.DrawFn) -> tuple[Ranks, Listed]:
    """Some agents after some were added and removed, in both forms."""
    shards = draw(st.integers(1, 4))
    ranks = Ranks.divided(draw(st.integers(shards, 12)), shards)
    listed = [(run.first + i, run.shard) for run in ranks.runs for i in range(run.length)]
    for _ in range(draw(st.integers(0, 5))):
        if draw(st.booleans()):
            new = ranks.shares(draw(st.integers(0, 5)))
            ranks.add(new)
            listed += [(run.first + i, run.shard) for run in new for i in range(run.count)]
        else:
            listed = [each for each in listed if draw(st.integers(0, 2))]
            for shard in range(shards):
                own = [number for number, at in listed if at == shard]
                bounds = [*np.searchsorted(own, ranks.firsts(shard)).tolist(), len(own)]
                ranks.recount(shard, [b - a for a, b in pairwise(bounds)])
            ranks.tidy()
    return ranks, listed


def parts(listed: Listed, shards: int) -> list[list[int]]:
    return [[number for number, at in listed if at == shard] for shard in range(shards)]


@pytest.mark.slow
@given(led())
def test_the_place_of_every_agent(both: tuple[Ranks, Listed]) -> None:
    ranks, listed = both
    inside = parts(listed, ranks.shards)
    assert (len(ranks), ranks.lengths()) == (len(listed), [len(each) for each in inside])
    for rank, (number, shard) in enumerate(listed):
        place = inside[shard].index(number)
        assert ranks.locate(rank) == (shard, place)
        assert ranks.rank(shard, place) == rank
    with pytest.raises(IndexError):
        ranks.locate(len(listed))


@pytest.mark.slow
@given(led())
def test_columns_are_cut_and_joined(both: tuple[Ranks, Listed]) -> None:
    ranks, listed = both
    column = np.array([number for number, _ in listed], np.int64)
    cut = rows_of_slice(ranks, slice(None)).cut(column)
    assert [each.tolist() for each in cut] == parts(listed, ranks.shards)
    assert rows_of_slice(ranks, slice(None)).joined(cut).tolist() == column.tolist()


@pytest.mark.slow
@given(led(), st.data())
def test_some_agents(both: tuple[Ranks, Listed], data: st.DataObject) -> None:
    ranks, listed = both
    column = np.array([number for number, _ in listed], np.int64)
    cut = rows_of_slice(ranks, slice(None)).cut(column)
    part = data.draw(st.slices(len(listed)))
    indices = data.draw(st.lists(st.integers(0, len(listed) - 1), max_size=6)) if listed else []
    for chosen, rows in (
        (part, rows_of_slice(ranks, part)),
        (indices, rows_of_indices(ranks, np.array(indices, np.int64))),
    ):
        expected = column[chosen]
        assert rows.count == len(expected)
        found = [own[each] for own, each in zip(cut, rows.rows, strict=True)]
        assert rows.joined(found).tolist() == expected.tolist()
        assert [each.tolist() for each in rows.cut(expected)] == [each.tolist() for each in found]


@pytest.mark.slow
@given(led())
def test_neighbouring_runs_are_of_different_shards(both: tuple[Ranks, Listed]) -> None:
    ranks, listed = both
    assert [run.shard for run in ranks.runs if run.length] == [
        shard for shard, _ in groupby(at for _, at in listed)
    ]


def test_new_agents_fill_up_the_shortest_shards() -> None:
    ranks = Ranks.divided(30_000, 3)
    ranks.recount(1, [1000])
    assert [(run.shard, run.first, run.count) for run in ranks.shares(1)] == [(1, 30_000, 1)]
    many = ranks.shares(30_000)
    assert [(run.shard, run.first, run.count, run.offset) for run in many] == [
        (0, 30_000, 7000, 0),
        (1, 37_000, 16_000, 7000),
        (2, 53_000, 7000, 23_000),
    ]
    assert ranks.shares(0) == []
