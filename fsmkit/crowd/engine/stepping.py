"""Stepping: the steps of a crowd in one process: updates, events and starts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attrs import frozen

from fsmkit.crowd.engine.generations import bring_up, remove_retired
from fsmkit.crowd.engine.report import Report
from fsmkit.crowd.engine.store import Store
from fsmkit.crowd.engine.targets import Running
from fsmkit.crowd.neighbours.renewal import Neighbours
from fsmkit.crowd.packages import np


@frozen(eq=False)
class Stepping:
    """Carries out steps. Each raises what the functions of agents have raised, at its end."""

    store: Store
    engine: Running
    neighbours: Neighbours

    def update(self, dt: float, world: dict[str, Any]) -> None:
        """Let `dt` seconds pass for every agent; they are `world["dt"]` as well."""
        self.neighbours.renew()
        self.store.pass_time(dt)
        self._settle(self.engine.update(world), world)

    def change(self, mask: Any, code: int, world: Mapping[str, Any], first: int = 0) -> int:
        """Send an event, or start, in the rows from `first` on where `mask` is true.

        Return how many changed their state.
        """
        moved = np.zeros(len(mask), np.bool_)
        self.store.step += 1
        self._settle(self.engine.change(mask, code, world, moved, first), world)
        return int(moved.sum())

    def _settle(self, report: Report, world: Mapping[str, Any]) -> None:
        """Add the agents that were spawned, remove those that retire, and raise the errors."""
        if report.births:
            bring_up(self.store, self.engine, world, report)
        if self.store.plan.retiring:
            remove_retired(self.store)
        report.raise_errors(self.store.plan)
