"""What else a crowd in processes is asked for: columns, events, checkpoints, and to come back."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from tempfile import TemporaryDirectory
from typing import Final

import numpy as np
from processes import descendants
from report import aligned, significant
from scenario import DT
from turns import Taken, take_turns

from fsmkit.crowd import CrowdFsm
from fsmkit.crowd.shards import ProcessShards, ShardedCrowd

ROUNDS: Final = 5
SHARDS: Final = 2


def calls_table(machine: CrowdFsm, size: int) -> str:
    """Return a table of the time of each call."""
    there = set(descendants())
    shards = ProcessShards(SHARDS)
    with (
        TemporaryDirectory() as folder,
        ShardedCrowd(
            machine, size, shards=shards, start="Chase", checkpoints=folder, every=None
        ) as crowd,
    ):
        taken = take_turns(calls(crowd), ROUNDS)
        crowd.checkpoint()
        crowd.update(DT, steps=5)
        [*_, last] = (pid for pid in descendants() if pid not in there)
        taken["one step, with a process killed before"] = killed = Taken()
        os.kill(last, signal.SIGKILL)
        killed.add(lambda: crowd.update(DT))
    rows = [[f"{size:,} agents, ProcessShards({SHARDS})", "wall ms", "driver, CPU ms"]]
    rows += [
        [name, significant(each.wall_ms), significant(each.cpu_ms)] for name, each in taken.items()
    ]
    return "\n".join(aligned(rows))


def calls(crowd: ShardedCrowd) -> dict[str, Callable[[], object]]:
    """Return the calls by what they do."""
    column, mask = crowd.read("x"), np.arange(len(crowd)) % 7 == 0
    return {
        "count": crowd.count,
        "read a column": lambda: crowd.read("x"),
        "write a column": lambda: crowd.write("x", column),
        "event to one in seven, by a mask": lambda: crowd.send_event("LOST_PLAYER", mask),
        "event, by a condition": lambda: crowd.send_event("TIRED", crowd.is_where("x", "<", 0.0)),
        "checkpoint": crowd.checkpoint,
    }
