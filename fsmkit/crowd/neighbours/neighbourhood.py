"""Cells and Places: quantities of neighbours, written into fields of agents."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import inf, isfinite
from typing import Any, Final, TypeAlias

from attrs import evolve

from fsmkit import FsmState
from fsmkit.core.checks import arguments
from fsmkit.crowd.errors import CrowdError
from fsmkit.crowd.neighbours.declaration import (
    ALL,
    Aggregate,
    AggregateKind,
    AtPlaces,
    Choice,
    Declaration,
    InSpace,
    Nearest,
    Quantity,
)
from fsmkit.crowd.neighbours.renewal import DeclaredNeighbours, HasNeighbours
from fsmkit.crowd.records import FITTING, Record, fitted

Where: TypeAlias = FsmState[Any] | str | Iterable[FsmState[Any] | str] | None
"""A state or its name, several of them, the name of a boolean field, or None for all agents."""

SMALLEST: Final = 1e-100
LARGEST: Final = 1e100
"""The limits of sizes, whose squares must be finite and above 0 too."""


class Neighbourhood:
    """Quantities of the neighbours of each agent, which are written into its fields."""

    def __init__(self, crowd: HasNeighbours, declaration: Declaration) -> None:
        host = getattr(crowd, "neighbours", None)
        if host is None:
            raise CrowdError(f"{declaration.name}: its crowd must be a Crowd, got {crowd!r}.")
        self._host: DeclaredNeighbours = host
        self._record: Record = host.plan.columns.record
        self._declaration = declaration

    @property
    def declaration(self) -> Declaration:
        """The declaration as plain data."""
        return self._declaration

    def close(self) -> None:
        """Stop writing; the fields keep their last values."""
        self._host.forget(self._declaration)
        self._declaration = evolve(self._declaration, quantities=())

    def __repr__(self) -> str:
        return self._declaration.name

    # For subclasses

    def _aggregate(
        self,
        kind: AggregateKind,
        into: str,
        where: Where,
        limit: float = inf,
        *,
        field: str = "",
        of: Where = None,
        otherwise: float = 0,
        for_: Where,
    ) -> None:
        written: type = int if kind == "count" else float
        if field:
            own = self._aggregated(kind, field)
            written = float if kind == "mean" else own
        shared = self._choice(of, "of") if kind == "share" else ALL
        self._written(into, written)
        alone = 0
        if kind not in ("count", "sum"):
            is_extreme = kind in ("least", "most")
            what = f", what {into!r} is if no agent is near," if is_extreme else ""
            alone = self._fitted(written, otherwise, f"otherwise{what}")
        choice, asked = self._choice(where), self._choice(for_, "for_")
        self._declare(
            Aggregate(kind, into, choice, limit, field, shared, otherwise=alone, asked=asked)
        )

    def _declare(self, *quantities: Quantity) -> None:
        self._declaration = self._host.declare(self._declaration, quantities)

    def _aggregated(self, kind: AggregateKind, name: str) -> type:
        if kind in ("least", "most"):
            return self._field(name, "what is compared", (float, int))
        return self._field(name, f"the {kind}", (float, int, bool))

    def _field(self, name: Any, what: str, kinds: Sequence[type]) -> type:
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
            *others, last = (each.__name__ for each in kinds)
            shown = f"{', '.join(others)} or {last}" if others else last
            raise CrowdError(
                f"{self!r}: {what}: {record.name}.{name} must be {shown}, got {kind.__name__}."
            )
        return kind

    def _written(self, name: Any, kind: type, what: str = "into") -> type:
        fitting = [each for each in dict.fromkeys((kind, int, float)) if kind in FITTING[each]]
        if name in self._declaration.position:
            raise CrowdError(
                f"{self!r}: {what}: {name!r} holds the positions of agents and cannot be written. "
                "Use another field."
            )
        return self._field(name, what, fitting)

    def _fitted(self, kind: type, value: Any, what: str) -> Any:
        try:
            return fitted(kind, value, what)
        except (TypeError, OverflowError) as error:
            raise CrowdError(f"{self!r}: {error}") from None

    def _choice(self, where: Where, what: str = "where") -> Choice:
        if where is None:
            return ALL
        if isinstance(where, str) and where in self._record.kinds:
            if where in self._host.plan.states:
                raise CrowdError(
                    f"{self!r}: {where!r} is both a state and a field of {self._record.name}. Pass "
                    "the state itself, or a list of states."
                )
            self._field(where, what, (bool,))
            return Choice(field=where)
        several = [where] if isinstance(where, str | FsmState) else where
        if not isinstance(several, Iterable):
            raise self._invalid_choice(where, what)
        numbers = {self._state(each, what) for each in several}
        if not numbers:
            raise CrowdError(f"{self!r}: {what} must name at least one state, got {where!r}.")
        return Choice(tuple(sorted(numbers)))

    def _state(self, state: Any, what: str) -> int:
        name = state.name if isinstance(state, FsmState) else state
        states = self._host.plan.states
        if name not in states:
            raise self._invalid_choice(state, what)
        return states.index(name)

    def _invalid_choice(self, where: Any, what: str) -> CrowdError:
        booleans = [name for name, kind in self._record.kinds.items() if kind is bool]
        fields = f" Its boolean fields: {', '.join(booleans)}." if booleans else ""
        return CrowdError(
            f"{self!r}: {what} must be a state, several of them, or a boolean field, got "
            f"{where!r}. The states: {', '.join(self._host.plan.states)}.{fields}"
        )


class Places(Neighbourhood):
    """What the agents of a crowd know about others at the same place.

    `place` is the name of a field of int: agents with the same number are at the same place. No
    agent counts itself. As with `Cells`, quantities are written when they are declared and before
    each step of an `update`, for all agents or `for_` some; and the order of agents or threads
    changes no bit of them.

    >>> from attrs import define
    >>> from fsmkit.crowd import Crowd, CrowdFsm, Places
    >>> @define
    ... class Person:
    ...     home: int = 0
    ...     ill_at_home: float = 0.0
    >>> machine = CrowdFsm("Person", Person)
    >>> healthy, ill = machine.add_state("Healthy"), machine.add_state("Ill")
    >>> crowd = Crowd(machine, 5, start="Healthy", engine="python")
    >>> crowd["home"] = [7, 7, 7, 8, 9]
    >>> crowd.start("Ill", where=[0, 3])
    >>> Places(crowd, "home").share("Ill", into="ill_at_home")
    >>> crowd["ill_at_home"].tolist()
    [0.0, 0.5, 0.5, 0.0, 0.0]
    """

    def __init__(self, crowd: HasNeighbours, place: str) -> None:
        super().__init__(crowd, AtPlaces(f"Places({place!r})", place=place))
        self._field(place, "a place", (int,))

    def count(self, *, into: str, where: Where = None, for_: Where = None) -> None:
        """Write the number of others there into a field of int or float."""
        self._aggregate("count", into, where, for_=for_)

    def sum(self, name: str, *, into: str, where: Where = None, for_: Where = None) -> None:
        """Write the sum of the fields called `name` of the others there; 0 if there are none."""
        self._aggregate("sum", into, where, field=name, for_=for_)

    def mean(
        self,
        name: str,
        *,
        into: str,
        where: Where = None,
        otherwise: float = 0.0,
        for_: Where = None,
    ) -> None:
        """Write the mean of the fields called `name` of the others there into a field of float.

        It is `otherwise` if there are none.
        """
        self._aggregate("mean", into, where, field=name, otherwise=otherwise, for_=for_)

    def share(
        self,
        of: Where,
        *,
        into: str,
        where: Where = None,
        otherwise: float = 0.0,
        for_: Where = None,
    ) -> None:
        """Write the share of `of` among the others there, from 0 to 1, into a field of float.

        It is `otherwise` if there are none.
        """
        self._aggregate("share", into, where, of=of, otherwise=otherwise, for_=for_)


class Cells(Neighbourhood):
    """What the agents of a crowd know about those nearby: within the distance `size`.

    `coordinates` are the names of one, two or three fields, of float or int. Quantities are written
    into fields of the agents when they are declared, and before each step of an `update`: functions
    of actions read `agent.near_ill` like any other field. No agent is near itself.

    - `around`: the size of a world that wraps, for all coordinates, or one for each, with None for
      a coordinate that does not wrap. Distances are the shorter way round.
    - `where`, in all methods: the agents that count, by state or a boolean field; by default all,
      including those that are not running.
    - `within`, in all methods: a smaller distance than `size`.
    - `for_`, in all methods: the agents that get new values, given as for `where`; by default all.
      The others keep what they have. It is looked up before each step, so an agent that enters a
      state gets its first value before the next step, after its `on_enter`.

    The order of the agents and the number of threads change no bit of the results: counts are
    integers, and sums are computed in 64-bit fixed point. For that, floats are rounded to multiples
    of about g * n / 2**62, where g is the greatest absolute value and n the number of agents: with
    a million agents to 12 decimal places of the greatest. Fields of int are summed exactly.

    Agents are sorted into cells of that size, so the time depends on how many are near, and memory
    only on the number of agents. Place the agents before the first declaration.

    Raises CrowdError for an unknown field, or one of another kind. If a coordinate or a value is
    not finite, a declaration and an update raise CrowdError, with the id of the agent, before
    anything is written.

    >>> from attrs import define
    >>> from fsmkit.crowd import Cells, Crowd, CrowdFsm
    >>> @define
    ... class Person:
    ...     x: float = 0.0
    ...     y: float = 0.0
    ...     near_ill: int = 0
    >>> machine = CrowdFsm("Person", Person)
    >>> healthy, ill = machine.add_state("Healthy"), machine.add_state("Ill")
    >>> crowd = Crowd(machine, 4, start="Healthy", engine="python")
    >>> crowd["x"] = [0.0, 1.0, 2.0, 9.0]
    >>> crowd.start("Ill", where=[1])
    >>> cells = Cells(crowd, "x", "y", size=2.0, around=10.0)
    >>> cells.count(into="near_ill", where="Ill")
    >>> crowd["near_ill"].tolist()
    [1, 0, 1, 1]
    """

    def __init__(
        self,
        crowd: HasNeighbours,
        *coordinates: str,
        size: float,
        around: float | Sequence[float | None] | None = None,
    ) -> None:
        shown = "".join(f"{name!r}, " for name in coordinates)
        wrapping = f", around={around!r}" if around is not None else ""
        name = f"Cells({shown}size={size!r}{wrapping})"
        if not 1 <= len(coordinates) <= 3:
            raise CrowdError(f"{name} must have 1, 2 or 3 coordinates, got {len(coordinates)}.")
        if len(set(coordinates)) < len(coordinates):
            raise CrowdError(f"{name}: the coordinates must be different fields.")
        self._coordinates = coordinates
        self._size = _size(size, f"{name}: size")
        self._around = _around(around, len(coordinates), name)
        space = InSpace(name, coordinates=coordinates, size=self._size, around=self._around)
        super().__init__(crowd, space)
        for each in coordinates:
            self._field(each, "a coordinate", (float, int))

    def count(
        self, *, into: str, where: Where = None, within: float | None = None, for_: Where = None
    ) -> None:
        """Write the number of agents nearby into a field of int or float."""
        self._aggregate("count", into, where, self._limit(within), for_=for_)

    def sum(
        self,
        name: str,
        *,
        into: str,
        where: Where = None,
        within: float | None = None,
        for_: Where = None,
    ) -> None:
        """Write the sum of the fields called `name` of agents nearby; 0 if there are none."""
        self._aggregate("sum", into, where, self._limit(within), field=name, for_=for_)

    def mean(
        self,
        name: str,
        *,
        into: str,
        where: Where = None,
        within: float | None = None,
        otherwise: float = 0.0,
        for_: Where = None,
    ) -> None:
        """Write the mean of the fields called `name` of agents nearby into a field of float.

        It is `otherwise` if there are none.
        """
        self._aggregate(
            "mean", into, where, self._limit(within), field=name, otherwise=otherwise, for_=for_
        )

    def share(
        self,
        of: Where,
        *,
        into: str,
        where: Where = None,
        within: float | None = None,
        otherwise: float = 0.0,
        for_: Where = None,
    ) -> None:
        """Write the share of `of` among agents nearby, from 0 to 1, into a field of float.

        It is `otherwise` if there are none.
        """
        self._aggregate(
            "share", into, where, self._limit(within), of=of, otherwise=otherwise, for_=for_
        )

    def least(
        self,
        name: str,
        *,
        into: str,
        where: Where = None,
        within: float | None = None,
        otherwise: float = inf,
        for_: Where = None,
    ) -> None:
        """Write the least of the fields called `name` nearby; `otherwise` if no agent is near."""
        self._aggregate(
            "least", into, where, self._limit(within), field=name, otherwise=otherwise, for_=for_
        )

    def most(
        self,
        name: str,
        *,
        into: str,
        where: Where = None,
        within: float | None = None,
        otherwise: float = -inf,
        for_: Where = None,
    ) -> None:
        """Write the greatest of the fields called `name` nearby, or `otherwise`."""
        self._aggregate(
            "most", into, where, self._limit(within), field=name, otherwise=otherwise, for_=for_
        )

    def offset(
        self,
        *,
        into: str | Sequence[str],
        where: Where = None,
        within: float | None = None,
        for_: Where = None,
    ) -> None:
        """Write the mean offset to agents nearby into a field of float for each coordinate.

        An offset points from the agent to the other one, across the border of a world that wraps if
        that is shorter; 0 if no agent is near. Agents that follow it gather, those that move
        against it keep apart.
        """
        names = [*into] if isinstance(into, Sequence) and not isinstance(into, str) else [into]
        if len(names) != len(self._coordinates):
            raise CrowdError(
                f"{self!r}: into must name a field for each of its {len(self._coordinates)} "
                f"coordinates, got {into!r}."
            )
        for each in names:
            self._written(each, float)
        choice, asked = self._choice(where), self._choice(for_, "for_")
        limit = self._limit(within)
        self._declare(
            *(
                Aggregate("offset", name, choice, limit, axis=axis, asked=asked)
                for axis, name in enumerate(names)
            )
        )

    def nearest(
        self,
        *,
        distance: str | None = None,
        id: str | None = None,  # noqa: A002  # the name that agents know it by
        values: Mapping[str, str] | None = None,
        where: Where = None,
        within: float | None = None,
        otherwise: float | None = None,
        ahead: bool = False,
        behind: bool = False,
        for_: Where = None,
    ) -> None:
        """Write the distance to the nearest agent, its id, and values of its fields.

        `distance` names a field of float, infinite if no agent is near, `id` one of int, then -1.
        `values` maps fields of the nearest agent to the fields to which they are written; without
        one these get `otherwise`, by default 0 or False. Of several that are equally near the one
        with the lowest id counts.

        On a line, Cells with one coordinate, `ahead=True` considers only agents further on: with a
        larger coordinate, or the same one and a larger id; `behind=True` the others. On a ring the
        search goes all the way round, but no further than `size`.
        """
        if (ahead and behind) or ((ahead or behind) and len(self._coordinates) > 1):
            raise CrowdError(
                f"{self!r}: ahead=True and behind=True need a line, with one coordinate, and "
                "exclude each other."
            )
        if distance is None and id is None and not values:
            raise CrowdError(f"{self!r}: nearest() must have distance=, id= or values=, got none.")
        if values is not None and not isinstance(values, Mapping):
            raise CrowdError(
                f"{self!r}: values must map fields of the nearest to fields that are written, got "
                f"{values!r}."
            )
        if distance is not None:
            self._written(distance, float, "distance")
        if id is not None:
            self._field(id, "id", (int,))  # floats of 32 bits do not hold every id
        choice, limit, side = self._choice(where), self._limit(within), int(ahead) - int(behind)
        copied = tuple(self._value(*each, otherwise) for each in (values or {}).items())
        asked = self._choice(for_, "for_")
        self._declare(Nearest(choice, limit, side, distance or "", id or "", copied, asked))

    # Helpers

    def _value(self, theirs: str, mine: str, otherwise: Any) -> tuple[str, str, float]:
        kind = self._field(theirs, "values", (float, int, bool))
        own = self._written(mine, kind, "values")
        alone = own() if otherwise is None else self._fitted(own, otherwise, "otherwise")
        return theirs, mine, alone

    def _aggregated(self, kind: AggregateKind, name: str) -> type:
        around = dict(zip(self._coordinates, self._around, strict=True))
        if kind in ("sum", "mean") and isfinite(around.get(name, inf)):
            raise CrowdError(
                f"{self!r}: the {kind} of {name!r} has no meaning where the world wraps. Use "
                "offset(), the mean offset to agents nearby."
            )
        return super()._aggregated(kind, name)

    def _limit(self, within: float | None) -> float:
        if within is None:
            return self._size
        limit = _size(within, f"{self!r}: within")
        if limit > self._size:
            raise CrowdError(f"{self!r}: within must be at most its size, got {within!r}.")
        return limit


def _size(size: Any, what: str) -> float:
    return arguments.number(size, what, least=SMALLEST, most=LARGEST, error=CrowdError)


def _around(around: Any, coordinates: int, name: str) -> tuple[float, ...]:
    """Return the size of the world for each coordinate; infinite where it does not wrap."""
    if around is None or arguments.to_float(around) is not None:
        around = [around] * coordinates
    lengths = tuple(around) if isinstance(around, Sequence) and not isinstance(around, str) else ()
    if len(lengths) != coordinates:
        raise CrowdError(
            f"{name}: around must be a number, or one for each of the {coordinates} coordinates, "
            f"got {around!r}."
        )
    return tuple(inf if each is None else _size(each, f"{name}: around") for each in lengths)
