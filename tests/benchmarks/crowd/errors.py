"""A bug that hits every agent: how long it takes until it is told, and what is told.

    uv run --group bench python tests/benchmarks/crowd/errors.py

A million agents divide by zero, all of them. Each figure is from a crowd of its own, whose loops
have been compiled before.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

sys.path.append(str(Path(__file__).parents[1]))

from attrs import define
from command import options, title
from report import aligned
from turns import BOTH_LOOPS, Taken

from fsmkit.crowd import Crowd, CrowdAction, CrowdFsm

ROUNDS: Final = 5
HERE: Final = 5.0


@define
class Npc:
    """The only column."""

    x: float = 0.0
    pull: float = 0.0


def fall(npc: Npc, world: object) -> None:
    npc.pull = 1.0 / (npc.x - HERE)


def main() -> int:
    """Print the table; return 1 unless every agent was counted."""
    size = 100_000 if options(__doc__).quick else 1_000_000
    print(title())
    rows = [["all of them divide by zero", "wall s", "CPU s"]]
    told = set()
    for step in ("first", "second"):
        taken = Taken()
        for _ in range(ROUNDS):
            crowd = failing(size)
            if step == "second":
                message(crowd)
            taken.add(lambda crowd=crowd: told.add(message(crowd)))
        rows.append([f"{step} update of {size:,}", *seconds(taken)])
    ready, taken = failing(size, x=0.0), Taken()
    for _ in range(ROUNDS):
        taken.add(lambda: ready.update(1.0))
    rows.append(["an update without errors", *seconds(taken)])
    print("\n".join(aligned(rows)), end="\n\n")
    print("\n".join(told))
    return 0 if len(told) == 1 and f"{size:,}" in told.pop() else 1


def failing(size: int, x: float = HERE) -> Crowd:
    """Return a crowd whose loops are compiled, with everybody at `x`."""
    machine = CrowdFsm("Npc", Npc)
    machine.add_state("Falling").add_action(CrowdAction(on_update=fall))
    crowd = Crowd(machine, size, start="Falling")
    crowd.update(1.0, steps=BOTH_LOOPS)
    crowd["x"][:] = x
    return crowd


def message(crowd: Crowd) -> str:
    """Return what an update says, without what it says of single agents."""
    try:
        crowd.update(1.0)
    except ExceptionGroup as errors:
        return errors.message
    return "no error"


def seconds(taken: Taken) -> list[str]:
    return [f"{taken.wall_ms / 1e3:.3f}", f"{taken.cpu_ms / 1e3:.3f}"]


if __name__ == "__main__":
    sys.exit(main())
