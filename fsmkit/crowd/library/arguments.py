"""What the actions of the library are given: checks of fields, made before the action is there."""

from __future__ import annotations

from collections.abc import Mapping
from inspect import Parameter, signature
from math import inf, isfinite
from types import FunctionType
from typing import Any, TypeAlias

from attrs import Attribute

from fsmkit.crowd.errors import CrowdError
from fsmkit.crowd.records import fitted
from fsmkit.timing import checked_seconds

Field: TypeAlias = "Attribute[Any]"


def a_duration(action: object, _field: Field, value: Any) -> None:
    """Raise CrowdError for a number that is no duration. The name of a field may be one."""
    if isinstance(value, str):
        return
    try:
        checked_seconds(value, f"The duration of {type(action).__name__}")
    except (TypeError, ValueError) as error:
        raise CrowdError(str(error)) from None


def a_speed(action: object, _field: Field, value: Any) -> None:
    """Raise CrowdError for a number that is no speed. The name of a field may be one."""
    if not isinstance(value, str) and not (_is_finite(value) and value >= 0.0):
        raise CrowdError(
            f"{type(action).__name__}: a speed is in units per second, finite and >= 0, not "
            f"{value!r}."
        )


def a_field(action: object, field: Field, value: object) -> None:
    """Raise CrowdError for what is no name of a field of the agents, as only those are written."""
    if not _is_field(value):
        raise _not(action, field, "the name of a field of the agents", value)


def a_place(action: object, field: Field, value: Any) -> None:
    """Raise CrowdError for what are not the names of two such fields."""
    if not _is_pair(value) or not all(map(_is_field, value)):
        raise _not(action, field, "the names of two fields of the agents: ('x', 'y')", value)


def a_target(action: object, field: Field, value: Any) -> None:
    """Raise CrowdError for what are not two finite numbers or names of fields."""
    if not _is_pair(value) or not all(isinstance(v, str) or _is_finite(v) for v in value):
        raise _not(action, field, "two finite numbers or names of fields", value)


def an_event(action: object, field: Field, value: object) -> None:
    """Raise CrowdError for what cannot be the name of an event."""
    if not isinstance(value, str) or not value:
        raise _not(action, field, "the name of an event", value)


def an_event_or_none(action: object, field: Field, value: object) -> None:
    """The same, but None stands for FINISHED."""
    if value is not None:
        an_event(action, field, value)


def a_predicate(action: object, field: Field, value: Any) -> None:
    """Raise CrowdError for what is no function (agent, world)."""
    if not isinstance(value, FunctionType):
        raise _not(action, field, "a plain function (agent, world)", value)
    own = signature(value, follow_wrapped=False)
    given = own.parameters.values()
    plain = all(
        each.kind is Parameter.POSITIONAL_OR_KEYWORD and each.default is Parameter.empty
        for each in given
    )
    if not plain or len(given) != 2:
        raise CrowdError(
            f"{type(action).__name__}: {field.alias} is {value.__name__}{own}. It takes two "
            "parameters, (agent, world), without defaults."
        )


def weights_of(action: object, weights: Any) -> dict[str, float]:
    """The events and their weights. Raises CrowdError for what nothing can be chosen by."""
    who = type(action).__name__
    if not isinstance(weights, Mapping):
        raise CrowdError(f"{who}: weights is events and a number for each, not {weights!r}.")
    for event, weight in weights.items():
        if not isinstance(event, str) or not event:
            raise CrowdError(f"{who}: an event is a str that is not empty, not {event!r}.")
        if not (_is_finite(weight) and weight >= 0.0):
            raise CrowdError(f"{who}: a weight is finite and >= 0, not {weight!r} for {event!r}.")
    total = sum(weights.values())
    if not total:
        raise CrowdError(
            f"{who}: {dict(weights)!r} leaves nothing to choose from. Give at least one event a "
            "weight above 0."
        )
    if total == inf:
        raise CrowdError(f"{who}: {dict(weights)!r} adds up to inf. Give smaller weights.")
    return {event: float(weight) for event, weight in weights.items()}


def waypoints_of(action: object, waypoints: Any) -> list[tuple[float, float]]:
    """The waypoints as plain numbers. Raises CrowdError for what are none."""
    who = type(action).__name__
    try:
        given = list(waypoints)
    except TypeError:
        raise CrowdError(f"{who}: waypoints is places of two numbers, not {waypoints!r}.") from None
    if not given:
        raise CrowdError(f"{who}: without a waypoint there is no path. Give it at least one.")
    for each in given:
        if not _is_pair(each) or not all(map(_is_finite, each)):
            raise CrowdError(f"{who}: a waypoint is two finite numbers, not {each!r}.")
    return [(float(x), float(y)) for x, y in given]


def _is_field(value: object) -> bool:
    return isinstance(value, str) and not value.startswith("world.")


def _is_pair(value: Any) -> bool:
    return not isinstance(value, str) and hasattr(value, "__len__") and len(value) == 2


def _is_finite(value: object) -> bool:
    try:
        return isfinite(fitted(float, value, ""))
    except (TypeError, OverflowError):
        return False


def _not(action: object, field: Field, wanted: str, value: object) -> CrowdError:
    return CrowdError(f"{type(action).__name__}: {field.alias} is {wanted}, not {value!r}.")
