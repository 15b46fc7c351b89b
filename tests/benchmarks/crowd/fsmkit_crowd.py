"""fsmkit's crowd: one machine of plain functions for all characters, compiled."""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt
from typing import TypeAlias

import numpy as np
from attrs import define
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

from fsmkit.crowd import Crowd, CrowdAction, CrowdFsm


@define
class Npc:
    """The columns."""

    x: float = 0.0
    y: float = 0.0
    vx: float = 0.0
    vy: float = 0.0
    elapsed: float = 0.0


@define
class World:
    """The position of the player."""

    player_x: float = 0.0
    player_y: float = 0.0


def see_player(npc: Npc, world: World) -> str | None:
    dx = world.player_x - npc.x
    dy = world.player_y - npc.y
    if dx * dx + dy * dy < SIGHT_SQUARED:
        return "SAW_PLAYER"
    return None


def turn_round(npc: Npc, world: World) -> None:
    npc.vx = -npc.vx
    npc.vy = -npc.vy
    npc.elapsed = 0.0


def walk(npc: Npc, world: World) -> str | None:
    npc.x += npc.vx * world.dt
    npc.y += npc.vy * world.dt
    npc.elapsed += world.dt
    if npc.elapsed >= PATROL_TIME:
        return "TIRED"
    return None


def stop(npc: Npc, world: World) -> None:
    npc.elapsed = 0.0


def rest(npc: Npc, world: World) -> str | None:
    npc.elapsed += world.dt
    if npc.elapsed >= WAIT_TIME:
        return "RESTED"
    return None


def pursue(npc: Npc, world: World) -> str | None:
    dx = world.player_x - npc.x
    dy = world.player_y - npc.y
    square = dx * dx + dy * dy
    if square > REACH_SQUARED:
        return "LOST_PLAYER"
    distance = sqrt(square)
    stride = RUN_SPEED * world.dt
    if distance > stride:
        npc.x += dx / distance * stride
        npc.y += dy / distance * stride
    return None


Act: TypeAlias = Callable[[Npc, World], str | None]


def machine_of(set_out: Act, walk: Act, stop: Act, rest: Act) -> CrowdFsm:
    """Return the machine of the characters, with what they do in two of their states."""
    machine = CrowdFsm("Npc", Npc, World)
    patrol, wait, chase = (machine.add_state(name) for name in STATES)
    patrol.add_action(CrowdAction(on_update=see_player))
    patrol.add_action(CrowdAction(on_enter=set_out, on_update=walk))
    wait.add_action(CrowdAction(on_update=see_player))
    wait.add_action(CrowdAction(on_enter=stop, on_update=rest))
    chase.add_action(CrowdAction(on_update=pursue))
    patrol.add_transition("SAW_PLAYER", chase)
    patrol.add_transition("TIRED", wait)
    wait.add_transition("SAW_PLAYER", chase)
    wait.add_transition("RESTED", patrol)
    chase.add_transition("LOST_PLAYER", patrol)
    return machine


def make_machine() -> CrowdFsm:
    return machine_of(turn_round, walk, stop, rest)


class SerialCrowd:
    """All characters, updated in one thread."""

    parallel: bool | int = False
    make_machine = staticmethod(make_machine)

    def __init__(self, size: int) -> None:
        states, *columns = beginning(size)
        self.crowd = Crowd(self.make_machine(), size, parallel=self.parallel)
        for index, name in enumerate(STATES):
            self.crowd.start(name, where=states == index)
        for name, column in zip(("x", "y", "vx", "vy", "elapsed"), columns, strict=True):
            self.crowd[name][:] = column

    def update(self, player_x: float, player_y: float) -> None:
        world = self.crowd.world
        world.player_x = player_x
        world.player_y = player_y
        self.crowd.update(DT)

    def states(self) -> NDArray[np.int8]:
        return self.crowd.states.astype(np.int8)

    def places(self) -> Places:
        return self.crowd["x"], self.crowd["y"]


class ParallelCrowd(SerialCrowd):
    """All characters, updated in two threads."""

    parallel = 2
