"""Plan: what a planner has found."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import fsum

from attrs import field, frozen

from fsmkit.goap.action import Facts, GoapAction
from fsmkit.goap.problem import Step


@frozen
class Plan:
    """What a planner has found: the actions to be done, in order."""

    found: bool
    actions: tuple[GoapAction, ...] = ()
    cost: float = 0.0
    out_of_reach: Facts = field(factory=dict)
    """Without a plan: fact -> the value that is needed and that no action can give it."""
    nodes: int = 0
    """How many world states, or for the greedy strategy facts, were looked at."""
    gave_up: bool = False
    """True if there may be a plan, but the search was ended by `max_nodes`."""

    @property
    def missing(self) -> tuple[str, ...]:
        """Without a plan: the facts that are needed and that no action can bring about."""
        return tuple(self.out_of_reach)

    def __bool__(self) -> bool:
        return self.found

    def __str__(self) -> str:
        if self.found:
            steps = ", ".join(action.name for action in self.actions) or "nothing to do"
            return f"{steps} (cost {self.cost:g})"
        if self.gave_up:
            return f"no plan found within {self.nodes} nodes: raise max_nodes"
        if self.out_of_reach:
            return f"no plan: no action can {' or '.join(self._impossible())}"
        return "no plan: each fact can be brought about, but not all that are needed together"

    def _impossible(self) -> Iterator[str]:
        """What no action can do."""
        if true := [repr(fact) for fact, value in self.out_of_reach.items() if value]:
            yield f"bring about {', '.join(true)}"
        if false := [repr(fact) for fact, value in self.out_of_reach.items() if not value]:
            yield f"make {', '.join(false)} false"


def plan_of(steps: Sequence[Step]) -> Plan:
    """The plan that consists of `steps`."""
    return Plan(True, tuple(step.action for step in steps), fsum(step.cost for step in steps))
