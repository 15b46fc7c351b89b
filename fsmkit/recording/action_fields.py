"""The parameters and the memory of an action, by attribute, and the values that each may hold.

In an attrs class a field with `init=False` is remembered, and the other fields are parameters. In
any other class the attributes named like an argument of the constructor are parameters (`speed` or
`_speed` for `speed`), and all others are remembered.

Annotations declare what a field may hold: `float` a number, which may be an integer, `int` an
integer, `tuple[float, ...]` a tuple of numbers, and so on. A limit narrows that: in
`Annotated[float, limit]` it is any object with a method `allows(action, value)`, whose text says
what it allows. An annotation that cannot be read, a type variable or an unknown type allows
anything.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from contextlib import suppress
from inspect import get_annotations, getattr_static, signature
from math import isfinite
from numbers import Integral, Real
from types import MemberDescriptorType, NoneType, SimpleNamespace, UnionType
from typing import Annotated, Any, Final, Literal, Union, get_args, get_origin, get_type_hints
from weakref import WeakKeyDictionary

from attrs import NOTHING, Attribute, fields, frozen, has

from fsmkit import FsmAction
from fsmkit.core.words.parameters import own_attributes
from fsmkit.space.hysteresis import is_condition


@frozen
class ActionFields:
    parameters: tuple[str, ...]
    remembered: Mapping[str, Any]
    """Name -> default, NOTHING if there is none."""
    extra_slots: tuple[str, ...]
    """Slots that are neither; their values are remembered."""
    initial: Mapping[str, Any] | None
    """What is remembered at first, if all defaults are values; None if some have to be made."""
    known: frozenset[str]
    """The names of parameters, of declared memory, and of bookkeeping."""


def parameters_of(action: FsmAction[Any]) -> dict[str, object]:
    given: dict[str, object] = {}
    for name in fields_of(type(action)).parameters:
        value = getattr(action, name, NOTHING)
        if value is not NOTHING:
            given[name] = value
    return given


def parameter_place(action: FsmAction[Any], value: object) -> list[Any] | None:
    """Return the name of the parameter that is `value`, or name and index if it is an item of it.

    None if there is no such parameter.
    """
    for name, parameter in parameters_of(action).items():
        if parameter is value:
            return [name]
        for index, item in enumerate(parameter) if isinstance(parameter, (list, tuple)) else ():
            if item is value:
                return [name, index]
    return None


def remembered_by(action: FsmAction[Any]) -> dict[str, object]:
    """Return name -> value of what it remembers, without initial values."""
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
            if name in own and not is_condition(own[name])  # its memory is saved by its place
        )
    return values


def may_remember(action: FsmAction[Any], name: str) -> bool:
    kind = fields_of(type(action))
    if name in kind.remembered or name in kind.extra_slots:
        return True
    is_computed = hasattr(type(getattr_static(type(action), name, None)), "__set__")
    is_taken = name in kind.parameters or name.startswith("_fsmkit_")
    return not (is_taken or is_computed or _declares_everything(type(action)))


def initial_values(action: FsmAction[Any]) -> dict[str, object]:
    """Return name -> initial value of what it remembers; NOTHING where there is none."""
    kind = fields_of(type(action))
    if kind.initial is not None:
        return {**kind.initial}
    return {name: _made(default, action) for name, default in kind.remembered.items()}


def assign(action: FsmAction[Any], values: Mapping[str, object]) -> None:
    """Assign `values` to the attributes of `action`; NOTHING deletes the attribute."""
    for name, value in values.items():
        if value is not NOTHING:
            object.__setattr__(action, name, value)  # bypasses validators and converters
        else:
            with suppress(AttributeError):
                object.__delattr__(action, name)


def fields_of(kind: type) -> ActionFields:
    known = _FIELDS.get(kind)
    if known is None:
        known = _FIELDS[kind] = _fields(kind)
    return known


def _fields(kind: type) -> ActionFields:
    attributes: tuple[Attribute[Any], ...] = fields(kind) if has(kind) else ()
    remembered = {each.name: each.default for each in attributes if not each.init}
    given = [each.name for each in attributes if each.init]
    given += [name for argument in _arguments(kind) for name in (argument, f"_{argument}")]
    parameters = _distinct([*given, "finish_event"], without=remembered)
    extra_slots = _distinct(_slots(kind), without={*parameters, *remembered, *_slots(FsmAction)})
    bookkeeping = (name for name in get_annotations(FsmAction) if name.startswith("_fsmkit_"))
    known = frozenset({*parameters, *remembered, *bookkeeping, _TYPE_ARGUMENTS})
    is_made = any(getattr(default, "factory", None) for default in remembered.values())
    initial = None if is_made else remembered
    return ActionFields(parameters, remembered, extra_slots, initial, known)


def _declares_everything(kind: type) -> bool:
    """Return True for library classes, which remember only declared fields."""
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
"""Set by `typing` on `DelegateAction[Beetle](...)`; it is no state of the action."""

_FIELDS: Final[WeakKeyDictionary[type, ActionFields]] = WeakKeyDictionary()
_SCALARS: Final = (int, float, str, bool)
_CONTAINERS: Final = (list, tuple, dict, set)


OURS: Final = ("actions", "fsmkit")
"""The packages whose fields hold their declared types; those of a game may not."""


@frozen
class DeclaredType:
    kind: Any
    is_ours: bool
    """Whether a class of the library declares it: then its numbers are finite."""

    def must_be(self, action: FsmAction[Any], value: object) -> str:
        """Return in words what the field of `action` must hold; empty if `value` fits."""
        return "" if _fits(value, self.kind, action, self.is_ours) else _declared_title(self.kind)


def declared_types(kind: type) -> Mapping[str, DeclaredType]:
    if kind not in _DECLARED:
        bases = [base for base in reversed(kind.__mro__) if base not in FsmAction.__mro__]
        _DECLARED[kind] = {
            name: DeclaredType(each, is_ours(base))
            for base in bases
            for name, each in _annotations(base)
        }
    return _DECLARED[kind]


def is_ours(kind: type) -> bool:
    return kind.__module__.partition(".")[0] in OURS


def _annotations(base: type) -> Iterator[tuple[str, Any]]:
    """Yield the annotations one by one: a name in one may exist for type checkers only."""
    namespace = vars(sys.modules[base.__module__]) if base.__module__ in sys.modules else {}
    for name, annotation in get_annotations(base).items():
        holder = SimpleNamespace(__annotations__={name: annotation})
        try:
            hints = get_type_hints(holder, namespace, dict(vars(base)), include_extras=True)
        except Exception:
            hints = {name: Any}
        yield name, hints[name]


def _fits(value: Any, declared: Any, action: FsmAction[Any], finite: bool) -> bool:
    def fits(part: Any, kind: Any) -> bool:
        return _fits(part, kind, action, finite)

    origin, arguments = get_origin(declared), get_args(declared)
    if declared is Any:
        return True
    if origin is Annotated:
        limits = [limit for limit in arguments[1:] if hasattr(limit, "allows")]
        return fits(value, arguments[0]) and all(limit.allows(action, value) for limit in limits)
    if origin in (Union, UnionType):
        return any(fits(value, kind) for kind in arguments)
    if origin is Literal:
        return value in arguments
    if declared in _NUMBERS:
        return _is_number(value, _NUMBERS[declared], finite)
    if isinstance(origin, type):
        return _is(value, origin) and _parts_fit(value, origin, arguments, fits)
    return _is(value, declared)


def _is(value: object, kind: Any) -> bool:
    """Return False only if `value` is certainly not of that kind."""
    try:
        return isinstance(value, kind)
    except TypeError:  # a protocol, or no class
        return True


def _is_number(value: Any, kind: Any, finite: bool) -> bool:
    if not isinstance(value, kind) or isinstance(value, bool):
        return False
    try:
        return not finite or isfinite(value)
    except OverflowError:  # an integer of hundreds of digits
        return kind is Integral


def _parts_fit(
    value: Any, origin: type, arguments: tuple[Any, ...], fits: Callable[[Any, Any], bool]
) -> bool:
    if origin is tuple and arguments[1:] != (...,):
        return len(value) == len(arguments) and all(map(fits, value, arguments))
    if origin in (tuple, list, set, frozenset):
        return all(fits(part, arguments[0]) for part in value)
    if origin is dict:
        return all(all(map(fits, item, arguments)) for item in value.items())
    return True


def _declared_title(declared: Any) -> str:
    if get_origin(declared) is Annotated:
        kind, *limits = get_args(declared)
        return " ".join([_declared_title(kind), *(str(limit) for limit in limits)])
    if get_origin(declared) in (Union, UnionType):
        return " or ".join(map(_declared_title, get_args(declared)))
    if declared in _TITLES:
        return _TITLES[declared]
    named = isinstance(declared, type) and get_origin(declared) is None
    return declared.__name__ if named else str(declared).replace("typing.", "")


_NUMBERS: Final[Mapping[Any, type]] = {float: Real, int: Integral}
_TITLES: Final[Mapping[Any, str]] = {
    float: "a finite number", int: "an integer", bool: "True or False", str: "a str",
    NoneType: "None",
}  # fmt: skip
_DECLARED: Final[WeakKeyDictionary[type, Mapping[str, DeclaredType]]] = WeakKeyDictionary()
