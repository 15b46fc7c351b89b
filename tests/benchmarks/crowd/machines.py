"""An `Fsm` for every character, with small actions of its own, updated one after the other."""

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

from fsmkit import Fsm, FsmAction


class World:
    """The position of the player."""

    __slots__ = ("player_x", "player_y")

    def __init__(self) -> None:
        self.player_x = 0.0
        self.player_y = 0.0


class Npc:
    """The data that the actions of one character work on."""

    __slots__ = ("elapsed", "vx", "vy", "x", "y")

    def __init__(self, x: float, y: float, vx: float, vy: float, elapsed: float) -> None:
        self.x = x
        self.y = y
        self.vx = vx
        self.vy = vy
        self.elapsed = elapsed


class NpcAction(FsmAction[None]):
    """An action that knows its character and the world."""

    __slots__ = ("npc", "world")

    def __init__(self, npc: Npc, world: World) -> None:
        self.npc = npc
        self.world = world


class SeePlayer(NpcAction):
    __slots__ = ()

    def on_update(self) -> None:
        npc, world = self.npc, self.world
        dx = world.player_x - npc.x
        dy = world.player_y - npc.y
        if dx * dx + dy * dy < SIGHT_SQUARED:
            self.fsm.send_event("SAW_PLAYER")


class Walk(NpcAction):
    __slots__ = ()

    def on_enter(self) -> None:
        npc = self.npc
        npc.vx = -npc.vx
        npc.vy = -npc.vy
        npc.elapsed = 0.0

    def on_update(self) -> None:
        npc = self.npc
        dt = self.fsm.delta_time
        npc.x += npc.vx * dt
        npc.y += npc.vy * dt
        npc.elapsed += dt
        if npc.elapsed >= PATROL_TIME:
            self.fsm.send_event("TIRED")


class Rest(NpcAction):
    __slots__ = ()

    def on_enter(self) -> None:
        self.npc.elapsed = 0.0

    def on_update(self) -> None:
        npc = self.npc
        npc.elapsed += self.fsm.delta_time
        if npc.elapsed >= WAIT_TIME:
            self.fsm.send_event("RESTED")


class Pursue(NpcAction):
    __slots__ = ()

    def on_update(self) -> None:
        npc, world = self.npc, self.world
        dx = world.player_x - npc.x
        dy = world.player_y - npc.y
        square = dx * dx + dy * dy
        if square > REACH_SQUARED:
            self.fsm.send_event("LOST_PLAYER")
            return
        distance = sqrt(square)
        stride = RUN_SPEED * self.fsm.delta_time
        if distance > stride:
            npc.x += dx / distance * stride
            npc.y += dy / distance * stride


def make_machine(npc: Npc, world: World) -> Fsm[None]:
    machine = Fsm("Npc")
    patrol, wait, chase = (machine.add_state(name) for name in STATES)
    patrol.add_action(SeePlayer(npc, world))
    patrol.add_action(Walk(npc, world))
    wait.add_action(SeePlayer(npc, world))
    wait.add_action(Rest(npc, world))
    chase.add_action(Pursue(npc, world))
    patrol.add_transition("SAW_PLAYER", chase)
    patrol.add_transition("TIRED", wait)
    wait.add_transition("SAW_PLAYER", chase)
    wait.add_transition("RESTED", patrol)
    chase.add_transition("LOST_PLAYER", patrol)
    return machine


class Machines:
    """All characters and their machines."""

    def __init__(self, size: int) -> None:
        self.world = World()
        self.npcs: list[Npc] = []
        self.machines: list[Fsm[None]] = []
        states, *columns = (column.tolist() for column in beginning(size))
        for state, *place in zip(states, *columns, strict=True):
            npc = Npc(*place)
            machine = make_machine(npc, self.world)
            machine.start(STATES[state])
            *_, npc.vx, npc.vy, npc.elapsed = place  # as if entered some time ago
            self.npcs.append(npc)
            self.machines.append(machine)

    def update(self, player_x: float, player_y: float) -> None:
        self.world.player_x = player_x
        self.world.player_y = player_y
        for machine in self.machines:
            machine.update(DT)

    def states(self) -> NDArray[np.int8]:
        names = (machine.current_state.name for machine in self.machines if machine.current_state)
        return np.array([STATES.index(name) for name in names], np.int8)

    def places(self) -> Places:
        return np.array([npc.x for npc in self.npcs]), np.array([npc.y for npc in self.npcs])
