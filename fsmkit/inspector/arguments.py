"""Checks of the arguments that an inspector is given."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Final, TypeGuard

from fsmkit import Fsm, FsmGroup

if TYPE_CHECKING:
    from fsmkit.crowd import Crowd

HIGHEST_RATE: Final = 60.0
HIGHEST_PORT: Final = 65_535


def check_inspectable(machines: object) -> None:
    """Raise TypeError for what cannot be inspected."""
    if isinstance(machines, (Fsm, FsmGroup)) or is_crowd(machines):
        return
    text = f"inspect() needs an Fsm, an FsmGroup or a Crowd, got {machines!r}."
    inside: Any = getattr(machines, "machine", None)
    if isinstance(inside, Fsm):
        text += " Pass the machine inside it, which is its .machine."
    raise TypeError(text)


def is_crowd(thing: object) -> TypeGuard[Crowd]:
    """Return True for a crowd."""
    crowds = sys.modules.get("fsmkit.crowd")  # not imported in vain: it needs numpy and numba
    return crowds is not None and isinstance(thing, crowds.Crowd)


def check_for_crowd(crowd: Crowd, **arguments: object) -> None:
    """Raise ValueError if there are arguments that are for machines only."""
    if given := [name for name, value in arguments.items() if value]:
        raise ValueError(
            f"{' and '.join(given)} cannot be given with a crowd, only with machines, got "
            f"{crowd!r}. Leave it out: of a crowd, all fields are shown, and nothing is recorded."
        )


def check_port(port: object) -> None:
    """Raise ValueError unless `port` is one."""
    if not isinstance(port, int) or not 0 <= port <= HIGHEST_PORT:
        raise ValueError(f"port must be a whole number from 0 to {HIGHEST_PORT}, got {port!r}.")


def check_rate(rate: float) -> None:
    """Raise ValueError unless `rate` is a number of frames per second that can be sent."""
    if not 1.0 <= rate <= HIGHEST_RATE:
        raise ValueError(f"rate must be 1 to {HIGHEST_RATE:g} frames per second, got {rate!r}.")
