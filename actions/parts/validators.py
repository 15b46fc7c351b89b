"""Checks of what an action is given: validators of its fields, and of numbers."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence, Set
from inspect import iscoroutinefunction, isgeneratorfunction
from math import inf, isfinite
from numbers import Integral, Real
from typing import Any, Final

from attrs import Attribute

from actions.parts.parameters import is_computed
from actions.parts.raw_things import advice_for, check_no_raw_thing, has_attribute
from fsmkit import ERROR, FINISHED, TimeReference
from fsmkit.space import Space, components


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


def are_event_names(action: object, field: Attribute[Any], value: tuple[object, ...]) -> None:
    """Raise TypeError or ValueError unless `value` are one or more names of events."""
    if not value:
        name = type(action).__name__
        raise ValueError(f"{name}: {field.alias} must be one or more events, got none.")
    for event in value:
        is_event_name(action, field, event)


def are_own_events(action: object, field: Attribute[Any], value: tuple[object, ...]) -> None:
    """The same for events that a user may send."""
    are_event_names(action, field, value)
    for event in value:
        is_own_event(action, field, event)


def is_flag(action: object, field: Attribute[Any], value: object) -> None:
    """Raise TypeError unless `value` is a bool."""
    if not isinstance(value, bool):
        raise TypeError(_message(action, field, "True or False", value))


def is_text(action: object, field: Attribute[Any], value: object) -> None:
    """Raise TypeError unless `value` is a str."""
    if not isinstance(value, str):
        raise TypeError(_message(action, field, "a text", value))


def is_number(action: object, field: Attribute[Any], value: object) -> None:
    """Raise TypeError unless `value` is a number or a function."""
    if not isinstance(value, Real) and not callable(value):
        raise TypeError(_message(action, field, "a number", value))


def is_finite(action: object, field: Attribute[Any], value: Any) -> None:
    """The same, and ValueError unless the number is finite."""
    is_number(action, field, value)
    if not callable(value) and not isfinite(value):
        raise ValueError(_message(action, field, "finite", value))


def is_position(action: object, field: Attribute[Any], value: Any) -> None:
    """Raise TypeError or ValueError unless `value` has finite components, or is a function."""
    if is_computed(value):
        return
    try:
        numbers = _numbers_of(value)
    except TypeError:
        message = _message(action, field, "a tuple or vector of numbers", value)
        raise TypeError(f"{message}{advice_for(value)}") from None
    if not all(map(isfinite, numbers)):
        raise ValueError(_message(action, field, "finite", value))


def _numbers_of(position: Any) -> tuple[float, ...]:
    """Return the numbers of a position; TypeError for what only happens to consist of some."""
    if isinstance(position, str | bytes | bytearray | Set | Mapping):
        raise TypeError(position)
    numbers = components(position)
    if not numbers:
        raise TypeError(position)
    return numbers


def is_target(action: Any, field: Attribute[Any], value: object) -> None:
    """Raise TypeError or ValueError unless `value` is a position, has one, or is a function."""
    check_target(action, field.name, value)


def check_target(action: object, name: str, value: object) -> None:
    """The same for what is not a field of its own."""
    attribute = _spelt(action, "position")
    if is_computed(value) or has_attribute(value, attribute):
        return
    what = f"{type(action).__name__}: {name}"
    check_no_raw_thing(value, what, _space_of(action))
    try:
        numbers = _numbers_of(value)
    except TypeError:
        raise TypeError(
            f"{what} must be a tuple or vector of numbers, got {value!r}. "
            f"A function, or something with a {attribute}, will do as well."
        ) from None
    if not all(map(isfinite, numbers)):
        raise ValueError(f"{what} must be finite, got {value!r}.")


def has(*names: str) -> Callable[[Any, Attribute[Any], object], None]:
    """Return a validator: TypeError unless the value has these attributes, in the right space."""

    def validate(action: Any, field: Attribute[Any], value: object) -> None:
        for name in names:
            wanted = _spelt(action, name)
            is_class = isinstance(value, type) and hasattr(getattr(value, wanted, None), "__get__")
            if is_class or not has_attribute(value, wanted):
                message = _message(action, field, f"something with a {wanted}", value)
                advice = " Make one of that class." if is_class else advice_for(value)
                raise TypeError(f"{message}{advice}")

    return validate


def is_generator_of(method: str) -> Callable[[object, Attribute[Any], object], None]:
    """Return a validator: TypeError unless the value has this method of `random.Random`."""

    def validate(action: object, field: Attribute[Any], value: object) -> None:
        if isinstance(value, type) or not callable(getattr(value, method, None)):
            raise TypeError(_message(action, field, "a random.Random", value))

    return validate


def is_writable(action: object, field: Attribute[Any], value: object) -> None:
    """Raise TypeError unless `value` is a mapping that can be written, or may have attributes."""
    if isinstance(value, Mapping):
        if not hasattr(value, "__setitem__"):
            message = _message(action, field, "a mapping that can be written", value)
            raise TypeError(f"{message} It does not support item assignment.")
    elif type(value) in _BARE:
        wanted = "an object with attributes, or a mapping"
        raise TypeError(_message(action, field, wanted, value))


_BARE: Final[frozenset[type]] = frozenset(
    (type(None), bool, int, float, complex, str, bytes, tuple, list, set, frozenset, object)
)
"""Classes whose objects can have no attributes of their own."""


def is_name_in(target: str) -> Callable[[Any, Attribute[Any], object], None]:
    """Return a validator: TypeError unless the value can name an attribute or key of `target`."""

    def validate(action: Any, field: Attribute[Any], value: object) -> None:
        if isinstance(getattr(action, target), Mapping):
            if not isinstance(value, Hashable):
                raise TypeError(_message(action, field, "a key", value))
        elif not isinstance(value, str):
            raise TypeError(_message(action, field, "the name of an attribute", value))

    return validate


def is_event_map(action: object, field: Attribute[Any], value: Any) -> None:
    """Raise TypeError unless `value` maps something to names of events."""
    if not isinstance(value, Mapping):
        raise TypeError(_message(action, field, "a mapping of values to events", value))
    for key, event in value.items():
        if not (isinstance(event, str) and event):
            wanted = f"names of events, also for {key!r}"
            raise TypeError(_message(action, field, wanted, event))


def is_weights(action: object, field: Attribute[Any], value: Any) -> None:
    """Raise TypeError or ValueError unless `value` maps events to numbers >= 0, one above 0."""
    if not isinstance(value, Mapping):
        wanted = "a mapping of events to numbers, such as {'GO': 1.0}"
        raise TypeError(_message(action, field, wanted, value))
    for event, weight in value.items():
        if not (isinstance(event, str) and event):
            raise TypeError(_message(action, field, "weights of events", event))
        checked_amount(weight, f"{type(action).__name__}: the weight of {str.__repr__(event)}")
    if not any(value.values()):
        raise ValueError(
            f"{type(action).__name__}: at least one event must have a weight above 0, "
            f"got {dict(value)!r}."
        )


def is_path(action: object, field: Attribute[Any], value: Any) -> None:
    """Raise TypeError unless `value` is an iterable of points, None or a function.

    A point is a position or has one.
    """
    if callable(value) or value is None:
        return
    wanted = "an iterable of points, None or a function"
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise TypeError(_message(action, field, wanted, value))
    for point in value if isinstance(value, Sequence) else ():
        if has_attribute(point, _spelt(action, "position")):
            continue
        try:
            components(point)
        except TypeError:
            message = _message(action, field, wanted, value)
            raise TypeError(f"{message}{advice_for(point)}") from None


def is_field(action: object, field: Attribute[Any], value: Any) -> None:
    """Raise TypeError unless `value` is a flow field, None or a function."""
    if not callable(value):
        check_field(value, f"{type(action).__name__}: {field.alias}")


def is_axis(action: object, field: Attribute[Any], value: object) -> None:
    """Raise TypeError or ValueError unless `value` can be the index of an axis."""
    if not isinstance(value, Real) or isinstance(value, bool):
        raise TypeError(_message(action, field, "a whole number", value))
    if not isinstance(value, Integral) or value not in range(3):
        wanted = "the index of an axis of a position, from 0 to 1 or, in space, to 2"
        raise ValueError(_message(action, field, wanted, value))


def _spelt(action: Any, name: str) -> str:
    """The name of an attribute in the space of the action."""
    return _space_of(action).attribute(name)


def _space_of(action: Any) -> Space:
    """The space of the action; the world's if it has none, or is being given a wrong one."""
    space = getattr(action, "space", Space.WORLD)
    return space if isinstance(space, Space) else Space.WORLD


def _message(action: object, field: Attribute[Any], wanted: str, value: object) -> str:
    return f"{type(action).__name__}: {field.alias} must be {wanted}, got {value!r}."


def checked_amount(amount: float, what: str, unit: str = "") -> float:
    """Return `amount`; raise ValueError unless finite and not negative, TypeError for no number."""
    of = f" ({unit})" if unit else ""
    if not isinstance(amount, Real):
        raise TypeError(f"{what} must be a number{of}, got {amount!r}.")
    try:
        number = float(amount)
    except OverflowError:  # a whole number of hundreds of digits
        number = inf
    if not 0.0 <= number < inf:
        raise ValueError(f"{what} must be a finite number >= 0{of}, got {amount!r}.")
    return amount


def checked_speed(speed: float, who: str, unit: str = "units per second") -> float:
    """Return `speed`; raise ValueError unless it is finite and not negative."""
    return checked_amount(speed, f"{who}: speed", unit)


def check_field(field: object, what: str) -> None:
    """Raise TypeError unless `field` is a flow field or None."""
    if field is not None and not all(hasattr(field, name) for name in ("grid", "cost", "next")):
        raise TypeError(
            f"{what} must be a flow field, as Grid.field() returns, or None, got {field!r}."
        )
