"""The task of every contestant: characters on a field that patrol, wait and chase a player.

- *Patrol*: on entering turn round and set the timer to 0. In every step: a player in sight is
  chased; otherwise walk on, and wait once the timer has run for `PATROL_TIME`.
- *Wait*: on entering set the timer to 0. In every step: a player in sight is chased; otherwise
  patrol again once the timer has run for `WAIT_TIME`.
- *Chase*: in every step: patrol again if the player is out of reach, otherwise run to it.

A change ends the step of that character. The player runs in a circle. Places, timers and states at
the beginning are like those of a crowd that has been at it for long, so that the first step is as
good a sample as the thousandth. Neighbours in the columns have nothing to do with each other.

All numbers are float64, and every contestant does the same arithmetic in the same order: after the
same steps all of them have to be in the very same places and states.
"""

from __future__ import annotations

from math import cos, sin, tau
from typing import Final, NamedTuple, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

DT: Final = 1 / 60
"""The seconds of one step."""

STATES: Final = ("Patrol", "Wait", "Chase")
PATROL: Final = 0
WAIT: Final = 1
CHASE: Final = 2

SEED: Final = 7
FIELD: Final = 40.0
"""The width of the square, centred at 0, 0, on which the characters start."""
CIRCLE: Final = 12.0
"""The distance of the player from the centre."""
SIGHT: Final = 5.0
"""A player nearer than this is chased."""
REACH: Final = 8.0
"""A player farther away than this is lost."""
SIGHT_SQUARED: Final = SIGHT * SIGHT
REACH_SQUARED: Final = REACH * REACH
PATROL_TIME: Final = 3.0
WAIT_TIME: Final = 1.5
WALK_SPEED: Final = 1.5
RUN_SPEED: Final = 4.0
PLAYER_SPEED: Final = 6.0


class Beginning(NamedTuple):
    """The columns of a crowd before the first step."""

    states: NDArray[np.int8]
    x: NDArray[np.float64]
    y: NDArray[np.float64]
    vx: NDArray[np.float64]
    vy: NDArray[np.float64]
    elapsed: NDArray[np.float64]


Places: TypeAlias = tuple[NDArray[np.float64], NDArray[np.float64]]


class Population(Protocol):
    """The characters of one contestant."""

    def update(self, player_x: float, player_y: float) -> None:
        """Make one step of all characters; the player is at `player_x, player_y`."""

    def states(self) -> NDArray[np.int8]:
        """Return the state of every character: its index in `STATES`."""

    def places(self) -> Places:
        """Return the position of every character: the column x, the column y."""


def beginning(size: int) -> Beginning:
    """Return characters all over the field: those near the player chase it, others do not."""
    x, y, turn, phase = np.random.default_rng(SEED).random((4, size))
    x, y = (x - 0.5) * FIELD, (y - 0.5) * FIELD
    timer = phase * (PATROL_TIME + WAIT_TIME)
    waits = timer >= PATROL_TIME
    player_x, player_y = PLAYER_PATH[0]
    chases = (x - player_x) ** 2 + (y - player_y) ** 2 < REACH_SQUARED
    return Beginning(
        states=np.where(chases, CHASE, np.where(waits, WAIT, PATROL)).astype(np.int8),
        x=x,
        y=y,
        vx=np.cos(turn * tau) * WALK_SPEED,
        vy=np.sin(turn * tau) * WALK_SPEED,
        elapsed=np.where(waits, timer - PATROL_TIME, timer),
    )


def player_path() -> list[tuple[float, float]]:
    """Return the position of the player in every step of one round."""
    steps = round(tau * CIRCLE / (PLAYER_SPEED * DT))
    turns = [tau * step / steps for step in range(steps)]
    return [(CIRCLE * cos(turn), CIRCLE * sin(turn)) for turn in turns]


PLAYER_PATH: Final = player_path()


def player_at(first: int, steps: int) -> list[tuple[float, float]]:
    """Return the position of the player in `steps` steps, from number `first`."""
    return [PLAYER_PATH[step % len(PLAYER_PATH)] for step in range(first, first + steps)]
