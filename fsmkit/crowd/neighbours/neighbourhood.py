"""Neighbourhood: the base of what declares quantities of those near."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeAlias

from attrs import evolve

from fsmkit import FsmState
from fsmkit.crowd.errors import CrowdError
from fsmkit.crowd.neighbours.declaration import ALL, Aggregate, Choice, Declaration, Quantity
from fsmkit.crowd.neighbours.renewal import Declaring, HasNeighbours
from fsmkit.crowd.records import FITTING, Record, fitted

Where: TypeAlias = FsmState[Any] | str | Iterable[FsmState[Any] | str] | None
"""A state or its name, several of them, the name of a field of booleans, or None for all."""


class Neighbourhood:
    """Quantities of those near each agent, which are written into its fields."""

    def __init__(self, crowd: HasNeighbours, declaration: Declaration) -> None:
        host = getattr(crowd, "neighbours", None)
        if host is None:
            raise CrowdError(f"{declaration.name}: its crowd must be a Crowd, got {crowd!r}.")
        self._host: Declaring = host
        self._declaration = declaration

    @property
    def declaration(self) -> Declaration:
        """What was declared, as plain data."""
        return self._declaration

    def close(self) -> None:
        """Write nothing any more; the fields keep what is in them."""
        self._host.forget(self._declaration)
        self._declaration = evolve(self._declaration, quantities=())

    def __repr__(self) -> str:
        return self._declaration.name

    # For subclasses: what is asked for

    def _count(self, into: str, where: Where, limit: float) -> None:
        self._written(into, int)
        self._declare(Aggregate("count", into, self._choice(where), limit))

    def _sum(self, name: str, into: str, where: Where, limit: float) -> None:
        self._written(into, self._aggregated(name, "the sum"))
        self._declare(Aggregate("sum", into, self._choice(where), limit, name))

    def _mean(self, name: str, into: str, where: Where, limit: float, otherwise: float) -> None:
        self._aggregated(name, "the mean")
        self._written(into, float)
        nobody = self._fitted(float, otherwise, "otherwise")
        choice = self._choice(where)
        self._declare(Aggregate("mean", into, choice, limit, name, otherwise=nobody))

    def _share(self, of: Where, into: str, where: Where, limit: float, otherwise: float) -> None:
        self._written(into, float)
        nobody = self._fitted(float, otherwise, "otherwise")
        choice, part = self._choice(where), self._choice(of, "of")
        self._declare(Aggregate("share", into, choice, limit, of=part, otherwise=nobody))

    # For subclasses: checks

    def _declare(self, *quantities: Quantity) -> None:
        self._declaration = self._host.declare(self._declaration, quantities)

    def _aggregated(self, name: str, what: str) -> type:
        """Return the kind of a field whose values are aggregated. Raises CrowdError."""
        return self._field(name, what, (float, int, bool), "float, int or bool")

    @property
    def _record(self) -> Record:
        return self._host.plan.columns.record

    def _field(self, name: Any, what: str, kinds: tuple[type, ...], shown: str) -> type:
        """Return the kind of a field. Raises CrowdError unless it is one of `kinds`."""
        record = self._record
        if not isinstance(name, str):
            raise CrowdError(f"{self!r}: {what} must be the name of a field, got {name!r}.")
        if name not in record.kinds:
            advice = f"Add `{name}: {kinds[0].__name__} = {kinds[0]()!r}` to {record.name}."
            raise CrowdError(
                f"{self!r}: {what}: {record.name} has no field {name!r}. Its fields: "
                f"{', '.join(record.kinds)}. {advice if name.isidentifier() else ''}".rstrip()
            )
        kind = record.kinds[name]
        if kind not in kinds:
            raise CrowdError(
                f"{self!r}: {what}: {record.name}.{name} must be {shown}, got {kind.__name__}."
            )
        return kind

    def _written(self, name: Any, kind: type, what: str = "into") -> type:
        """Return the kind of a field that values of `kind` are written into. Raises CrowdError."""
        fitting = tuple(each for each in (kind, int, float) if kind in FITTING[each])
        names = dict.fromkeys(each.__name__ for each in fitting)
        if name in self._declaration.position:
            raise CrowdError(
                f"{self!r}: {what}: {name!r} says where an agent is, and is not written. Take "
                "another field."
            )
        return self._field(name, what, fitting, " or ".join(names))

    def _fitted(self, kind: type, value: Any, what: str) -> Any:
        try:
            return fitted(kind, value, what)
        except (TypeError, OverflowError) as error:
            raise CrowdError(f"{self!r}: {error}") from None

    def _choice(self, where: Where, what: str = "where") -> Choice:
        """Return the agents that count. Raises CrowdError for what is no state and no field."""
        if where is None:
            return ALL
        if isinstance(where, str) and where in self._record.kinds:
            return self._choice_by_field(where, what)
        several = [where] if isinstance(where, str | FsmState) else where
        if not isinstance(several, Iterable):
            raise self._no_choice(where, what)
        numbers = {self._state(each, what) for each in several}
        if not numbers:
            raise CrowdError(f"{self!r}: {what} must name at least one state, got {where!r}.")
        return Choice(tuple(sorted(numbers)))

    def _choice_by_field(self, name: str, what: str) -> Choice:
        if name in self._host.plan.states:
            raise CrowdError(
                f"{self!r}: {name!r} is a state and a field of {self._record.name}. Give the "
                "state itself, or a list of states."
            )
        self._field(name, what, (bool,), "bool")
        return Choice(field=name)

    def _state(self, state: Any, what: str) -> int:
        name = state.name if isinstance(state, FsmState) else state
        states = self._host.plan.states
        if name not in states:
            raise self._no_choice(state, what)
        return states.index(name)

    def _no_choice(self, where: Any, what: str) -> CrowdError:
        booleans = [name for name, kind in self._record.kinds.items() if kind is bool]
        fields = f" Its fields of booleans: {', '.join(booleans)}." if booleans else ""
        return CrowdError(
            f"{self!r}: {what} must be a state, several of them, or a field of booleans, got "
            f"{where!r}. The states: {', '.join(self._host.plan.states)}.{fields}"
        )
