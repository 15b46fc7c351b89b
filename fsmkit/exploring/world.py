"""WorldReader: the contents of user objects, as a flat list that can be compared.

It follows all references: attributes, containers, the variables of closures, the local variables of
running generators. Two worlds with equal lists behave alike, as far as their contents can be read;
`opaque` names the classes whose contents cannot.
"""

from __future__ import annotations

import sys
from array import array
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from functools import cache, cached_property, partial
from inspect import getattr_static
from io import IOBase
from logging import Logger
from random import Random
from threading import Lock, RLock
from types import (
    BuiltinFunctionType,
    CodeType,
    FunctionType,
    GeneratorType,
    MappingProxyType,
    MemberDescriptorType,
    MethodType,
    ModuleType,
)
from typing import Any, Final, TypeAlias
from weakref import ReferenceType

from fsmkit import Fsm, FsmAction, FsmGroup, FsmState
from fsmkit.core.checks.functions import Adapted
from fsmkit.exploring.code_reads import OURS, Reads
from fsmkit.recording.value_codec import encoded_number, encoded_vector

Leaf: TypeAlias = Any
"""A number, a text, or a class that marks what follows."""

DIGITS: Final = 6
"""Decimal places of floats that count: sums of time steps are not exact beyond."""


class WorldReader:
    """Appends what values hold to `leaves`; references to machines and their parts by `find`."""

    def __init__(self, reads: Reads, find: Callable[[object], Leaf]) -> None:
        self.leaves: list[Leaf] = []
        self.generators: list[int] = []
        """The hashes of the states of random generators."""
        self.opaque: set[str] = set()
        self._reads = reads
        self._find = find
        self._numbers: dict[int, int] = {}
        self._kept: list[object] = []

    def value(self, value: object) -> None:
        kind = type(value)
        if kind is float:
            self.leaves.append(round(value, DIGITS))  # type: ignore[call-overload]  # a float
        elif kind in ATOMS:
            self.leaves.append(value if kind is not bool else (bool, value))
        elif kind in HARMLESS or isinstance(value, (type, IOBase)):
            self.leaves.append(kind)
        elif isinstance(value, Enum):
            self.leaves.append(str(value))
        elif isinstance(value, (Fsm, FsmState, FsmAction)) and (place := self._find(value)):
            self.leaves.append(place)
        elif self._is_new(value):
            self._content(value, kind)

    def _is_new(self, value: object) -> bool:
        """Return True the first time; note the place of an object that was there before."""
        number = self._numbers.setdefault(id(value), len(self._numbers))
        is_new = number == len(self._kept)
        if is_new:
            self._kept.append(value)
        else:
            self.leaves.append((object, number))
        return is_new

    def _content(self, value: Any, kind: type) -> None:
        if kind is FunctionType:
            self._function(value)
        elif isinstance(value, (list, tuple, deque)):
            self._sequence(kind, value)
            self._own_attributes(value, kind)
        elif isinstance(value, (dict, MappingProxyType)):
            self._mapping(kind, value)
            self._own_attributes(value, kind)
        elif isinstance(value, (set, frozenset)):
            self._sequence(kind, sorted(value, key=self._order))
        elif isinstance(value, Random):
            self.leaves.append(_title(kind))
            self.generators.append(hash(value.getstate()))
        elif isinstance(value, GeneratorType):
            self._generator(value)
        elif (parts := _parts_of(value, kind)) is not None:
            self._sequence(kind, parts)
        else:
            self._object(value, kind)

    def _sequence(self, kind: type, items: Iterable[object]) -> None:
        kept = tuple(items)
        self.leaves += (_title(kind), len(kept))
        for item in kept:
            self.value(item)

    def _order(self, item: object) -> str:
        """Return what the items of a set are sorted by: what they hold, not where they are."""
        inside = WorldReader(self._reads, self._find)
        inside.value(item)
        return repr(inside.leaves)

    def _mapping(self, kind: type, items: Mapping[Any, Any]) -> None:
        self.leaves += (_title(kind), len(items))
        for key, value in tuple(items.items()):
            self.value(key)
            self.value(value)

    def _function(self, function: FunctionType) -> None:
        self._reads.add_function(function)
        self.leaves.append(_title_of_code(function.__code__))
        package = (function.__module__ or "").partition(".")[0]
        if package in sys.stdlib_module_names and package != "__main__":
            return
        for cell in function.__closure__ or ():
            try:
                self.value(cell.cell_contents)
            except ValueError:  # not filled yet
                self.leaves.append(None)
        for default in function.__defaults__ or ():
            self.value(default)
        if package in OURS:
            return
        for name in function.__code__.co_names:
            value = function.__globals__.get(name)
            if value is not None and not isinstance(value, CONSTANT):
                self.leaves.append(name)
                self.value(value)

    def _generator(self, generator: GeneratorType[Any, Any, Any]) -> None:
        frame = generator.gi_frame
        self.leaves.append(_title_of_code(generator.gi_code))
        self.leaves.append(frame.f_lasti if frame is not None else None)
        if frame is not None:
            self._mapping(dict, frame.f_locals)

    def _object(self, value: object, kind: type) -> None:
        self._reads.add_class(kind)
        self.leaves.append(_title(kind))
        encoded = encoded_number(value) or encoded_vector(value)
        if encoded is not None:
            self.value(encoded)
        elif isinstance(value, FsmGroup):
            self._sequence(kind, value)
        else:
            self._attributes(value, kind)

    def _attributes(self, value: object, kind: type) -> None:
        has_own = hasattr(value, "__dict__") or bool(_slots(kind)) or hasattr(kind, "__slots__")
        if not has_own and not _is_ours(kind):
            self.opaque.add(".".join(_title(kind)))
        for name in _slots(kind):
            self.leaves.append(name)
            self.value(getattr(value, name, None))
        self._own_attributes(value, kind)

    def _own_attributes(self, value: object, kind: type) -> None:
        own = attributes_of(value)
        if own and _is_ours(kind):
            state = value.__getstate__()
            own = state if isinstance(state, dict) else own  # it may leave out what is not kept
            own = {name: value for name, value in own.items() if not _is_cached(kind, name)}
        if own:
            self._mapping(dict, own)


