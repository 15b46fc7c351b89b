"""Validators of the fields of actions, and checks of values that functions return on enter."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence, Set
from inspect import iscoroutinefunction, isgeneratorfunction
from math import inf, isfinite
from numbers import Integral, Real
from types import UnionType
from typing import Any, Final, TypeAlias

from attrs import Attribute

from actions.parts.parameters import is_computed, is_parameter, value_of
from actions.parts.positions import advice_for, check_no_raw_thing, has_attribute
from fsmkit import ERROR, FAILED, FINISHED, FsmAction, TimeReference
from fsmkit.space import Space, components
from fsmkit.timing import arguments, notes


def is_callable(action: object, field: Attribute[Any], value: object) -> None:
    """Raise TypeError unless `value` is the default or a function, neither async nor generator."""
    if value is field.default:
        return
    if not callable(value):
        raise TypeError(_message(action, field, "a function", value))
    if iscoroutinefunction(value) or isgeneratorfunction(value):
        raise TypeError(_message(action, field, "a plain function", value))


def is_instance(
    kind: type | UnionType, wanted: str
) -> Callable[[object, Attribute[Any], object], None]:
    """Return a validator: TypeError unless the value is an instance of `kind`."""

    def validate(action: object, field: Attribute[Any], value: object) -> None:
        if not isinstance(value, kind):
            raise TypeError(_message(action, field, wanted, value))

    return validate


is_space: Final = is_instance(Space, "Space.WORLD or Space.SELF")
is_text: Final = is_instance(str, "a text")
is_time_reference: Final = is_instance(TimeReference | None, "a TimeReference")


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
    if value in (FINISHED, FAILED, ERROR):
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
    """Raise TypeError or ValueError unless `value` are one or more events that a user may send."""
    are_event_names(action, field, value)
    for event in value:
        is_own_event(action, field, event)


ErrorKinds: TypeAlias = type[Exception] | tuple[type[Exception], ...]
"""A class of errors, or several."""


def are_kinds_of_errors(*, least: int = 1) -> Callable[..., None]:
    """Return a validator: the value must be a subclass of Exception, or a tuple of such."""

    def validate(action: object, field: Attribute[Any], value: object) -> None:
        kinds = value if isinstance(value, tuple) else (value,)
        if len(kinds) < least or not all(map(_is_kind_of_exception, kinds)):
            wanted = "a subclass of Exception or a tuple of such"
            raise TypeError(_message(action, field, wanted, value))

    return validate


def is_one_of(error: BaseException, kinds: ErrorKinds) -> bool:
    """Return True if `error`, or each error of its group, is one of `kinds`."""
    # By `type`, as `except` does: isinstance() would ask the class of a user for `__class__`.
    kind = type(error)
    if issubclass(kind, kinds) or not issubclass(kind, ExceptionGroup):
        return issubclass(kind, kinds)
    return all(is_one_of(member, kinds) for member in notes.members_of(error))


def _is_kind_of_exception(kind: object) -> bool:
    return isinstance(kind, type) and issubclass(kind, Exception)


def is_flag(action: object, field: Attribute[Any], value: object) -> None:
    """Raise TypeError unless `value` is a bool."""
    arguments.flag(value, f"{type(action).__name__}: {field.alias}")


def is_number(action: object, field: Attribute[Any], value: object) -> None:
    """Raise TypeError unless `value` is a number or a function."""
    if not isinstance(value, Real) and not callable(value):
        raise TypeError(_message(action, field, "a number", value))


def is_amount(unit: str = "", *, computed: bool = True) -> Callable[..., None]:
    """Return a validator: the value must be a finite number >= 0 or, if `computed`, a function.

    What the function returns is checked on enter, by `amount_of`. `unit` is for the message.
    """

    def validate(action: FsmAction[Any], field: Attribute[Any], value: Any) -> None:
        if computed and is_computed(value):
            is_parameter(action, field, value)
        else:
            checked_amount(value, f"{type(action).__name__}: {field.alias}", unit)

    return validate


def is_seconds(action: FsmAction[Any], field: Attribute[Any], value: Any) -> None:
    """Raise TypeError or ValueError unless `value` is finite and >= 0, or a function.

    What the function returns is checked on enter, by `seconds_of`.
    """
    is_parameter(action, field, value)
    if not callable(value):
        seconds_of(action, field.name)


def is_finite(action: object, field: Attribute[Any], value: Any) -> None:
    """Raise TypeError unless `value` is a number or a function, ValueError unless finite."""
    is_number(action, field, value)
    if not callable(value) and not isfinite(value):
        raise ValueError(_message(action, field, "finite", value))


def is_position(action: object, field: Attribute[Any], value: Any) -> None:
    """Raise TypeError or ValueError unless `value` has finite components, or is a function."""
    if is_computed(value):
        return
    _check_numbers(action, field.alias, value)


def _check_numbers(action: object, name: str | None, value: Any, advice: str = "") -> None:
    try:
        if all(map(isfinite, _numbers_of(value))):
            return
    except TypeError:
        raise TypeError(
            f"{type(action).__name__}: {name} must be a tuple or vector of numbers, got "
            f"{arguments.shown(value)}.{advice or advice_for(value)}"
        ) from None
    raise ValueError(
        f"{type(action).__name__}: {name} must be finite, got {arguments.shown(value)}."
    )


def _numbers_of(position: Any) -> tuple[float, ...]:
    """Return the numbers of a position; TypeError for values that merely contain numbers."""
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
    """Do as `is_target` for a value that is not a field of its own."""
    space = _space_of(action)
    if type(value) is not tuple:  # as positions are
        if is_computed(value) or has_attribute(value, space.position):
            return
        check_no_raw_thing(value, f"{type(action).__name__}: {name}", space)
    advice = f" A function, or something with a {space.position}, is allowed as well."
    _check_numbers(action, name, value, advice)


def has(*names: str) -> Callable[[Any, Attribute[Any], object], None]:
    """Return a validator: TypeError unless the value has these attributes, in the right space."""

    def validate(action: Any, field: Attribute[Any], value: object) -> None:
        for name in names:
            wanted = _spelt(action, name)
            is_class = isinstance(value, type) and hasattr(getattr(value, wanted, None), "__get__")
            if is_class or not has_attribute(value, wanted):
                message = _message(action, field, f"something with a {wanted}", value)
                advice = " Make an instance of it." if is_class else advice_for(value)
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
"""Classes whose instances cannot have attributes of their own."""


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
    return _space_of(action).attribute(name)


def _space_of(action: Any) -> Space:
    """The space of the action; the world's if it has none or an invalid one."""
    space = getattr(action, "space", Space.WORLD)
    return space if isinstance(space, Space) else Space.WORLD


