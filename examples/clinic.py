"""A clinic: patients arrive, queue for a doctor, first come, first served, and some lose patience.

    python examples/clinic.py                  # how many must wait, with three numbers of doctors
    python examples/clinic.py counts.svg       # how many wait and are examined, over eight hours
    fsmkit draw examples/clinic.py
    fsmkit crowd examples/clinic.py --agents 200 --fps 10 --seconds 480

A second of the crowd is a minute. All of it is in the model, so that it can be swept: each clinic
has an agent that is its door, through which patients are born; the doctors are a number of the
world; and each patient knows by `Cells` who waits in front, and by `Places` how many are being
examined. Whoever has nobody in front goes in as soon as a doctor is free. The door counts, as those
who were cured are removed from the crowd.

Known of it: with patience without end this is the queue M/M/c, in which the share of patients that
must wait is C(c, load) (A. K. Erlang, "Solution of some problems in the theory of probabilities of
significance in automatic telephone exchanges", 1917). With patience that is exponentially
distributed it is M/M/c+M, a birth and death process (C. Palm, 1957): `known` solves that.
"""

import math
import sys
from pathlib import Path
from typing import Any, Final

from attrs import define

from fsmkit import FINISHED
from fsmkit.crowd import (
    Cells,
    Crowd,
    CrowdAction,
    CrowdFsm,
    Places,
    exponential,
    spawn,
)
from fsmkit.crowd.census import Census
from fsmkit.crowd.library import TimedWait
from fsmkit.crowd.study import Study

CALLED: Final = "CALLED"
GAVE_UP: Final = "GAVE_UP"

STEP: Final = 0.1
"""Minutes."""
WARM_UP: Final = 480.0
"""The minutes before arrivals are counted: at first nobody is there."""
ENDLESS: Final = 1e9
"""Minutes."""
MOST: Final = 1_000_000
"""More than there are patients: the distance between the queues of two clinics."""


@define
class Patient:
    """A patient, or the door of a clinic."""

    clinic: int = 0
    next: float = 0.0
    """Of the door: the minutes until somebody arrives."""
    arrived: int = 0
    """Of the door: how many have arrived, counted since the warm-up."""
    delayed: int = 0
    """Of the door: how many of them found no doctor free."""
    place: float = 0.0
    """The place in the queue: whoever came first is furthest ahead."""
    ahead: float = math.inf
    """The way to the next in front who waits; infinite for the first."""
    examined: int = 0
    """The number of patients of the clinic who are being examined."""
    patience: float = 0.0
    """The minutes for which this one waits."""
    takes: float = 0.0
    """The minutes that the examination takes."""
    came: float = 0.0
    """The time of arrival."""


@define
class Clinic:
    doctors: int = 5
    between: float = 5.0
    """The minutes between two patients, on average."""
    takes: float = 20.0
    """The minutes that an examination takes, on average."""
    patience: float = 60.0
    """The minutes after which patients give up, on average."""
    dt: float = 0.0


def open_door(door: Any, clinic: Clinic) -> None:
    door.clinic = door.id
    door.next = exponential(door, clinic.between)


def let_in(door: Patient, clinic: Any) -> None:
    door.next -= clinic.dt
    for _ in range(3):  # as many as may come in one step
        if door.next > 0.0:
            break
        door.next += exponential(door, clinic.between)
        spawn(door, start="Waiting", clinic=door.clinic)
        if clinic.time >= WARM_UP:
            door.arrived += 1
            door.delayed += door.examined >= clinic.doctors


def queue_up(patient: Any, clinic: Any) -> None:
    patient.came = clinic.time
    patient.place = patient.clinic * 2.0 * MOST - patient.id
    patient.patience = exponential(patient, clinic.patience)


def go_in(patient: Patient, clinic: Clinic) -> str | None:
    is_first = math.isinf(patient.ahead)
    return CALLED if is_first and patient.examined < clinic.doctors else None


