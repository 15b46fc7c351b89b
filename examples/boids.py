"""Two thousand birds in one sky: flocks form, though no bird knows more than those near it.

    python examples/boids.py                                   # prints how far they agree
    python examples/boids.py --seconds 10 --picture flock.svg  # and draws them at the end
    fsmkit crowd examples/boids.py --shards 2                  # counts those in flocks

Each bird keeps apart from those close to it, flies in the direction of those near, and towards
them: the boids of C. W. Reynolds, "Flocks, Herds, and Schools: A Distributed Behavioral Model",
SIGGRAPH 1987. `prepare` declares what they see. The sky wraps: a bird leaving on the right comes
back on the left. How far they agree is the order parameter of T. Vicsek et al., "Novel Type of
Phase Transition in a System of Self-Driven Particles", 1995: the length of their mean direction, 1
if all fly in the same one, and about 0 if each flies in its own.
"""

import argparse
import math
from collections import defaultdict
from pathlib import Path
from typing import Final

import numpy as np
from attrs import define

from fsmkit.crowd import Cells, Crowd, CrowdAction, CrowdFsm, uniform

FPS: Final = 30
WIDTH, HEIGHT = 160.0, 90.0
"""The size of the sky, in metres."""
SIGHT: Final = 4.0
TOO_CLOSE: Final = 1.2
SPEED: Final = 10.0
"""Metres a second."""

FOUND: Final = "FOUND"
LOST: Final = "LOST"


@define
class Boid:
    x: float = 0.0
    y: float = 0.0
    vx: float = 0.0
    vy: float = 0.0
    near: int = 0
    """How many others it sees; this and the rest is written before each step."""
    flow_x: float = 0.0
    """The mean velocity of those near."""
    flow_y: float = 0.0
    to_x: float = 0.0
    """The mean way to those near."""
    to_y: float = 0.0
    close_x: float = 0.0
    """The mean way to those who are too close."""
    close_y: float = 0.0


@define
class Sky:
    separation: float = 8.0
    alignment: float = 2.0
    cohesion: float = 0.7
    dt: float = 0.0


def appear(boid: Boid, _sky: Sky) -> None:
    if boid.vx == 0.0 and boid.vy == 0.0:
        boid.x = uniform(boid, 0.0, WIDTH)
        boid.y = uniform(boid, 0.0, HEIGHT)
        boid.vx = uniform(boid, -1.0, 1.0)
        boid.vy = uniform(boid, -1.0, 1.0)


def wander(boid: Boid, sky: Sky) -> None:
    boid.vx += uniform(boid, -15.0, 15.0) * sky.dt
    boid.vy += uniform(boid, -15.0, 15.0) * sky.dt


def flock(boid: Boid, sky: Sky) -> None:
    along_x = sky.alignment * (boid.flow_x - boid.vx)
    along_y = sky.alignment * (boid.flow_y - boid.vy)
    boid.vx += (
        along_x + sky.cohesion * boid.to_x - sky.separation * boid.close_x
    ) * sky.dt
    boid.vy += (
        along_y + sky.cohesion * boid.to_y - sky.separation * boid.close_y
    ) * sky.dt


def fly(boid: Boid, sky: Sky) -> None:
    length = math.sqrt(boid.vx * boid.vx + boid.vy * boid.vy) + 1e-9
    boid.vx *= SPEED / length
    boid.vy *= SPEED / length
    boid.x = (boid.x + boid.vx * sky.dt) % WIDTH
    boid.y = (boid.y + boid.vy * sky.dt) % HEIGHT


def find(boid: Boid, _sky: Sky) -> str | None:
    return FOUND if boid.near > 0 else None


def lose(boid: Boid, _sky: Sky) -> str | None:
    return LOST if boid.near == 0 else None


def build() -> CrowdFsm:
    machine = CrowdFsm("Boid", Boid, Sky)
    alone, flocking = machine.add_state("Alone"), machine.add_state("Flocking")
    alone.add_action(CrowdAction(appear, wander))
    alone.add_action(CrowdAction(on_update=fly))
    alone.add_action(CrowdAction(on_update=find))
    flocking.add_action(CrowdAction(on_update=flock))
    flocking.add_action(CrowdAction(on_update=fly))
    flocking.add_action(CrowdAction(on_update=lose))
    alone.add_transition(FOUND, flocking)
    flocking.add_transition(LOST, alone)
    return machine


def prepare(crowd: Crowd) -> None:
    """Start the birds anywhere, and say what they see of the others."""
    crowd.start("Alone")
    cells = Cells(crowd, "x", "y", size=SIGHT, around=(WIDTH, HEIGHT))
    cells.count(into="near")
    cells.mean("vx", into="flow_x")
    cells.mean("vy", into="flow_y")
    cells.offset(into=("to_x", "to_y"))
    cells.offset(into=("close_x", "close_y"), within=TOO_CLOSE)


def order(crowd: Crowd) -> float:
    """Return the length of the mean direction."""
    return float(np.hypot(crowd["vx"].mean(), crowd["vy"].mean()) / SPEED)


def picture(crowd: Crowd) -> str:
    """Draw every bird as an arrow in the colour of its direction, in SVG."""
    colours = defaultdict(list)
    for x, y, vx, vy in zip(
        *(crowd[n].tolist() for n in ("x", "y", "vx", "vy")), strict=True
    ):
        hue = round(math.degrees(math.atan2(vy, vx)) / 15) % 24 * 15
        along, aside = 0.11 * vx, 0.11 * vy
        colours[hue].append(
            f"M{x + along:.1f} {y + aside:.1f}"
            f"L{x - along / 2 - aside / 3:.1f} {y - aside / 2 + along / 3:.1f}"
            f"L{x - along / 2 + aside / 3:.1f} {y - aside / 2 - along / 3:.1f}Z"
        )
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH:g} {HEIGHT:g}" width="960">',
        '<rect width="100%" height="100%" fill="#10141c"/>',
        *(
            f'<path fill="hsl({hue},75%,62%)" d="{"".join(paths)}"/>'
            for hue, paths in sorted(colours.items())
        ),
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def show(crowd: Crowd) -> None:
    counts = "  ".join(
        f"{state} {count:5,}" for state, count in crowd.count().items()
    )
    print(f"{round(crowd.time):3} s  order {order(crowd):.2f}  {counts}")


def fly_for(crowd: Crowd, seconds: int) -> None:
    """Let time pass, and report every five seconds."""
    show(crowd)
    for second in range(1, seconds + 1):
        crowd.update(1 / FPS, steps=FPS)
        if second % 5 == 0:
            show(crowd)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--boids", type=int, default=2_000)
    parser.add_argument("--seconds", type=int, default=30)
    parser.add_argument(
        "--picture",
        type=Path,
        metavar="FILE.svg",
        help="draw the sky at the end",
    )
    options = parser.parse_args()
    crowd = Crowd(build(), options.boids, seed=7)
    prepare(crowd)
    fly_for(crowd, options.seconds)
    if options.picture:
        options.picture.write_text(picture(crowd), "utf-8")


if __name__ == "__main__":
    main()
