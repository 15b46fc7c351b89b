"""What a long run of a crowd holds in memory."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from contestants import Make
from scenario import player_at

STATISTICS = Path("/proc/self/statm")


class Reading(NamedTuple):
    """Resident memory of this process after so many steps."""

    step: int
    bytes: int


def readings(make: Make, size: int, steps: int, every: int) -> Iterator[Reading]:
    """Let `size` agents live for `steps` steps and look at the memory again and again.

    The first reading is taken after one step, when everything has been compiled.
    """
    population = make(size)
    for step, player in enumerate(player_at(0, steps), start=1):
        population.update(*player)
        if step == 1 or step % every == 0:
            yield Reading(step, resident())


def resident() -> int:
    """Bytes of this process that are in memory; only Linux tells without another package."""
    pages = int(STATISTICS.read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")
