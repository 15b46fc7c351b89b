"""A flock as a crowd: after Reynolds (1987), in a sky that wraps, with about ten birds near each.

The rules are those of `examples/boids.py`; here the sky grows with the number of birds, and each of
them starts in flight.
"""

from __future__ import annotations

from math import pi, sqrt
from typing import Final

import numpy as np
from attrs import define
from numpy.typing import NDArray

from fsmkit.crowd import Cells, Crowd, CrowdAction, CrowdFsm

DT: Final = 1 / 30
"""The seconds of one step."""
NEAR: Final = 10
"""How many birds are near each at the beginning, on average."""
SIGHT: Final = 4.0
TOO_CLOSE: Final = 1.2
SPEED: Final = 10.0
SEPARATION: Final = 8.0
ALIGNMENT: Final = 2.0
COHESION: Final = 0.7
SEEN: Final = ("near", "flow_x", "flow_y", "to_x", "to_y", "close_x", "close_y")


@define
class Boid:
    """The columns; those from `near` on are what a bird sees, written before each step."""

    x: float = 0.0
    y: float = 0.0
    vx: float = 0.0
    vy: float = 0.0
    near: int = 0
    flow_x: float = 0.0
    flow_y: float = 0.0
    to_x: float = 0.0
    to_y: float = 0.0
    close_x: float = 0.0
    close_y: float = 0.0


@define
class Sky:
    """The width of the square sky."""

    width: float = 1.0


def flock(boid: Boid, sky: Sky) -> None:
    along_x = ALIGNMENT * (boid.flow_x - boid.vx)
    along_y = ALIGNMENT * (boid.flow_y - boid.vy)
    if boid.near == 0:
        along_x = along_y = 0.0
    boid.vx += (along_x + COHESION * boid.to_x - SEPARATION * boid.close_x) * sky.dt
    boid.vy += (along_y + COHESION * boid.to_y - SEPARATION * boid.close_y) * sky.dt


def fly(boid: Boid, sky: Sky) -> None:
    length = sqrt(boid.vx * boid.vx + boid.vy * boid.vy) + 1e-9
    boid.vx *= SPEED / length
    boid.vy *= SPEED / length
    boid.x = (boid.x + boid.vx * sky.dt) % sky.width
    boid.y = (boid.y + boid.vy * sky.dt) % sky.width


def make_machine() -> CrowdFsm:
    machine = CrowdFsm("Boid", Boid, Sky)
    flying = machine.add_state("Flying")
    flying.add_action(CrowdAction(on_update=flock))
    flying.add_action(CrowdAction(on_update=fly))
    return machine


def width_for(size: int) -> float:
    """Return the width of a sky in which each bird sees about `NEAR` others."""
    return sqrt(size * pi * SIGHT * SIGHT / NEAR)


def beginning(size: int) -> dict[str, NDArray[np.float64]]:
    """Return the columns of birds all over the sky, in every direction."""
    x, y, turn = np.random.default_rng(7).random((3, size))
    width, turn = width_for(size), turn * 2 * pi
    return {"x": x * width, "y": y * width, "vx": np.cos(turn) * SPEED, "vy": np.sin(turn) * SPEED}


class CrowdFlock:
    """The birds of a crowd, in one thread or in several."""

    def __init__(self, size: int, threads: int) -> None:
        self.crowd = Crowd(make_machine(), size, start="Flying", parallel=threads)
        self.crowd.world.width = width = width_for(size)
        for name, column in beginning(size).items():
            self.crowd[name][:] = column
        cells = Cells(self.crowd, "x", "y", size=SIGHT, around=(width, width))
        cells.count(into="near")
        cells.mean("vx", into="flow_x")
        cells.mean("vy", into="flow_y")
        cells.offset(into=("to_x", "to_y"))
        cells.offset(into=("close_x", "close_y"), within=TOO_CLOSE)

    def look(self) -> None:
        """Write what each sees of the others."""
        self.crowd.neighbours.renew()

    def step(self) -> None:
        """Look, and fly on."""
        self.crowd.update(DT)

    def seen(self) -> dict[str, NDArray[np.float64]]:
        """Return what was seen last."""
        return {name: self.crowd[name] for name in SEEN}
