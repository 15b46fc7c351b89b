"""Cells: those within a distance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf, isfinite
from typing import Any, Final

from fsmkit.crowd.arguments import plain
from fsmkit.crowd.errors import CrowdError
from fsmkit.crowd.neighbours.declaration import Aggregate, InSpace, Nearest
from fsmkit.crowd.neighbours.neighbourhood import Neighbourhood, Where
from fsmkit.crowd.neighbours.renewal import HasNeighbours

SMALLEST: Final = 1e-100
LARGEST: Final = 1e100
"""The limits of sizes, whose squares must be numbers too."""


class Cells(Neighbourhood):
    """What the agents of a crowd know of those near them: within the distance `size`.

    `coordinates` are the names of one, two or three fields, of float or int. What is declared is
    written into fields of the agents at once, and before each step of an `update`: functions of
    actions read `agent.near_ill` like any other field. Nobody is near to itself.

    - `around`: the size of a world that wraps, for all coordinates, or one for each, with None for
      a coordinate that does not wrap. The distance is the shorter one then.
    - `where`, in all methods: the agents that count, by state or a field of booleans; by default
      all, also those that are not running.
    - `within`, in all methods: a smaller distance than `size`.

    The order of the agents and the number of threads change no bit of the results: counts are whole
    numbers, and sums are made in 64-bit fixed point. Values of floats are rounded for that, to a
    multiple of the greatest absolute value of anybody, divided by about 2**62 and multiplied with
    the number of agents: with a million agents to 12 decimal places of the greatest. Fields of int
    are summed exactly.

    Agents are sorted into cells of that size, so the time depends on how many are near, and memory
    on the number of agents only. The agents should have their places before the first declaration.

    Raises CrowdError for what is no field, or one of another kind. A declaration and an update
    raise CrowdError, with the id of the agent, before anything is written, if a coordinate or a
    value is not finite.

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
        length = checked_size(size, f"{name}: size")
        super().__init__(
            crowd,
            InSpace(
                name,
                coordinates=coordinates,
                size=length,
                around=_around(around, len(coordinates), name),
            ),
        )
        self._coordinates = coordinates
        self._size = length
        for each in coordinates:
            self._field(each, "a coordinate", (float, int), "float or int")

    def count(self, *, into: str, where: Where = None, within: float | None = None) -> None:
        """Write the number of those near into a field of int or float."""
        self._count(into, where, self._limit(within))

    def sum(
        self, name: str, *, into: str, where: Where = None, within: float | None = None
    ) -> None:
        """Write the sum of the fields called `name` of those near; 0 if nobody is."""
        self._sum(name, into, where, self._limit(within))

    def mean(
        self,
        name: str,
        *,
        into: str,
        where: Where = None,
        within: float | None = None,
        otherwise: float = 0.0,
    ) -> None:
        """Write the mean of the fields called `name` of those near into a field of float.

        It is `otherwise` if nobody is near.
        """
        self._mean(name, into, where, self._limit(within), otherwise)

    def share(
        self,
        of: Where,
        *,
        into: str,
        where: Where = None,
        within: float | None = None,
        otherwise: float = 0.0,
    ) -> None:
        """Write the share of `of` among those near, from 0 to 1, into a field of float.

        It is `otherwise` if nobody is near.
        """
        self._share(of, into, where, self._limit(within), otherwise)

    def least(
        self,
        name: str,
        *,
        into: str,
        where: Where = None,
        within: float | None = None,
        otherwise: float = inf,
    ) -> None:
        """Write the least of the fields called `name` of those near; `otherwise` if nobody is."""
        nobody = self._extreme(name, into, otherwise)
        choice, limit = self._choice(where), self._limit(within)
        self._declare(Aggregate("least", into, choice, limit, name, otherwise=nobody))

    def most(
        self,
        name: str,
        *,
        into: str,
        where: Where = None,
        within: float | None = None,
        otherwise: float = -inf,
    ) -> None:
        """Write the greatest of the fields called `name` of those near, or `otherwise`."""
        nobody = self._extreme(name, into, otherwise)
        choice, limit = self._choice(where), self._limit(within)
        self._declare(Aggregate("most", into, choice, limit, name, otherwise=nobody))

    def offset(
        self, *, into: str | Sequence[str], where: Where = None, within: float | None = None
    ) -> None:
        """Write the mean way to those near into a field of float for each coordinate.

        The way is from the agent to the other one, across the border of a world that wraps if that
        is shorter; 0 if nobody is near. Towards it agents gather, away from it they keep apart.
        """
        names = [*into] if isinstance(into, Sequence) and not isinstance(into, str) else [into]
        if len(names) != len(self._coordinates):
            raise CrowdError(
                f"{self!r}: into must name a field for each of its {len(self._coordinates)} "
                f"coordinates, got {into!r}."
            )
        for each in names:
            self._written(each, float)
        choice, limit = self._choice(where), self._limit(within)
        self._declare(
            *(Aggregate("offset", n, choice, limit, axis=axis) for axis, n in enumerate(names))
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
    ) -> None:
        """Write who is nearest: its distance, its id, and values of its fields.

        `distance` is a field of float, which is infinite if nobody is near, `id` one of int, -1
        then. `values` are fields of the nearest one, and the fields that they are written into; if
        nobody is near they get `otherwise`, by default 0 or False. Of several that are equally near
        it is the one with the lowest id.

        On a line, Cells with one coordinate, `ahead=True` takes only those further on: with a
        larger coordinate, or the same one and a larger id; `behind=True` the others. On a ring they
        are looked for all the way round, but for `size`.
        """
        if (ahead and behind) or ((ahead or behind) and len(self._coordinates) > 1):
            raise CrowdError(
                f"{self!r}: ahead=True and behind=True are for a line, with one coordinate, and of "
                "the two only one."
            )
        if distance is None and id is None and not values:
            raise CrowdError(f"{self!r}: nearest() must have distance=, id= or values=, got none.")
        if values is not None and not isinstance(values, Mapping):
            raise CrowdError(
                f"{self!r}: values must be a mapping of their fields to fields that are written, "
                f"got {values!r}."
            )
        if distance is not None:
            self._written(distance, float, "distance")
        if id is not None:
            self._field(id, "id", (int,), "int")  # floats of 32 bits do not hold every id
        self._declare(
            Nearest(
                self._choice(where),
                self._limit(within),
                int(ahead) - int(behind),
                distance or "",
                id or "",
                tuple(self._value(*each, otherwise) for each in (values or {}).items()),
            )
        )

    # Helpers

    def _value(self, theirs: str, mine: str, otherwise: Any) -> tuple[str, str, float]:
        kind = self._field(theirs, "values", (float, int, bool), "float, int or bool")
        own = self._written(mine, kind, "values")
        nobody = own() if otherwise is None else self._fitted(own, otherwise, "otherwise")
        return theirs, mine, nobody

    def _extreme(self, name: str, into: str, otherwise: float) -> float:
        """Return what the least or the most is if nobody is near. Raises CrowdError."""
        kind = self._field(name, "what is compared", (float, int), "float or int")
        self._written(into, kind)
        nobody: float = self._fitted(
            kind, otherwise, f"otherwise, what {into!r} is if nobody is near,"
        )
        return nobody

    def _aggregated(self, name: str, what: str) -> type:
        declaration = self._declaration
        assert isinstance(declaration, InSpace)
        around = dict(zip(self._coordinates, declaration.around, strict=True))
        if isfinite(around.get(name, inf)):
            raise CrowdError(
                f"{self!r}: {what} of {name!r} has no meaning where the world wraps. Take "
                "offset(), the mean way to those near."
            )
        return super()._aggregated(name, what)

    def _limit(self, within: float | None) -> float:
        if within is None:
            return self._size
        limit = checked_size(within, f"{self!r}: within")
        if limit > self._size:
            raise CrowdError(f"{self!r}: within must be at most its size, got {within!r}.")
        return limit


def checked_size(size: Any, what: str) -> float:
    """Return a length as a float. Raises CrowdError unless it is positive and finite."""
    number = plain(size)
    if isinstance(number, bool) or not isinstance(number, int | float):
        raise CrowdError(f"{what} must be a number > 0, got {size!r}.")
    if not SMALLEST <= number <= LARGEST:
        raise CrowdError(f"{what} must be from {SMALLEST} to {LARGEST}, got {size!r}.")
    return float(number)


def _around(around: Any, coordinates: int, name: str) -> tuple[float, ...]:
    """Return the size of the world for each coordinate; infinite where it does not wrap."""
    if around is None or isinstance(plain(around), int | float):
        around = [around] * coordinates
    lengths = tuple(around) if isinstance(around, Sequence) and not isinstance(around, str) else ()
    if len(lengths) != coordinates:
        raise CrowdError(
            f"{name}: around must be a number, or one for each of the {coordinates} coordinates, "
            f"got {around!r}."
        )
    return tuple(inf if each is None else checked_size(each, f"{name}: around") for each in lengths)
