"""Renewal: rewrites what agents know about their neighbours before each step of a crowd."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from math import inf
from typing import Any, Final, Protocol

from attrs import evolve

from fsmkit.crowd.compiler.columns import CrowdPlan
from fsmkit.crowd.engine.store import Store
from fsmkit.crowd.errors import CrowdError
from fsmkit.crowd.neighbours.declaration import Declaration, Quantity
from fsmkit.crowd.neighbours.query import agents_of
from fsmkit.crowd.packages import np

MAX_CANDIDATES: Final = 20_000
"""The most agents with which each may be compared, on average, when a quantity is declared.

A million agents that have no positions yet, all at 0, would take hours.
"""


class DeclaredNeighbours(ABC):
    def __init__(self, plan: CrowdPlan, declarations: list[Declaration]) -> None:
        self.plan = plan
        self.declarations = declarations

    @abstractmethod
    def _write_first(self, declaration: Declaration) -> None: ...

    def declare(self, declaration: Declaration, quantities: Sequence[Quantity]) -> Declaration:
        """Add quantities to a declaration, write them at once, and return the new declaration.

        Quantities that are declared already are only written. Raises CrowdError, and changes no
        declaration, for a field that something else writes, and for values that are not finite.
        """
        new = undeclared(self.declarations, declaration, quantities)
        self._write_first(evolve(declaration, quantities=tuple(quantities)))
        if not new:
            return declaration
        extended = evolve(declaration, quantities=(*declaration.quantities, *new))
        if declaration in self.declarations:
            self.declarations[self.declarations.index(declaration)] = extended
        else:
            self.declarations.append(extended)
        return extended

    def forget(self, declaration: Declaration) -> None:
        if declaration in self.declarations:
            self.declarations.remove(declaration)


class HasNeighbours(Protocol):
    neighbours: Any
    """Its DeclaredNeighbours."""


class Neighbours(DeclaredNeighbours):
    def __init__(
        self, store: Store, declarations: Sequence[Declaration] = (), *, threads: int
    ) -> None:
        super().__init__(store.plan, list(declarations))
        self._store = store
        self._threads = threads

    def _write_first(self, declaration: Declaration) -> None:
        self._renew(declaration, MAX_CANDIDATES)

    def renew(self) -> None:
        for each in self.declarations:
            self._renew(each)

    def _renew(self, declaration: Declaration, max_candidates: float = inf) -> None:
        from fsmkit.crowd.neighbours.evaluation import answers  # here: it sets up numba

        store = self._store
        agents, rows = agents_of(store, declaration)
        found = answers(declaration, agents, threads=self._threads, max_candidates=max_candidates)
        with np.errstate(over="ignore"):  # a 32-bit column may be too small for it
            for name, values in found.items():
                store.field(name)[rows] = values


def undeclared(
    declarations: Sequence[Declaration], declaration: Declaration, quantities: Sequence[Quantity]
) -> list[Quantity]:
    """Return the quantities that are not declared yet.

    Raises CrowdError if one would be written to a field that something else writes.
    """
    same = [each for each in declarations if each.is_like(declaration)]
    new = [one for one in quantities if not any(one in each.quantities for each in same)]
    written = [name for each in new for name in each.written]
    for name in written:
        for each in declarations:
            if name in each.written:
                raise CrowdError(
                    f"{name!r} is written by {each.name} already. Use another field, or close() "
                    "that one first."
                )
        if written.count(name) > 1:
            raise CrowdError(f"{name!r} must be written once, got {written.count(name)} times.")
    return new
