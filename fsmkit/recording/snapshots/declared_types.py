"""What the class of an action says that a field may hold: its annotation.

`float` wants a number, which may be an integer, `int` a whole one, `tuple[float, ...]` a tuple of
numbers, and so on. A limit narrows that: in `Annotated[float, limit]` it is any object with a
method `allows(action, value)`, whose text says what it allows. What nobody can tell (an annotation
that cannot be read, a type variable, a type of an unknown kind) may hold anything.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from inspect import get_annotations
from math import isfinite
from numbers import Integral, Real
from types import NoneType, SimpleNamespace, UnionType
from typing import Annotated, Any, Final, Literal, Union, get_args, get_origin, get_type_hints
from weakref import WeakKeyDictionary

from attrs import frozen

from fsmkit import FsmAction

OURS: Final = ("actions", "fsmkit")
"""The packages whose classes hold what they declare; those of a game may hold something else."""


@frozen
class Declared:
    """What a field may hold."""

    kind: Any
    is_ours: bool
    """Whether a class of the library declares it: then its numbers are finite."""

    def must_be(self, action: FsmAction[Any], value: object) -> str:
        """Return in words what the field of `action` must hold; empty if `value` is that."""
        return "" if _fits(value, self.kind, action, self.is_ours) else _title(self.kind)


def declared_types(kind: type) -> Mapping[str, Declared]:
    """Return what the fields of a class of actions may hold, where it says so."""
    if kind not in _KNOWN:
        bases = [base for base in reversed(kind.__mro__) if base not in FsmAction.__mro__]
        _KNOWN[kind] = {
            name: Declared(each, is_ours(base))
            for base in bases
            for name, each in _annotations(base)
        }
    return _KNOWN[kind]


def is_ours(kind: type) -> bool:
    """Return True for the classes of the library."""
    return kind.__module__.partition(".")[0] in OURS


def _annotations(base: type) -> Iterator[tuple[str, Any]]:
    """Yield the annotations one by one: a name in one may be there for type checkers only."""
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
    """Whether what a container holds is what it is declared to hold."""
    if origin is tuple and arguments[1:] != (...,):
        return len(value) == len(arguments) and all(map(fits, value, arguments))
    if origin in (tuple, list, set, frozenset):
        return all(fits(part, arguments[0]) for part in value)
    if origin is dict:
        return all(all(map(fits, item, arguments)) for item in value.items())
    return True


def _title(declared: Any) -> str:
    """Return in words what may be there."""
    if get_origin(declared) is Annotated:
        kind, *limits = get_args(declared)
        return " ".join([_title(kind), *(str(limit) for limit in limits)])
    if get_origin(declared) in (Union, UnionType):
        return " or ".join(map(_title, get_args(declared)))
    if declared in _TITLES:
        return _TITLES[declared]
    named = isinstance(declared, type) and get_origin(declared) is None
    return declared.__name__ if named else str(declared).replace("typing.", "")


_NUMBERS: Final[Mapping[Any, type]] = {float: Real, int: Integral}
_TITLES: Final[Mapping[Any, str]] = {
    float: "a finite number", int: "a whole number", bool: "True or False", str: "a str",
    NoneType: "None",
}  # fmt: skip
_KNOWN: Final[WeakKeyDictionary[type, Mapping[str, Declared]]] = WeakKeyDictionary()
