"""Checks of the arguments that an inspector is given."""

from __future__ import annotations

from typing import Any, Final

from fsmkit import Fsm, FsmGroup

HIGHEST_RATE: Final = 60.0
HIGHEST_PORT: Final = 65_535


def check_inspectable(machines: object) -> None:
    """Raise TypeError for what cannot be inspected."""
    if isinstance(machines, (Fsm, FsmGroup)):
        return
    text = f"inspect() needs an Fsm or an FsmGroup, got {machines!r}."
    inside: Any = getattr(machines, "machine", None)
    if isinstance(inside, Fsm):
        text += " Pass the machine inside it, which is its .machine."
    raise TypeError(text)


def check_port(port: object) -> None:
    """Raise ValueError unless `port` is one."""
    if not isinstance(port, int) or not 0 <= port <= HIGHEST_PORT:
        raise ValueError(f"port must be a whole number from 0 to {HIGHEST_PORT}, got {port!r}.")


def check_rate(rate: float) -> None:
    """Raise ValueError unless `rate` is a number of frames per second that can be sent."""
    if not 1.0 <= rate <= HIGHEST_RATE:
        raise ValueError(f"rate must be 1 to {HIGHEST_RATE:g} frames per second, got {rate!r}.")
