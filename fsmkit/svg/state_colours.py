"""StateColours: a colour of the palette for each state name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Final

from fsmkit.svg.theme import PALETTE

MOST_NAMES: Final = 2_000
"""Names that get a number; the inspector's page chooses colours for others."""


class StateColours:
    """Numbers state names from 0 to 8, so that the states of one machine differ if possible.

    A name has the same number in all machines, and keeps it. A new name takes the number that is
    used least beside it, and of these the one used least elsewhere: unlike machines look unlike.

    >>> colours = StateColours()
    >>> colours.add(["Patrol", "Chase"]), colours.add(["Chase", "Sleep"])
    (True, True)
    >>> colours.numbers
    {'Patrol': 0, 'Chase': 1, 'Sleep': 2}
    """

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}
        self._added: set[tuple[str, ...]] = set()
        self._used: Counter[int] = Counter()

    def add(self, states: Iterable[str]) -> bool:
        """Number the states of a machine; return False if one with the same states is known."""
        names = tuple(states)
        if names in self._added or len(self.numbers) + len(names) > MOST_NAMES:
            return False
        self._added.add(names)
        beside = Counter(self.numbers[name] for name in names if name in self.numbers)
        for name in names:
            if name not in self.numbers:
                number = min(range(len(PALETTE)), key=lambda each: (beside[each], self._used[each]))
                self.numbers[name] = number
                beside[number] += 1
                self._used[number] += 1
        return True


def colours_of(machines: Iterable[Iterable[str]]) -> Mapping[str, int]:
    colours = StateColours()
    for states in machines:
        colours.add(states)
    return colours.numbers
