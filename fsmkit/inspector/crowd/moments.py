"""Moments: what the page has shown of a crowd or of an agent, to look at once more."""

from __future__ import annotations

import json
import zlib
from bisect import bisect_right
from collections import deque
from typing import Any, Final

from fsmkit.inspector.reading.details import Detail

LIMIT: Final = 4_000
"""Moments; the oldest ones are dropped."""


class Moments:
    """A ring of details by time. An agent cannot go back: its crowd goes on around it."""

    def __init__(self, limit: int = LIMIT) -> None:
        self._times: deque[float] = deque(maxlen=limit)
        self._packed: deque[bytes] = deque(maxlen=limit)

    def keep(self, time: float, detail: Detail) -> None:
        """Keep a detail of that time."""
        self._times.append(time)
        self._packed.append(zlib.compress(json.dumps(detail, default=str).encode(), level=1))

    def at(self, time: float) -> dict[str, Any] | None:
        """Return the last moment up to that time, or else the first one; None if there is none."""
        if not self._times:
            return None
        index = max(0, bisect_right(self._times, time) - 1)
        detail = json.loads(zlib.decompress(self._packed[index]))
        return {"seq": 0, "time": self._times[index], "detail": detail, "can_go_on": False}
