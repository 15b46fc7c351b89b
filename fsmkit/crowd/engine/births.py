"""Births: the agents that others have spawned in a step, before they belong to the crowd."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from attrs import define

from fsmkit.crowd.compiler.plan import Plan
from fsmkit.crowd.packages import np

ROOM: Final = 4096
"""Births that a loop notes, at least, before it stops to have them taken away."""


@define(eq=False)
class Births:
    """New agents as columns, in the order of their parents' ids, and of the calls of each."""

    parents: Any
    """The ids of their parents."""
    starts: Any
    """The numbers of the states in which they start."""
    cells: dict[str, Any]
    """The columns of all fields."""

    def __len__(self) -> int:
        return len(self.parents)


def joined(parts: Sequence[Births]) -> Births | None:
    """Return all of them, in the order of their parents; None if there are none."""
    if not parts:
        return None
    parents = np.concatenate([each.parents for each in parts])
    order = np.argsort(parents, kind="stable")
    starts = np.concatenate([each.starts for each in parts])[order]
    cells = {
        name: np.concatenate([each.cells[name] for each in parts])[order] for name in parts[0].cells
    }
    return Births(parents[order], starts, cells)


class BirthNotes:
    """Where the loops of one thread note births: for a machine whose agents spawn others.

    A loop stops before an agent for whose children there may be no room.
    """

    def __init__(self, plan: Plan, columns: Mapping[str, Any]) -> None:
        room = ROOM + plan.most_births
        self._counts = np.array([0, ROOM, -1])
        """The births; how many there may be before the next agent; who a loop has stopped at."""
        self._births = Births(
            np.empty(room, np.int64),
            np.empty(room, np.int16),
            {name: np.empty(room, columns[name].dtype) for name in plan.columns.of_fields},
        )

    @property
    def arguments(self) -> tuple[Any, ...]:
        """The arguments of a loop."""
        births = self._births
        return self._counts, births.parents, births.starts, *births.cells.values()

    def taken(self) -> tuple[list[Births], int | None]:
        """Take the births away; return them with the place where the loop has stopped, if it has.

        They are a list, of one or none.
        """
        count, _, stopped = self._counts.tolist()
        self._counts[:] = 0, ROOM, -1
        births = self._births
        part = Births(
            births.parents[:count].copy(),
            births.starts[:count].copy(),
            {name: column[:count].copy() for name, column in births.cells.items()},
        )
        return [part] if count else [], stopped if stopped >= 0 else None
