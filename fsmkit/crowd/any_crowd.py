"""AnyCrowd: the calls of a crowd that do not depend on where its agents are."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from fsmkit import Fsm, FsmState
from fsmkit.crowd.argument_checks import checked_integer
from fsmkit.crowd.compiler.columns import CrowdPlan
from fsmkit.crowd.compiler.layout import Layout
from fsmkit.crowd.engine.store import FieldColumns, Store
from fsmkit.crowd.errors import CrowdError
from fsmkit.crowd.machine import CrowdFsm
from fsmkit.crowd.neighbours.renewal import DeclaredNeighbours
from fsmkit.crowd.promotion import promoted


class AnyCrowd(ABC):
    """Agents that run `machine`, and the values that they share."""

    _READING: ClassVar[str]
    """How a column is read, for messages; `_WRITING` how it is written."""
    _WRITING: ClassVar[str]

    machine: CrowdFsm
    world: Any
    """The values that all agents share, an instance of the machine's world."""
    layout: Layout
    """The machine as the crowd sees it, copied when the crowd was made."""
    neighbours: DeclaredNeighbours
    """Quantities written before each step; see `Cells` and `Places`."""
    _plan: CrowdPlan
    _fields: FieldColumns

    @property
    def source(self) -> str:
        """The text of the compiled loops; empty with the Python engine."""
        return self._plan.text

    def start(self, state: FsmState[Any] | str | None = None, where: Any = None) -> None:
        """Start agents in `state`, by default the first; running ones exit theirs before.

        `where` is a mask, indices, or a state or its name, in a ShardedCrowd also a condition such
        as `crowd.is_where("x", "<", 5.0)`; by default all agents start.
        """
        first = self.layout.states[0] if state is None else state
        self._change(where, self.layout.start_number(first))

    def send_event(self, event: str, where: Any = None) -> int:
        """Send `event` to all agents, or to those in `where`; see `start`.

        Returns the number of agents that changed state (or reentered it). Raises CrowdError for an
        event that no state knows.
        """
        return self._change(where, self.layout.event_number(event))

    def fsm(self, index: int) -> Fsm[Any]:
        """Return an ordinary machine in the state of one agent; see `fsmkit.crowd.promotion`."""
        store, row = self._located(index)
        return promoted(self.layout, store, self.world, row)

    if not TYPE_CHECKING:  # otherwise type checkers would accept any attribute

        def __getattr__(self, name: str) -> Any:
            """Raise AttributeError; for the name of a field it names the way to the column."""
            if self._is_column(name):
                way = self._READING.format(name=name)
                raise AttributeError(f"{name!r} is a column. Take {way}.")
            return super().__getattribute__(name)  # raises

        def __setattr__(self, name: str, value: Any) -> None:
            """Set an attribute; CrowdError for the name of a field, as no column would change."""
            if self._is_column(name) and not hasattr(self, name):
                way = self._WRITING.format(name=name)
                raise CrowdError(f"{name!r} is a column. Write {way}")
            super().__setattr__(name, value)

    @abstractmethod
    def _change(self, where: Any, code: int) -> int:
        """Send an event, or start, to those in `where`; return how many changed their state."""

    @abstractmethod
    def _located(self, index: int) -> tuple[Store, int]:
        """Return a store with this agent, and its row there."""

    @abstractmethod
    def _delta_time(self) -> float:
        """Return the seconds of the last step."""

    def _world_values(self) -> dict[str, Any]:
        return self.layout.world_values(self.world, self._delta_time())

    def _checked_new(
        self, count: Any, start: FsmState[Any] | str | None, fields: Mapping[str, Any]
    ) -> tuple[dict[str, Any], int | None, dict[str, Any]]:
        count = checked_integer(count, "The number of agents to add")
        values = {name: self._fields.cells(name, each, count) for name, each in fields.items()}
        code = None if start is None else self.layout.start_number(start)
        return values, code, self._world_values()

    def _is_column(self, name: str) -> bool:
        layout = vars(self).get("layout")  # it is set last
        return layout is not None and name in layout.columns.record.kinds


def check_machine(owner: str, machine: object) -> None:
    if not isinstance(machine, CrowdFsm):
        raise CrowdError(
            f"The machine of a {owner} must be a CrowdFsm, got {machine!r}. Build it with "
            "CrowdFsm(name, agent, world) and actions of fsmkit.crowd; it runs as one agent, too. "
            "docs/crowds.md, 'From one machine to a crowd', shows the counterparts."
        )
