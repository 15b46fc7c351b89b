"""The limit: every column read and written once in a step, without any logic."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray
from scenario import Beginning, Places, beginning


@njit
def touch(columns: Beginning, flip: np.int8, change: float) -> None:
    states, x, y, vx, vy, elapsed = columns
    for i in range(len(states)):
        states[i] ^= flip
        x[i] += change
        y[i] += change
        vx[i] += change
        vy[i] += change
        elapsed[i] += change


class Floor:
    """The columns of the characters, whose values do not change."""

    def __init__(self, size: int) -> None:
        self.columns = beginning(size)

    def update(self, player_x: float, player_y: float) -> None:
        touch(self.columns, np.int8(0), 0.0)  # zeros the compiler does not know of

    def states(self) -> NDArray[np.int8]:
        return self.columns.states

    def places(self) -> Places:
        return self.columns.x, self.columns.y
