"""Plan: what a planner has found."""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum

from attrs import frozen

from fsmkit.goap.action import GoapAction
from fsmkit.goap.problem import Step


@frozen
class Plan:
    """What a planner has found: the actions to be done, in order."""

    found: bool
    actions: tuple[GoapAction, ...] = ()
    cost: float = 0.0
    missing: tuple[str, ...] = ()
    """Without a plan: the facts that are needed and that no action can bring about."""
    nodes: int = 0
    """How many world states, or for the greedy strategy facts, were looked at."""
    gave_up: bool = False
    """True if there may be a plan, but the search was ended by `max_nodes`."""

    def __bool__(self) -> bool:
        return self.found

    def __str__(self) -> str:
        if self.found:
            steps = ", ".join(action.name for action in self.actions) or "nothing to do"
            return f"{steps} (cost {self.cost:g})"
        if self.gave_up:
            return f"no plan found within {self.nodes} nodes: raise max_nodes"
        if self.missing:
            return f"no plan: no action can bring about {', '.join(map(repr, self.missing))}"
        return "no plan: each fact can be brought about, but not all that are needed together"


def plan_of(steps: Sequence[Step]) -> Plan:
    """The plan that consists of `steps`."""
    return Plan(True, tuple(step.action for step in steps), fsum(step.cost for step in steps))
