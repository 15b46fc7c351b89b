"""What an action was given and what it remembers, read from its attrs fields.

A field with `init=True` is a parameter. One with `init=False` is what the action remembers from one
callback to the next. Classes without attrs have neither.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import TYPE_CHECKING, Any

from attrs import NOTHING, Attribute, fields, has

if TYPE_CHECKING:
    from fsmkit.core.action import FsmAction


def parameters(action: FsmAction[Any]) -> dict[str, object]:
    """Name -> value of the constructor's arguments, without those left at their defaults."""
    return _values(action, lambda attribute: attribute.init)


def remembered(action: FsmAction[Any]) -> dict[str, object]:
    """Name -> value of what it remembers, without what is still as in the beginning."""
    return _values(action, lambda attribute: not attribute.init)


def own_attributes(action: FsmAction[Any]) -> dict[str, object]:
    """Name -> value of the attributes that a subclass has set, without the bookkeeping."""
    return {name: value for name, value in vars(action).items() if not name.startswith("_fsmkit_")}


def shown(value: object) -> str:
    """`value` for a reader: functions and enum members by name, the rest by `repr`."""
    if isinstance(value, Enum):
        return str(value)
    if callable(value) and hasattr(value, "__qualname__"):
        return str(value.__qualname__).rpartition("<locals>.")[2]
    return repr(value)


def shown_parameter(action: FsmAction[Any], name: str, value: object) -> str:
    """Return the value of a parameter for a reader: as its field's metadata says, or as `shown`."""
    kind: type = type(action)
    for attribute in fields(kind) if has(kind) else ():
        if name == (attribute.alias or attribute.name):
            return str(attribute.metadata.get("shown", shown)(value))
    return shown(value)


def _values(action: FsmAction[Any], wanted: Callable[[Attribute[Any]], bool]) -> dict[str, object]:
    kind: type = type(action)
    if not has(kind):
        return {}
    values: dict[str, object] = {}
    for attribute in fields(kind):
        value = getattr(action, attribute.name, NOTHING)
        if wanted(attribute) and value is not NOTHING and not _is_default(action, attribute, value):
            values[attribute.alias or attribute.name] = value
    return values


def _is_default(action: FsmAction[Any], attribute: Attribute[Any], value: object) -> bool:
    default: Any = attribute.default
    if factory := getattr(default, "factory", None):
        default = factory(action) if default.takes_self else factory()
    return value is default or (type(value) is type(default) and bool(value == default))
