"""A thousand people leave a hall by its doors.

    python examples/evacuation.py              # how many get out, and how fast
    python examples/evacuation.py hall.svg     # a picture of the hall, half a minute later
    fsmkit draw examples/evacuation.py
    fsmkit crowd examples/evacuation.py --agents 1000 --seconds 60     # where they are then

They go to the nearest door, file into its lanes, and walk the slower the closer they are to the one
in front. `Cells` knows that one; people outside are removed. The model is that of A. Tordeux, M.
Chraibi, A. Seyfried, "Collision-free speed model for pedestrian dynamics", Traffic and Granular
Flow '15 (2016), in a line. Lengths are in metres.

Known of it: out of a crowd in front of a door, `speed / (speed * headway + body)` people a second
leave by each lane. With the numbers below, and lanes of 0.6 m, that is 1.3 a second for each metre
of the door, as planners assume: 1.3 in H. E. Nelson, F. W. Mowrer, "Emergency movement", SFPE
Handbook of Fire Protection Engineering (2002), and 1.2 in U. Weidmann, "Transporttechnik der
Fussgänger" (1993).
"""

import math
import sys
from pathlib import Path
from typing import Final

import numpy as np
from attrs import define

from fsmkit.crowd import Cells, Crowd, CrowdAction, CrowdFsm
from fsmkit.crowd.library import SendEventWhen

OUT: Final = "OUT"
STOPPED: Final = "STOPPED"
WENT_ON: Final = "WENT_ON"

WIDTH, DEPTH = 40.0, 25.0
"""The size of the hall; the doors are in the wall at y = 0."""
DOORS: Final = (8.0, 20.0, 32.0)
"""The middles of the doors."""
LANES: Final = 2
"""The number of people who walk through a door side by side."""
LANE: Final = 0.6
"""The width of a lane."""
STEP: Final = 0.1
"""Seconds."""


@define
class Visitor:
    x: float = 0.0
    y: float = 0.0
    to_x: float = 0.0
    """The way to the lane, of length 1."""
    to_y: float = 0.0
    way: float = 0.0
    """The mark on the way at which it is outside. All lanes are on one line, far apart."""
    gone: float = 0.0
    """The mark on the way that it has come to."""
    speed: float = 0.0
    """Metres a second."""
    ahead: float = math.inf
    """The distance to the one in front in the lane."""


@define
class Hall:
    speed: float = 1.34
    """Metres a second, with nobody in the way."""
    headway: float = 1.06
    """The seconds that people keep to the one in front."""
    body: float = 0.3
    """The length of a person."""
    dt: float = 0.0


def walk(visitor: Visitor, hall: Hall) -> str | None:
    room = max(0.0, visitor.ahead - hall.body)
    visitor.speed = min(hall.speed, room / hall.headway)
    stride = visitor.speed * hall.dt
    visitor.gone += stride
    visitor.x += visitor.to_x * stride
    visitor.y += visitor.to_y * stride
    return OUT if visitor.gone >= visitor.way else None


def walks(visitor: Visitor, hall: Hall) -> bool:
    return visitor.speed > 0.1 * hall.speed


def stands(visitor: Visitor, hall: Hall) -> bool:
    return visitor.speed <= 0.1 * hall.speed


def build() -> CrowdFsm:
    machine = CrowdFsm("Visitor", Visitor, Hall)
    walking = machine.add_state("Walking")
    queueing = machine.add_state("Queueing")
    for state in (walking, queueing):
        state.add_action(CrowdAction(on_update=walk))
    walking.add_action(SendEventWhen(stands, STOPPED))
    queueing.add_action(SendEventWhen(walks, WENT_ON))
    outside = machine.add_state("Outside", retire=True)
    walking.add_transition(STOPPED, queueing)
    queueing.add_transition(WENT_ON, walking)
    machine.add_global_transition(OUT, outside)
    return machine


