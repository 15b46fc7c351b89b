"""Agents that live for a while: when one dies, a child of it takes its place.

All of them walk on in every step. Where `life` seconds have passed since its birth, an agent dies,
and leaves a child, which walks back. So one in `life / DT` dies in a step, and as many are born.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from attrs import define
from numpy.typing import NDArray

from fsmkit.crowd import Crowd, CrowdAction, CrowdFsm, spawn

DT: Final = 1 / 60
"""The seconds of one step."""
COLUMNS: Final = ("x", "y", "vx", "vy", "left")


@define
class Walker:
    """The columns."""

    x: float = 0.0
    y: float = 0.0
    vx: float = 0.0
    vy: float = 0.0
    left: float = 0.0
    """The seconds until it dies."""


@define
class World:
    """The seconds that each lives."""

    life: float = 1.0


def walk(walker: Walker, world: World) -> None:
    walker.x += walker.vx * world.dt
    walker.y += walker.vy * world.dt
    walker.left -= world.dt


def die(walker: Walker, world: World) -> str | None:
    if walker.left <= 0.0:
        vx, vy, left = -walker.vx, -walker.vy, walker.left + world.life
        spawn(walker, start="Alive", x=walker.x, y=walker.y, vx=vx, vy=vy, left=left)
        return "DIED"
    return None


def turn_back(walker: Walker, world: World) -> None:
    if walker.left <= 0.0:
        walker.vx = -walker.vx
        walker.vy = -walker.vy
        walker.left += world.life


def make_machine(*, is_passing: bool) -> CrowdFsm:
    machine = CrowdFsm("Walker", Walker, World)
    alive = machine.add_state("Alive")
    alive.add_action(CrowdAction(on_update=walk))
    alive.add_action(CrowdAction(on_update=die if is_passing else turn_back))
    if is_passing:
        alive.add_transition("DIED", machine.add_state("Dead", retire=True))
    return machine


def beginning(size: int, life: float) -> dict[str, NDArray[np.float64]]:
    """Return the columns of agents of every age."""
    columns = np.random.default_rng(7).random((5, size))
    columns[4] *= life
    return dict(zip(COLUMNS, columns, strict=True))


class Walkers:
    """The agents of a crowd, who die, or who turn back instead."""

    def __init__(self, size: int, share: float, *, is_passing: bool) -> None:
        self.crowd = Crowd(make_machine(is_passing=is_passing), size, start="Alive")
        self.crowd.world.life = life = DT / share
        for name, column in beginning(size, life).items():
            self.crowd[name][:] = column

    def step(self) -> None:
        """Let time pass."""
        self.crowd.update(DT)

    def columns(self) -> dict[str, NDArray[np.float64]]:
        """Return the columns."""
        return {name: self.crowd[name] for name in COLUMNS}


class NumpyWalkers:
    """The same in NumPy: who has died is taken out by a mask, children are put behind."""

    def __init__(self, size: int, share: float) -> None:
        self.life = DT / share
        self.x, self.y, self.vx, self.vy, self.left = beginning(size, self.life).values()

    def step(self) -> None:
        """Let time pass."""
        self.x += self.vx * DT
        self.y += self.vy * DT
        self.left -= DT
        dead = self.left <= 0.0
        stays = ~dead
        self.x = np.concatenate((self.x[stays], self.x[dead]))
        self.y = np.concatenate((self.y[stays], self.y[dead]))
        self.vx = np.concatenate((self.vx[stays], -self.vx[dead]))
        self.vy = np.concatenate((self.vy[stays], -self.vy[dead]))
        self.left = np.concatenate((self.left[stays], self.left[dead] + self.life))

    def columns(self) -> dict[str, NDArray[np.float64]]:
        """Return the columns."""
        return {name: getattr(self, name) for name in COLUMNS}
