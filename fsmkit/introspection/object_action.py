"""ObjectAction: an action that runs a user's objects and remembers their attributes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from inspect import get_annotations, getattr_static, signature
from types import MemberDescriptorType
from typing import Any, Generic, TypeVar

from attrs import define, field

from fsmkit import FsmAction
from fsmkit.core.types import ActionContextT_contra
from fsmkit.space.hysteresis import is_condition

ThingT = TypeVar("ThingT")


class ObjectFields(Generic[ThingT]):
    """An object, and those of its attributes that hold its state between callbacks.

    As with actions, those named like an argument of its constructor (`speed` or `_speed` for
    `speed`) do not count, nor does what `kind` declares, the class of ours that it derives from,
    nor conditions, whose memory is saved by their place.

    >>> class Door:
    ...     def __init__(self, width):
    ...         self.width = width
    ...         self.angle = 0.0
    >>> ObjectFields(Door(1.2), object).fields()
    {'angle': 0.0}
    """

    def __init__(self, thing: ThingT, kind: type) -> None:
        self.thing = thing
        self._kind = kind
        self._initial = set(attributes_of(thing))

    def fields(self) -> dict[str, object]:
        names = (name for name in attributes_of(self.thing) if name not in self._excluded)
        values = {name: getattr(self.thing, name) for name in names}
        return {name: value for name, value in values.items() if not is_condition(value)}

    def put(self, fields: Mapping[str, object]) -> None:
        """Set `fields`, and delete all others that were not there in the beginning.

        Initial ones may be missing in `fields` if these come from an older version of its class.
        Names that no field can have are skipped.
        """
        for name in self.fields().keys() - fields.keys() - self._initial:
            object.__delattr__(self.thing, name)
        for name in filter(self._can_set, fields):
            object.__setattr__(self.thing, name, fields[name])

    def _can_set(self, name: str) -> bool:
        member = getattr_static(type(self.thing), name, None)
        is_computed = hasattr(type(member), "__set__")
        is_slot = isinstance(member, MemberDescriptorType)
        is_free = name.isidentifier() and name not in self._excluded
        return is_free and (is_slot or not is_computed)

    @cached_property
    def _excluded(self) -> set[str]:
        given = set(_arguments(type(self.thing)))
        return {*get_annotations(self._kind), *given, *(f"_{name}" for name in given)}


@define(
    these={"fields": field(factory=dict, init=False)},
    init=False, repr=False, eq=False, slots=False,
)  # fmt: skip
class ObjectAction(FsmAction[ActionContextT_contra]):
    """An action that calls other objects, and remembers their attributes in `fields`.

    Snapshots, the inspector and `repr` find `fields` as in any attrs class. It is not stored, but
    read from those objects and written to them.
    """

    @property
    def parts(self) -> Mapping[str, ObjectFields[Any]]:
        """The objects by name; a field is named `part.name`, one of the object `""` just `name`."""
        raise NotImplementedError(f"{type(self).__name__} must override parts.")

    @property
    def fields(self) -> dict[str, object]:
        return {
            f"{part}.{name}" if part else name: value
            for part, owner in self.parts.items()
            for name, value in owner.fields().items()
        }

    @fields.setter
    def fields(self, fields: dict[str, object]) -> None:
        given = fields if isinstance(fields, dict) else {}  # it may come from a damaged file
        titles = {title: str(title).rpartition(".") for title in given}
        for part, owner in self.parts.items():
            own = {name: given[title] for title, (of, _, name) in titles.items() if of == part}
            owner.put(own)


def attributes_of(thing: object) -> Iterator[str]:
    """Yield the names of the attributes of the object itself, not of its class."""
    for kind in type(thing).__mro__:
        for name, member in vars(kind).items():
            if isinstance(member, MemberDescriptorType) and hasattr(thing, name):
                yield name
    yield from getattr(thing, "__dict__", {})


def _arguments(kind: type) -> Iterator[str]:
    for base in kind.__mro__:
        if base is not object and "__init__" in vars(base):
            yield from list(signature(vars(base)["__init__"]).parameters)[1:]
