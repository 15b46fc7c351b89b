"""The game without its pictures: the museum, everybody in it, and all their machines.

fsmkit check examples/night_guard/game.py
fsmkit draw examples/night_guard/game.py -o night.svg
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from attrs import frozen
from doors import door_machine, gate_machine
from events import NOISE
from guards import guard_machine
from jewels import Jewel, jewel_machine
from legs import legs_machine
from museum import JEWELS, PLAN, ROUNDS, SIDES
from night import night_machine
from siren import Siren, siren_machine
from thief import Thief, steer, thief_machine
from watch import Guard
from world import World

from fsmkit import Fsm, FsmGroup
from fsmkit.space import Position, Transform, distance

THROUGH_WALLS = 0.5
"""The share of its loudness that a noise keeps."""

ECHO = 0.8
"""Seconds for which a noise is remembered."""


@frozen
class Noise:
    place: Position
    loudness: float
    """The distance in tiles at which it is heard."""
    time: float


class Game:
    """One night. Its machines are added to `machines`, a group of its own by default."""

    def __init__(self, machines: FsmGroup | None = None) -> None:
        self.machines = FsmGroup() if machines is None else machines
        self.world = World(PLAN)
        self.siren = Siren()
        self.thief = Thief(Transform(next(self.world.all_of("T"))), self.world, self.make_noise)
        self.jewels = [
            Jewel(name, tile, self.thief, pause=0.3 * number)
            for number, (name, tile) in enumerate(zip(JEWELS, self.world.all_of("o"), strict=True))
        ]
        self.noises: list[Noise] = []

        sirens, gates, court = FsmGroup(), FsmGroup(), FsmGroup()
        self.hands = thief_machine(self.thief)
        self.night = night_machine(self.thief, gates, FsmGroup([self.hands]))
        self.guards = [
            guard_machine(Guard(name, corners, SIDES[name], self.thief, self.world), sirens, court)
            for name, corners in ROUNDS.items()
        ]
        siren = sirens.add(siren_machine(self.siren, FsmGroup(self.guards)))
        gate = gates.add(gate_machine(self.world.gate))
        for machine in (self.hands, self.night):
            court.add(machine)
        legs = [legs_machine(each.context) for each in self.guards]
        jewels = [jewel_machine(each, sirens) for each in self.jewels]
        doors = [door_machine(each, self.people) for each in self.world.doors_inside]
        everybody: list[Fsm[Any]] = [self.hands, *self.guards, *legs, siren, *jewels, *doors]
        for machine in (*everybody, gate, self.night):
            self.machines.add(machine)

    @property
    def time(self) -> float:
        """Seconds since the night began."""
        return self.night.time

    @property
    def is_over(self) -> bool:
        return self.night.current_state is not None and self.night.current_state.final

    def start(self) -> None:
        for machine in self.machines:
            machine.start()

    def update(self, dt: float) -> None:
        """Let `dt` seconds pass; when the night is over everything stands still."""
        if not self.is_over:
            self.machines.update(dt)
            self.noises = [n for n in self.noises if self.time - n.time < ECHO]

    def steer(self, direction: Position, *, sneaking: bool) -> None:
        """See `thief.steer`."""
        steer(self.hands, direction, sneaking=sneaking)

    def make_noise(self, place: Position, loudness: float) -> None:
        """Have everybody hear it who is near enough."""
        self.noises.append(Noise(place, loudness, self.time))
        for machine in self.guards:
            ears = machine.context.body.position
            reach = loudness if self.world.is_clear(place, ears) else loudness * THROUGH_WALLS
            if distance(place, ears) < reach:
                machine.offer_event(NOISE, place)

    def people(self) -> Iterator[Position]:
        yield self.thief.body.position
        for machine in self.guards:
            yield machine.context.body.position


def build() -> FsmGroup:
    return Game().machines
