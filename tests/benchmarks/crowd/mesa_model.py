"""Mesa: an `Agent` for every character, stepped by the model's agent set."""

from __future__ import annotations

from math import sqrt

import mesa
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


class NpcModel(mesa.Model):
    """The characters and the player."""

    def __init__(self, size: int) -> None:
        super().__init__(seed=0)
        self.player_x = 0.0
        self.player_y = 0.0
        states, *columns = beginning(size)
        names = [STATES[state] for state in states.tolist()]
        Npc.create_agents(self, size, names, *(column.tolist() for column in columns))

    def step(self) -> None:
        self.agents.do("step")


class Npc(mesa.Agent):
    """One character."""

    def __init__(self, model: NpcModel, state: str, *place: float) -> None:
        super().__init__(model)
        self.state = state
        self.x, self.y, self.vx, self.vy, self.elapsed = place

    def step(self) -> None:
        dx = self.model.player_x - self.x
        dy = self.model.player_y - self.y
        if self.state == "Patrol":
            if dx * dx + dy * dy < SIGHT_SQUARED:
                self.state = "Chase"
                return
            self.x += self.vx * DT
            self.y += self.vy * DT
            self.elapsed += DT
            if self.elapsed >= PATROL_TIME:
                self.state = "Wait"
                self.elapsed = 0.0
        elif self.state == "Wait":
            if dx * dx + dy * dy < SIGHT_SQUARED:
                self.state = "Chase"
                return
            self.elapsed += DT
            if self.elapsed >= WAIT_TIME:
                self.enter_patrol()
        else:
            square = dx * dx + dy * dy
            if square > REACH_SQUARED:
                self.enter_patrol()
                return
            distance = sqrt(square)
            stride = RUN_SPEED * DT
            if distance > stride:
                self.x += dx / distance * stride
                self.y += dy / distance * stride

    def enter_patrol(self) -> None:
        self.state = "Patrol"
        self.vx = -self.vx
        self.vy = -self.vy
        self.elapsed = 0.0


class MesaAgents:
    """A model and its agents."""

    def __init__(self, size: int) -> None:
        self.model = NpcModel(size)

    def update(self, player_x: float, player_y: float) -> None:
        self.model.player_x = player_x
        self.model.player_y = player_y
        self.model.step()

    def states(self) -> NDArray[np.int8]:
        return np.array([STATES.index(npc.state) for npc in self.model.agents], np.int8)

    def places(self) -> Places:
        return self._column("x"), self._column("y")

    def _column(self, name: str) -> NDArray[np.float64]:
        return np.array([getattr(npc, name) for npc in self.model.agents])
