"""The memory of a crowd over a long run."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from contestants import Make
from scenario import player_at

STATISTICS = Path("/proc/self/statm")


class Reading(NamedTuple):
    """The resident memory of this process after a number of steps."""

    step: int
    bytes: int


def readings(make: Make, size: int, steps: int, every: int) -> Iterator[Reading]:
    """Update `size` agents for `steps` steps and sample the memory repeatedly.

    The first reading is taken after one step, when everything has been compiled.
    """
    population = make(size)
    for step, player in enumerate(player_at(0, steps), start=1):
        population.update(*player)
        if step == 1 or step % every == 0:
            yield Reading(step, resident())


def resident() -> int:
    """Return the resident bytes of this process; without another package only on Linux."""
    pages = int(STATISTICS.read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")
