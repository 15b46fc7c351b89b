"""Extent: the number of agents and the size of their values, on which the scale of sums depends."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from attrs import frozen

from fsmkit.crowd.neighbours.agents import Agents
from fsmkit.crowd.neighbours.declaration import Aggregate, Declaration
from fsmkit.crowd.packages import np


@frozen
class Extent:
    """The number of agents, and the greatest absolute value of each field that is summed.

    It is that of the whole crowd, so that the sums are the same however the crowd is divided.
    """

    agents: int
    greatest: Mapping[str, float]
    """A float for a field of floats, else an int."""

    @classmethod
    def of(cls, declaration: Declaration, agents: Agents) -> Extent:
        """Return it for these agents. Raises CrowdError for a value that is not finite."""
        summed = dict.fromkeys(
            each.field
            for each in declaration.quantities
            if isinstance(each, Aggregate) and each.kind in ("sum", "mean")
        )
        return cls(len(agents), {name: _greatest(declaration, agents, name) for name in summed})

    @classmethod
    def joined(cls, parts: Sequence[Extent]) -> Extent:
        """Return it for the agents of several parts."""
        return cls(
            sum(each.agents for each in parts),
            {name: max(each.greatest[name] for each in parts) for name in parts[0].greatest},
        )


def _greatest(declaration: Declaration, agents: Agents, name: str) -> float:
    column = agents.columns[name]
    if column.dtype.kind == "f":
        values = agents.finite(name, f"{declaration.name} adds it up, so it")
        return float(np.abs(values).max(initial=0.0))
    return max(int(column.max(initial=0)), -int(column.min(initial=0)))
