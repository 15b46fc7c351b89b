"""WorldReader: the contents of user objects, as a flat list that can be compared.

It follows all references: attributes, containers, the variables of closures, the local variables of
running generators. Two worlds with equal lists behave alike, as far as their contents can be read;
`opaque` names the classes whose contents cannot.
"""

from __future__ import annotations

import marshal
import sys
from array import array
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import Enum
from functools import cache, cached_property, partial
from inspect import getattr_static
from io import IOBase
from itertools import chain, count
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
from typing import Any, Final, NamedTuple, TypeAlias
from weakref import ReferenceType

from attrs import frozen

from fsmkit import Fsm, FsmAction, FsmGroup, FsmState, StateGroup
from fsmkit.core.checks.functions import Adapted
from fsmkit.exploring.code_reads import OURS, Reads
from fsmkit.recording.value_codec import LIBRARIES, encoded_number, encoded_vector

Leaf: TypeAlias = Any
"""A number, a text, or a class that marks what follows."""

DIGITS: Final = 6
"""Decimal places of floats that count: sums of time steps are not exact beyond."""


PARTS: Final = (Fsm, FsmState, StateGroup, FsmAction)
"""The parts of a machine, which stand for themselves by their places."""

LARGE: Final = 32
"""The items of a container from which on it is worth while to look whether its content is known."""

MOST_LEAVES: Final = 1_000_000
"""The leaves of known contents that are kept."""


@frozen(eq=False)
class KnownContent:
    leaves: Sequence[Leaf]
    floats: Sequence[int]
    has_tuples: bool
    is_by_tuples: bool
    """Whether iterating over it gives these tuples, and no others are in it."""
    nested: Sequence[int]
    """The places among `_containers_inside`, in the order of reading, if they hold containers."""

    def containers_in(self, container: Any, kind: type) -> Sequence[object]:
        """Return the containers in one with this content, in the order of reading."""
        if self.nested:
            found = _containers_inside(container)
            return [found[place] for place in self.nested]
        if self.is_by_tuples or not self.has_tuples:
            return [*container] if self.has_tuples else ()
        return _tuples_among(_items_of(container, kind))


class KnownContents:
    """What was read of large plain containers, by what they hold.

    Each step into the unknown begins with newly built objects, but few of them hold anything new.
    """

    def __init__(self) -> None:
        self._known: dict[bytes, KnownContent] = {}
        self._leaves = 0

    def of(self, container: Any, kind: type) -> tuple[KnownContent, Sequence[object]] | None:
        """Return what is read of a container, and the objects in it, in the order of reading.

        None if it holds more than scalars, containers of them, and objects that hold no more than
        scalars and tuples of them; or if it holds one container twice.
        """
        opened: _Opened | None = None
        try:  # version 2 is the last that does not depend on who else refers to a value
            try:
                content = marshal.dumps(container, 2)
            except ValueError:  # it holds objects of other classes
                opened = _opened(_items_of(container, kind))
                content = marshal.dumps([kind.__name__, *opened.items], 2)
        except ValueError:
            return None
        known = self._known.get(content)
        if known is None:
            held = _items_of(container, kind) if opened is None else [*opened.held()]
            places: dict[int, int] = {}
            if not _is_plain(held):
                inside = _containers_inside(container) if opened is None else []
                places = {id(each): place for place, each in enumerate(inside)}
                if len(places) < len(inside) or not _are_plain([container, *inside]):
                    return None
            reader = WorldReader(Reads(), lambda _: None, self)
            CONTAINERS[kind](reader, kind, container)
            tuples = _tuples_among(held)
            is_by_tuples = len(tuples) == len(container) == len(_tuples_among(container))
            nested = reader.places_in(places) if places else ()
            known = self._known[content] = KnownContent(
                reader.leaves, reader.floats, bool(tuples), is_by_tuples, nested
            )
            self._leaves += len(known.leaves)
            while self._leaves > MOST_LEAVES:
                self._leaves -= len(self._known.pop(next(iter(self._known))).leaves)
        return known, known.containers_in(container, kind) if opened is None else opened.objects


class _Opened(NamedTuple):
    """The items of a container, with a list in the place of each record: its class and contents."""

    items: list[Any]
    objects: list[object]
    """The records and the tuples, in the order of reading."""

    def held(self) -> Iterator[object]:
        """Yield the items that are no records, and what the others hold."""
        for item in self.items:
            if type(item) is list:
                _, slots, own = item
                yield from slots
                yield from own.values()
            else:
                yield item