def attributes_of(thing: object) -> Mapping[str, object]:
    own: Mapping[str, object] = getattr(thing, "__dict__", {})
    return own


def _parts_of(value: Any, kind: type) -> tuple[object, ...] | None:
    if isinstance(value, MethodType):
        return (value.__func__, value.__self__)
    if isinstance(value, partial):
        return (value.func, value.args, value.keywords)
    if isinstance(value, Adapted):
        return (value.function,)
    if isinstance(value, ReferenceType):
        return (value(),)
    if isinstance(value, bytearray):
        return (bytes(value),)
    if isinstance(value, array):
        return (value.typecode, value.tobytes())
    if kind in ITERATORS:
        return tuple(value.__reduce__()[1:])
    wrapped = getattr(value, "__wrapped__", None)
    return (wrapped,) if callable(wrapped) else None


@cache
def _is_ours(kind: type) -> bool:
    return kind.__module__.partition(".")[0] in OURS


def _is_cached(kind: type, name: str) -> bool:
    return isinstance(getattr_static(kind, name, None), cached_property)


@cache
def _slots(kind: type) -> tuple[str, ...]:
    return tuple(
        name
        for base in kind.__mro__
        for name, member in vars(base).items()
        if isinstance(member, MemberDescriptorType) and name != "__weakref__"
    )


@cache
def _title(kind: type) -> tuple[str, str]:
    return (kind.__module__, kind.__qualname__)


def _title_of_code(code: CodeType) -> tuple[str, int, str]:
    return (code.co_filename, code.co_firstlineno, code.co_qualname)


ATOMS: Final = frozenset({type(None), bool, int, str, bytes})
HARMLESS: Final = frozenset(
    {
        type, ModuleType, BuiltinFunctionType, Logger, type(str.join), property, object,
        type(Lock()), type(RLock()),
    }
)  # fmt: skip
"""Classes whose values do not change, or change only outside the machine."""

ITERATORS: Final = frozenset(
    {type([].__iter__()), type(().__iter__()), type("".__iter__()), type(range(0).__iter__())}
    | {type({}.__iter__()), enumerate, zip, map, filter}
)

CONSTANT: Final = (type, ModuleType, BuiltinFunctionType, str, int, float, Enum, Logger)
"""Kinds of global values that no function changes without assigning them."""
