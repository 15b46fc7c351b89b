"""Declarations: what agents know about their neighbours, as plain data, and as JSON values."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from math import inf
from typing import Any, Final, Literal, TypeAlias

from attrs import evolve, fields, frozen, has
from attrs import field as attribute

AggregateKind: TypeAlias = Literal["count", "sum", "mean", "share", "least", "most", "offset"]


@frozen
class Choice:
    """The agents that count: those in some states, those whose field is true, or all."""

    states: tuple[int, ...] = ()
    """The numbers of the states."""
    field: str = ""
    """The name of a field of booleans."""


ALL = Choice()


@frozen
class Aggregate:
    kind: AggregateKind
    into: str
    """The field to which it is written."""
    where: Choice = ALL
    within: float = inf
    """The greatest distance at which neighbours count."""
    field: str = ""
    """The field of the neighbours that is aggregated; empty if there is none."""
    of: Choice = ALL
    """The agents whose share is computed."""
    axis: int = 0
    """The coordinate, for an offset."""
    otherwise: float = attribute(default=0, eq=repr)  # so that a NaN equals itself
    """The value without neighbours."""
    asked: Choice = ALL
    """The agents that get new values; the others keep theirs."""

    @property
    def read(self) -> tuple[str, ...]:
        names = self.field, self.where.field, self.of.field, self.asked.field
        return tuple(filter(None, names))

    @property
    def written(self) -> tuple[str, ...]:
        return (self.into,)


@frozen
class Nearest:
    where: Choice = ALL
    within: float = inf
    side: int = 0
    """1 for those ahead on a line, -1 for those behind, 0 for all."""
    distance: str = ""
    id: str = ""
    values: tuple[tuple[str, str, float], ...] = attribute(default=(), eq=repr)
    """The field of the nearest, the field to which it is written, and the value without one."""
    asked: Choice = ALL
    """The agents that get new values; the others keep theirs."""

    @property
    def read(self) -> tuple[str, ...]:
        theirs = (name for name, _, _ in self.values)
        return tuple(filter(None, (*theirs, self.where.field, self.asked.field)))

    @property
    def written(self) -> tuple[str, ...]:
        return tuple(filter(None, (self.distance, self.id, *(mine for _, mine, _ in self.values))))


Quantity: TypeAlias = Aggregate | Nearest


@frozen
class Declaration:
    """Quantities that are written in one pass."""

    name: str
    """The call that declared it, for messages."""
    quantities: tuple[Quantity, ...] = attribute(default=(), kw_only=True)

    @property
    def position(self) -> tuple[str, ...]:
        raise NotImplementedError

    @cached_property
    def read(self) -> tuple[str, ...]:
        """The fields of every agent that are needed besides its id and state; each once."""
        of_quantities = (name for each in self.quantities for name in each.read)
        return tuple(dict.fromkeys([*self.position, *of_quantities]))

    @property
    def written(self) -> tuple[str, ...]:
        return tuple(name for each in self.quantities for name in each.written)

    def is_like(self, other: Declaration) -> bool:
        """Return True if both are about the same neighbours, whatever their quantities."""
        return evolve(self, quantities=()) == evolve(other, quantities=())


@frozen
class InSpace(Declaration):
    """The neighbours of an agent are those within a distance."""

    coordinates: tuple[str, ...] = ()
    size: float = 1.0
    around: tuple[float, ...] = ()
    """The size of the world along each coordinate; infinite where it does not wrap."""

    @property
    def position(self) -> tuple[str, ...]:
        return self.coordinates


@frozen
class AtPlaces(Declaration):
    place: str = ""

    @property
    def position(self) -> tuple[str, ...]:
        return (self.place,)


TYPES: Final = {each.__name__: each for each in (Aggregate, AtPlaces, Choice, InSpace, Nearest)}
"""The classes that a declaration is made of, by their names in a file."""


def saved(declarations: Iterable[Declaration]) -> list[Any]:
    """Return declarations as JSON values.

    >>> home = AtPlaces("Places('home')", place="home", quantities=(Aggregate("count", "others"),))
    >>> restored(saved([home])) == [home]
    True
    """
    return [_saved(each) for each in declarations]


def restored(values: Sequence[Any]) -> list[Declaration]:
    """Return the declarations of `saved`. Raises KeyError, TypeError or ValueError for others."""
    found = [_restored(each) for each in values]
    if not all(isinstance(each, Declaration) for each in found):
        raise ValueError("these are not declarations")
    return found


def _saved(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_saved(each) for each in value]
    if not has(type(value)):
        return value
    parts = {each.name: _saved(getattr(value, each.name)) for each in fields(type(value))}
    return {"type": type(value).__name__, **parts}


def _restored(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(map(_restored, value))
    if not isinstance(value, dict):
        return value
    parts = {name: _restored(each) for name, each in value.items() if name != "type"}
    return TYPES[value["type"]](**parts)
