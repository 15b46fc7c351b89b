"""Setbacks: what an action's failures have led to, and how long it is left out of planning."""

from __future__ import annotations

from sys import float_info
from typing import Final, TypeAlias

from attrs import frozen

from fsmkit.core.words.notes import message_of

SHORTEST_PATIENCE: Final = 0.1
"""Seconds: an agent without patience leaves actions out as one that has this much."""
MOST_DOUBLINGS: Final = 6
"""An action is left out for 2, 4, 8, ... and at most 64 times the agent's patience."""
LONGEST_REASON: Final = 200
"""Characters."""

Setback: TypeAlias = tuple[int, float, str]
"""How often an action has failed in a row, until when it is left out, and why."""


@frozen
class LeftOut:
    """An action that is left out of planning for a while, as it has failed."""

    action: str
    """The name of the action."""
    reason: str
    failures: int
    """How often it has failed in a row."""
    until: float
    """Seconds on the agent's clock."""

    def __str__(self) -> str:
        times = f", {self.failures} times in a row" if self.failures > 1 else ""
        return f"{self.action}: {self.reason}{times}; left out until {self.until:.1f} s"


@frozen
class Failure:
    """Why a plan has failed."""

    action: str | None
    """The name of the action that is to blame; None if no action is."""
    reason: str
    time: float
    """Seconds on the agent's clock."""

    def __str__(self) -> str:
        who = f"{self.action}: " if self.action is not None else ""
        return f"{who}{self.reason}, at {self.time:.1f} s"


def setback(before: Setback | None, now: float, patience: float, reason: str) -> Setback:
    """Return what one more failure leads to, for an agent that waits for `patience` seconds.

    The time for which the action is left out doubles with each failure in a row (exponential
    backoff, as on a shared Ethernet: Metcalfe and Boggs, 1976).

    >>> setback((1, 2.0, "failed"), 10.0, 1.0, "failed")
    (2, 14.0, 'failed')
    """
    failures = 1 + (before[0] if before is not None else 0)
    return failures, comes_back(failures, now, patience), reason


def comes_back(failures: int, now: float, patience: float) -> float:
    """Return until when something is left out that has failed so often in a row."""
    seconds = float(2 ** min(failures, MOST_DOUBLINGS)) * max(patience, SHORTEST_PATIENCE)
    return min(now + seconds, float_info.max)


def told(error: BaseException) -> str:
    """Return in words that `error` was raised, at a length that can be shown and saved."""
    words = f"raised {type(error).__name__}"
    detail = message_of(error)
    return shortened(f"{words}: {detail}" if detail else words)


def shortened(text: str) -> str:
    """Return `text` in one line, at a length that can be shown and saved."""
    line = " ".join(text.split())
    return line if len(line) <= LONGEST_REASON else f"{line[: LONGEST_REASON - 3]}..."
