"""Calls, and the log of those that a lost shard has to repeat."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from attrs import define, field

from fsmkit.crowd.neighbours.declaration import Declaration
from fsmkit.crowd.packages import np
from fsmkit.crowd.shards.conditions import Listed, Masked
from fsmkit.crowd.table import Table

MOST_BYTES: Final = 64 * 2**20
"""The size of a log that is too long to be kept."""

BYTES_OF_A_CALL: Final = 1000
"""The approximate size of a call without its arrays."""


@define(eq=False)
class Call:
    """A call that changes something, for all shards."""

    number: int
    world: Mapping[str, Any]
    """The values of the world that may have changed since the last call."""
    name: str
    arguments: Sequence[tuple[Any, ...]]
    """Those of each shard."""
    steps: int = 1
    needs: Declaration | None = None
    """What every shard must be told of the agents of all: they do it together, or not at all."""
    told: Sequence[tuple[Any, ...]] | None = None
    """What each shard is told, until all have done it."""

    def arguments_of(self, shard: int) -> tuple[Any, ...]:
        """Return the arguments of `ShardHost.do` for a shard."""
        told = () if self.told is None else self.told[shard]
        return self.number, self.world, self.name, (*self.arguments[shard], *told)

    @property
    def size(self) -> int:
        """The approximate number of bytes."""
        return BYTES_OF_A_CALL + _size([self.world.values(), self.arguments])


@define(eq=False)
class CallLog:
    """The calls since the last checkpoint, or since the beginning."""

    calls: list[Call] = field(factory=list, init=False)
    size: int = field(default=0, init=False)
    """The bytes of all calls, approximately."""
    is_cut: bool = field(default=False, init=False)
    """True if the log was given up, as it was too long: nothing can be repeated then."""

    def add(self, call: Call) -> None:
        """Add a call."""
        self.size += call.size
        if not self.is_cut:
            self.calls.append(call)

    @property
    def needs_all(self) -> bool:
        """True if a lost shard cannot repeat it without the others."""
        return any(call.needs is not None for call in self.calls)

    @property
    def is_full(self) -> bool:
        """True if it holds more than it should."""
        return self.size > MOST_BYTES

    def cut(self) -> None:
        """Give the log up."""
        self.calls.clear()
        self.is_cut = True

    def clear(self) -> None:
        """Forget all calls: there is a checkpoint."""
        self.calls.clear()
        self.size, self.is_cut = 0, False


def _size(values: Iterable[Any]) -> int:
    """Return the bytes of all arrays in there."""
    size = 0
    for each in values:
        if isinstance(each, np.ndarray):
            size += each.nbytes
        elif isinstance(each, Table):
            size += each.array.nbytes
        elif isinstance(each, Masked):
            size += each.bits.nbytes
        elif isinstance(each, Listed):
            size += each.indices.nbytes
        elif isinstance(each, Mapping):
            size += _size(each.values())
        elif isinstance(each, Iterable) and not isinstance(each, str):
            size += _size(each)
    return size
