"""Checks of the arguments that an inspector is given."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from fsmkit import Fsm, FsmGroup
from fsmkit.inspector.reading.values import text_of

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


def check_port(port: Any) -> None:
    """Raise ValueError for what is no port."""
    if type(port) is not int or not 0 <= port <= HIGHEST_PORT:
        raise ValueError(
            f"port must be a whole number from 0 to {HIGHEST_PORT}, got {text_of(port)}. 0 stands "
            "for a free one."
        )


def check_rate(rate: Any) -> None:
    """Raise ValueError for what is no rate."""
    is_number = isinstance(rate, (int, float)) and not isinstance(rate, bool)
    if not is_number or not 1.0 <= rate <= HIGHEST_RATE:
        raise ValueError(
            f"rate must be 1 to {HIGHEST_RATE:g} frames per second, got {text_of(rate)}."
        )


def check_choice(name: str, value: object, choices: Sequence[object]) -> None:
    """Raise TypeError if `value` is none of `choices`."""
    if not any(value is choice for choice in choices):
        *others, last = map(repr, choices)
        raise TypeError(f"{name} must be {', '.join(others)} or {last}, got {text_of(value)}.")


def check_function(name: str, function: object) -> None:
    """Raise TypeError if `function` cannot be called and is not None."""
    if function is not None and not callable(function):
        raise TypeError(f"{name} must be a function or None, got {text_of(function)}.")
