"""What was given to an action: checks of fields, made before the action is there."""

from __future__ import annotations

from math import inf
from typing import Any

from attrs import Attribute

from fsmkit import TimeReference
from fsmkit.space import Space


def is_callable(action: object, field: Attribute[Any], value: object) -> None:
    """Raise TypeError for what cannot be called, unless it is the default."""
    if not callable(value) and value is not field.default:
        raise TypeError(_says(action, field, "a function", value))


def is_space(action: object, field: Attribute[Any], value: object) -> None:
    """Raise TypeError for what is no Space."""
    if not isinstance(value, Space):
        raise TypeError(_says(action, field, "Space.WORLD or Space.SELF", value))


def is_time_reference(action: object, field: Attribute[Any], value: object) -> None:
    """Raise TypeError for what is no TimeReference."""
    if value is not None and not isinstance(value, TimeReference):
        raise TypeError(_says(action, field, "a TimeReference", value))


def is_event_name(action: object, field: Attribute[Any], value: object) -> None:
    """Raise TypeError or ValueError for what cannot be the name of an event."""
    if value is field.default:
        return
    if not isinstance(value, str):
        raise TypeError(_says(action, field, "the name of an event", value))
    if not value:
        raise ValueError(_says(action, field, "the name of an event", value))


def _says(action: object, field: Attribute[Any], wanted: str, value: object) -> str:
    return f"{type(action).__name__}: {field.alias} is {wanted}, not {value!r}."


def checked_amount(amount: float, what: str) -> float:
    """Return `amount`; raise ValueError unless it is finite and not negative."""
    if not 0.0 <= amount < inf:
        raise ValueError(f"{what}, finite and >= 0, not {amount!r}.")
    return amount


def checked_speed(speed: float, who: str, unit: str = "units per second") -> float:
    """Return `speed`; raise ValueError unless it is finite and not negative."""
    return checked_amount(speed, f"{who}: a speed is in {unit}")
