"""Checks of what an action is given: validators of its fields, and of numbers."""

from __future__ import annotations

from inspect import iscoroutinefunction, isgeneratorfunction
from math import inf
from typing import Any

from attrs import Attribute

from fsmkit import ERROR, FINISHED, TimeReference
from fsmkit.space import Space


def is_callable(action: object, field: Attribute[Any], value: object) -> None:
    """Raise TypeError unless `value` is the default or a function, neither async nor generator."""
    if value is field.default:
        return
    if not callable(value):
        raise TypeError(_message(action, field, "a function", value))
    if iscoroutinefunction(value) or isgeneratorfunction(value):
        raise TypeError(_message(action, field, "a plain function", value))


def is_space(action: object, field: Attribute[Any], value: object) -> None:
    """Raise TypeError unless `value` is a Space."""
    if not isinstance(value, Space):
        raise TypeError(_message(action, field, "Space.WORLD or Space.SELF", value))


def is_time_reference(action: object, field: Attribute[Any], value: object) -> None:
    """Raise TypeError unless `value` is a TimeReference or None."""
    if value is not None and not isinstance(value, TimeReference):
        raise TypeError(_message(action, field, "a TimeReference", value))


def is_event_name(action: object, field: Attribute[Any], value: object) -> None:
    """Raise TypeError or ValueError unless `value` can name an event or is the default."""
    if value is field.default:
        return
    if not isinstance(value, str):
        raise TypeError(_message(action, field, "the name of an event", value))
    if not value:
        raise ValueError(_message(action, field, "the name of an event", value))


def is_own_event(action: object, field: Attribute[Any], value: object) -> None:
    """Raise TypeError or ValueError unless `value` names an event that a user may send."""
    is_event_name(action, field, value)
    if value in (FINISHED, ERROR):
        name = type(action).__name__
        raise ValueError(
            f"{name}: {field.alias} must be an event of your own, got {value!r}, which belongs to "
            "the machine."
        )


def are_own_events(action: object, field: Attribute[Any], value: tuple[object, ...]) -> None:
    """The same for one or more of them."""
    if not value:
        name = type(action).__name__
        raise ValueError(f"{name}: {field.alias} must be one or more events, got none.")
    for event in value:
        is_own_event(action, field, event)


def is_flag(action: object, field: Attribute[Any], value: object) -> None:
    """Raise TypeError unless `value` is True or False."""
    if not isinstance(value, bool):
        raise TypeError(_message(action, field, "True or False", value))


def _message(action: object, field: Attribute[Any], wanted: str, value: object) -> str:
    return f"{type(action).__name__}: {field.alias} must be {wanted}, got {value!r}."


def checked_amount(amount: float, what: str, unit: str) -> float:
    """Return `amount`; raise ValueError unless it is finite and not negative."""
    if not 0.0 <= amount < inf:
        raise ValueError(f"{what} must be a finite number >= 0 ({unit}), got {amount!r}.")
    return amount


def checked_speed(speed: float, who: str, unit: str = "units per second") -> float:
    """Return `speed`; raise ValueError unless it is finite and not negative."""
    return checked_amount(speed, f"{who}: speed", unit)
