"""Plain Python: an object with `__slots__` for every character, and `if`/`elif`."""

from __future__ import annotations

from math import sqrt

import numpy as np
from numpy.typing import NDArray
from scenario import (
    DT,
    PATROL_TIME,
    REACH_SQUARED,
    RUN_SPEED,
    SIGHT_SQUARED,
    STATES,
    WAIT_TIME,
    Places,
    beginning,
)


class Npc:
    """One character."""

    __slots__ = ("elapsed", "state", "vx", "vy", "x", "y")

    def __init__(self, state: str, *place: float) -> None:
        self.state = state
        self.x, self.y, self.vx, self.vy, self.elapsed = place

    def update(self, player_x: float, player_y: float, dt: float) -> None:
        dx = player_x - self.x
        dy = player_y - self.y
        if self.state == "Patrol":
            if dx * dx + dy * dy < SIGHT_SQUARED:
                self.state = "Chase"
                return
            self.x += self.vx * dt
            self.y += self.vy * dt
            self.elapsed += dt
            if self.elapsed >= PATROL_TIME:
                self.state = "Wait"
                self.elapsed = 0.0
        elif self.state == "Wait":
            if dx * dx + dy * dy < SIGHT_SQUARED:
                self.state = "Chase"
                return
            self.elapsed += dt
            if self.elapsed >= WAIT_TIME:
                self.enter_patrol()
        else:
            square = dx * dx + dy * dy
            if square > REACH_SQUARED:
                self.enter_patrol()
                return
            distance = sqrt(square)
            stride = RUN_SPEED * dt
            if distance > stride:
                self.x += dx / distance * stride
                self.y += dy / distance * stride

    def enter_patrol(self) -> None:
        self.state = "Patrol"
        self.vx = -self.vx
        self.vy = -self.vy
        self.elapsed = 0.0


class Objects:
    """All characters, in a list."""

    def __init__(self, size: int) -> None:
        states, *columns = beginning(size)
        names = [STATES[state] for state in states.tolist()]
        self.npcs = [
            Npc(*npc) for npc in zip(names, *(column.tolist() for column in columns), strict=True)
        ]

    def update(self, player_x: float, player_y: float) -> None:
        for npc in self.npcs:
            npc.update(player_x, player_y, DT)

    def states(self) -> NDArray[np.int8]:
        return np.array([STATES.index(npc.state) for npc in self.npcs], np.int8)

    def places(self) -> Places:
        return self._column("x"), self._column("y")

    def _column(self, name: str) -> NDArray[np.float64]:
        return np.array([getattr(npc, name) for npc in self.npcs])
