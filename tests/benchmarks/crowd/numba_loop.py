"""numba by hand: one loop over the columns that does everything for one character at a time."""

from __future__ import annotations

from math import sqrt

import numpy as np
from numba import njit
from numpy.typing import NDArray
from scenario import (
    CHASE,
    DT,
    PATROL,
    PATROL_TIME,
    REACH_SQUARED,
    RUN_SPEED,
    SIGHT_SQUARED,
    WAIT,
    WAIT_TIME,
    Beginning,
    Places,
    beginning,
)


@njit(error_model="numpy")
def update(columns: Beginning, player_x: float, player_y: float, dt: float) -> None:
    states, x, y, vx, vy, elapsed = columns
    stride = RUN_SPEED * dt
    for i in range(len(states)):
        dx = player_x - x[i]
        dy = player_y - y[i]
        square = dx * dx + dy * dy
        if states[i] == PATROL:
            if square < SIGHT_SQUARED:
                states[i] = CHASE
            else:
                x[i] += vx[i] * dt
                y[i] += vy[i] * dt
                elapsed[i] += dt
                if elapsed[i] >= PATROL_TIME:
                    states[i] = WAIT
                    elapsed[i] = 0.0
        elif states[i] == WAIT:
            if square < SIGHT_SQUARED:
                states[i] = CHASE
            else:
                elapsed[i] += dt
                if elapsed[i] >= WAIT_TIME:
                    states[i] = PATROL
                    vx[i] = -vx[i]
                    vy[i] = -vy[i]
                    elapsed[i] = 0.0
        elif square > REACH_SQUARED:
            states[i] = PATROL
            vx[i] = -vx[i]
            vy[i] = -vy[i]
            elapsed[i] = 0.0
        else:
            distance = sqrt(square)
            if distance > stride:
                x[i] += dx / distance * stride
                y[i] += dy / distance * stride


class NumbaLoop:
    """All characters, one array for each of their attributes."""

    def __init__(self, size: int) -> None:
        self.columns = beginning(size)

    def update(self, player_x: float, player_y: float) -> None:
        update(self.columns, player_x, player_y, DT)

    def states(self) -> NDArray[np.int8]:
        return self.columns.states

    def places(self) -> Places:
        return self.columns.x, self.columns.y
