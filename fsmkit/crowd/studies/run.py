"""Run: one run of a study, as plain data that can be sent to another process."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from typing import Any

from attrs import evolve, field, frozen

from fsmkit.crowd.compiler.plan import Plan
from fsmkit.crowd.engine.store import Store
from fsmkit.crowd.neighbours.declaration import Declaration
from fsmkit.crowd.results.measure import Measure


@frozen(eq=False)
class Snapshot:
    """The agents of a crowd at one moment."""

    arrays: Mapping[str, Any]
    time: float
    delta_time: float
    step: int
    next_id: int

    @classmethod
    def of(cls, store: Store) -> Snapshot:
        """Return what is in a store. The arrays are its own, not copies."""
        return cls(store.arrays(), store.time, store.delta_time, store.step, store.next_id)

    def restore(self, store: Store) -> None:
        """Write everything into a store; the arrays are copied."""
        store.replace({name: array.copy() for name, array in self.arrays.items()})
        store.time, store.delta_time = self.time, self.delta_time
        store.step, store.next_id = self.step, self.next_id


@frozen(eq=False)
class Course:
    """What all runs of a study have in common: how they begin, and what is done and measured."""

    plan: Plan
    origin: Snapshot
    world: Mapping[str, Any]
    """All values of the world, in the order of the loops' arguments."""
    neighbours: Sequence[Declaration]
    """What agents know of those near them, renewed before each step."""
    dt: float
    steps: int
    every: int | None
    """The number of steps after which is measured; None: in the end only."""
    start: int | None
    """The code of the start that each run begins with; None for none."""
    measures: Sequence[Measure] | None
    """None if whole snapshots are wanted, for a function of the user."""


@frozen(eq=False)
class Run:
    """The values of one run."""

    seed: int
    world: Mapping[str, Any] = field(factory=dict)
    """Fields of the world."""
    action: Mapping[str, Any] = field(factory=dict)
    """Arguments of the loops."""
    agents: Mapping[str, Any] = field(factory=dict)
    """Columns, with one value for all agents."""

    def plan_of(self, plan: Plan) -> Plan:
        """Return the plan with the numbers of this run."""
        return evolve(plan, parameters={**plan.parameters, **self.action})

    def world_of(self, world: Any) -> Any:
        """Return a copy of a world with the values of this run."""
        own = copy(world)
        for name, value in self.world.items():
            object.__setattr__(own, name, value)  # the class may be frozen
        return own


@frozen(eq=False)
class Moment:
    """What was measured at one time of a run."""

    time: float
    values: Sequence[float] = ()
    snapshot: Snapshot | None = None