def hall(people: int, seed: int = 1) -> Crowd:
    """Return a hall with that many people."""
    crowd = Crowd(build(), people, seed=seed)
    prepare(crowd)
    return crowd


def prepare(crowd: Crowd) -> None:
    """Start them at random places, each on the way to the nearest door."""
    crowd.start("Walking")
    people, rng = len(crowd), np.random.default_rng(crowd.seed)
    x, y = rng.uniform(0.0, WIDTH, people), rng.uniform(1.0, DEPTH, people)
    door = np.abs(x[:, None] - DOORS).argmin(axis=1)
    lane = rng.integers(LANES, size=people)
    to_x, to_y = np.array(DOORS)[door] + (lane - (LANES - 1) / 2) * LANE - x, -y
    left = np.hypot(to_x, to_y)
    crowd["x"], crowd["y"], crowd["to_x"], crowd["to_y"] = (
        x,
        y,
        to_x / left,
        to_y / left,
    )
    crowd["way"] = 100.0 * (1 + door * LANES + lane)
    crowd["gone"] = crowd["way"] - left
    Cells(crowd, "gone", size=30.0).nearest(distance="ahead", ahead=True)


def capacity(hall: Hall) -> float:
    """Return the people a second who leave by a lane out of a crowd."""
    return hall.speed / (hall.speed * hall.headway + hall.body)


def empty(crowd: Crowd) -> tuple[list[float], list[int]]:
    """Let all of them leave; return the times, in seconds, and how many were left inside."""
    times, inside = [crowd.time], [len(crowd)]
    while len(crowd):
        crowd.update(STEP)
        times.append(crowd.time)
        inside.append(len(crowd))
    return times, inside


def outflow(times: list[float], inside: list[int]) -> float:
    """Return the people a second who left by each lane, while the middle half of them did."""
    people = inside[0]
    middle = [
        n
        for n, left in enumerate(inside)
        if 0.25 * people < left < 0.75 * people
    ]
    first, last = middle[0], middle[-1]
    lanes = len(DOORS) * LANES
    return (inside[first] - inside[last]) / (times[last] - times[first]) / lanes


def to_svg(crowd: Crowd, scale: int = 20) -> str:
    """Draw the hall from above; people who stand are red."""
    standing = crowd.where("Queueing")
    people = "\n".join(
        f'<circle cx="{x:.2f}" cy="{y:.2f}" r="0.16" fill="{"#d6453d" if stands else "#4d7fc4"}"/>'
        for x, y, stands in zip(crowd["x"], crowd["y"], standing, strict=True)
    )
    half = LANES * LANE / 2
    walls = zip(
        [0.0, *(x + half for x in DOORS)],
        [*(x - half for x in DOORS), WIDTH],
        strict=True,
    )
    wall = "".join(f"M{start} 0H{end}" for start, end in walls)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="-0.5 -0.5 {WIDTH + 1} {DEPTH + 1}" '
        f'width="{WIDTH * scale:g}" height="{DEPTH * scale:g}" role="img" '
        f'style="max-width:100%;height:auto" aria-label="People who leave a hall">\n'
        f'<path d="{wall}M0 0V{DEPTH}H{WIDTH}V0" fill="none" stroke="#888" stroke-width="0.2"/>\n'
        f"{people}\n</svg>\n"
    )


def main() -> None:
    print("people    all out    a lane    known    a metre of the door")
    for people in (300, 1_000, 3_000):
        crowd = hall(people)
        times, inside = empty(crowd)
        measured = outflow(times, inside)
        print(
            f"{people:6,}    {times[-1]:5.1f} s    {measured:6.3f}    {capacity(crowd.world):5.3f}"
            f"    {measured / LANE:19.2f}"
        )
    if picture := sys.argv[1:]:
        crowd = hall(1_000)
        crowd.update(STEP, steps=300)
        Path(picture[0]).write_text(to_svg(crowd), "utf-8")


if __name__ == "__main__":
    main()