def begin(patient: Patient, clinic: Clinic) -> None:
    patient.takes = exponential(patient, clinic.takes)


def build() -> CrowdFsm:
    machine = CrowdFsm("Patient", Patient, Clinic)
    door = machine.add_state("Door", final=True)  # it stays open
    waiting = machine.add_state("Waiting")
    examined = machine.add_state("Examined")
    cured = machine.add_state("Cured", retire=True)
    gone = machine.add_state("Gone", final=True)  # stay, to be counted

    door.add_action(CrowdAction(open_door, let_in))
    waiting.add_action(CrowdAction(queue_up, go_in))
    waiting.add_action(TimedWait("patience", GAVE_UP))
    waiting.add_transition(CALLED, examined)
    waiting.add_transition(GAVE_UP, gone)
    examined.add_action(CrowdAction(begin))
    examined.add_action(TimedWait("takes"))
    examined.add_transition(FINISHED, cured)
    return machine


def clinics(count: int, seed: int = 1) -> Crowd:
    """Return that many clinics, which have just opened."""
    crowd = Crowd(build(), count, seed=seed)
    prepare(crowd)
    return crowd


def prepare(crowd: Crowd) -> None:
    """Open the doors, and declare what patients see."""
    crowd.start("Door")
    queue = Cells(crowd, "place", size=float(MOST))
    queue.nearest(distance="ahead", where="Waiting", ahead=True, for_="Waiting")
    Places(crowd, "clinic").count(into="examined", where="Examined")


def known(clinic: Clinic) -> tuple[float, float]:
    """Return the shares of patients who find no doctor free, and who give up."""
    weights = [1.0]  # of the number of patients in the clinic: 0, 1, 2 ...
    for inside in range(1, 500):
        busy = min(inside, clinic.doctors)
        leaving = busy / clinic.takes + (inside - busy) / clinic.patience
        weights.append(weights[-1] / clinic.between / leaving)
    every = sum(weights)
    queue = sum(
        n * weight for n, weight in enumerate(weights[clinic.doctors :])
    )
    delayed = sum(weights[clinic.doctors :])
    return delayed / every, queue / every / clinic.patience * clinic.between


def measured(crowd: Crowd) -> dict[str, float]:
    """Measure the same two shares. Of those who gave up, only arrivals after the warm-up count."""
    arrived = crowd["arrived"].sum()
    return {
        "delayed": crowd["delayed"].sum() / arrived,
        "gave up": (crowd["came"][crowd.where("Gone")] >= WARM_UP).sum()
        / arrived,
    }


def study(count: int = 100, hours: int = 24) -> Study:
    """Run clinics with several numbers of doctors, with endless patience and without."""
    return clinics(count).sweep(
        {"world.doctors": [5, 6, 7], "world.patience": [ENDLESS, 60.0]},
        dt=STEP,
        steps=round(hours * 60 / STEP),
        measure=measured,
    )


def main() -> None:
    runs = study()
    print("doctors  patience    delayed   known    gave up   known")
    for row in range(len(runs)):
        clinic = Clinic(
            doctors=int(runs["world.doctors"][row]),
            patience=float(runs["world.patience"][row]),
        )
        delayed, gave_up = known(clinic)
        patience = "endless" if clinic.patience == ENDLESS else "an hour"
        print(
            f"{clinic.doctors:7}  {patience:8}    {runs['delayed'][row]:7.1%}  {delayed:6.1%}"
            f"    {runs['gave up'][row]:7.1%}  {gave_up:6.1%}"
        )
    if picture := sys.argv[1:]:
        Path(picture[0]).write_text(counts().to_svg(), "utf-8")


def counts() -> Census:
    """Count the patients of one clinic over eight hours."""
    crowd = clinics(1)
    census = Census(crowd, interval=2.0)
    for _ in range(round(480 / STEP)):
        crowd.update(STEP)
        census.take()
    return census


if __name__ == "__main__":
    main()
