"""Validators of the library's actions: checks of fields, made before the action exists."""

from __future__ import annotations

from collections.abc import Mapping
from inspect import Parameter, signature
from math import inf, isfinite
from types import FunctionType
from typing import Any, TypeAlias

from attrs import Attribute

from fsmkit.crowd.action_functions import Value
from fsmkit.crowd.errors import CrowdError
from fsmkit.crowd.records import fitted
from fsmkit.timing import checked_seconds

Field: TypeAlias = "Attribute[Any]"


def is_duration(action: object, _field: Field, value: Any) -> None:
    """Raise CrowdError for an invalid duration. The name of a field is allowed."""
    if isinstance(value, str):
        return
    try:
        checked_seconds(value, f"The duration of {type(action).__name__}")
    except TypeError:
        raise CrowdError(
            f"The duration of {type(action).__name__} must be a number of seconds, or the name of "
            f"a field, got {value!r}."
        ) from None
    except ValueError as error:
        raise CrowdError(str(error)) from None


def is_speed(action: object, _field: Field, value: Any) -> None:
    """Raise CrowdError for an invalid speed. The name of a field is allowed."""
    if not isinstance(value, str) and not (_is_finite(value) and value >= 0.0):
        raise CrowdError(
            f"{type(action).__name__}: a speed must be a finite number of units per second >= 0, "
            f"got {value!r}."
        )


def is_field(action: object, field: Field, value: object) -> None:
    """Raise CrowdError unless it is the name of a field of the agents: only those are written."""
    if not _is_field_name(value):
        raise _invalid(action, field, "the name of a field of the agents", value)


def is_place(action: object, field: Field, value: Any) -> None:
    """Raise CrowdError unless it is the names of two such fields."""
    if not _is_pair(value) or not all(map(_is_field_name, value)):
        raise _invalid(action, field, "the names of two fields of the agents: ('x', 'y')", value)


def is_target(action: object, field: Field, value: Any) -> None:
    """Raise CrowdError unless it is two finite numbers or names of fields."""
    if not _is_pair(value) or not all(isinstance(v, str) or _is_finite(v) for v in value):
        raise _invalid(action, field, "two finite numbers or names of fields", value)


def is_event(action: object, field: Field, value: object) -> None:
    """Raise CrowdError unless it can be the name of an event."""
    if not isinstance(value, str) or not value:
        raise _invalid(action, field, "the name of an event", value)


def is_event_or_none(action: object, field: Field, value: object) -> None:
    """Raise CrowdError unless it is the name of an event, or None for FINISHED."""
    if value is not None:
        is_event(action, field, value)


def is_predicate(action: object, field: Field, value: Any) -> None:
    """Raise CrowdError unless it is a function (agent, world)."""
    if not isinstance(value, FunctionType):
        raise _invalid(action, field, "a plain function (agent, world)", value)
    own = signature(value, follow_wrapped=False)
    given = own.parameters.values()
    plain = all(
        each.kind is Parameter.POSITIONAL_OR_KEYWORD and each.default is Parameter.empty
        for each in given
    )
    if not plain or len(given) != 2:
        raise CrowdError(
            f"{type(action).__name__}: {field.alias} must take two parameters, (agent, world), "
            f"without defaults, got {value.__name__}{own}."
        )


def checked_weights(action: object, weights: Any) -> dict[str, float]:
    """Return the events and their weights. Raises CrowdError for invalid ones."""
    who = type(action).__name__
    if not isinstance(weights, Mapping):
        raise CrowdError(f"{who}: weights must map events to numbers, got {weights!r}.")
    for event, weight in weights.items():
        if not isinstance(event, str) or not event:
            raise CrowdError(f"{who}: an event must be a str that is not empty, got {event!r}.")
        if not (_is_finite(weight) and weight >= 0.0):
            raise CrowdError(
                f"{who}: a weight must be finite and >= 0, got {weight!r} for {event!r}."
            )
    total = sum(weights.values())
    if not total:
        raise CrowdError(
            f"{who}: at least one weight must be > 0, got {dict(weights)!r}: there is nothing to "
            "choose from."
        )
    if total == inf:
        raise CrowdError(
            f"{who}: the weights must have a finite sum, got {dict(weights)!r}, whose sum is inf. "
            "Use smaller weights."
        )
    return {event: float(weight) for event, weight in weights.items()}


def checked_waypoints(action: object, waypoints: Any) -> list[tuple[float, float]]:
    """Return the waypoints as plain numbers. Raises CrowdError for invalid ones."""
    who = type(action).__name__
    try:
        given = list(waypoints)
    except TypeError:
        raise CrowdError(f"{who}: waypoints must be pairs of numbers, got {waypoints!r}.") from None
    if not given:
        raise CrowdError(f"{who}: waypoints must have at least one place, got none.")
    for each in given:
        if not _is_pair(each) or not all(map(_is_finite, each)):
            raise CrowdError(f"{who}: a waypoint must be two finite numbers, got {each!r}.")
    return [(float(x), float(y)) for x, y in given]


def fractional(value: Value) -> Value:
    """Return a whole number as a float, so that 2 needs no other loops than 2.5 does."""
    return float(value) if type(value) is int else value


def _is_field_name(value: object) -> bool:
    return isinstance(value, str) and not value.startswith("world.")


def _is_pair(value: Any) -> bool:
    return not isinstance(value, str) and hasattr(value, "__len__") and len(value) == 2


def _is_finite(value: object) -> bool:
    try:
        return isfinite(fitted(float, value, ""))
    except (TypeError, OverflowError):
        return False


def _invalid(action: object, field: Field, wanted: str, value: object) -> CrowdError:
    return CrowdError(f"{type(action).__name__}: {field.alias} must be {wanted}, got {value!r}.")
