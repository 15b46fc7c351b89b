"""Cars on a ring road, and the jams that come from nowhere.

    python examples/ring_road.py                 # the flow at some densities
    python examples/ring_road.py jams.svg        # a picture of the road over time
    fsmkit draw examples/ring_road.py

The cellular automaton of K. Nagel and M. Schreckenberg, "A cellular automaton model for freeway
traffic", Journal de Physique I 2 (1992). A second of the crowd is a step of the automaton, and a
cell of 7.5 m is its unit of length. All cars move at the same time: each accelerates by one, brakes
so as not to hit the one in front, and then dawdles with some probability. `Cells` knows that one.

Known of it, with `c` cars for each cell: where nobody dawdles, the flow is `min(c * limit, 1 - c)`
cars a step; with a limit of one cell a step it is `(1 - sqrt(1 - 4 * (1 - p) * c * (1 - c))) / 2`
(M. Schreckenberg, A. Schadschneider, K. Nagel, N. Ito, "Discrete stochastic models for traffic
flow", Physical Review E 51 (1995)).
"""

import math
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import numpy as np
from attrs import define

from fsmkit.crowd import Cells, Crowd, CrowdAction, CrowdFsm, random
from fsmkit.crowd.library import SendEventWhen

MOVED: Final = "MOVED"
STOPPED: Final = "STOPPED"


@define
class Car:
    x: int = 0
    """The cell that it is in."""
    speed: int = 0
    """Cells a step."""
    ahead: float = math.inf
    """The distance to the car in front, if it is near."""


@define
class Road:
    length: int = 1_000
    limit: int = 5
    dawdling: float = 0.3
    """The probability that a driver is slower than needed."""


def drive(car: Car, road: Road) -> None:
    """The four rules of the automaton."""
    is_dawdling = random(car) < road.dawdling
    speed = min(car.speed + 1, road.limit)
    if speed >= car.ahead:
        speed = int(car.ahead) - 1
    if is_dawdling and speed > 0:
        speed -= 1
    car.speed = speed
    car.x += speed
    if car.x >= road.length:
        car.x -= road.length


def moves(car: Car, _road: Road) -> bool:
    return car.speed > 0


def stands(car: Car, _road: Road) -> bool:
    return car.speed == 0


def build() -> CrowdFsm:
    machine = CrowdFsm("Car", Car, Road)
    driving = machine.add_state("Driving")
    standing = machine.add_state("Standing")
    for state in (driving, standing):
        state.add_action(CrowdAction(on_update=drive))
    driving.add_action(SendEventWhen(stands, STOPPED))
    standing.add_action(SendEventWhen(moves, MOVED))
    driving.add_transition(STOPPED, standing)
    standing.add_transition(MOVED, driving)
    return machine


def traffic(cars: int, road: Road, seed: int = 1) -> Crowd:
    """Return a road with that many cars at random places."""
    crowd = Crowd(build(), cars, start="Driving", seed=seed)
    crowd.world = road
    places = np.random.default_rng(seed).choice(
        road.length, cars, replace=False
    )
    crowd["x"] = np.sort(places)
    cells = Cells(crowd, "x", size=road.limit + 1, around=road.length)
    cells.nearest(distance="ahead", ahead=True)
    return crowd


def flow(
    cars: int, road: Road, *, warm_up: int = 1_000, steps: int = 1_000
) -> float:
    """Return the cars that pass a place in a step, on average over the road."""
    crowd = traffic(cars, road)
    crowd.update(1.0, steps=warm_up)
    moved = 0
    for _ in range(steps):
        crowd.update(1.0)
        moved += int(crowd["speed"].sum())
    return moved / steps / road.length


def known_flow(density: float, road: Road) -> float | None:
    """Return the flow that is known of such a road; None if there is only measuring it."""
    if road.dawdling == 0.0:
        return min(density * road.limit, 1.0 - density)
    if road.limit > 1:
        return None
    moving = (1.0 - road.dawdling) * density * (1.0 - density)
    return (1.0 - math.sqrt(1.0 - 4.0 * moving)) / 2.0


def rows(crowd: Crowd, steps: int) -> Iterator[np.ndarray]:
    """Yield the cells with a car, and those of them whose car stands, step by step."""
    for _ in range(steps):
        crowd.update(1.0)
        yield np.stack([crowd["x"], crowd["speed"] == 0])


def to_svg(crowd: Crowd, steps: int = 240, scale: int = 2) -> str:
    """Draw the road, a row for each step from top to bottom; cars that stand are red."""
    paths = {"#4d7fc4": "", "#d6453d": ""}
    for y, (cells, standing) in enumerate(rows(crowd, steps)):
        for colour, chosen in zip(
            paths, (standing == 0, standing == 1), strict=True
        ):
            paths[colour] += "".join(
                f"M{x} {y}h1" for x in sorted(cells[chosen].tolist())
            )
    length = crowd.world.length
    drawn = "\n".join(
        f'<path stroke="{c}" d="{path}"/>' for c, path in paths.items()
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 -0.5 {length} {steps}" '
        f'width="{length * scale}" height="{steps * scale}" role="img" '
        f'style="max-width:100%;height:auto" aria-label="Cars on a ring road over time">\n'
        f"{drawn}\n</svg>\n"
    )


def main() -> None:
    roads = {
        "nobody dawdles": Road(dawdling=0.0),
        "one cell a step": Road(limit=1),
        "as in the paper": Road(dawdling=0.5),
    }
    print("cars a cell", *(f"{name:>22}" for name in roads))
    for density in (0.05, 0.08, 0.1, 0.2, 0.3, 0.5, 0.8):
        cells = []
        for road in roads.values():
            measured = flow(round(density * road.length), road)
            known = known_flow(density, road)
            cells.append(
                f"{measured:.3f}"
                + ("" if known is None else f" (known {known:.3f})")
            )
        print(f"{density:11}", *(f"{cell:>22}" for cell in cells))
    if picture := sys.argv[1:]:
        crowd = traffic(80, Road(length=400))
        crowd.update(1.0, steps=200)
        Path(picture[0]).write_text(to_svg(crowd), "utf-8")


if __name__ == "__main__":
    main()
