"""The parameters of an action and what it remembers, by the names of its attributes.

In an attrs class a field with `init=False` is remembered, and the other fields are parameters. In
any other class the attributes named like an argument of the constructor are parameters (`speed` or
`_speed` for `speed`), and all others are remembered.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping
from contextlib import suppress
from inspect import get_annotations, getattr_static, signature
from types import MemberDescriptorType
from typing import Any, Final
from weakref import WeakKeyDictionary

from attrs import NOTHING, Attribute, fields, frozen, has

from fsmkit import FsmAction
from fsmkit.core.words.parameters import own_attributes
from fsmkit.space.hysteresis import is_condition


@frozen
class Fields:
    """The attributes of a class of actions."""

    parameters: tuple[str, ...]
    remembered: Mapping[str, Any]
    """Name -> default, NOTHING if there is none."""
    extra_slots: tuple[str, ...]
    """Slots that are neither; their values are remembered."""
    known: frozenset[str]
    """The names of the parameters, of what is remembered by declaration, and of bookkeeping."""


def parameters_of(action: FsmAction[Any]) -> dict[str, object]:
    """Return name -> value of the parameters."""
    given: dict[str, object] = {}
    for name in fields_of(type(action)).parameters:
        value = getattr(action, name, NOTHING)
        if value is not NOTHING:
            given[name] = value
    return given


def remembered_by(action: FsmAction[Any]) -> dict[str, object]:
    """Return name -> value of what it remembers, without values that are still the initial ones."""
    kind = fields_of(type(action))
    values: dict[str, object] = {}
    for name, default in kind.remembered.items():
        value = getattr(action, name, NOTHING)
        if value is not NOTHING and not _is_default(value, default):
            values[name] = value
    for name in kind.extra_slots:
        if hasattr(action, name):
            values[name] = getattr(action, name)
    undeclared = [name for name in vars(action) if name not in kind.known]
    if undeclared:
        own = own_attributes(action)
        values.update(
            (name, own[name])
            for name in undeclared
            if name in own and not is_condition(own[name])  # whose memory is saved by its place
        )
    return values


def may_remember(action: FsmAction[Any], name: str) -> bool:
    """Return True if an action of this class may remember something by that name."""
    kind = fields_of(type(action))
    if name in kind.remembered or name in kind.extra_slots:
        return True
    is_computed = hasattr(type(getattr_static(type(action), name, None)), "__set__")
    is_taken = name in kind.parameters or name.startswith("_fsmkit_")
    return not (is_taken or is_computed or _declares_everything(type(action)))


def initial_values(action: FsmAction[Any]) -> dict[str, object]:
    """Return name -> initial value of what it remembers; NOTHING where there is none."""
    defaults = fields_of(type(action)).remembered
    return {name: _made(default, action) for name, default in defaults.items()}


def assign(action: FsmAction[Any], values: Mapping[str, object]) -> None:
    """Assign `values` to the attributes of `action`; NOTHING deletes the attribute."""
    for name, value in values.items():
        if value is not NOTHING:
            object.__setattr__(action, name, value)  # bypasses validators and converters
        else:
            with suppress(AttributeError):
                object.__delattr__(action, name)


def fields_of(kind: type) -> Fields:
    """Return the attributes of a class of actions."""
    known = _KNOWN.get(kind)
    if known is None:
        known = _KNOWN[kind] = _fields(kind)
    return known


def _fields(kind: type) -> Fields:
    attributes: tuple[Attribute[Any], ...] = fields(kind) if has(kind) else ()
    remembered = {each.name: each.default for each in attributes if not each.init}
    given = [each.name for each in attributes if each.init]
    given += [name for argument in _arguments(kind) for name in (argument, f"_{argument}")]
    parameters = _distinct([*given, "finish_event"], without=remembered)
    extra_slots = _distinct(_slots(kind), without={*parameters, *remembered, *_slots(FsmAction)})
    bookkeeping = (name for name in get_annotations(FsmAction) if name.startswith("_fsmkit_"))
    known = frozenset({*parameters, *remembered, *bookkeeping, _TYPE_ARGUMENTS})
    return Fields(parameters, remembered, extra_slots, known)


def _declares_everything(kind: type) -> bool:
    """Return True for the classes of the library: what they remember are declared fields."""
    return has(kind) and kind.__module__.startswith("actions.")


def _arguments(kind: type) -> Iterator[str]:
    for base in kind.__mro__:
        own = vars(base)
        if "__init__" in own and "__attrs_attrs__" not in own and base is not object:
            yield from list(signature(own["__init__"]).parameters)[1:]


def _slots(kind: type) -> Iterator[str]:
    for base in kind.__mro__:
        for name, member in vars(base).items():
            if isinstance(member, MemberDescriptorType):
                yield name


def _distinct(names: Iterable[str], without: Container[str]) -> tuple[str, ...]:
    return tuple(name for name in dict.fromkeys(names) if name not in without)


def _is_default(value: object, default: object) -> bool:
    kind = type(value)
    if factory := getattr(default, "factory", None):
        return kind is factory and kind in _CONTAINERS and not value
    if kind in _SCALARS:
        return kind is type(default) and repr(value) == repr(default)  # 0.0 is not -0.0
    return value is default


def _made(default: Any, action: FsmAction[Any]) -> object:
    if factory := getattr(default, "factory", None):
        return factory(action) if default.takes_self else factory()
    return default


_TYPE_ARGUMENTS: Final = "__orig_class__"
"""Set by `typing` on what is made as `DelegateAction[Beetle](...)`: no state of the action."""

_KNOWN: Final[WeakKeyDictionary[type, Fields]] = WeakKeyDictionary()
_SCALARS: Final = (int, float, str, bool)
_CONTAINERS: Final = (list, tuple, dict, set)
