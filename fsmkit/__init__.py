"""fsmkit: Playmaker-style state machines in plain Python.

An `Fsm` owns named `FsmState`s; a state has transitions and an ordered list of `FsmAction`s; the
actions do the work. Ready-made actions are in the package `actions`.
"""

from fsmkit.action import FsmAction
from fsmkit.errors import (
    ERROR,
    FINISHED,
    ActionOwnershipError,
    DuplicateStateError,
    DuplicateTransitionError,
    FsmError,
    TransitionLoopError,
    TransitionOnExitError,
    UnhandledEventError,
    UnknownStateError,
)
from fsmkit.fsm import Fsm
from fsmkit.group import FsmGroup
from fsmkit.state import FsmState
from fsmkit.timing import TimeReference

__all__ = [
    "ERROR",
    "FINISHED",
    "ActionOwnershipError",
    "DuplicateStateError",
    "DuplicateTransitionError",
    "Fsm",
    "FsmAction",
    "FsmError",
    "FsmGroup",
    "FsmState",
    "TimeReference",
    "TransitionLoopError",
    "TransitionOnExitError",
    "UnhandledEventError",
    "UnknownStateError",
]
