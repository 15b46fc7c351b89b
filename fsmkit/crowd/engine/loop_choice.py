"""LoopChooser: finds the faster of two loops that do the same, by measuring."""

from __future__ import annotations

from math import inf
from typing import Final

TRIAL_INTERVAL: Final = 128
"""Rounds after which the slower loop is tried again."""


class LoopChooser:
    """Chooses between a sweep and the update loop, by their last times.

    Which one is faster depends on the processor, and on how well it predicts the agents' branches,
    which may change at any time.
    """

    def __init__(self) -> None:
        self._last = {True: inf, False: inf}
        self._best = {True: inf, False: inf}
        self._rounds = 0
        self.sweeps = False
        """True if the sweep is chosen."""

    def choose(self) -> None:
        """Choose the faster one; from time to time, more often at first, the other one.

        >>> chooser, chosen = LoopChooser(), ""
        >>> for _ in range(20):
        ...     chooser.choose()
        ...     chooser.record(0.25 if chooser.sweeps else 1.0)
        ...     chosen += "s" if chooser.sweeps else "u"
        >>> chosen
        'sususssusssssssussss'
        """
        self._rounds += 1
        is_trial = self._rounds & (self._rounds - 1) == 0 or self._rounds % TRIAL_INTERVAL == 0
        is_sweep_faster = self._best[True] < self._best[False]
        self.sweeps = is_sweep_faster != is_trial

    def record(self, seconds: float) -> None:
        """Record the time that the chosen one took per agent.

        The best of its last two rounds counts: the computer may have been busy with other work.
        """
        self._best[self.sweeps] = min(seconds, self._last[self.sweeps])
        self._last[self.sweeps] = seconds
