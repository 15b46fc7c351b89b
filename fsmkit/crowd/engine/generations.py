"""Generations: the end of a step, when agents come into being and others go."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from fsmkit.crowd.engine.births import Births
from fsmkit.crowd.engine.report import Report
from fsmkit.crowd.engine.store import Store
from fsmkit.crowd.packages import np


class Starter(Protocol):
    """An engine, as far as new agents need it."""

    def change(
        self, where: Any, event: int, world: Mapping[str, Any], moved: Any, first: int = 0
    ) -> Report:
        """Send an event, or start, in the rows from `first` on where `where` is true."""
        ...


def bring_up(store: Store, engine: Starter, world: Mapping[str, Any], report: Report) -> None:
    """Add the agents that were spawned, and start them; then those that they spawned, and so on.

    That ends when nobody is born any more, or, with an error in the report, as soon as those of
    later generations are more than `max_transitions` for each of the first.
    """
    births = report.take_births()
    born, most = 0, len(births or ()) * (1 + store.plan.max_transitions)
    while births is not None:
        born += len(births)
        if born > most:
            report.born_without_end = born
            return
        _start(store, engine, world, report, births)
        births = report.take_births()


def remove_retired(store: Store) -> None:
    """Remove the agents in states that retire them."""
    for number in store.plan.retiring:
        store.remove(np.flatnonzero(store.seen("state").columns["state"] == number))


def _start(
    store: Store, engine: Starter, world: Mapping[str, Any], report: Report, births: Births
) -> None:
    first = store.grow(len(births)).start
    for name, cells in births.cells.items():
        store.rows.columns[name][first:] = cells
    for number in np.unique(births.starts).tolist():
        where = births.starts == number
        code = len(store.plan.events) + number
        report.merge(engine.change(where, code, world, np.zeros(len(where), np.bool_), first))
