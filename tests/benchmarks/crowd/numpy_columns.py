"""NumPy by hand: columns, and in every step the indices of the characters in each state."""

from __future__ import annotations

import numpy as np
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
    Places,
    beginning,
)


class NumpyColumns:
    """All characters, one array for each of their attributes."""

    def __init__(self, size: int) -> None:
        self.state, self.x, self.y, self.vx, self.vy, self.elapsed = beginning(size)
        self.dx, self.dy, self.square, self.spare = np.empty((4, size))
        self.near = np.empty(size, np.bool_)

    def update(self, player_x: float, player_y: float) -> None:
        self.look(player_x, player_y)
        patrolling = np.flatnonzero((self.state == PATROL) & ~self.near)
        waiting = np.flatnonzero((self.state == WAIT) & ~self.near)
        chasing = np.flatnonzero(self.state == CHASE)
        self.state[self.near] = CHASE
        self.patrol(patrolling)
        self.wait(waiting)
        self.chase(chasing)

    def look(self, player_x: float, player_y: float) -> None:
        """Compute the distance to the player, in arrays that are reused."""
        np.subtract(player_x, self.x, out=self.dx)
        np.subtract(player_y, self.y, out=self.dy)
        np.multiply(self.dx, self.dx, out=self.square)
        np.multiply(self.dy, self.dy, out=self.spare)
        np.add(self.square, self.spare, out=self.square)
        np.less(self.square, SIGHT_SQUARED, out=self.near)

    def patrol(self, here: NDArray[np.intp]) -> None:
        self.x[here] += self.vx[here] * DT
        self.y[here] += self.vy[here] * DT
        elapsed = self.elapsed[here] + DT
        self.elapsed[here] = elapsed
        tired = here[elapsed >= PATROL_TIME]
        self.state[tired] = WAIT
        self.elapsed[tired] = 0.0

    def wait(self, here: NDArray[np.intp]) -> None:
        elapsed = self.elapsed[here] + DT
        self.elapsed[here] = elapsed
        self.enter_patrol(here[elapsed >= WAIT_TIME])

    def chase(self, here: NDArray[np.intp]) -> None:
        square = self.square[here]
        lost = square > REACH_SQUARED
        self.enter_patrol(here[lost])
        stride = RUN_SPEED * DT
        distance = np.sqrt(square)
        running = ~lost & (distance > stride)
        here, distance = here[running], distance[running]
        self.x[here] += self.dx[here] / distance * stride
        self.y[here] += self.dy[here] / distance * stride

    def enter_patrol(self, here: NDArray[np.intp]) -> None:
        self.state[here] = PATROL
        self.vx[here] *= -1.0
        self.vy[here] *= -1.0
        self.elapsed[here] = 0.0

    def states(self) -> NDArray[np.int8]:
        return self.state

    def places(self) -> Places:
        return self.x, self.y
