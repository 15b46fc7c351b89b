"""The processes that this one has started, with theirs: their processor time and their memory.

Only on Linux. The number of a process's clock is made as clock_getcpuclockid(3) of glibc makes it.
"""

from __future__ import annotations

import os
import time
from collections import defaultdict
from pathlib import Path

CLOCK_BITS = 2
"""What tells that the clock counts the time of a process."""


def descendants() -> list[int]:
    """Return the ids of the processes that come from this one, without it."""
    children = defaultdict(list)
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            status = (folder / "stat").read_text(encoding="ascii", errors="replace")
        except OSError:
            continue  # it has ended
        parent = int(status.rpartition(")")[2].split()[1])
        children[parent].append(int(folder.name))
    found = [os.getpid()]
    for pid in found:
        found += children[pid]
    return found[1:]


def processor_seconds(pids: list[int]) -> dict[int, float]:
    """Return the seconds that each has taken of a processor so far; 0.0 if it has ended."""
    return {pid: processor_time(pid) for pid in pids}


def processor_time(pid: int) -> float:
    try:
        return time.clock_gettime((~pid << 3) | CLOCK_BITS)
    except OSError:
        return 0.0


def megabytes(pid: int) -> float:
    """Return the memory of a process; of what it shares with others its part counts."""
    lines = Path("/proc", str(pid), "smaps_rollup").read_text(encoding="utf-8").splitlines()
    [line] = [each for each in lines if each.startswith("Pss:")]
    return int(line.split()[1]) * 1024 / 1e6
