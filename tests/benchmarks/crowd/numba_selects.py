"""numba by hand without branches: every column is computed for every state, and one is selected.

That is not how anybody writes a state machine, but the loop can be vectorized, and there is no
branch that the processor could guess wrongly. It pays as long as the states are few and cheap.
"""

from __future__ import annotations

from math import sqrt

from numba import njit
from numba_loop import NumbaLoop
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
)


@njit(error_model="numpy")
def update(columns: Beginning, player_x: float, player_y: float, dt: float) -> None:
    states, x, y, vx, vy, elapsed = columns
    stride = RUN_SPEED * dt
    for i in range(len(states)):
        state = states[i]
        dx = player_x - x[i]
        dy = player_y - y[i]
        square = dx * dx + dy * dy
        distance = sqrt(square)
        timer = elapsed[i] + dt

        chases = state == CHASE
        near = square < SIGHT_SQUARED
        sees = (not chases) & near
        walks = (state == PATROL) & (not near)
        waits = (state == WAIT) & (not near)
        loses = chases & (square > REACH_SQUARED)
        runs = chases & (not loses) & (distance > stride)
        tired = walks & (timer >= PATROL_TIME)
        patrols = loses | (waits & (timer >= WAIT_TIME))

        states[i] = CHASE if sees else WAIT if tired else PATROL if patrols else state
        x[i] += vx[i] * dt if walks else dx / distance * stride if runs else 0.0
        y[i] += vy[i] * dt if walks else dy / distance * stride if runs else 0.0
        vx[i] = -vx[i] if patrols else vx[i]
        vy[i] = -vy[i] if patrols else vy[i]
        elapsed[i] = 0.0 if tired | patrols else timer if walks | waits else elapsed[i]


class NumbaSelects(NumbaLoop):
    """All characters, one array for each of their attributes."""

    def update(self, player_x: float, player_y: float) -> None:
        update(self.columns, player_x, player_y, DT)
