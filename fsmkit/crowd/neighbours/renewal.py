"""Renewal: rewrites what agents know about their neighbours before each step of a crowd."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from math import inf
from typing import Any, Final, Protocol

from attrs import evolve

from fsmkit.crowd.compiler.columns import CrowdPlan
from fsmkit.crowd.compiler.readers import readers_of
from fsmkit.crowd.engine.store import FREE, Store
from fsmkit.crowd.errors import CrowdError
from fsmkit.crowd.neighbours.buffers import Buffers
from fsmkit.crowd.neighbours.declaration import ALL, Choice, Declaration, Quantity
from fsmkit.crowd.neighbours.query import Agents, agents_of
from fsmkit.crowd.packages import np

MAX_CANDIDATES: Final = 20_000
"""The most agents with which each may be compared, on average, when a quantity is declared.

A million agents that have no positions yet, all at 0, would take hours.
"""

LEAST_AGENTS: Final = 4096
"""The size of a crowd from which it is worth deferring what few agents read."""


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
    """Neighbours of the agents in one store.

    With `defers`, for compiled loops, what only agents in some states read is written for these in
    each step, and for the others once somebody reads the column: `Store.settle` asks for it.
    """

    def __init__(
        self,
        store: Store,
        declarations: Sequence[Declaration] = (),
        *,
        threads: int,
        defers: bool = False,
    ) -> None:
        super().__init__(store.plan, list(declarations))
        self._store = store
        self._threads = threads
        self._defers = defers
        self._buffers = Buffers()
        self._deferrals: dict[int, Deferral] = {}
        """By the place of the declaration."""

    def declare(self, declaration: Declaration, quantities: Sequence[Quantity]) -> Declaration:
        self._store.settle()
        self._deferrals.clear()
        return super().declare(declaration, quantities)

    def forget(self, declaration: Declaration) -> None:
        self._store.settle()
        self._deferrals.clear()
        self._buffers = Buffers()
        super().forget(declaration)

    def renew(self) -> None:
        is_large = self._defers and len(self._store) >= LEAST_AGENTS
        for place, each in enumerate(self.declarations):
            deferral = self._deferrals.get(place)
            is_worth_it = is_large and (deferral is None or deferral.is_worth_it)
            narrowed = self._narrowed(each) if is_worth_it else each
            agents = renew(self._store, narrowed, self._buffers, threads=self._threads)
            if narrowed is each:
                self._store.drop_deferred(map(self.plan.columns.field, each.written))
                continue
            if deferral is None:
                deferral = self._deferrals[place] = Deferral(self._store, each, self._threads)
            deferral.begin(agents)

    def prepare_events(self) -> None:
        """Write what functions may read when an event is sent, or agents are started."""
        if self._deferrals:
            self._store.seen(*readers_of(self.plan).in_events)

    def _write_first(self, declaration: Declaration) -> None:
        renew(
            self._store, declaration, self._buffers,
            threads=self._threads, max_candidates=MAX_CANDIDATES,
        )  # fmt: skip

    def _narrowed(self, declaration: Declaration) -> Declaration:
        """Return a declaration in which only agents that may read a quantity get new values."""
        open_ones = [each for each in declaration.quantities if each.asked == ALL]
        written = {name for each in open_ones for name in each.written}
        if not open_ones or written & {*self._store.lent, *self._read_by_others}:
            return declaration
        states = readers_of(self.plan).of(map(self.plan.columns.field, written))
        if states is None or len(states) == len(self.plan.states):
            return declaration
        readers = Choice(tuple(sorted(states)) or (FREE,))
        return evolve(
            declaration,
            quantities=tuple(
                evolve(each, asked=readers) if each.asked == ALL else each
                for each in declaration.quantities
            ),
        )

    @property
    def _read_by_others(self) -> set[str]:
        return {name for each in self.declarations for name in each.read}


class Deferral:
    """The agents of a declaration as they were when only some of them got new values."""

    def __init__(self, store: Store, declaration: Declaration, threads: int) -> None:
        self._store = store
        self._threads = threads
        self._begun = 0
        self._read = 0
        open_ones = tuple(each for each in declaration.quantities if each.asked == ALL)
        self._declaration = evolve(declaration, quantities=open_ones)
        self._buffers = Buffers()
        self._agents: Agents | None = None

    @property
    def is_worth_it(self) -> bool:
        """False once somebody reads the columns after every other step, or more often."""
        return self._read < 4 or 2 * self._read < self._begun

    def begin(self, agents: Agents) -> None:
        self._begun += 1
        self._agents = agents.copied(self._buffers)
        for name in self._declaration.written:
            self._store.defer(self._store.plan.columns.field(name), self._write)

    def _write(self) -> None:
        """Write the values of all agents; those that have got theirs get the same again."""
        from fsmkit.crowd.neighbours.evaluation import answers

        agents, store = self._agents, self._store
        assert agents is not None
        self._read += 1
        found = answers(self._declaration, agents, threads=self._threads)
        rows = np.searchsorted(store.ids, agents.ids)
        is_there = rows < len(store.ids)
        is_there[is_there] = store.ids[rows[is_there]] == agents.ids[is_there]
        with np.errstate(over="ignore"):  # a 32-bit column may be too small for it
            for name, values in found.items():
                store.loop_field(name)[rows[is_there]] = values[is_there]


def renew(
    store: Store,
    declaration: Declaration,
    buffers: Buffers,
    agents: Agents | None = None,
    own: slice = slice(None),
    *,
    threads: int = 1,
    max_candidates: float = inf,
) -> Agents:
    """Write quantities of the neighbours of the agents in a store; return all agents.

    `agents` are those of the whole crowd, by default those of the store, which are in `own`.
    """
    from fsmkit.crowd.neighbours.evaluation import renewed  # here: it sets up numba

    in_store, rows = agents_of(store, declaration, buffers)
    known = in_store if agents is None else agents
    found = renewed(
        declaration, known, own, buffers=buffers, threads=threads, max_candidates=max_candidates
    )
    with np.errstate(over="ignore"):  # a 32-bit column may be too small for it
        for each in found:
            where = each.rows if isinstance(rows, slice) else rows[each.rows]
            for name, values in each.values.items():
                store.loop_field(name)[where] = values
    return known


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
