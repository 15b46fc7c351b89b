"""One round of all that the benchmark of the library measures, in this process.

`run.py` starts it for each contestant: with an interpreter, a tree and a core of its own. What is
compared takes turns here too; the figures go to standard output, as JSON.
"""

from __future__ import annotations

import asyncio
import gc
import json
import sys
from collections.abc import Callable, Mapping
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from platform import python_version
from typing import Final

sys.path.append(str(Path(__file__).parents[1]))

import fsmkit_machine
import hand_written
from building import prepare_characters
from cases import CASES
from lanes import LANES, WATCHERS, Lane, prepare_lane
from levels import AROUND, nested
from measuring import (
    Trial,
    fitting_size,
    measure_memory,
    time_once,
    time_trial,
)
from results import Series
from trials import prepare

from fsmkit.core import CORE_KIND

TURNS: Final = 3
SECONDS: Final = 0.004
"""The time that a part takes, about."""
NPCS: Final = 10_000
BUILT: Final = 500


def in_turn(contestants: Mapping[str, Callable[[int], Trial]]) -> dict[str, Series]:
    """Time each contestant in turn, beside the first."""
    series = {
        name: Series(fitting_size(make, SECONDS, 2, 10**6)) for name, make in contestants.items()
    }
    for _ in range(TURNS):
        baseline = None
        for name, make in contestants.items():
            trial = make(series[name].size)
            timing = time_trial(trial)
            baseline = timing.per_operation if baseline is None else baseline
            series[name].add(timing, baseline)
    return series


def ratios(contestants: Mapping[str, Callable[[int], Trial]]) -> dict[str, float]:
    """Return how many times as long as the first each contestant takes."""
    return {name: each.ratio or 0.0 for name, each in in_turn(contestants).items()}


def exists(make: Callable[[], object]) -> bool:
    """Whether this tree has what is to be measured: an older one lacks some actions."""
    try:
        make()
    except AttributeError:
        return False
    return True


def library(kind: str) -> dict[str, float]:
    """Return how many times as long as by hand each action takes."""
    return {
        name: ratios(
            {
                "by hand": partial(prepare, case, kind, by_hand=True),
                "fsmkit": partial(prepare, case, kind),
            }
        )["fsmkit"]
        for name, case in CASES.items()
        if kind in case.kinds and exists(partial(prepare, case, kind, 1))
    }


def levels(kind: str) -> dict[str, float]:
    """Return the microseconds that each composite adds to a wait."""
    found = {}
    for name in AROUND:
        if not exists(partial(prepare, nested(name, 1), kind, 1)):
            continue
        depths = {str(depth): partial(prepare, nested(name, depth), kind) for depth in range(2)}
        bare, inside = in_turn(depths).values()
        found[name] = (inside.per_operation - bare.per_operation) * 1e6
    return found


def lanes(ways: Mapping[str, Lane]) -> dict[str, float]:
    return ratios(
        {name: partial(prepare_lane, lane) for name, lane in ways.items() if exists(lane[0])}
    )


def intervals() -> dict[str, float]:
    """Return how many times as long as by hand Panda3D takes, where it is installed."""
    if find_spec("panda3d") is None:
        return {}
    module = import_module("intervals")
    return {
        name: ratios(
            {
                "by hand": partial(prepare, CASES[name], "update", by_hand=True),
                "Panda3D": partial(module.prepare_intervals, name),
            }
        )["Panda3D"]
        for name in module.INTERVALS
    }


def machines() -> dict[str, float]:
    """Return what large numbers of machines take."""
    ours, by_hand = fsmkit_machine.CONTESTANT, hand_written.CONTESTANT
    npcs, plain = (time_once(each, "npcs", NPCS).per_operation for each in (ours, by_hand))
    built = min(time_trial(prepare_characters(BUILT)).per_operation for _ in range(TURNS))
    memory = measure_memory(ours, BUILT)
    return {
        "10,000 NPCs, times by hand": npcs / plain,
        "building a character of 7 library actions, µs": built * 1e6,
        "a guard that has been in each of its states, bytes": memory.toured,
    }


PARTS: Final[dict[str, Callable[[], dict[str, float]]]] = {
    **{kind: partial(library, kind) for kind in ("update", "event", "visit", "finish")},
    "Panda3D": intervals,
    "lanes": partial(lanes, LANES),
    "watching": partial(lanes, WATCHERS),
    **{f"level, {kind}": partial(levels, kind) for kind in ("update", "visit")},
    "machines": machines,
}


async def main() -> None:
    """Print the figures of those parts that the command line names; by default of all."""
    gc.freeze()  # what is imported is not looked through before each trial
    wanted = sys.argv[1:] or PARTS
    figures = {name: part() for name, part in PARTS.items() if name in wanted}
    print(json.dumps({"core": CORE_KIND, "python": python_version(), "figures": figures}))


if __name__ == "__main__":
    asyncio.run(main())  # Await needs a loop
