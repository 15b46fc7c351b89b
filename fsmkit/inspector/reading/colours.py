"""Colours: a number for each state name, the same on every page and after a reload."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Final

PALETTE: Final = 9
"""The number of colours."""

MOST_NAMES: Final = 2_000
"""Names that get a number; the page chooses colours for others."""


class StateColours:
    """Numbers state names from 0 to 8, so that the states of one machine differ as far as can be.

    A name has the same number in all machines, and keeps it.

    >>> colours = StateColours()
    >>> colours.add(["Patrol", "Chase"]), colours.add(["Chase", "Sleep"])
    (True, True)
    >>> colours.numbers
    {'Patrol': 0, 'Chase': 1, 'Sleep': 2}
    """

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}
        self._added: set[tuple[str, ...]] = set()

    def add(self, states: Iterable[str]) -> bool:
        """Number the states of a machine; return False if a machine with the same is known."""
        names = tuple(states)
        if names in self._added or len(self.numbers) + len(names) > MOST_NAMES:
            return False
        self._added.add(names)
        used = Counter(self.numbers[name] for name in names if name in self.numbers)
        for place, name in enumerate(names):
            if name not in self.numbers:
                free = ((place + step) % PALETTE for step in range(PALETTE))
                self.numbers[name] = number = min(free, key=used.__getitem__)
                used[number] += 1
        return True
