"""The game without its pictures: the museum, everybody in it, and all their machines.

fsmkit check examples/night_guard/game.py
fsmkit draw examples/night_guard/game.py -o night.svg
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from difficulty import NORMAL, Difficulty
from doors import door_machine, gate_machine
from events import NOISE
from guards import guard_machines
from jewels import Jewel, jewel_machine
from legs import legs_machine
from museums import PALACE, Museum
from night import night_machine
from noises import ECHO, Noise
from renewal import renew
from siren import Siren, siren_machine
from thief import Thief, steer, thief_machine
from watch import Guard
from world import World

from fsmkit import Fsm, FsmGroup
from fsmkit.space import Position, Transform


class Game:
    """One night. Its machines are added to `machines`, a group of its own by default."""

    def __init__(
        self,
        museum: Museum = PALACE,
        difficulty: Difficulty = NORMAL,
        machines: FsmGroup | None = None,
    ) -> None:
        self.museum = museum
        self.difficulty = difficulty
        self.machines = FsmGroup() if machines is None else machines
        self.world = World(museum.plan)
        self.siren = Siren()
        self.thief = Thief(Transform(next(self.world.all_of("T"))), self.world, self.make_noise)
        gems = zip(museum.jewels, self.world.all_of("o"), strict=True)
        self.jewels = [
            Jewel(name, tile, self.thief, pause=0.3 * number)
            for number, (name, tile) in enumerate(gems)
        ]
        self.noises: list[Noise] = []
        self._observers: list[object] = []

        sirens, gates, court = FsmGroup(), FsmGroup(), FsmGroup()
        self.hands = thief_machine(self.thief)
        self.night = night_machine(self.thief, len(self.jewels), gates, FsmGroup([self.hands]))
        self._watch = [self._guard(name) for name in museum.rounds], sirens, court
        self._guards = guard_machines(*self._watch)
        siren = sirens.add(siren_machine(self.siren, self._guards))
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
    def guards(self) -> list[Fsm[Guard]]:
        """Their machines, which `reload_guards` exchanges."""
        return list(self._guards)

    @property
    def time(self) -> float:
        """Seconds since the night began."""
        return self.night.time

    @property
    def is_over(self) -> bool:
        return self.night.current_state is not None and self.night.current_state.final

    def start(self) -> None:
        self.reload_guards()  # an earlier night may have new ones
        self.machines.start()

    def update(self, dt: float) -> None:
        """Let `dt` seconds pass; when the night is over everything stands still."""
        if not self.is_over:
            self.machines.update(dt)
            self.noises = [n for n in self.noises if self.time - n.time < ECHO]

    def observe(self, observer: object) -> None:
        """Have `observer` see what the machines do, those too that take the place of others."""
        self._observers.append(observer)
        for machine in self.machines:
            machine.observe(observer)

    def reload_guards(self) -> str:
        """Continue the guards with the code as it is now; return what has changed, or is wrong.

        With an error in it they continue as they are.
        """
        before = self.guards
        news = renew(self._guards, *self._watch)
        if self.guards != before:
            self._exchange(before)
        return news

    def steer(self, direction: Position, *, sneaking: bool) -> None:
        """See `thief.steer`."""
        steer(self.hands, direction, sneaking=sneaking)

    def make_noise(self, place: Position, loudness: float) -> None:
        """Let all guards that are near enough hear it; `loudness` is in tiles."""
        noise = Noise(place, loudness, self.time)
        self.noises.append(noise)
        for machine in self.guards:
            machine.offer_event(NOISE, noise)

    def people(self) -> Iterator[Position]:
        yield self.thief.body.position
        for machine in self.guards:
            yield machine.context.body.position

    def _exchange(self, before: list[Fsm[Guard]]) -> None:
        """Put the guards of now in the place of others, and have them observed as these were."""
        others = [machine for machine in self.machines if machine not in before]
        after_hands = others.index(self.hands) + 1
        for machine in self.machines:  # all of them, for they are to stay in order
            self.machines.remove(machine)
        for machine in (*others[:after_hands], *self.guards, *others[after_hands:]):
            self.machines.add(machine)
        for machine in self.guards:
            for observer in self._observers:
                machine.observe(observer)

    def _guard(self, name: str) -> Guard:
        corners, side = self.museum.rounds[name], self.museum.sides[name]
        return Guard(name, corners, side, self.thief, self.world, self.difficulty)


def build() -> FsmGroup:
    return Game().machines
