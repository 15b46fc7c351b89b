"""How many people does an outbreak reach? A study of sixty runs, and what theory says.

    python examples/outbreak.py
    python examples/outbreak.py reached.svg     # and the picture of it

Anybody may meet anybody. The healthy catch it at a rate that grows with the share of people
who are ill; the ill infect others for some days, and are immune then. What counts is R0, the
number of people whom one ill person infects while all others are healthy: rate times days. Below
1 an outbreak dies away. Above, it reaches the share z of those who were healthy, for which
z = 1 - exp(-R0 * (z * healthy + ill)), whatever the rate and the days are (Kermack and McKendrick,
A contribution to the mathematical theory of epidemics, 1927).
"""

import math
import sys
from pathlib import Path
from typing import Any

from attrs import define

from fsmkit import FINISHED
from fsmkit.crowd import Crowd, CrowdAction, CrowdFsm, Places, random
from fsmkit.crowd.library import TimedWait
from fsmkit.crowd.study import Study

PEOPLE = 4_000
ILL_AT_FIRST = 40

RATES = [0.1, 0.2, 0.3, 0.4, 0.6, 0.8]
"""People infected per day by one who is ill."""
DAYS = [2.5, 5.0]
"""Days for which somebody is ill."""


@define
class Person:
    town: int = 0
    """They all live in the same one."""
    ill_around: float = 0.0
    """The share of others who are ill."""


@define
class World:
    rate: float = 0.3
    dt: float = 0.0


def meet(person: Person, world: World) -> str | None:
    if random(person) < 1.0 - math.exp(
        -world.rate * person.ill_around * world.dt
    ):
        return "CAUGHT_IT"
    return None


def build() -> CrowdFsm:
    machine = CrowdFsm("Person", Person, World)
    healthy, ill = machine.add_state("Healthy"), machine.add_state("Ill")
    immune = machine.add_state("Immune", final=True)
    healthy.add_action(CrowdAction(on_update=meet))
    healthy.add_transition("CAUGHT_IT", ill)
    ill.add_action(TimedWait(5.0))
    ill.add_transition(FINISHED, immune)
    return machine


def people() -> Crowd:
    """Return people of whom a few are ill."""
    crowd = Crowd(build(), PEOPLE)
    crowd.start("Healthy", where=range(ILL_AT_FIRST, PEOPLE))
    crowd.start("Ill", where=range(ILL_AT_FIRST))
    Places(crowd, "town").share("Ill", into="ill_around")
    return crowd


def reached(crowd: Crowd) -> dict[str, Any]:
    """Measure the share of those healthy at first who caught it."""
    return {"reached": 1.0 - crowd.count()["Healthy"] / (PEOPLE - ILL_AT_FIRST)}


def share_by_theory(r0: float) -> float:
    """Return the share of those healthy at first whom an outbreak reaches."""
    ill = ILL_AT_FIRST / PEOPLE
    share = 1.0
    for _ in range(1_000):
        share = 1.0 - math.exp(-r0 * (share * (1.0 - ill) + ill))
    return share


def study() -> Study:
    """Run 120 days with every rate and duration, five times each."""
    return people().sweep(
        {"world.rate": RATES, "Ill.duration": DAYS},
        seeds=range(5),
        dt=0.5,
        steps=240,
        measure=reached,
    )


def main() -> None:
    runs = study()
    mean, spread = runs.over_seeds(), runs.over_seeds("std")
    print("rate  days    R0  reached   spread   theory")
    for row in range(len(mean)):
        rate, days = (
            float(mean["world.rate"][row]),
            float(mean["Ill.duration"][row]),
        )
        share, std = mean["reached"][row], spread["reached"][row]
        theory = share_by_theory(rate * days)
        print(
            f"{rate:4.1f}  {days:4.1f}  {rate * days:4.2f}  {share:7.1%}  {std:7.1%}  {theory:7.1%}"
        )
    if picture := sys.argv[1:]:
        Path(picture[0]).write_text(runs.to_svg("reached"), "utf-8")


if __name__ == "__main__":
    main()
