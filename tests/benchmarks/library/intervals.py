"""Movements by Panda3D's intervals, which are written in C++, beside those of the library.

Both move as many things by a frame. ModuleNotFoundError where Panda3D is not installed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from direct.interval.IntervalGlobal import LerpPosInterval, Sequence, Wait
from direct.interval.IntervalManager import ivalMgr
from measuring import Trial
from panda3d.core import ClockObject, NodePath
from trials import MACHINES
from twins import LONG
from workloads import FRAME

INTERVALS: Final[dict[str, Callable[[Any], Any]]] = {
    "Move": lambda node: LerpPosInterval(node, LONG, (8, 4, 0), (0, 0, 0)),
    "Move, eased": lambda node: LerpPosInterval(
        node, LONG, (8, 4, 0), (0, 0, 0), blendType="easeInOut"
    ),
    "Sequence of two waits": lambda node: Sequence(Wait(LONG), Wait(LONG)),
}
"""What does the same as the case of that name."""


def prepare_intervals(name: str, count: int) -> Trial:
    """Start the intervals; the trial ends them, as Panda3D has one manager for all."""
    clock = ClockObject.getGlobalClock()
    clock.mode, clock.dt = ClockObject.MNonRealTime, FRAME
    root = NodePath("root")
    made = [INTERVALS[name](root.attachNewNode("node")) for _ in range(MACHINES)]
    for each in made:
        each.start()
    ivalMgr.step()

    def play() -> None:
        for _ in range(count):
            clock.tick()
            ivalMgr.step()

    def end() -> None:
        for each in made:
            each.pause()

    return Trial(MACHINES * count, play, end)
