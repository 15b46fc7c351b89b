"""Declaration: what is to be known of the neighbours, as plain data that can be pickled."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from math import inf
from typing import Literal, TypeAlias

from attrs import evolve, frozen
from attrs import field as attribute

Kind: TypeAlias = Literal["count", "sum", "mean", "share", "least", "most", "offset"]


@frozen
class Choice:
    """The agents that count: those in one of some states, those whose field is true, or all."""

    states: tuple[int, ...] = ()
    """The numbers of the states."""
    field: str = ""
    """The name of a field of booleans."""

    @property
    def read(self) -> tuple[str, ...]:
        """The fields that are read."""
        return (self.field,) if self.field else ()


ALL = Choice()


@frozen
class Aggregate:
    """One number for each agent, made of those near it."""

    kind: Kind
    into: str
    """The field that it is written into."""
    where: Choice = ALL
    within: float = inf
    """The greatest distance of those that count."""
    field: str = ""
    """The field of those near whose values are aggregated; empty if there is none."""
    of: Choice = ALL
    """Those whose share is taken."""
    axis: int = 0
    """The coordinate, for an offset."""
    otherwise: float = attribute(default=0, eq=repr)  # a NaN is equal to itself here
    """What is written where nobody is near."""

    @property
    def read(self) -> tuple[str, ...]:
        """The fields of those near that are read."""
        own = (self.field,) if self.field else ()
        return (*own, *self.where.read, *self.of.read)

    @property
    def written(self) -> tuple[str, ...]:
        """The fields that are written."""
        return (self.into,)


@frozen
class Nearest:
    """The distance to the nearest agent, its id, and values of its fields."""

    where: Choice = ALL
    within: float = inf
    side: int = 0
    """1 for those ahead on a line, -1 for those behind, 0 for all."""
    distance: str = ""
    id: str = ""
    values: tuple[tuple[str, str, float], ...] = attribute(default=(), eq=repr)
    """The field of the nearest, the field it is written into, and what is written if nobody is."""

    @property
    def read(self) -> tuple[str, ...]:
        """The fields of those near that are read."""
        return (*(theirs for theirs, _, _ in self.values), *self.where.read)

    @property
    def written(self) -> tuple[str, ...]:
        """The fields that are written."""
        return tuple(filter(None, (self.distance, self.id, *(mine for _, mine, _ in self.values))))


Quantity: TypeAlias = Aggregate | Nearest


@frozen
class Declaration:
    """Some quantities, all of which are written in one pass."""

    name: str
    """How it was declared, for messages."""
    quantities: tuple[Quantity, ...] = attribute(default=(), kw_only=True)

    @property
    def position(self) -> tuple[str, ...]:
        """The fields that say where an agent is."""
        raise NotImplementedError

    @cached_property
    def read(self) -> tuple[str, ...]:
        """The fields that must be known of every agent, beside its id and state; each once."""
        return tuple(dict.fromkeys([*self.position, *self._read()]))

    @property
    def written(self) -> tuple[str, ...]:
        """The fields that are written."""
        return tuple(name for each in self.quantities for name in each.written)

    def is_like(self, other: Declaration) -> bool:
        """Return whether the same agents are near, whatever is to be known of them."""
        return evolve(self, quantities=()) == evolve(other, quantities=())

    def _read(self) -> Iterator[str]:
        for each in self.quantities:
            yield from each.read


@frozen
class InSpace(Declaration):
    """Those within a distance are near."""

    coordinates: tuple[str, ...] = ()
    size: float = 1.0
    around: tuple[float, ...] = ()
    """The size of the world along each coordinate; infinite where it does not wrap."""

    @property
    def position(self) -> tuple[str, ...]:
        """The fields that say where an agent is."""
        return self.coordinates


@frozen
class AtPlaces(Declaration):
    """Those with the same number are near."""

    place: str = ""

    @property
    def position(self) -> tuple[str, ...]:
        """The fields that say where an agent is."""
        return (self.place,)