def _message(action: object, field: Attribute[Any], wanted: str, value: object) -> str:
    what = f"{type(action).__name__}: {field.alias}"
    return f"{what} must be {wanted}, got {arguments.shown(value)}."


def checked_amount(amount: float, what: str, unit: str = "") -> float:
    """Return `amount` as a float: a finite number >= 0 (ValueError, TypeError)."""
    if type(amount) is float and 0.0 <= amount < inf:
        return amount
    return arguments.number(amount, what, least=0.0, otherwise=f" ({unit})" if unit else "")


def amount_of(action: FsmAction[Any], name: str, unit: str = "") -> float:
    """Return the current value of the parameter `name` as a float, checked as `is_amount` does."""
    amount = getattr(action, name)
    if type(amount) is float and 0.0 <= amount < inf:
        return amount
    return checked_amount(value_of(amount, action), f"{type(action).__name__}: {name}", unit)


def seconds_of(action: FsmAction[Any], name: str) -> float:
    """Return the current value of the parameter `name` in seconds, checked as `is_seconds` does."""
    seconds = getattr(action, name)
    if type(seconds) is float and 0.0 <= seconds < inf:
        return seconds
    what = f"The {name} of {type(action).__name__}"
    return arguments.seconds(value_of(seconds, action), what)


def check_field(field: object, what: str) -> None:
    """Raise TypeError unless `field` is a flow field or None."""
    if field is not None and not all(hasattr(field, name) for name in ("grid", "cost", "next")):
        raise TypeError(
            f"{what} must be a flow field, as Grid.field() returns, or None, got {field!r}."
        )
