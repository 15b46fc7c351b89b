"""An epidemic: people catch it from those who are ill at the same place, at home or at work.

    python examples/epidemic.py                  # how many have had it at the end
    python examples/epidemic.py counts.svg       # the course of the one with homes and workplaces
    fsmkit draw examples/epidemic.py

The model of W. O. Kermack and A. G. McKendrick, "A contribution to the mathematical theory of
epidemics", Proceedings of the Royal Society A 115 (1927). A second of the crowd is a day. `Places`
counts the people at each place, and the ill among them.

A known result: if everybody may meet everybody, the final share `z` that has had it solves
`z = 1 - healthy * exp(-r * z)`, where `healthy` is the share that is well at the beginning, and `r`
the number of people whom one ill person would infect if all others were well. With homes and
workplaces it is less, as the ill mostly meet those who have had it already.
"""

import math
import sys
from pathlib import Path
from typing import Final

import numpy as np
from attrs import define

from fsmkit.crowd import Crowd, CrowdAction, CrowdFsm, Places, random
from fsmkit.crowd.census import Census

CAUGHT_IT: Final = "CAUGHT_IT"
RECOVERED: Final = "RECOVERED"

STEP: Final = 0.1
"""Days."""
EVERYWHERE: Final = 0
"""A place for all."""


@define
class Person:
    home: int = EVERYWHERE
    work: int = EVERYWHERE
    place: int = EVERYWHERE
    """Where the person is."""
    others: int = 0
    """The number of other people there."""
    ill: int = 0
    """The ill among them."""


@define
class Town:
    infection: float = 0.4
    """The number of people whom one ill person infects in a day, if nobody is immune."""
    recovery: float = 0.2
    """The probability of recovering, per day."""
    dt: float = 0.0


def catch_it(person: Person, town: Town) -> str | None:
    if person.ill == 0:
        return None
    risk = town.infection * person.ill / person.others
    return (
        CAUGHT_IT if random(person) < 1.0 - math.exp(-risk * town.dt) else None
    )


def recover(person: Person, town: Town) -> str | None:
    return (
        RECOVERED
        if random(person) < 1.0 - math.exp(-town.recovery * town.dt)
        else None
    )


def build() -> CrowdFsm:
    machine = CrowdFsm("Person", Person, Town)
    healthy = machine.add_state("Healthy")
    ill = machine.add_state("Ill")
    immune = machine.add_state("Immune", final=True)
    healthy.add_action(CrowdAction(on_update=catch_it))
    ill.add_action(CrowdAction(on_update=recover))
    healthy.add_transition(CAUGHT_IT, ill)
    ill.add_transition(RECOVERED, immune)
    return machine


def town(
    people: int,
    *,
    household: int = 0,
    staff: int = 0,
    ill: int = 20,
    seed: int = 1,
) -> Crowd:
    """Return a town with groups of these sizes; 0 is one group for all."""
    crowd = Crowd(build(), people, start="Healthy", seed=seed)
    rng = np.random.default_rng(seed)
    first = 1
    for field, size in (("home", household), ("work", staff)):
        if size:
            crowd[field] = rng.integers(first, first + people // size, people)
            first += people // size
    crowd["place"] = crowd["home"]
    crowd.start("Ill", where=rng.choice(people, ill, replace=False))
    places = Places(crowd, "place")
    places.count(into="others")
    places.count(into="ill", where="Ill")
    return crowd


def run(crowd: Crowd, census: Census | None = None) -> float:
    """Run until nobody is ill; return the share that has had it."""
    while crowd.count()["Ill"]:
        is_day = 0.3 < crowd.time % 1.0 < 0.7
        crowd["place"] = crowd["work" if is_day else "home"]
        crowd.update(STEP)
        if census is not None:
            census.take()
    return 1.0 - crowd.count()["Healthy"] / len(crowd)


def infected_by_one(town: Town) -> float:
    """Return the number of people whom one ill person infects, if nobody is immune."""
    return town.infection * STEP / (1.0 - math.exp(-town.recovery * STEP))


def final_size(infected: float, healthy: float = 1.0) -> float:
    """Return the share that has had it at the end, if everybody may meet everybody."""
    size = 1.0
    for _ in range(1_000):
        size = 1.0 - healthy * math.exp(-infected * size)
    return size


def main() -> None:
    people, ill = 40_000, 80
    print("infected by one    one place    known    homes and work")
    for infection in (0.25, 0.3, 0.4, 0.6):
        shares = []
        for household, staff in ((0, 0), (4, 20)):
            crowd = town(people, household=household, staff=staff, ill=ill)
            crowd.world.infection = infection
            shares.append(run(crowd))
        known = final_size(infected_by_one(crowd.world), 1.0 - ill / people)
        print(
            f"{infected_by_one(crowd.world):15.2f}    {shares[0]:9.1%}    {known:5.1%}"
            f"    {shares[1]:14.1%}"
        )
    if picture := sys.argv[1:]:
        crowd = town(people, household=4, staff=20, ill=ill)
        census = Census(crowd, interval=0.5)
        run(crowd, census)
        Path(picture[0]).write_text(census.to_svg(), "utf-8")


if __name__ == "__main__":
    main()
