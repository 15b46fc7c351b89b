"""The same characters with random numbers: how long they patrol and wait, and where they walk.

They draw when they enter a state, so that about one in a hundred draws in a step. All contestants
draw the same numbers: those that a crowd draws (Philox4x32-10; Salmon and others, SC 2011).
"""

from __future__ import annotations

from math import sqrt
from typing import Final

import numpy as np
from fsmkit_crowd import Npc, SerialCrowd, World, machine_of
from numba import njit
from numba_loop import NumbaLoop
from scenario import (
    CHASE,
    DT,
    PATROL,
    REACH_SQUARED,
    RUN_SPEED,
    SIGHT_SQUARED,
    WAIT,
    WALK_SPEED,
    Beginning,
)

from fsmkit.crowd import CrowdFsm, uniform

PATROL_FROM: Final = 2.0
PATROL_TO: Final = 4.0
WAIT_FROM: Final = 1.0
WAIT_TO: Final = 2.0
STARTS: Final = 3
"""The steps of a crowd before its first update: one for each state that agents start in."""


def set_out(npc: Npc, world: World) -> None:
    npc.vx = uniform(npc, -WALK_SPEED, WALK_SPEED)
    npc.vy = uniform(npc, -WALK_SPEED, WALK_SPEED)
    npc.elapsed = uniform(npc, PATROL_FROM, PATROL_TO)


def walk(npc: Npc, world: World) -> str | None:
    npc.x += npc.vx * world.dt
    npc.y += npc.vy * world.dt
    npc.elapsed -= world.dt
    return "TIRED" if npc.elapsed <= 0.0 else None


def stop(npc: Npc, world: World) -> None:
    npc.elapsed = uniform(npc, WAIT_FROM, WAIT_TO)


def rest(npc: Npc, world: World) -> str | None:
    npc.elapsed -= world.dt
    return "RESTED" if npc.elapsed <= 0.0 else None


def make_drawing_machine() -> CrowdFsm:
    return machine_of(set_out, walk, stop, rest)


class DrawingCrowd(SerialCrowd):
    """All characters, updated in one thread."""

    make_machine = staticmethod(make_drawing_machine)


class DrawingParallelCrowd(DrawingCrowd):
    """All characters, updated in two threads."""

    parallel = 2


@njit
def draw(agent: int, step: int, call: int) -> float:
    """Return the number that an agent of a crowd with the seed 0 draws."""
    word, half = np.uint64(0xFFFFFFFF), np.uint64(32)
    a, b = np.uint64(call), np.uint64(step)
    c, d = np.uint64(agent) & word, np.uint64(agent) >> half
    k = m = np.uint64(0)
    for _ in range(10):
        one, two = np.uint64(0xD2511F53) * a, np.uint64(0xCD9E8D57) * c
        a, b, c, d = (two >> half) ^ b ^ k, two & word, (one >> half) ^ d ^ m, one & word
        k, m = (k + np.uint64(0x9E3779B9)) & word, (m + np.uint64(0xBB67AE85)) & word
    high, low = np.float64(a >> np.uint64(5)), np.float64(b >> np.uint64(6))
    return (high * 67108864.0 + low) / 9007199254740992.0


@njit
def between(low: float, high: float, drawn: float) -> float:
    return low + (high - low) * drawn


@njit(error_model="numpy")
def update(columns: Beginning, player_x: float, player_y: float, dt: float, step: int) -> None:
    states, x, y, vx, vy, elapsed = columns
    stride = RUN_SPEED * dt
    for i in range(len(states)):
        dx = player_x - x[i]
        dy = player_y - y[i]
        square = dx * dx + dy * dy
        sets_out = False
        if states[i] == CHASE:
            if square > REACH_SQUARED:
                sets_out = True
            else:
                distance = sqrt(square)
                if distance > stride:
                    x[i] += dx / distance * stride
                    y[i] += dy / distance * stride
        elif square < SIGHT_SQUARED:
            states[i] = CHASE
        else:
            if states[i] == PATROL:
                x[i] += vx[i] * dt
                y[i] += vy[i] * dt
            elapsed[i] -= dt
            if elapsed[i] <= 0.0 and states[i] == PATROL:
                states[i] = WAIT
                elapsed[i] = between(WAIT_FROM, WAIT_TO, draw(i, step, 0))
            elif elapsed[i] <= 0.0:
                sets_out = True
        if sets_out:
            states[i] = PATROL
            vx[i] = between(-WALK_SPEED, WALK_SPEED, draw(i, step, 0))
            vy[i] = between(-WALK_SPEED, WALK_SPEED, draw(i, step, 1))
            elapsed[i] = between(PATROL_FROM, PATROL_TO, draw(i, step, 2))


class DrawingLoop(NumbaLoop):
    """All characters, one array for each of their attributes."""

    def __init__(self, size: int) -> None:
        super().__init__(size)
        self.step = STARTS

    def update(self, player_x: float, player_y: float) -> None:
        self.step += 1
        update(self.columns, player_x, player_y, DT, self.step)
