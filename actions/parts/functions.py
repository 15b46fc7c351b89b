"""Functions that an action is given: validators that have them take the state, whatever they take.

What an action is given may take nothing or the state. That is read when the action is made, and the
field then holds what is called with the state.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from attrs import Attribute

from actions.parts.parameters import is_computed
from actions.parts.validators import is_own_event
from fsmkit import FsmAction


def is_function(action: FsmAction[Any], field: Attribute[Any], value: Any) -> None:
    """Have `value` take the state, unless it is the default; raise TypeError if it cannot."""
    if value is not field.default:
        _put(action, field.name, value, action._fsmkit_handed(field.alias or field.name, value))


def is_generator_function(action: FsmAction[Any], field: Attribute[Any], value: Any) -> None:
    """The same for a function whose call makes a generator."""
    name = field.alias or field.name
    _put(action, field.name, value, action._fsmkit_handed(name, value, generator=True))


def is_handler(action: FsmAction[Any], field: Attribute[Any], value: Any) -> None:
    """Have `value` take the state and the data of an event; raise TypeError if it cannot."""
    name = field.alias or field.name
    _put(action, field.name, value, action._fsmkit_handed(name, value, data=True))


def is_listener(action: FsmAction[Any], field: Attribute[Any], value: Any) -> None:
    """Have `value` take the state, an event and its data; or the functions of a mapping a part."""
    name = field.alias or field.name
    if isinstance(value, Mapping):
        handlers = {}
        for event, handler in value.items():
            is_own_event(action, field, event)
            part = f"{name}[{str.__repr__(event)}]"
            handlers[event] = action._fsmkit_handed(part, handler, data=True)
        object.__setattr__(action, field.name, handlers)
    elif value is not field.default:
        _put(action, field.name, value, action._fsmkit_handed(name, value, event=True))


def is_async_function(action: FsmAction[Any], field: Attribute[Any], value: Any) -> None:
    """The same as `is_function` for a function whose call makes something to await."""
    name = field.alias or field.name
    _put(action, field.name, value, action._fsmkit_handed(name, value, awaitable=True))


def is_parameter(action: FsmAction[Any], field: Attribute[Any], value: Any) -> None:
    """The same for a value, or a function that returns it."""
    if is_computed(value):
        is_function(action, field, value)


def is_message(action: FsmAction[Any], field: Attribute[Any], value: Any) -> None:
    """The same for a text, or a function that returns it."""
    if not isinstance(value, str) and not callable(value):
        name = type(action).__name__
        raise TypeError(f"{name}: {field.alias} must be a text or a function, got {value!r}.")
    is_parameter(action, field, value)


def adapt_parameters(action: FsmAction[Any], *names: str) -> None:
    """Have those parameters that are functions take the state: for fields of subclasses."""
    for name in names:
        value = getattr(action, name)
        if is_computed(value):
            _put(action, name, value, action._fsmkit_handed(name, value))


def _put(action: FsmAction[Any], name: str, given: object, function: Callable[..., object]) -> None:
    if function is given:
        return
    if getattr(action, name) is not given:
        raise TypeError(
            f"{type(action).__name__}: {name} must take the state if it is set later, "
            f"got {given!r}, which takes nothing. Make a new {type(action).__name__}."
        )
    object.__setattr__(action, name, function)
