"""A machine in a file, as the command `fsmkit crowd` takes it."""

from attrs import define

from fsmkit import FINISHED, Fsm  # noqa: F401  # for what a test adds below
from fsmkit.crowd import CrowdAction, CrowdFsm, uniform
from fsmkit.crowd.library import TimedWait


@define
class Guest:
    patience: float = 0.0


def choose(guest, world):
    guest.patience = uniform(guest, 0.0, 4.0)


def build():
    machine = CrowdFsm("Guest", Guest)
    waits, leaves = machine.add_state("Waits"), machine.add_state("Leaves")
    waits.add_action(CrowdAction(choose))
    waits.add_action(TimedWait("patience"))
    waits.add_transition(FINISHED, leaves)
    machine.add_global_transition("CLOSED", leaves)
    return machine
