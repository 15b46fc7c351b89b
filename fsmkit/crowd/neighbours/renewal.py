"""Neighbours: what a crowd's agents know of those near them, renewed before each step."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import TYPE_CHECKING, Final, Protocol

from attrs import evolve

from fsmkit.crowd.errors import CrowdError
from fsmkit.crowd.neighbours.agents import agents_of
from fsmkit.crowd.neighbours.declaration import Declaration, Quantity
from fsmkit.crowd.packages import np

if TYPE_CHECKING:
    from fsmkit.crowd.compiler.plan import Plan
    from fsmkit.crowd.engine.store import Store


MAX_CANDIDATES: Final = 20_000
"""The most agents that each may be compared with, on average, when a quantity is declared.

A million agents that have no places yet, all at 0, would take hours.
"""


class Declaring(Protocol):
    """Keeps declarations, and writes what they are about before each step."""

    @property
    def plan(self) -> Plan:
        """The machine of the crowd."""
        ...

    def declare(self, declaration: Declaration, quantities: Sequence[Quantity]) -> Declaration:
        """Add quantities to a declaration, write them at once, and return the new declaration.

        What is declared already is only written. Raises CrowdError, and keeps what there was.
        """
        ...

    def forget(self, declaration: Declaration) -> None:
        """Write it no more."""
        ...


class HasNeighbours(Protocol):
    """A crowd."""

    @property
    def neighbours(self) -> Declaring:
        """What its agents know of those near them."""
        ...


class Neighbours:
    """Writes what was declared into the columns of a store."""

    def __init__(
        self,
        store: Store,
        declarations: Sequence[Declaration] = (),
        *,
        is_compiled: bool,
        threads: int,
    ) -> None:
        self._store = store
        self._is_compiled = is_compiled
        self._threads = threads
        self._declarations = list(declarations)

    @property
    def plan(self) -> Plan:
        """The machine of the crowd."""
        return self._store.plan

    @property
    def declarations(self) -> tuple[Declaration, ...]:
        """What was declared, in the order of renewing."""
        return tuple(self._declarations)

    def declare(self, declaration: Declaration, quantities: Sequence[Quantity]) -> Declaration:
        """Add quantities to a declaration, write them at once, and return the new declaration.

        What is declared already is only written. Raises CrowdError for a field that something else
        is written into, and for values that are not finite; what there was is kept then.
        """
        new = undeclared(self._declarations, declaration, quantities)
        self._renew(evolve(declaration, quantities=tuple(quantities)), MAX_CANDIDATES)
        return extend(self._declarations, declaration, new)

    def restore(self, declarations: Sequence[Declaration]) -> None:
        """Go on with what was declared in another crowd; it is not written before the next step."""
        self._declarations = list(declarations)

    def forget(self, declaration: Declaration) -> None:
        """Write it no more."""
        if declaration in self._declarations:
            self._declarations.remove(declaration)

    def renew(self) -> None:
        """Write everything anew. Raises CrowdError for values that are not finite."""
        for each in self._declarations:
            self._renew(each)

    def _renew(self, declaration: Declaration, max_candidates: float = inf) -> None:
        from fsmkit.crowd.neighbours.answers import answers  # here: it sets up compiled functions

        store = self._store
        agents, rows = agents_of(store, declaration)
        found = answers(
            declaration,
            agents,
            is_compiled=self._is_compiled,
            threads=self._threads,
            max_candidates=max_candidates,
        )
        with np.errstate(over="ignore"):  # a column of 32 bits may not hold it
            for name, values in found.items():
                store.field(name)[rows] = values


def undeclared(
    declarations: Sequence[Declaration], declaration: Declaration, quantities: Sequence[Quantity]
) -> list[Quantity]:
    """Return those of the quantities of a declaration that are not declared yet.

    Raises CrowdError if one would be written into a field that something else is written into.
    """
    same = [each for each in declarations if each.is_like(declaration)]
    new = [one for one in quantities if not any(one in each.quantities for each in same)]
    written = [name for each in new for name in each.written]
    for name in written:
        for each in declarations:
            if name in each.written:
                raise CrowdError(
                    f"{name!r} is written by {each.name} already. Take another field, or close() "
                    "that one first."
                )
        if written.count(name) > 1:
            raise CrowdError(f"{name!r} must be written once, got it {written.count(name)} times.")
    return new


def extend(
    declarations: list[Declaration], declaration: Declaration, new: Sequence[Quantity]
) -> Declaration:
    """Add quantities to one of the declarations, or to one that is new; return it."""
    if not new:
        return declaration
    extended = evolve(declaration, quantities=(*declaration.quantities, *new))
    if declaration in declarations:
        declarations[declarations.index(declaration)] = extended
    else:
        declarations.append(extended)
    return extended
