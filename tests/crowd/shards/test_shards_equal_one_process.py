"""A crowd in shards equals one in a single process, bit for bit, errors in every word."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from attrs import frozen

from fsmkit.crowd.shards import InProcessShards, ShardedCrowd
from fsmkit.crowd.shards.workers import InProcessWorkers


@frozen
class Unsteady(InProcessShards):
    """Shards of which one is lost now and then, before a question or before its answer."""

    seed: int = 0

    def open(self) -> InProcessWorkers:
        return UnsteadyWorkers(self.count, Random(self.seed))


class UnsteadyWorkers(InProcessWorkers):
    def __init__(self, count: int, rng: Random) -> None:
        super().__init__(count)
        self.rng = rng
        self.left = 12

    def ask(self, shard: int, name: str, arguments: tuple[Any, ...]) -> None:
        self.lose_perhaps(shard)
        super().ask(shard, name, arguments)

    def collect(self, shard: int, seconds: float) -> Any:
        self.lose_perhaps(shard)
        return super().collect(shard, seconds)

    def lose_perhaps(self, shard: int) -> None:
        if self.left and self.rng.random() < 0.05:
            self.left -= 1
            self.lose(shard)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("count", [1, 2, 3, 7])
def test_a_random_course(course: Any, count: int, seed: int) -> None:
    course(seed).compare(InProcessShards(count))


@pytest.mark.slow
def test_floats_of_32_bits_and_a_checkpoint_on_the_way(
    course: Any, tmp_path: Any, same: Any
) -> None:
    each, shards = course(9), InProcessShards(3)
    one = each.crowd(dtype="float32")
    with each.sharded(shards, dtype="float32", checkpoints=tmp_path) as many:
        for number in range(6):
            assert each.go(number, many) == each.go(number, one)
        many.checkpoint()
    with ShardedCrowd.resume(each.built(), tmp_path, shards=shards) as many:
        assert same(many, one)
        many.world.heights = one.world.heights  # tables are not saved
        for number in range(6, 15):
            assert each.go(number, many) == each.go(number, one)
        assert same(many, one)


@pytest.mark.slow
@pytest.mark.parametrize("count", [1, 3])
def test_a_course_on_which_agents_are_born_and_die(course: Any, count: int) -> None:
    course(4, "breeding").compare(InProcessShards(count))


@pytest.mark.slow
@pytest.mark.parametrize("count", [2, 3])
def test_shards_that_are_lost_on_the_way_change_nothing(
    course: Any, count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fsmkit.crowd.shards.coordinator.PAUSE", 0.0)
    course(11).compare(Unsteady(count, seed=5))


@pytest.mark.long
@pytest.mark.parametrize("count", [1, 2, 3, 7])
def test_many_random_courses(
    course: Any, count: int, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fsmkit.crowd.shards.coordinator.PAUSE", 0.0)
    for seed in range(100, 115):
        each = course(seed, ["plain", "mortal", "breeding"][seed % 3])
        each.compare(InProcessShards(count), calls=40)
        each.compare(Unsteady(count, seed=seed), calls=40)
        folder = tmp_path / str(seed)
        each.compare(Unsteady(count, seed=seed), calls=40, checkpoints=folder, every=seed % 5 + 1)
