"""ShardNeighbours: what agents know of those near them, wherever these are."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import evolve

from fsmkit.crowd.compiler.plan import Plan
from fsmkit.crowd.neighbours.declaration import Declaration, Quantity
from fsmkit.crowd.neighbours.renewal import extend, undeclared
from fsmkit.crowd.shards.driver import Driver


class ShardNeighbours:
    """Has the shards write what was declared; `Cells` and `Places` declare it.

    Before each step the fields that are read are gathered from all shards, and handed to all of
    them. What was declared is a part of checkpoints.
    """

    def __init__(self, driver: Driver) -> None:
        self._driver = driver

    @property
    def plan(self) -> Plan:
        """The machine of the crowd."""
        return self._driver.plan

    @property
    def declarations(self) -> tuple[Declaration, ...]:
        """What was declared, in the order of renewing."""
        return tuple(self._driver.declarations)

    def declare(self, declaration: Declaration, quantities: Sequence[Quantity]) -> Declaration:
        """Add quantities to a declaration, write them at once, and return the new declaration.

        What is declared already is only written. Raises CrowdError for a field that something else
        is written into, and for values that are not finite; what there was is kept then.
        """
        declarations = self._driver.declarations
        new = undeclared(declarations, declaration, quantities)
        self._driver.renew(evolve(declaration, quantities=tuple(quantities)))
        return extend(declarations, declaration, new)

    def forget(self, declaration: Declaration) -> None:
        """Write it no more."""
        if declaration in self._driver.declarations:
            self._driver.declarations.remove(declaration)