def _opened(items: Iterable[Any]) -> _Opened:
    """Open the records among items; ValueError if there are objects of other classes."""
    opened = _Opened([], [])
    for item in items:
        kind: type = type(item)
        if kind in SCALARS:
            opened.items.append(item)
            continue
        opened.objects.append(item)
        if kind is tuple:
            opened.items.append(item)
        elif _is_record(kind):
            slots = [getattr(item, name, None) for name in names] if (names := _slots(kind)) else ()
            own = attributes_of(item)
            opened.items.append([_title(kind), slots, own])
            if tuple in map(type, own.values()) or tuple in map(type, slots):
                opened.objects.extend(_tuples_among((*slots, *own.values())))
        else:
            raise ValueError(kind)
    return opened


@cache
def _is_record(kind: type) -> bool:
    """Whether the objects of a class are known by their attributes, whatever these are."""
    return (
        (kind.__dictoffset__ != 0 or bool(_slots(kind)))
        and not any("__getattribute__" in vars(base) for base in kind.__mro__[:-1])
        and not any(hasattr(kind, name) for name in ("__getattr__", "__wrapped__", "dtype"))
        and kind not in HARMLESS
        and not _is_ours(kind)
        and kind.__module__.partition(".")[0] not in LIBRARIES
        and not issubclass(kind, NO_RECORDS)
    )


def _items_of(container: Any, kind: type) -> Sequence[object]:
    return [*chain.from_iterable(container.items())] if kind is dict else container


def _tuples_among(items: Iterable[object]) -> Sequence[tuple[object, ...]]:
    return [item for item in items if type(item) is tuple]


def _containers_inside(container: Any) -> list[Any]:
    """Return the containers in one, level by level: so most of the work is done in C."""
    found: list[Any] = []
    level = [container]
    while level:
        pairs = chain.from_iterable([each.items() for each in level if type(each) is dict])
        others = chain.from_iterable([each for each in level if type(each) is not dict])
        held = chain(chain.from_iterable(pairs), others)
        level = [item for item in held if type(item) in HOLDING]
        found += level
    return found


def _are_plain(containers: Iterable[Any]) -> bool:
    """Whether there are only scalars and further containers in all of these."""
    return all(NESTED.issuperset(map(type, _items_of(each, type(each)))) for each in containers)


def _is_plain(items: Sequence[object]) -> bool:
    inside = chain.from_iterable(_tuples_among(items))
    return PLAIN.issuperset(map(type, items)) and SCALARS.issuperset(map(type, inside))


