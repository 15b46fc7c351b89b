"""Twenty thousand fish and a shark: fear runs through the swarm, ahead of the shark.

    python examples/swarm.py                      # prints every second what the fish do
    python examples/swarm.py --window             # shows it; the shark follows the mouse
    python examples/swarm.py --frames frames      # writes a picture for every frame
    fsmkit crowd examples/swarm.py                # without a shark

The fish cruise round two places, each on a loop of its own choice. Those that the shark comes near
flee; those among frightened ones are startled, and frighten others in turn: `prepare` declares that
each fish knows the share of those near it that are afraid. The pictures need
`pip install 'fsmkit[pygame]'` as well.
"""

import argparse
import math
from pathlib import Path
from typing import Any, Final

from attrs import define

from fsmkit import FINISHED
from fsmkit.crowd import Cells, Crowd, CrowdAction, CrowdFsm, random, uniform
from fsmkit.crowd.library import SendEventWhen, TimedWait

FPS: Final = 30
WIDTH, HEIGHT = 16.0, 9.0
"""The size of the visible part of the sea, in metres; (0, 0) is in the middle."""

SIGHT: Final = 0.3
"""How far fish see each other."""

FAR_AWAY: Final = (99.0, 0.0)

SHARK: Final = "SHARK"
ALARM: Final = "ALARM"
SAFE: Final = "SAFE"


@define
class Fish:
    x: float = 0.0
    y: float = 0.0
    vx: float = 0.0
    vy: float = 0.0
    wish_x: float = 0.0
    """The direction in which it wants to swim, of any length."""
    wish_y: float = 0.0
    loop: float = 0.0
    """Its favourite loop: from 0, a circle of its own, to 2.4, round both places."""
    fear: float = 0.0
    """The share of those near it that are afraid."""
    patience: float = 0.0


@define
class Sea:
    shark_x: float = FAR_AWAY[0]
    shark_y: float = FAR_AWAY[1]
    dt: float = 0.0


def appear(fish: Fish, _sea: Sea) -> None:
    if fish.loop == 0.0:
        fish.loop = uniform(fish, 0.02, 2.4)
        fish.x = uniform(fish, -0.45, 0.45) * WIDTH
        fish.y = uniform(fish, -0.40, 0.40) * HEIGHT


def cruise(fish: Fish, _sea: Sea) -> None:
    """Swim along Cassini's ovals: the product of the distances to two points is constant."""
    x, y = fish.x / 4.3, fish.y / 5.0
    square = x * x + y * y
    product = square * square - 2.0 * (x * x - y * y) + 1.0
    slope_x, slope_y = x * (square - 1.0), y * (square + 1.0)
    back = max(-2.0, min(2.0, 2.0 * (fish.loop - product)))
    fish.wish_x = back * slope_x - slope_y
    fish.wish_y = back * slope_y + slope_x


def flee(fish: Fish, sea: Sea) -> None:
    fish.wish_x = fish.x - sea.shark_x
    fish.wish_y = fish.y - sea.shark_y


def dart(fish: Fish, _sea: Sea) -> None:
    fish.wish_x = fish.vx + uniform(fish, -2.0, 2.0)
    fish.wish_y = fish.vy + uniform(fish, -2.0, 2.0)


def swim(fish: Fish, sea: Sea, own: Any) -> None:
    length = (
        math.sqrt(fish.wish_x * fish.wish_x + fish.wish_y * fish.wish_y) + 1e-9
    )
    change = min(1.0, own.agility * sea.dt)
    fish.vx += (fish.wish_x / length * own.speed - fish.vx) * change
    fish.vy += (fish.wish_y / length * own.speed - fish.vy) * change
    fish.x += (fish.vx + uniform(fish, -0.4, 0.4)) * sea.dt
    fish.y += (fish.vy + uniform(fish, -0.4, 0.4)) * sea.dt


def distance_to_shark(fish: Fish, sea: Sea) -> float:
    x, y = fish.x - sea.shark_x, fish.y - sea.shark_y
    return math.sqrt(x * x + y * y)


def sees_shark(fish: Fish, sea: Sea) -> bool:
    return distance_to_shark(fish, sea) < 1.3


def is_safe(fish: Fish, sea: Sea) -> bool:
    return distance_to_shark(fish, sea) > 1.9


def be_startled(fish: Fish, sea: Sea) -> str | None:
    luck = random(fish)
    return ALARM if fish.fear > 0.12 and luck < 9.0 * sea.dt else None


