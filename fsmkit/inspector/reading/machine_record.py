"""MachineRecord: what is kept of every machine, also of those that nobody has selected."""

from __future__ import annotations

from collections import deque
from typing import Final, NamedTuple

from attrs import define, field

from fsmkit.inspector.reading.log import Entry

MOST_TROUBLES: Final = 50
"""Entries about errors and unhandled events that are kept of each machine."""


@define(eq=False)
class MachineRecord:
    """Counts, times and the latest troubles of one machine and of those nested in it.

    It knows no machine, so that one that has left the group is not kept by it.
    """

    name: str
    state: str | None
    """The state in the latest change; None while it is not running."""
    changed_at: float
    """The time of the latest change, or when the machine was added."""
    errors: int = 0
    unhandled: int = 0
    added_at: float = 0.0
    left_at: float | None = None
    """When the machine has left; None while it is there."""
    troubles: deque[Entry] = field(factory=lambda: deque(maxlen=MOST_TROUBLES))
    event: str | None = None
    """The event that last decided a change."""
    trouble: tuple[str, ...] = ()
    """What the latest of them was about; one that repeats it is only counted."""

    @property
    def is_gone(self) -> bool:
        """True if the machine has left."""
        return self.left_at is not None

    @property
    def mark(self) -> tuple[int, int]:
        """The numbers of errors and of unhandled events."""
        return self.errors, self.unhandled


class Change(NamedTuple):
    """A machine got into another state, or into the same one again."""

    seq: int
    """Changes and troubles are numbered together, in the order in which they happened."""
    time: float
    record: MachineRecord
    kind: str
    """`"enter"`, `"resume"`, or `"leave"` when the machine was stopped."""
    state: str | None
    """None after `"leave"`."""
    event: str | None
