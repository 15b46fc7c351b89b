"""No wait is silent, nothing is done twice, and a shard that cannot come back is named."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from attrs import define, field, frozen

from fsmkit.crowd import CrowdError
from fsmkit.crowd.errors import WorkerLostError
from fsmkit.crowd.shards import InProcessShards, ShardLostError
from fsmkit.crowd.shards.workers import InProcessWorkers, ShardWorker


@define(eq=False)
class Weather:
    """What happens to the next questions."""

    interrupted: int = 0
    patience: int = 0
    """How many answers come before."""
    is_silent: bool = False
    is_gone: bool = False
    waits: list[float] = field(factory=list)


@frozen
class Stormy(InProcessShards):
    weather: Weather = field(factory=Weather)

    def open(self) -> InProcessWorkers:
        return StormyWorkers(self.count, self.weather)


class StormyWorkers(InProcessWorkers):
    def __init__(self, count: int, weather: Weather) -> None:
        super().__init__(count)
        self.weather = weather

    def start(self, shard: int, seconds: float) -> None:
        if self.weather.is_gone:
            raise WorkerLostError("There is no process.")
        super().start(shard, seconds)

    def collect(self, shard: int, seconds: float) -> Any:
        self.weather.waits.append(seconds)
        if self.weather.patience:
            self.weather.patience -= 1
        elif self.weather.interrupted:
            self.weather.interrupted -= 1
            raise KeyboardInterrupt
        if self.weather.is_silent:
            raise TimeoutError
        return super().collect(shard, seconds)


@pytest.fixture(autouse=True)
def _no_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fsmkit.crowd.shards.coordinator.PAUSE", 0.0)


@pytest.mark.slow
def test_an_interrupted_call_is_done_once(course: Any, same: Any, outcome: Any) -> None:
    one, shards = course(3, "breeding").crowd(), Stormy(3)
    with course(3, "breeding").sharded(shards) as many:
        for _ in range(6):
            shards.weather.interrupted = 2
            for _ in range(2):
                with pytest.raises(KeyboardInterrupt):
                    many.update(0.1)
            expected = outcome(lambda: one.update(0.1))
            assert outcome(lambda: many.time) == (expected or one.time)
            assert same(many, one)


@pytest.mark.slow
def test_errors_of_a_call_are_counted_once_if_it_is_interrupted_when_agents_have_gone(
    course: Any, same: Any, outcome: Any
) -> None:
    one, shards = course(0, "mortal").crowd(), Stormy(2)
    interrupts = 0
    with course(0, "mortal").sharded(shards) as many:
        for _ in range(20):
            expected = outcome(lambda: one.update(0.1))
            shards.weather.patience, shards.weather.interrupted = 2, 1
            try:
                assert outcome(lambda: many.update(0.1)) == expected
            except KeyboardInterrupt:
                interrupts += expected is not None
                assert outcome(lambda: many.time) == (expected or one.time)
            shards.weather.interrupted = 0
            assert same(many, one)
    assert interrupts > 3


@pytest.mark.slow
def test_a_look_that_was_interrupted_can_be_repeated(course: Any) -> None:
    shards = Stormy(2)
    with course(3).sharded(shards) as crowd:
        shards.weather.interrupted = 1
        with pytest.raises(KeyboardInterrupt):
            crowd.read("x")
        assert crowd.read("x").tolist() == [0.0] * 60
        assert crowd.calls == 1


@pytest.mark.slow
def test_a_shard_that_does_not_answer_is_lost(course: Any, tmp_path: Path) -> None:
    shards = Stormy(2)
    crowd = course(3).sharded(shards, deadline=7.0, checkpoints=tmp_path)
    path = crowd.checkpoint()
    shards.weather.is_silent = True
    shards.weather.waits.clear()
    told = r"Shard 0 has not answered for 70 seconds\. Resume from the last checkpoint: "
    with pytest.raises(ShardLostError, match=told) as caught:
        crowd.update(0.1, steps=10)
    assert shards.weather.waits == [70.0]
    assert (caught.value.shard, caught.value.checkpoint) == (0, path)
    copied = pickle.loads(pickle.dumps(caught.value))
    assert (str(copied), copied.shard, copied.checkpoint) == (str(caught.value), 0, path)
    with pytest.raises(CrowdError, match=r"It has lost shard 0\. Resume from its checkpoint"):
        crowd.count()


@pytest.mark.slow
def test_a_shard_without_a_worker_is_lost(course: Any) -> None:
    shards = Stormy(2)
    crowd = course(3).sharded(shards, deadline=0.05)
    shards.weather.is_gone = True
    crowd._driver.coordinator._workers.lose(1)
    told = r"Shard 1 was lost, and has had no worker for 0\.05 seconds\. There is no checkpoint\."
    with pytest.raises(ShardLostError, match=told) as caught:
        crowd.update(0.1)
    assert (caught.value.shard, caught.value.checkpoint) == (1, None)


@pytest.mark.slow
def test_what_is_too_much_to_be_repeated_is_lost(
    course: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fsmkit.crowd.shards.coordinator.MOST_BYTES", 10_000)
    shards = Stormy(2)
    crowd = course(3).sharded(shards, 1000)
    for _ in range(2):
        crowd.write("x", np.arange(1000) * 0.001)
    crowd.update(0.1, steps=3)
    crowd._driver.coordinator._workers.lose(1)
    with pytest.raises(ShardLostError, match="too many calls have followed to repeat them"):
        crowd.update(0.1)


def test_a_host_does_a_call_once() -> None:
    host = ShardWorker()
    assert str(host.answer("do", (1, {}, "update", (0.1, 1))).error) == "This shard has not begun."
    assert str(host.answer("__init__", ()).error) == "A shard cannot be asked for '__init__'."
