"""Crowds in this process and in shards, and the processor time of all processes they work in."""

from __future__ import annotations

import gc
from dataclasses import dataclass, field
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import Final

import numpy as np
from memory import resident
from processes import descendants, megabytes, processor_seconds
from scenario import DT, STATES, beginning, player_at

from fsmkit.crowd import Crowd, CrowdFsm
from fsmkit.crowd.shards import DaskShards, ProcessShards, RayShards, ShardedCrowd
from fsmkit.crowd.shards.workers import Shards

FIELDS: Final = ("x", "y", "vx", "vy", "elapsed")
ONE: Final = "one process"
THREADS: Final = "two threads"
PROCESSES: Final = "ProcessShards(2)"
RAY: Final = "RayShards(2)"
DASK: Final = "DaskShards(2)"
SHARDS: Final = 2
FIRST_STEPS: Final = 16
"""In so many a crowd compiles, and tries both of its loops."""

AnyCrowd = Crowd | ShardedCrowd

SHARDED: Final[dict[str, Shards]] = {
    PROCESSES: ProcessShards(SHARDS),
    RAY: RayShards(SHARDS),
    DASK: DaskShards(SHARDS),
}


@dataclass
class Sample:
    """What a call took, in seconds: the mean of some calls."""

    wall: float
    driver: float
    """Processor time of this process."""
    others: dict[int, float]
    """Processor time of the other processes, by their ids."""

    @property
    def cpu(self) -> float:
        """The processor time of all."""
        return self.driver + sum(self.others.values())


@dataclass
class Subject:
    """A crowd, and the processes that have come with it."""

    name: str
    crowd: AnyCrowd
    pids: list[int]
    folder: TemporaryDirectory[str]
    """For checkpoints: without, columns of more than 64 MB make it take single steps."""
    driver_mb: float
    """By how much the memory of this process has grown with it, in megabytes."""
    done: int = 0
    """The steps so far."""
    samples: dict[int, list[Sample]] = field(default_factory=dict)
    """By the number of steps in a call."""

    def call(self, steps: int) -> None:
        """Make some steps in one call."""
        world = self.crowd.world
        [(world.player_x, world.player_y)] = player_at(self.done, 1)
        self.crowd.update(DT, steps=steps)
        self.done += steps

    def measure(self, steps: int, calls: int) -> Sample:
        """Make some calls."""
        before, driver, begun = processor_seconds(self.pids), process_time(), perf_counter()
        for _ in range(calls):
            self.call(steps)
        wall, driver = (perf_counter() - begun) / calls, (process_time() - driver) / calls
        after = processor_seconds(self.pids)
        others = {pid: (after[pid] - before[pid]) / calls for pid in self.pids}
        return Sample(wall, driver, others)

    @property
    def shard_pids(self) -> list[int]:
        """The processes of the shards: those that have worked most in their lives."""
        worked = processor_seconds(self.pids)
        return sorted(self.pids, key=lambda pid: -worked[pid])[:SHARDS]

    @property
    def shard_mb(self) -> float:
        """The memory of a shard, in megabytes; 0 without."""
        return max(map(megabytes, self.shard_pids), default=0.0)

    def shard_seconds(self, steps: int) -> float:
        """Return the processor time of a shard for a call."""
        pids = self.shard_pids
        return (
            median(sum(each.others[pid] for pid in pids) for each in self.samples[steps]) / SHARDS
        )

    def other_seconds(self, steps: int) -> float:
        """Return the processor time of all but the driver and the shards for a call."""
        pids = self.shard_pids
        return median(
            sum(seconds for pid, seconds in each.others.items() if pid not in pids)
            for each in self.samples[steps]
        )

    def close(self) -> None:
        """End its processes, and remove its files."""
        if isinstance(self.crowd, ShardedCrowd):
            self.crowd.close()
        self.folder.cleanup()


def opened(name: str, machine: CrowdFsm, size: int) -> Subject:
    """Return a crowd at its beginning, after its first steps."""
    gc.collect()  # crowds before this one
    there, memory = set(descendants()), resident()
    folder = TemporaryDirectory()
    crowd = made(name, machine, size, folder.name)
    states, *columns = beginning(size)
    for index, state in enumerate(STATES):
        crowd.start(state, where=states == index)
    for field_name, column in zip(FIELDS, columns, strict=True):
        crowd.write(field_name, column)
    del states, columns, column
    subject = Subject(name, crowd, [], folder, 0.0)
    for _ in range(FIRST_STEPS):
        subject.call(1)
    subject.pids = [pid for pid in descendants() if pid not in there]
    subject.driver_mb = (resident() - memory) / 1e6
    return subject


def made(name: str, machine: CrowdFsm, size: int, folder: str) -> AnyCrowd:
    """Return a crowd whose agents have not been started."""
    if name in SHARDED:
        return ShardedCrowd(machine, size, shards=SHARDED[name], checkpoints=folder, every=None)
    return Crowd(machine, size, parallel=2 if name == THREADS else False)


def differences(subjects: list[Subject]) -> list[str]:
    """Return the columns in which the subjects differ, after the same steps."""
    first, *others = subjects
    return [
        f"{first.name} and {other.name}: {name}"
        for other in others
        for name in FIELDS
        if not np.array_equal(first.crowd.read(name), other.crowd.read(name))
    ]
