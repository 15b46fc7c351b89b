"""fsmkit: Playmaker-style state machines in plain Python.

An `Fsm` owns named `FsmState`s; a state has transitions and an ordered list of `FsmAction`s; the
actions do the work. Ready-made actions are in the package `actions`.
"""

from typing import TYPE_CHECKING

from fsmkit.core.action import FsmAction
from fsmkit.core.errors import (
    ERROR,
    FAILED,
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
from fsmkit.core.event_types import Event
from fsmkit.core.event_types import EventAlone as EventAlone
from fsmkit.core.event_types import EventWith as EventWith
from fsmkit.core.fsm import Fsm
from fsmkit.core.group import FsmGroup
from fsmkit.core.state import BACK, FsmState, StateGroup, Transition
from fsmkit.core.state import PossibleEvent as PossibleEvent
from fsmkit.svg.notebook import show_in_notebooks

show_in_notebooks("fsmkit.diagram.svg:bundle", Fsm, FsmGroup)

__all__ = [
    "BACK",
    "ERROR",
    "FAILED",
    "FINISHED",
    "ActionOwnershipError",
    "DuplicateStateError",
    "DuplicateTransitionError",
    "Event",
    "Fsm",
    "FsmAction",
    "FsmError",
    "FsmGroup",
    "FsmState",
    "StateGroup",
    "TimeReference",
    "Transition",
    "TransitionLoopError",
    "TransitionOnExitError",
    "UnhandledEventError",
    "UnknownStateError",
]

if TYPE_CHECKING:
    from fsmkit.timing import TimeReference

    __version__: str
else:

    def __getattr__(name: str) -> object:
        """Look up what is slow to import, when it is asked for."""
        if name == "TimeReference":
            from fsmkit.timing import TimeReference

            return TimeReference
        if name != "__version__":
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib.metadata import PackageNotFoundError, version

        try:
            return version("fsmkit")
        except PackageNotFoundError:
            return "(not installed)"


def __dir__() -> list[str]:
    """List what a user may use; the modules that happen to be imported are left out."""
    return [*__all__, "__version__"]
