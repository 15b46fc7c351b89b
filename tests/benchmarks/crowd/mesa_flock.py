"""Mesa's own flock, `boid_flockers`, with as many birds near each as in the others."""

from __future__ import annotations

from flock import DT, SIGHT, SPEED, TOO_CLOSE, width_for
from mesa.examples.basic.boid_flockers.model import BoidFlockers


class MesaFlock:
    """A model and its birds; each finds those near it by the distances to all."""

    def __init__(self, size: int) -> None:
        width = width_for(size)
        self.model = BoidFlockers(
            size, width, width, speed=SPEED * DT, vision=SIGHT, separation=TOO_CLOSE, seed=7
        )

    def step(self) -> None:
        """Look, and fly on, one bird after the other."""
        self.model.step()
