"""SimPy: a process that sleeps until something is due, or an event comes.

    python examples/anywhere_else/with_simpy.py

Two machines in a workshop that break down and wait for the one repairer. A simulation has no
frames: `next_due` says for how long nothing happens by itself.
"""

from __future__ import annotations

from collections.abc import Generator
from math import inf
from random import Random
from typing import Any

import simpy

from actions import DelegateAction, TimedWait
from fsmkit import FINISHED, Fsm

LEAST = 1e-6
"""Shorter waits would not move the clock of a long simulation."""


class Actor:
    """A machine in the time of a simulation. Send it events by `send`."""

    def __init__(
        self, env: simpy.Environment, fsm: Fsm[Any], *, tick: float = 0.1
    ) -> None:
        self.env, self.fsm = env, fsm
        self.tick = tick
        """The step while an action such as a movement runs all the time."""
        self.seen = float(env.now)
        self.woken = env.event()
        env.process(self.live())

    def live(self) -> Generator[simpy.Event, Any, None]:
        self.fsm.start()
        while self.fsm.is_running:
            due = self.fsm.next_due
            if due == inf:
                yield self.woken
            else:
                yield self.woken | self.env.timeout(
                    max(due, LEAST) if due else self.tick
                )
            self.catch_up()

    def send(self, event: str, data: object = None) -> None:
        """Send an event now: what was due before it comes first."""
        self.catch_up()
        self.fsm.offer_event(event, data)
        self.woken.succeed()
        self.woken = self.env.event()

    def catch_up(self) -> None:
        now = float(self.env.now)
        passed, self.seen = now - self.seen, now
        self.fsm.update(passed)


def machine_tool(
    env: simpy.Environment, name: str, repairer: simpy.Resource, rng: Random
) -> Actor:
    fsm = Fsm[Any](name)
    working, broken = fsm.add_state("Working"), fsm.add_state("Broken")
    working.add_action(TimedWait(lambda: round(rng.expovariate(1 / 40.0), 1)))
    broken.add_action(DelegateAction(lambda _: env.process(repair())))
    working.add_transition(FINISHED, broken)
    broken.add_transition("REPAIRED", working)

    def repair() -> Generator[simpy.Event, Any, None]:
        print(f"{env.now:6.1f} h: {name} breaks down")
        with repairer.request() as turn:
            yield turn
            yield env.timeout(8.0)
        print(f"{env.now:6.1f} h: {name} works again")
        actor.send("REPAIRED")

    actor = Actor(env, fsm)
    return actor


def main() -> None:
    env, rng = simpy.Environment(), Random(4)
    repairer = simpy.Resource(env)
    for name in ("the lathe", "the mill"):
        machine_tool(env, name, repairer, rng)
    env.run(until=120.0)


if __name__ == "__main__":
    main()
