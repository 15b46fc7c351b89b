"""CrowdPositions: where the agents of a crowd are, by the fields that hold their coordinates."""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite
from typing import Any, Final

import numpy as np

from fsmkit.crowd import Crowd
from fsmkit.inspector.reading.positions import PositionFrame, RollCall, StateCodes

COORDINATES: Final = ("x", "y")


class CrowdPositions:
    """Reads the two fields of the agents that `Cells` go by, else `x` and `y`.

    `agents` returns the index of each agent that was singled out.
    """

    def __init__(self, crowd: Crowd, agents: Callable[[], dict[str, int]]) -> None:
        self._crowd = crowd
        self.agents = agents
        self.numbers = StateCodes()
        for state in crowd.layout.states:
            self.numbers.number(state.name)

    @property
    def count(self) -> int:
        return len(self._crowd)

    @property
    def has_any(self) -> bool:
        return self._fields is not None

    @property
    def _fields(self) -> tuple[str, ...] | None:
        spaces = (getattr(each, "coordinates", ()) for each in self._crowd.neighbours.declarations)
        pair = next((each[:2] for each in spaces if len(each) > 1), COORDINATES)
        known = self._crowd.layout.machine.agent_record.kinds
        return pair if all(name in known for name in pair) else None

    def read(self, time: float) -> PositionFrame:
        fields = self._fields
        count = len(self._crowd) if fields is not None else 0
        nothing = np.zeros(0)
        x, y = [self._crowd[name] for name in fields] if fields else [nothing, nothing]
        origin = _middle(x), _middle(y)
        with np.errstate(all="ignore"):
            return PositionFrame(
                time,
                RollCall(count, None, count),
                (x - origin[0]).astype(np.float32),
                (y - origin[1]).astype(np.float32),
                (self._crowd.states[:count] + 1).astype(np.uint16),
                origin,
            )

    def courses(self) -> list[dict[str, Any]]:
        return []


def _middle(column: Any) -> float:
    """Return a number near which 32 bits are exact enough; 0 if there is none."""
    middle = float(np.mean(column[:: 1 + len(column) // 1_000])) if len(column) else 0.0
    return middle if isfinite(middle) else 0.0
