"""Pace: which of two loops that do the same is the faster one, here and now."""

from __future__ import annotations

from math import inf
from typing import Final

EVERY: Final = 128
"""Rounds after which the slower one is tried again."""


class Pace:
    """Chooses between a sweep and the update loop, by how long they took last.

    Which one is faster depends on the processor, and on how well it foretells what the agents do,
    which may change at any time.
    """

    def __init__(self) -> None:
        self._last = {True: inf, False: inf}
        self._best = {True: inf, False: inf}
        self._rounds = 0
        self.sweeps = False
        """Whether a sweep is chosen."""

    def choose(self) -> None:
        """Choose the faster one; now and then, more often at first, the other one.

        >>> pace, chosen = Pace(), ""
        >>> for _ in range(20):
        ...     pace.choose()
        ...     pace.took(0.25 if pace.sweeps else 1.0)
        ...     chosen += "s" if pace.sweeps else "u"
        >>> chosen
        'sususssusssssssussss'
        """
        self._rounds += 1
        is_trial = self._rounds & (self._rounds - 1) == 0 or self._rounds % EVERY == 0
        is_sweep_faster = self._best[True] < self._best[False]
        self.sweeps = is_sweep_faster != is_trial

    def took(self, seconds: float) -> None:
        """Note how long the chosen one took, for one agent.

        The best of its last two rounds counts: the computer may have been busy with something else.
        """
        self._best[self.sweeps] = min(seconds, self._last[self.sweeps])
        self._last[self.sweeps] = seconds
