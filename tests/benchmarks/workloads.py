"""The tasks of every contestant, and the objects on which its work is counted.

All workloads count on plain slotted objects, so that what a machine did can be compared with what
the hand-written one did.

- *ping-pong*: two states, Left and Right. The event PING leads from Left to Right, PONG back. Each
  state has one enter and one exit callback.
- *frames*: two states, Idle and Busy; BEGIN and END lead to and fro. Busy has three callbacks for
  every frame, the last of which needs the time that has passed.
- *waits*: the states Red, Green and Amber of a traffic light, which waits one frame in each. So
  every update ends a wait and begins the next one.
- *watched*: ping-pong with an observer, which counts the states that are entered.
- *guard*: a definition of five states, eight transitions and ten callbacks, of which many machines
  are built.
- *crowd*: non-player characters that patrol, wait and chase a running player, frame by frame.
"""

from __future__ import annotations

from math import hypot
from typing import Final

FRAME: Final = 1 / 60
"""Seconds from one frame to the next."""


class Counts:
    """The results of ping-pong and frames."""

    __slots__ = ("entered", "exited", "first", "second", "seconds")

    def __init__(self) -> None:
        self.entered = 0
        self.exited = 0
        self.first = 0
        self.second = 0
        self.seconds = 0.0

    def outcome(self) -> tuple[float, ...]:
        """Return everything that was counted, for comparing."""
        return (self.entered, self.exited, self.first, self.second, self.seconds)


# --- guard ------------------------------------------------------------------------------------

GUARD_STATES: Final = ("Sleep", "Patrol", "Chase", "Attack", "Flee")
GUARD_TRANSITIONS: Final = (
    ("Sleep", "WAKE", "Patrol"),
    ("Patrol", "TIRED", "Sleep"),
    ("Patrol", "SPOTTED", "Chase"),
    ("Chase", "LOST", "Patrol"),
    ("Chase", "REACHED", "Attack"),
    ("Attack", "ESCAPED", "Chase"),
    ("Attack", "HURT", "Flee"),
    ("Flee", "SAFE", "Patrol"),
)
GUARD_TOUR: Final = (
    "WAKE",
    "TIRED",
    "WAKE",
    "SPOTTED",
    "LOST",
    "SPOTTED",
    "REACHED",
    "ESCAPED",
    "REACHED",
    "HURT",
    "SAFE",
)
"""A way from Sleep that takes every transition at least once."""


class Record:
    """The place that the ten callbacks of a guard write on: its state, its entries and exits."""

    __slots__ = ("entered", "exited", "state")

    def __init__(self) -> None:
        self.entered = 0
        self.exited = 0
        self.state = ""

    def outcome(self) -> tuple[str, int, int]:
        """Return everything that was written, for comparing."""
        return (self.state, self.entered, self.exited)


# --- crowd ------------------------------------------------------------------------------------

CROWD: Final = 1_000
"""The number of characters in the whole crowd."""
CROWD_FRAMES: Final = 200
"""The number of frames it lives."""
SIGHT: Final = 15.0
"""A character closer than this to the player begins to chase it."""
REACH: Final = 30.0
"""A chasing character as far away as this, or farther, gives up."""

PLAYER_SPEED: Final = 40.0
WALK_SPEED: Final = 2.0
RUN_SPEED: Final = 12.0


class World:
    """The place of the player, who runs past the crowd."""

    __slots__ = ("player_x", "player_y")

    def __init__(self) -> None:
        self.player_x = -20.0
        self.player_y = 6.0

    def advance(self, dt: float) -> None:
        """Move the player."""
        self.player_x += PLAYER_SPEED * dt


class Npc:
    """A character on the plane: where it is, and how often it did what.

    What it decides is each contestant's own code: it turns round when it begins to patrol, walks
    until `patrol_time` is over, waits for `wait_time`, and runs to the player when that one comes
    into sight. Place and times follow from its number in the whole crowd. What every character of
    a game can do, however its behaviour is written, are its methods here.
    """

    __slots__ = (
        "chases",
        "exits",
        "heading",
        "patrol_time",
        "patrols",
        "time_left",
        "wait_time",
        "waits",
        "world",
        "x",
        "y",
    )

    def __init__(self, world: World, number: int) -> None:
        self.world = world
        self.x = number * 37 % CROWD * 0.2
        self.y = number * 11 % 25 * 0.5
        self.heading = 1.0
        self.patrol_time = 0.4 + number % 13 * 0.07
        self.wait_time = 0.2 + number % 7 * 0.05
        self.time_left = 0.0
        self.patrols = 0
        self.waits = 0
        self.chases = 0
        self.exits = 0

    def distance_to_player(self) -> float:
        """Return the distance to the player."""
        return hypot(self.world.player_x - self.x, self.world.player_y - self.y)

    def run_to_player(self, stretch: float) -> None:
        """Run straight towards the player."""
        away = self.distance_to_player()
        if away > stretch:
            self.x += (self.world.player_x - self.x) / away * stretch
            self.y += (self.world.player_y - self.y) / away * stretch

    def outcome(self) -> tuple[float, ...]:
        """Return its place and what it did, for comparing."""
        return (self.x, self.y, self.patrols, self.waits, self.chases, self.exits)


def crowd_numbers(size: int) -> list[int]:
    """Return the numbers of `size` characters, spread evenly over the whole crowd."""
    return [place * CROWD // size for place in range(size)]
