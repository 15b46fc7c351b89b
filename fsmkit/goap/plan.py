"""Plan: the result of a planner."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import fsum

from attrs import field, frozen

from fsmkit.goap.action import Facts, GoapAction
from fsmkit.goap.problem import Step


@frozen
class Plan:
    """The result of a planner: the actions to be done, in order."""

    found: bool
    actions: tuple[GoapAction, ...] = ()
    cost: float = 0.0
    out_of_reach: Facts = field(factory=dict)
    """Without a plan: fact -> the value that is needed and that no action can give it."""
    nodes: int = 0
    """The number of world states that were looked at; of facts with the greedy strategy."""
    gave_up: bool = False
    """True if there may be a plan, but the search was ended by `max_nodes`."""
    reason: str = field(default="nobody has looked for one", eq=False, repr=False)
    """Without a plan: why not, in words, where neither `missing` nor `gave_up` says it."""

    @property
    def missing(self) -> tuple[str, ...]:
        """The facts that are needed and that no action can bring about, if no plan was found."""
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
        return f"no plan: {self.reason}"

    def reaches(
        self, goal: Facts, world: Facts, step: int = 0, *, is_under_way: bool = False
    ) -> bool:
        """Return True if the actions from index `step` on lead from `world` to `goal`.

        If the first of them `is_under_way`, its preconditions are not asked for.
        """
        state: dict[str, bool] = {}
        for index, action in enumerate(self.actions[step:]):
            is_asked = index > 0 or not is_under_way
            if is_asked and not _hold(action.preconditions, state, world):
                return False
            state.update(action.effects)
        return _hold(goal, state, world)

    def _impossible(self) -> Iterator[str]:
        """Yield what no action can do."""
        if true := [repr(fact) for fact, value in self.out_of_reach.items() if value]:
            yield f"bring about {', '.join(true)}"
        if false := [repr(fact) for fact, value in self.out_of_reach.items() if not value]:
            yield f"make {', '.join(false)} false"


def plan_of(steps: Sequence[Step]) -> Plan:
    """Return the plan that consists of `steps`."""
    return Plan(True, tuple(step.action for step in steps), fsum(step.cost for step in steps))


def _hold(conditions: Facts, changed: Facts, world: Facts) -> bool:
    for fact, value in conditions.items():
        now = changed[fact] if fact in changed else world.get(fact, False)
        if now is not value:
            return False
    return True