def take_time(fish: Fish, _sea: Sea, own: Any) -> None:
    fish.patience = uniform(fish, own.shortest, own.longest)


def swimming(speed: float, agility: float) -> CrowdAction:
    """Return an action that swims in the wanted direction, at `speed` metres a second."""
    return CrowdAction(
        on_update=swim, parameters={"speed": speed, "agility": agility}
    )


def taking(shortest: float, longest: float) -> CrowdAction:
    return CrowdAction(
        take_time, parameters={"shortest": shortest, "longest": longest}
    )


def build() -> CrowdFsm:
    machine = CrowdFsm("Fish", Fish, Sea)
    cruising = machine.add_state("Cruising")
    fleeing = machine.add_state("Fleeing")
    startled = machine.add_state("Startled")
    calming = machine.add_state("Calming")

    cruising.add_action(CrowdAction(appear, cruise))
    cruising.add_action(swimming(speed=1.3, agility=6.0))
    cruising.add_action(SendEventWhen(sees_shark, SHARK))
    cruising.add_action(CrowdAction(on_update=be_startled))
    fleeing.add_action(CrowdAction(on_update=flee))
    fleeing.add_action(swimming(speed=3.6, agility=8.0))
    fleeing.add_action(SendEventWhen(is_safe, SAFE))
    startled.add_action(CrowdAction(dart))
    startled.add_action(swimming(speed=2.2, agility=12.0))
    startled.add_action(taking(0.25, 0.45))
    startled.add_action(TimedWait("patience"))
    calming.add_action(CrowdAction(on_update=cruise))
    calming.add_action(swimming(speed=1.7, agility=4.0))
    calming.add_action(SendEventWhen(sees_shark, SHARK))
    calming.add_action(taking(2.5, 5.0))
    calming.add_action(TimedWait("patience"))

    cruising.add_transition(SHARK, fleeing)
    cruising.add_transition(ALARM, startled)
    fleeing.add_transition(SAFE, calming)
    startled.add_transition(FINISHED, calming)
    calming.add_transition(SHARK, fleeing)
    calming.add_transition(FINISHED, cruising)
    return machine


def prepare(crowd: Crowd) -> None:
    """Start the fish, and declare what share of those near it each knows to be afraid."""
    crowd.start("Cruising")
    Cells(crowd, "x", "y", size=SIGHT).share(
        ["Fleeing", "Startled"], into="fear"
    )


def update(crowd: Crowd, shark: tuple[float, float]) -> None:
    crowd.world.shark_x, crowd.world.shark_y = shark
    crowd.update(1 / FPS)


def way_of_shark(time: float) -> tuple[float, float]:
    """Return its position: far away for four seconds, then to and fro."""
    time -= 4.0
    return (
        (-6.5 * math.cos(0.41 * time), 3.0 * math.sin(0.67 * time))
        if time > 0.0
        else FAR_AWAY
    )


def report(crowd: Crowd, seconds: int, folder: Path | None) -> None:
    """Print a line every second; write a picture of every frame if there is a folder."""
    painter = None
    if folder is not None:
        from swarm_painter import Painter  # here: only pictures need pygame

        folder.mkdir(parents=True, exist_ok=True)
        painter = Painter()
    for frame in range(1, seconds * FPS + 1):
        update(crowd, way_of_shark(crowd.time))
        if painter is not None and folder is not None:
            painter.save(crowd, folder / f"{frame:05}.png")
        if frame % FPS == 0:
            counts = "  ".join(
                f"{state} {count:6,}" for state, count in crowd.count().items()
            )
            print(f"{frame // FPS:2} s  {counts}")


def show(crowd: Crowd) -> None:
    from swarm_painter import Window  # here: only pictures need pygame

    window = Window(FPS)
    while window.is_open:
        update(crowd, window.mouse or FAR_AWAY)
        window.show(crowd)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--fish", type=int, default=20_000)
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument(
        "--frames", type=Path, metavar="FOLDER", help="write pictures (PNG)"
    )
    parser.add_argument(
        "--window", action="store_true", help="show it, until it is closed"
    )
    options = parser.parse_args()
    crowd = Crowd(build(), options.fish, seed=7)
    prepare(crowd)
    if options.window:
        show(crowd)
    else:
        report(crowd, options.seconds, options.frames)


if __name__ == "__main__":
    main()
