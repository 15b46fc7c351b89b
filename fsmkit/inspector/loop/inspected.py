"""Inspected: what is on display by name, whatever it is: machines, or a crowd and its agents."""

from __future__ import annotations

from typing import Any, Protocol

from fsmkit import Fsm, FsmGroup
from fsmkit.diagram.graph import Graph
from fsmkit.inspector.reading.chart import Extent
from fsmkit.inspector.reading.details import Detail
from fsmkit.inspector.reading.log import Log
from fsmkit.inspector.reading.rewind import RewindFrame
from fsmkit.tooling.nesting import MachineNames

Names = list[tuple[str, str | None]]
"""Names and states; None for what is not running."""


class Watched(Protocol):
    """One of them, with its log and its past, while a page shows it."""

    @property
    def machine(self) -> Fsm[Any]:
        """The machine itself; of a crowd, the one that all its agents run."""
        ...

    @property
    def log(self) -> Log:
        """What has happened."""
        ...

    def before_update(self) -> None:
        """Called before each update."""

    def after_update(self) -> None:
        """Called after each update."""

    def detail(self) -> Detail:
        """Return what the page shows of it as it is now."""
        ...

    def drawing(self, extent: Extent | None = None) -> tuple[Graph, dict[str, Any]]:
        """Return the graph to draw and the meaning of its parts."""
        ...

    def moment(self, time: float) -> dict[str, Any] | None:
        """Return what the page shows of it as it was then; None if nothing has been kept yet."""
        ...

    def go_back(self, seq: int) -> RewindFrame | None:
        """Go back to a moment and return it; None if it is not kept or has no snapshot."""
        ...

    def note(self, text: str) -> None:
        """Write a note of the inspector into the log."""

    def note_jump(self, text: str) -> None:
        """Note that machines are in other states without having changed to them."""

    def close(self) -> None:
        """Stop watching."""


class Inspected(Protocol):
    """The rows of the page's list, and which of them have changed since the last frame."""

    naming: MachineNames

    @property
    def machines(self) -> Fsm[Any] | FsmGroup:
        """The machines, for a snapshot of all. Raises RequestError if there are none."""
        ...

    @property
    def first(self) -> str | None:
        """The name of the first one; None if there is none."""
        ...

    @property
    def states(self) -> Names:
        """The name and the state of each. May be read from any thread."""
        ...

    def __contains__(self, name: object) -> bool: ...

    def machine(self, name: str) -> Fsm[Any]:
        """Return the machine of that name, nested ones included. Raises RequestError."""
        ...

    def is_there(self, name: str, watched: Watched) -> bool:
        """Return True if that is still what is shown under that name."""
        ...

    def update(self) -> tuple[Names, list[str]]:
        """Return those that have joined, with their states, and the names that have left."""
        ...

    def mark_all_changed(self) -> None:
        """Mark all as changed: any of them may be in another state."""

    def changed_states(self) -> dict[str, str | None]:
        """Return the states of those that have changed since the last call."""
        ...

    def close(self) -> None:
        """Stop watching."""
