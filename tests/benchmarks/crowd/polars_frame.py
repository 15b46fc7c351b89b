"""Polars: one lazy query for every step, all columns at once, with its own choice of threads."""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray
from polars import col
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

STRIDE = RUN_SPEED * DT


class PolarsFrame:
    """All characters, as the rows of a data frame.

    The query has stages, so that nothing is worked out twice: one large expression for each column
    took twice as long.
    """

    def __init__(self, size: int) -> None:
        self.frame = pl.DataFrame(beginning(size)._asdict())

    def update(self, player_x: float, player_y: float) -> None:
        rows = self.frame.lazy()
        rows = rows.with_columns(dx=player_x - col.x, dy=player_y - col.y, timer=col.elapsed + DT)
        rows = rows.with_columns(square=col.dx * col.dx + col.dy * col.dy)
        rows = rows.with_columns(
            distance=col.square.sqrt(),
            near=col.square < SIGHT_SQUARED,
            lost=col.square > REACH_SQUARED,
            chases=col.states == CHASE,
        )
        rows = rows.with_columns(
            sees=~col.chases & col.near,
            walks=(col.states == PATROL) & ~col.near,
            waits=(col.states == WAIT) & ~col.near,
            runs=col.chases & ~col.lost & (col.distance > STRIDE),
        )
        rows = rows.with_columns(
            tired=col.walks & (col.timer >= PATROL_TIME),
            patrols=(col.chases & col.lost) | (col.waits & (col.timer >= WAIT_TIME)),
        )
        self.frame = rows.select(
            states=pl.when(col.sees)
            .then(pl.lit(CHASE, pl.Int8))
            .when(col.tired)
            .then(pl.lit(WAIT, pl.Int8))
            .when(col.patrols)
            .then(pl.lit(PATROL, pl.Int8))
            .otherwise(col.states),
            x=moved(col.x, col.vx, col.dx),
            y=moved(col.y, col.vy, col.dy),
            vx=pl.when(col.patrols).then(-col.vx).otherwise(col.vx),
            vy=pl.when(col.patrols).then(-col.vy).otherwise(col.vy),
            elapsed=pl.when(col.tired | col.patrols)
            .then(0.0)
            .when(col.walks | col.waits)
            .then(col.timer)
            .otherwise(col.elapsed),
        ).collect()

    def states(self) -> NDArray[np.int8]:
        return self.frame["states"].to_numpy()

    def places(self) -> Places:
        return self.frame["x"].to_numpy(), self.frame["y"].to_numpy()


def moved(place: pl.Expr, velocity: pl.Expr, way: pl.Expr) -> pl.Expr:
    """Return one coordinate after walking or running."""
    walked = pl.when(col.walks).then(place + velocity * DT)
    return walked.when(col.runs).then(place + way / col.distance * STRIDE).otherwise(place)
