"""Checks of the arguments that an inspector is given."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, TypeGuard

from fsmkit import Fsm, FsmGroup
from fsmkit.inspector.reading.values import text_of
from fsmkit.tooling.places import Places

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


def check_places(places: object) -> None:
    """Raise TypeError for what are no places."""
    if places is not None and not isinstance(places, Places):
        raise TypeError(
            f"places must be the Places that noting_places() has noted, or None, got "
            f"{text_of(places)}."
        )


def check_signal(signal: object) -> None:
    """Raise TypeError for what cannot wait as a threading.Event does."""
    methods = (getattr(signal, name, None) for name in ("set", "clear", "wait"))
    if signal is not None and not all(map(callable, methods)):
        raise TypeError(
            f"signal must have the methods of a threading.Event, set(), clear() and wait(), or be "
            f"None, got {text_of(signal)}."
        )
