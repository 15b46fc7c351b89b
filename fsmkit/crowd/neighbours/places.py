"""Places: those at the same place."""

from __future__ import annotations

from math import inf

from fsmkit.crowd.neighbours.declaration import AtPlaces
from fsmkit.crowd.neighbours.neighbourhood import Neighbourhood, Where
from fsmkit.crowd.neighbours.renewal import HasNeighbours


class Places(Neighbourhood):
    """What the agents of a crowd know of those at the same place.

    `place` is the name of a field of int: agents with the same number are at the same place. Nobody
    is counted at its own place itself. As with `Cells`, what is declared is written at once and
    before each step of an `update`, and no order of agents or threads changes a bit of it.

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
        self._field(place, "a place", (int,), "int")

    def count(self, *, into: str, where: Where = None) -> None:
        """Write the number of others there into a field of int or float."""
        self._count(into, where, inf)

    def sum(self, name: str, *, into: str, where: Where = None) -> None:
        """Write the sum of the fields called `name` of the others there; 0 if nobody is."""
        self._sum(name, into, where, inf)

    def mean(self, name: str, *, into: str, where: Where = None, otherwise: float = 0.0) -> None:
        """Write the mean of the fields called `name` of the others there into a field of float.

        It is `otherwise` if nobody else is there.
        """
        self._mean(name, into, where, inf, otherwise)

    def share(self, of: Where, *, into: str, where: Where = None, otherwise: float = 0.0) -> None:
        """Write the share of `of` among the others there, from 0 to 1, into a field of float.

        It is `otherwise` if nobody else is there.
        """
        self._share(of, into, where, inf, otherwise)
