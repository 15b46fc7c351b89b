"""Twenty thousand people watch a match, and all of them run the same machine.

    fsmkit crowd examples/stadium.py --agents 20000 --seconds 60 --event WAVE@20
    python examples/stadium.py counts.svg       # a match of two minutes, and the picture of it

They come in one after another. A wave goes round the stadium: all rise when it is their turn,
which depends on where they sit. At a goal the supporters of that team cheer. From time to time
somebody gets hungry, mostly at half-time, and misses the wave or the goal while having a snack.
"""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from attrs import define

from fsmkit import FINISHED, FsmState
from fsmkit.crowd import Crowd, CrowdAction, CrowdFsm, random, uniform
from fsmkit.crowd.census import Census
from fsmkit.crowd.library import TimedWait

WAVE = "WAVE"
GOAL = "GOAL"
WHISTLE = "WHISTLE"
HUNGRY = "HUNGRY"

ROUND = 8.0
"""The seconds that a wave takes to go round the stadium."""


@define
class Spectator:
    turn: float = 0.0
    """The seconds after which a wave reaches the seat."""
    is_home: bool = False
    """True for a supporter of the home team."""
    snacks: int = 0
    patience: float = 0.0
    """The seconds that it stays in a state."""


@define
class Stadium:
    appetite: float = 0.004
    """The probability of getting hungry within a second."""
    dt: float = 0.0


def take_seat(spectator: Spectator, _stadium: Stadium) -> None:
    spectator.turn = uniform(spectator, 0.0, ROUND)
    spectator.is_home = random(spectator) < 0.7


def get_hungry(spectator: Spectator, stadium: Stadium) -> str | None:
    if random(spectator) < stadium.appetite * stadium.dt:
        return HUNGRY
    return None


def eat(spectator: Spectator, _stadium: Stadium) -> None:
    spectator.snacks += 1


def take_time(spectator: Spectator, _stadium: Stadium, own: Any) -> None:
    spectator.patience = uniform(spectator, own.shortest, own.longest)


def stay(state: FsmState[Any], shortest: float, longest: float) -> None:
    """Keep everybody in a state for a random number of seconds between the two."""
    between = {"shortest": shortest, "longest": longest}
    state.add_action(CrowdAction(take_time, parameters=between))
    state.add_action(TimedWait("patience"))


def build() -> CrowdFsm:
    machine = CrowdFsm("Spectator", Spectator, Stadium)
    arriving = machine.add_state("Arriving")
    sitting = machine.add_state("Sitting")
    waiting = machine.add_state("Waiting")
    standing = machine.add_state("Standing")
    cheering = machine.add_state("Cheering")
    eating = machine.add_state("Eating")
    leaving = machine.add_state("Leaving")
    gone = machine.add_state("Gone", final=True)

    stay(arriving, 0.0, 12.0)
    arriving.add_action(CrowdAction(on_exit=take_seat))
    sitting.add_action(CrowdAction(on_update=get_hungry))
    waiting.add_action(TimedWait("turn"))
    stay(standing, 1.2, 1.5)
    stay(cheering, 3.0, 7.0)
    stay(eating, 6.0, 14.0)
    eating.add_action(CrowdAction(on_exit=eat))
    stay(leaving, 2.0, 18.0)

    sitting.add_transition(WAVE, waiting)
    sitting.add_transition(GOAL, cheering)
    sitting.add_transition(HUNGRY, eating)
    waiting.add_transition(GOAL, cheering)
    waiting.add_transition(FINISHED, standing)
    for state in (arriving, standing, cheering, eating):
        state.add_transition(FINISHED, sitting)
    leaving.add_transition(FINISHED, gone)
    machine.add_global_transition(WHISTLE, leaving)
    return machine


def play(crowd: Crowd, census: Census) -> Iterator[int]:
    """Play a match of two minutes, second by second, and count."""
    for second in range(1, 121):
        match second:
            case 18 | 74:
                crowd.send_event(WAVE)
            case 36:
                crowd.send_event(GOAL, where=crowd["is_home"])
            case 46:
                crowd.world.appetite = 0.08
            case 58:
                crowd.world.appetite = 0.004
            case 92:
                crowd.send_event(GOAL, where=~crowd["is_home"])
            case 102:
                crowd.send_event(WHISTLE)
        for _ in range(4):
            crowd.update(1 / 20, steps=5)
            census.take()
        yield second


def main() -> None:
    crowd = Crowd(build(), 20_000, start="Arriving", seed=7)
    census = Census(crowd)
    census.take()
    print(
        " second", *(f"{state:>8}" for state in crowd.machine.states), sep="  "
    )
    for second in play(crowd, census):
        if second % 5 == 0:
            print(
                f"{second:7}",
                *(f"{count:8,}" for count in crowd.count().values()),
                sep="  ",
            )
    print(f"{crowd['snacks'].sum():,} snacks were eaten.")
    if picture := sys.argv[1:]:
        Path(picture[0]).write_text(census.to_svg(), "utf-8")


if __name__ == "__main__":
    main()
