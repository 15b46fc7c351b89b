"""The time that a fresh interpreter takes for a crowd's first step.

Run as a command, with the name of a contestant, this file is that interpreter.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter

SIZE = 1_000


@dataclass(frozen=True)
class FirstStep:
    """Return the seconds for the imports, and those from there to the end of the first step."""

    importing: float
    stepping: float


def measure(name: str, caches: Sequence[str], runs: int) -> dict[str, FirstStep]:
    """Measure the first steps of a contestant, medians of `runs`.

    `caches` tells what the first process finds that may cache compiled code, and the next one,
    which has the cache that the first one left.
    """
    found: dict[str, list[FirstStep]] = {cache: [] for cache in caches}
    for _ in range(runs):
        with TemporaryDirectory() as folder:
            for steps in found.values():
                steps.append(in_fresh_process(name, folder))
    return {cache: middle(steps) for cache, steps in found.items()}


def in_fresh_process(name: str, cache: str) -> FirstStep:
    """Measure the first step with compiled code cached in the folder `cache`."""
    environment = {key: value for key, value in os.environ.items() if key != "NUMBA_CACHE_DIR"}
    environment |= {"XDG_CACHE_HOME": cache}
    command = [sys.executable, str(Path(__file__)), name]
    done = subprocess.run(command, env=environment, check=True, stdout=subprocess.PIPE)
    return FirstStep(*json.loads(done.stdout))


def middle(runs: Sequence[FirstStep]) -> FirstStep:
    return FirstStep(
        median(run.importing for run in runs),
        median(run.stepping for run in runs),
    )


def first_step(name: str) -> tuple[float, float]:
    """Measure in this process."""
    from contestants import CONTESTANTS
    from scenario import PLAYER_PATH

    begun = perf_counter()
    make = CONTESTANTS[name].load()
    imported = perf_counter()
    make(SIZE).update(*PLAYER_PATH[0])
    return imported - begun, perf_counter() - imported


if __name__ == "__main__":
    print(json.dumps(first_step(sys.argv[1])))
