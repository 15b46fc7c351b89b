"""The people of `examples/epidemic.py` in NumPy: those at each place are counted by `bincount`."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from fsmkit.crowd import Crowd

HEALTHY: Final = 0
ILL: Final = 1
IMMUNE: Final = 2


class NumpyEpidemic:
    """People who begin as those of a crowd are. They draw other numbers."""

    def __init__(self, crowd: Crowd) -> None:
        self.world = crowd.world
        self.states = crowd.states.copy()
        self.home, self.work, self.place = (crowd[n].copy() for n in ("home", "work", "place"))
        self.places = 1 + int(max(self.home.max(), self.work.max()))
        self.draw = np.random.default_rng(7)
        self.others = self.ill = np.zeros(0, np.intp)

    def look(self) -> None:
        """Count the others at each one's place, and the ill among them."""
        is_ill = self.states == ILL
        self.others = self.at_places(self.place) - 1
        self.ill = self.at_places(self.place[is_ill]) - is_ill

    def at_places(self, places: NDArray[np.int64]) -> NDArray[np.intp]:
        """Return how many of `places` are each one's."""
        return np.bincount(places, minlength=self.places)[self.place]

    def step(self, dt: float) -> None:
        """Let some catch it and some recover, and all go home or to work."""
        self.look()
        drawn = self.draw.random(len(self.states))
        risk = self.world.infection * self.ill / np.maximum(self.others, 1)
        catch_it = (self.states == HEALTHY) & (drawn < 1.0 - np.exp(-risk * dt))
        recover = (self.states == ILL) & (drawn < 1.0 - np.exp(-self.world.recovery * dt))
        self.states[catch_it] = ILL
        self.states[recover] = IMMUNE
        self.place = (self.work if self.world.is_day else self.home).copy()