class WorldReader:
    """Appends what values hold to `leaves`; references to machines and their parts by `find`."""

    def __init__(
        self, reads: Reads, find: Callable[[object], Leaf], contents: KnownContents
    ) -> None:
        self.leaves: list[Leaf] = []
        self.floats: list[int] = []
        """The places of floats among them."""
        self.generators: list[int] = []
        """The hashes of the states of random generators."""
        self.opaque: set[str] = set()
        self._reads = reads
        self._find = find
        self._contents = contents
        self._numbers: dict[int, int] = {}
        self._kept: list[object] = []

    def places_in(self, places: Mapping[int, int]) -> list[int]:
        """Return the places of what was read, by the ids of the objects, in that order."""
        return [places[id(each)] for each in self._kept]

    def number(self, number: float) -> None:
        self.floats.append(len(self.leaves))
        self.leaves.append(round(number, DIGITS))

    def value(self, value: object) -> None:
        kind = type(value)
        if kind in ATOMS:
            self.leaves.append(value)
        elif kind is float:
            self.number(value)  # type: ignore[arg-type]  # a float
        else:
            self._values((value,))

    def _values(self, values: Iterable[object]) -> None:
        """Append what several values hold. Most of them are atoms, so these come first."""
        put = self.leaves.append
        for value in values:
            kind = type(value)
            if kind in ATOMS:
                put(value)
            elif kind is bool:
                put((bool, value))
            elif kind is float:
                self.number(value)  # type: ignore[arg-type]  # a float
            elif kind in CONTAINERS:
                if self._is_new(value) and not (
                    len(value) >= LARGE  # type: ignore[arg-type]  # a container
                    and self._has_known_content(value, kind)
                ):
                    CONTAINERS[kind](self, kind, value)
            else:
                self._value(value, kind)

    def _value(self, value: object, kind: type) -> None:
        if _is_record(kind):
            if self._is_new(value):
                self._reads.add_class(kind)
                self.leaves.append(_title(kind))
                self._attributes(value, kind)
        elif kind in HARMLESS:
            self.leaves.append(kind)
        elif isinstance(value, Enum):
            self.leaves.append(str(value))
        elif isinstance(value, PARTS) and (place := self._find(value)):
            self.leaves.append(place)
        elif isinstance(value, (type, IOBase)):
            self.leaves.append(kind)
        elif self._is_new(value):
            self._content(value, kind)

    def _is_new(self, value: object) -> bool:
        """Return True the first time; note the place of an object that was there before."""
        kept = self._kept
        count = len(kept)
        number = self._numbers.setdefault(id(value), count)
        if number == count:
            kept.append(value)
            return True
        self.leaves.append((object, number))
        return False

    def _has_known_content(self, value: Any, kind: type) -> bool:
        """Append the content of a large plain container at once, unless a part was read before."""
        found = self._contents.of(value, kind)
        if found is None:
            return False
        known, objects = found
        ids = [*map(id, objects)]
        if not self._numbers.keys().isdisjoint(ids) or len({*ids}) < len(ids):
            return False
        begin = len(self.leaves)
        self.leaves += known.leaves
        self.floats += [begin + place for place in known.floats]
        self._numbers.update(zip(ids, count(len(self._kept)), strict=False))
        self._kept += objects
        for each in {*map(type, objects)} - HOLDING:
            self._reads.add_class(each)
        return True

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
        self._values(kept)

    def _order(self, item: object) -> str:
        """Return what the items of a set are sorted by: what they hold, not where they are."""
        kind = type(item)
        if kind in ATOMS:
            return repr([item])
        if kind is tuple and ATOMS.issuperset(map(type, item)):  # type: ignore[call-overload]
            return repr([_title(tuple), len(item), *item])  # type: ignore[arg-type, misc]
        inside = WorldReader(self._reads, self._find, self._contents)
        inside.value(item)
        return repr(inside.leaves)

    def _mapping(self, kind: type, items: Mapping[Any, Any]) -> None:
        self.leaves += (_title(kind), len(items))
        self._values(chain.from_iterable(tuple(items.items())))

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


ATOMS: Final = frozenset({type(None), int, str, bytes})
SCALARS: Final = frozenset({type(None), bool, int, float, str})
PLAIN: Final = SCALARS | {tuple}
"""Classes of the items of a container whose content may be known, and of those of tuples in it.

Bytes are not among them: `marshal` writes what has a buffer, such as an array, as if it were bytes.
"""

HOLDING: Final = frozenset({tuple, list, dict, set, frozenset})
NESTED: Final = SCALARS | HOLDING
"""Classes of what a container of known content may hold at any depth; bytes as above."""

CONTAINERS: Final[Mapping[type, Callable[[WorldReader, type, Any], None]]] = {
    tuple: WorldReader._sequence,
    list: WorldReader._sequence,
    dict: WorldReader._mapping,
}
"""The plainest classes of containers -> the method that reads them; they have no attributes."""

HARMLESS: Final = frozenset(
    {
        type, ModuleType, BuiltinFunctionType, Logger, type(str.join), property, object,
        type(Lock()), type(RLock()),
    }
)  # fmt: skip
"""Classes whose values do not change, or change only outside the machine."""

NO_RECORDS: Final = (
    type, Enum, IOBase, Random, Fsm, FsmState, FsmAction, FsmGroup, Adapted, FunctionType,
    MethodType, ModuleType, partial, ReferenceType, list, tuple, deque, dict, set, frozenset,
    bytearray, array, str, bytes, int, float,
)  # fmt: skip
"""Classes whose objects, or those of a class below them, hold more than attributes."""

ITERATORS: Final = frozenset(
    {type([].__iter__()), type(().__iter__()), type("".__iter__()), type(range(0).__iter__())}
    | {type({}.__iter__()), enumerate, zip, map, filter}
)

CONSTANT: Final = (type, ModuleType, BuiltinFunctionType, str, int, float, Enum, Logger)
"""Kinds of global values that no function changes without assigning them."""
