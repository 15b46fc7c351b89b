"""The characters of `scenario.py`, each of whom also draws three random numbers in every step."""

from __future__ import annotations

from fsmkit_crowd import Npc, World, make_machine

from fsmkit.crowd import CrowdAction, CrowdFsm, uniform


def stray(npc: Npc, world: World) -> None:
    npc.x += uniform(npc, -1.0, 1.0) * world.dt
    npc.y += uniform(npc, -1.0, 1.0) * world.dt
    npc.elapsed += uniform(npc, -0.1, 0.1) * world.dt


def make_restless_machine() -> CrowdFsm:
    machine = make_machine()
    for state in machine.states.values():
        state.add_action(CrowdAction(on_update=stray))
    return machine
